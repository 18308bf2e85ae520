"""The table of results names what there is: functions, tests and experiments."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from regretless.paper import EXPERIMENTS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "results.md"
STATUS = ("proved", "simulated", "conjectured", "assumed", "lemma proved, regret conjectured")


def rows():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "result" and not set(row[0]) <= set("-")]


def named(cell):
    return re.findall(r"`([^`]+)`", cell)


def test_every_row_has_its_cells_and_a_known_status():
    found = rows()
    assert len(found) > 50
    for row in found:
        assert len(row) == 6, row
        assert not row[2] or row[2].startswith(STATUS), row
        if row[2].startswith("proved") and "large T" not in row[2] and row[0] != "continuous domains":
            assert named(row[3]), row
            assert named(row[4]), row


@pytest.mark.parametrize("name", sorted({name for row in rows() for name in named(row[3])}))
def test_every_function_is_there(name):
    module, _, attribute = f"regretless.{name}".rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("name", sorted({name for row in rows() for name in named(row[4])}))
def test_every_test_is_there(name):
    path, _, function = name.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    tests = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert tests
    assert not function or function in tests


def test_every_experiment_is_there_and_none_is_missing():
    found = {name for row in rows() for name in named(row[5])}
    assert found == set(EXPERIMENTS)


def test_every_numbered_result_is_listed():
    """Of section 4 and of the appendices D and E, but for the textbook fact E.3."""
    listed = {row[0] for row in rows()}
    numbered = {f"Theorem 4.{i}" for i in range(1, 7)} | {f"Lemma 4.{i}" for i in range(1, 4)}
    numbered |= {"Proposition 4.1", "Corollary 4.1", "Lemma D.1", "Lemma E.1", "Lemma E.2", "Lemma E.4"}
    assert numbered <= listed
