"""Regretless and Ax: the import of an experiment."""

from regretless.integrations.ax.importing import from_ax

__all__ = ["from_ax"]
