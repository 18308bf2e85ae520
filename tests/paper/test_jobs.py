import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.gp import Surrogate
from regretless.paper.experiments import EXPERIMENTS, units_of
from regretless.paper.jobs import Unit, from_csv, to_csv
from regretless.paper.methods import as_methods
from regretless.paper.settings import read_settings

numbers = st.floats(allow_nan=True, allow_infinity=True, width=64)


@given(st.integers(0, 20).flatmap(lambda n: st.tuples(*[st.lists(numbers, min_size=n, max_size=n)] * 2)))
def test_every_bit_survives_csv(columns):
    table = {"a": np.array(columns[0], dtype=float), "b, c": np.array(columns[1], dtype=float)}
    back = from_csv(to_csv(table))
    assert list(back) == list(table)
    for name, column in table.items():
        assert np.array_equal(back[name], column, equal_nan=True)


def test_zero_keeps_no_sign_that_matters():
    assert from_csv(to_csv({"a": np.array([-0.0])}))["a"].tolist() == [0.0]


def test_a_seed_depends_on_problem_and_run_and_not_on_the_method():
    def seed(**change):
        return Unit(**{"experiment": "e", "problem": "p", "method": "m", "seed": 0, "settings": {"seed": 1}, **change})

    first = seed().stream_seed()
    assert seed(method="other").stream_seed() == first
    others = [seed(problem="q"), seed(seed=1), seed(experiment="f"), seed(settings={"seed": 2})]
    assert len({first, *(unit.stream_seed() for unit in others)}) == 5
    assert 0 <= first < 2**63


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_unit_is_json_and_has_a_place_of_its_own(name, quick, small_tables):
    settings = read_settings(name, quick=quick)
    units, sentence = units_of(settings, as_methods(settings.methods))
    assert sentence is None
    assert len({unit.key for unit in units}) == len(units)
    for unit in units:
        assert Unit.from_json(unit.to_json()) == unit
    assert json.loads(json.dumps(dict(settings.numbers))) == settings.numbers


def test_the_full_settings_are_the_papers():
    """Sizes, lengths and settings that the paper states."""
    synthetic, functions, materials = (read_settings(name) for name in ("synthetic", "functions", "materials"))
    assert (synthetic.runs, synthetic.numbers["designs"]) == (100, 10)
    grid = {"levels": 10, "spacing": 0.1, "dim": 3, "lengthscale": 0.1, "noise_var": 1e-4, "confidence": "theory"}
    assert {name: synthetic.numbers[name] for name in grid} == grid
    assert functions.runs == materials.runs == 10
    assert (functions.numbers["refit_every"], materials.numbers["refit_every"]) == (5, 1)
    assert functions.numbers["confidence"] == materials.numbers["confidence"] == "heuristic"
    assert materials.numbers["initial"] == 2
    assert functions.numbers["noise_var"] == materials.numbers["noise_var"] == 1e-4  # in the units of the values, both
    for settings in (functions, materials):
        assert tuple(settings.numbers["lengthscale_bounds"]) == Surrogate.paper().lengthscale_bounds
    papers = {"ei", "ts", "mes", "jes", "pims", "gp-ucb", "rgp-ucb", "irgp-ucb"}
    assert all(papers <= set(settings.methods) for settings in (synthetic, functions, materials))
    linear = read_settings("linear-regret")
    assert linear.runs * linear.numbers["block"] == 4000


def test_some_problems_have_more_runs(small_tables):
    settings = read_settings("materials")
    assert [settings.runs_on(problem) for problem in settings.problems] == [10, 10, 60, 10, 10]
    units, _ = units_of(settings, as_methods(["ei", "ts"]))
    assert len(units) == len({unit.key for unit in units}) == 2 * (4 * 10 + 60)
    assert {unit.seed for unit in units if unit.problem == "agnp"} == set(range(60))
    assert [unit.seed for unit in units] == sorted(unit.seed for unit in units)  # run by run


def test_an_unknown_experiment_is_refused():
    with pytest.raises(InvalidInput, match="no experiment"):
        read_settings("alchemy")


def test_tables_that_are_missing_are_left_out_with_a_sentence(small_tables):
    settings = read_settings("materials")
    (small_tables / "AgNP_dataset.csv").unlink()
    units, sentence = units_of(settings, as_methods(["ei"]))
    assert {unit.problem for unit in units} == {"perovskite", "p3ht", "autoam", "crossed-barrel"}
    assert "left out agnp" in sentence
    assert "regretless data fetch" in sentence
