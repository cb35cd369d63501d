"""The decision store: an append-only log of what reviewers decided, in SQLite or PostgreSQL."""

from labkit.store.log import Store
from labkit.store.problems import StoreError
from labkit.store.rows import ExportRow, ItemRow, StudyRow

__all__ = ["ExportRow", "ItemRow", "Store", "StoreError", "StudyRow"]
