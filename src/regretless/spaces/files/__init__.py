"""Spreadsheet files as columns: the one reader behind ``Table`` and every command."""

from regretless.spaces.files.cells import is_number
from regretless.spaces.files.factors import Factors, read_factors
from regretless.spaces.files.quoting import neutralised, restored
from regretless.spaces.files.reading import Reading
from regretless.spaces.files.sheet import Dialect, Sheet, read_sheet

__all__ = [
    "Dialect",
    "Factors",
    "Reading",
    "Sheet",
    "is_number",
    "neutralised",
    "read_factors",
    "read_sheet",
    "restored",
]
