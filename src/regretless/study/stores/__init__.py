"""Stores: where studies are kept. Imported only when one is used, for SQLAlchemy is not needed to optimise."""

from regretless.study.journal import Journal, MemoryStore, Store
from regretless.study.stores.conversion import convert
from regretless.study.stores.sql import SqlStore

__all__ = ["Journal", "MemoryStore", "SqlStore", "Store", "convert"]
