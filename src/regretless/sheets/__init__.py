"""Spreadsheets: files as a lab keeps them, read without a guess, and scopes of experiments made for them."""

from regretless.sheets.cells import Value
from regretless.sheets.experiments import Experiments, read_experiments
from regretless.sheets.export import check_new, neutralised, restored, write_csv, write_new
from regretless.sheets.rounds import RoundRow, read_round
from regretless.sheets.scope import Mixture, Scope, read_scope
from regretless.sheets.sheet import Dialect, Sheet, read_sheet

__all__ = [
    "Dialect",
    "Experiments",
    "Mixture",
    "RoundRow",
    "Scope",
    "Sheet",
    "Value",
    "check_new",
    "neutralised",
    "read_experiments",
    "read_round",
    "read_scope",
    "read_sheet",
    "restored",
    "write_csv",
    "write_new",
]
