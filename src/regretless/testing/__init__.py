"""Suites that others can run on what they build: a store of one's own must pass `StoreSuite`."""

from regretless.testing.stores import StoreSuite

__all__ = ["StoreSuite"]
