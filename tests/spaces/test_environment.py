"""Environments and perturbations: the joint space, its decisions, and which point is which."""

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.spaces import Environment, FileTable, Mixed, Perturbation, Table, as_space, scenarios_of

HUMIDITY = Environment("humidity", [20, 40, 80], weights=[0.5, 0.3, 0.2])
ROWS = [{"t": t, "acid": acid} for t in (20, 40, 60) for acid in ("HCl", "HNO3")]


def check(found):
    """Every decision in every environment is the point of the domain that its parameters say."""
    for i in range(found.decisions.n_candidates):
        for w, value in enumerate(found.environment.values):
            point = found.point(found.decisions.at_index(i), w)
            assert found.domain.params_of(point) == {
                **found.decisions.params(i),
                found.environment.name: value,
            }
            np.testing.assert_array_equal(point.x, found.points(found.decisions.X[i : i + 1])[0, w])
    assert len(set(found.rows.ravel().tolist())) == found.domain.n_candidates


def test_a_table_gets_the_environment_as_a_column():
    table = Table([{"id": f"A{i}", **row} for i, row in enumerate(ROWS)], id="id")
    found = scenarios_of(table, HUMIDITY, 10_000)
    assert found.space.n_candidates == 18
    assert found.decisions is table
    assert found.space.ids[:4] == ("A0 humidity=20", "A0 humidity=40", "A0 humidity=80", "A1 humidity=20")
    check(found)


def test_a_table_may_have_the_column_already():
    rows = [{**row, "humidity": h} for h in HUMIDITY.values for row in ROWS]
    found = scenarios_of(as_space(rows), HUMIDITY, 10_000)
    assert found.space.n_candidates == 18
    assert found.decisions.n_candidates == 6
    check(found)
    with pytest.raises(InvalidInput, match="some values of humidity only"):
        scenarios_of(as_space(rows[:-1]), HUMIDITY, 10_000)
    with pytest.raises(InvalidInput, match="has the values"):
        scenarios_of(as_space(rows), Environment("humidity", [20, 40]), 10_000)


def test_a_small_discrete_space_is_listed():
    found = scenarios_of(as_space({"n": (1, 4), "acid": ["HCl", "HNO3"]}), HUMIDITY, 10_000)
    assert isinstance(found.domain, Table)
    assert found.decisions.n_candidates == 8
    check(found)
    inside = scenarios_of(as_space({"humidity": [20, 40, 80], "n": (1, 4)}), HUMIDITY, 10_000)
    assert inside.column == 0
    check(inside)


def test_a_box_with_categories_as_environment():
    found = scenarios_of(as_space({"a": (0.0, 1.0), "b": (1, 9)}), Environment("site", ["north", "south"]), 10_000)
    assert isinstance(found.domain, Mixed)
    assert found.rows is None
    X = np.array([[0.3, 0.25], [0.9, 1.0]])
    Z = found.points(X)
    assert Z.shape == (2, 2, 3)
    np.testing.assert_array_equal(found.decisions_of(Z.reshape(4, 3)), np.repeat(X, 2, axis=0))
    assert found.domain.decode(Z[1, 1]) == {"a": 0.9, "b": 9, "site": "south"}
    gradient = np.arange(12.0).reshape(2, 2, 3)
    np.testing.assert_array_equal(found.pull(X, gradient), gradient.sum(axis=1)[:, :2])


def test_constraints_of_the_space_stay():
    found = scenarios_of(as_space({"a": (0.0, 1.0), "b": (0.0, 1.0)}, None, ["a + b <= 1"]), HUMIDITY, 10_000)
    sample = found.decisions.sample(50, np.random.default_rng(1))
    assert (sample.sum(axis=1) <= 1.0 + 1e-9).all()
    assert (found.domain.sample(50, np.random.default_rng(1))[:, :2].sum(axis=1) <= 1.0 + 1e-9).all()


def test_shifts_are_in_the_units_of_the_parameter_and_stop_at_the_bounds():
    space = as_space({"a": (0.0, 10.0), "c": ["u", "v"], "b": (-1.0, 1.0)})
    found = scenarios_of(space, Perturbation({"b": [-0.5, 0.0, 0.5], "a": [1.0, 0.0, -1.0]}), 10_000)
    assert found.domain is found.decisions
    Z = found.points(np.array([[0.05, 1.0, 0.9]]))
    np.testing.assert_allclose(Z[0], [[0.15, 1.0, 0.65], [0.05, 1.0, 0.9], [0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(found.pull(np.array([[0.05, 1.0, 0.9]]), np.ones((1, 3, 3))), [[2.0, 3.0, 2.0]])


def test_points_that_stand_for_a_law():
    normal = np.array(Perturbation.normal({"a": 0.1, "b": 2.0}, count=200).shifts[1][1])
    assert normal.mean() == pytest.approx(0.0, abs=1e-12)
    assert normal.std() == pytest.approx(2.0, rel=0.02)
    uniform = Perturbation.uniform({"a": 0.1}, count=8)
    assert max(uniform.shifts[0][1]) == pytest.approx(0.0875)
    assert Perturbation.normal({"a": 0.1, "b": 2.0}, 8) == Perturbation.normal({"a": 0.1, "b": 2.0}, 8)


def test_what_is_refused(tmp_path):
    np.save(tmp_path / "rows.npy", np.random.default_rng(1).random((50, 2)))
    wide = FileTable.from_npy(tmp_path / "rows.npy")
    mixed = as_space({"a": (0.0, 1.0)})
    for space, environment, message in (
        (wide, HUMIDITY, "table in a file"),
        (mixed, "humidity", "must be an Environment"),
        (as_space([(0.0, 1.0)]), HUMIDITY, "names"),
        (as_space({"a": (0.0, 1.0), "humidity": (0.0, 1.0)}), HUMIDITY, "real parameter"),
        (as_space({"humidity": [20, 40, 80]}), HUMIDITY, "only parameter"),
        (as_space(ROWS), Perturbation({"t": [1.0]}), "nothing in between"),
        (mixed, Perturbation({"z": [1.0]}), "no real parameter"),
        (as_space({"a": (1e-3, 1.0, "log")}), Perturbation({"a": [0.1]}), "linear scale"),
        (as_space({"a": (0.0, 1.0), "b": (0.0, 1.0)}, None, ["a + b <= 1"]), Perturbation({"a": [0.1]}), "constraints"),
    ):
        with pytest.raises(InvalidInput, match=message):
            scenarios_of(space, environment, 10_000)
    for bad in (("h", []), ("h", [1, 1]), ("", [1]), ("h", "abc")):
        with pytest.raises(InvalidInput):
            Environment(*bad)
    for bad in ({}, {"a": [1.0], "b": [1.0, 2.0]}, {"a": []}):
        with pytest.raises(InvalidInput):
            Perturbation(bad)
