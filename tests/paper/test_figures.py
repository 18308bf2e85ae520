"""Figures that people can read: few lines in a panel, and none left out."""

import pytest

from regretless.paper.experiments import EXPERIMENTS
from regretless.paper.figures import _families
from regretless.paper.methods import as_methods
from regretless.paper.settings import read_settings


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name in ("synthetic", "functions", "materials")])
def test_a_panel_has_six_lines_at_most_and_every_method_is_drawn(name):
    methods = as_methods(read_settings(name).methods, own=False)
    families = _families(methods)
    assert all(len(family) <= 6 for family in families)
    assert {method for family in families for method in family} == set(methods)
    assert all("irgp-ucb" in {method.key for method in family} for family in families)


def test_few_methods_share_one_family():
    methods = as_methods(["irgp-ucb", "ei", "ts"], own=False)
    assert _families(methods) == [methods]
