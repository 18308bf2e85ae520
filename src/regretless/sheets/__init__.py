"""Spreadsheets of a lab: experiments with their results, rounds, scopes made for them, and files written out."""

from regretless.sheets.experiments import Experiments, read_experiments
from regretless.sheets.export import check_new, whole_file, write_csv, write_new
from regretless.sheets.measurement import (
    Measurement,
    Value,
    error_columns,
    error_names,
    numbers_of,
    result_cell,
    stray_errors,
)
from regretless.sheets.rounds import RoundRow, read_round
from regretless.sheets.scope import Mixture, Scope, read_scope
from regretless.spaces.files import Dialect, Reading, Sheet, neutralised, read_sheet, restored

__all__ = [
    "Dialect",
    "Experiments",
    "Measurement",
    "Mixture",
    "Reading",
    "RoundRow",
    "Scope",
    "Sheet",
    "Value",
    "check_new",
    "error_columns",
    "error_names",
    "neutralised",
    "numbers_of",
    "read_experiments",
    "read_round",
    "read_scope",
    "read_sheet",
    "restored",
    "result_cell",
    "stray_errors",
    "whole_file",
    "write_csv",
    "write_new",
]
