"""Finite spaces: the rows of a table are the candidates."""

from regretless.spaces.table.extension import Raw, Rows, extended_table, further_rows, read_rows
from regretless.spaces.table.filetable import FileTable, columns_in_file
from regretless.spaces.table.frame import Frame
from regretless.spaces.table.listing import as_table, listed_domain
from regretless.spaces.table.rowids import RowIds
from regretless.spaces.table.table import Table

__all__ = [
    "FileTable",
    "Frame",
    "Raw",
    "RowIds",
    "Rows",
    "Table",
    "as_table",
    "columns_in_file",
    "extended_table",
    "further_rows",
    "listed_domain",
    "read_rows",
]
