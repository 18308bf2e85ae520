"""Rules from outside: by ``module:Class``, by entry point, in every race and in every figure."""

import importlib.metadata
import sys

import pytest

from regretless.acquisition import GPUCB, IRGPUCB
from regretless.errors import InvalidInput
from regretless.paper import reproduce
from regretless.paper.jobs import Unit
from regretless.paper.methods import ENTRY_POINTS, as_methods, outside, rule_of
from regretless.paper.settings import read_settings

SOURCE = """
from dataclasses import dataclass
from typing import ClassVar

from regretless import Rule
from regretless.acquisition import MomentScore
from regretless.acquisition.threshold import Mean


@dataclass(frozen=True)
class Greedy(Rule):
    name: ClassVar[str] = "greedy"

    def draw(self, view, t, rng):
        return MomentScore(view.posterior, Mean())


class Demanding(Greedy):
    def __init__(self, needed):
        pass


class NoRule:
    name = "none"
"""


@pytest.fixture
def greedy(tmp_path, monkeypatch):
    (tmp_path / "greedy_rule.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "greedy_rule.py"
    sys.modules.pop("greedy_rule", None)


def test_every_method_has_a_colour_of_its_own_everywhere():
    methods = as_methods(read_settings("synthetic").methods)
    assert len({method.colour for method in methods}) == len(methods) == 10
    for name in ("functions", "materials", "confidence"):
        for method in as_methods(read_settings(name).methods):
            assert method in methods


def test_upper_bounds_take_the_law_of_the_settings():
    for setting in ("theory", "heuristic"):
        assert rule_of(Unit("synthetic", "p", "irgp-ucb", 0, {"confidence": setting})) == IRGPUCB(setting)
        assert rule_of(Unit("synthetic", "p", "gp-ucb", 0, {"confidence": setting})) == GPUCB(setting)
    assert rule_of(Unit("synthetic", "p", "ei", 0, {"confidence": "theory"})).name == "ei"


def test_a_rule_from_outside_races_and_is_drawn(greedy, tmp_path):
    done = reproduce(["synthetic"], out=tmp_path / "out", quick=True, rules=["greedy_rule:Greedy"])
    header = (tmp_path / "out" / "curves" / "synthetic-gp-sample-simple.csv").read_text().splitlines()[0]
    assert "greedy mean" in header
    assert "--rule greedy_rule:Greedy" in done.report.read_text()
    folder = next((tmp_path / "out" / "results").glob("synthetic-*"))
    assert len(list(folder.glob("gp-sample/greedy-*/*.csv"))) == 4


def test_an_edited_rule_is_another_method(greedy):
    key = as_methods([], ["greedy_rule:Greedy"])[0].key
    assert key.startswith("greedy-")
    assert as_methods([], ["greedy_rule:Greedy"])[0].key == key
    greedy.write_text(SOURCE + "\n# exploits\n")
    import linecache

    linecache.clearcache()
    sys.modules.pop("greedy_rule")
    assert as_methods([], ["greedy_rule:Greedy"])[0].key != key


def test_installed_rules_take_part(greedy, monkeypatch):
    point = importlib.metadata.EntryPoint("greedy", "greedy_rule:Greedy", ENTRY_POINTS)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [point] if group == ENTRY_POINTS else [])
    assert [method.label for method in as_methods(["ei"])] == ["EI", "greedy"]
    assert [method.label for method in as_methods(["ei"], ["greedy_rule:Greedy"])] == ["EI", "greedy"]  # once
    assert [method.label for method in as_methods(["ei"], own=False)] == ["EI"]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("greedy_rule", "module:Class"),
        (":Greedy", "module:Class"),
        ("no_such_module:Greedy", "cannot be made"),
        ("greedy_rule:Missing", "cannot be made"),
        ("greedy_rule:Demanding", "need no arguments"),
        ("greedy_rule:NoRule", "is no rule"),
    ],
)
def test_what_is_no_rule_is_refused(greedy, spec, says):
    with pytest.raises(InvalidInput, match=says):
        outside(spec)
