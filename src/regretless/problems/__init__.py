"""Objectives to maximise whose optimum is known: test functions, GP sample paths, tables of measurements."""

from regretless.problems.functions import by_name, names
from regretless.problems.gp_sample import gp_sample, grid
from regretless.problems.measurements import load, missing, table_names
from regretless.problems.problem import Noisy, Problem

__all__ = ["Noisy", "Problem", "by_name", "gp_sample", "grid", "load", "missing", "names", "table_names"]
