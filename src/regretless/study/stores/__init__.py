"""Stores for studies. Imported only when one is used, since optimising needs no SQLAlchemy."""

from regretless.study.journal import Journal, MemoryStore, Store
from regretless.study.stores.conversion import convert
from regretless.study.stores.rows import from_json, to_json
from regretless.study.stores.sql import SqlStore

__all__ = ["Journal", "MemoryStore", "SqlStore", "Store", "convert", "from_json", "to_json"]
