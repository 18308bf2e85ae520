"""The figure of a level set: over one factor, over two, and for a list of many."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

from regretless import InvalidInput, LevelSet, Study
from regretless.plots import plot_certificate, plot_contour, plot_region, plot_regret_left, plot_slice


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def told(space, goal, f, n=8):
    study = Study(space, objective="yield", goal=goal, seed=1)
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, float(f(trial.params)))
    return study


@pytest.fixture(scope="module")
def line():
    return told([{"x": x / 20} for x in range(21)], LevelSet(below=0.2), lambda p: np.sin(5 * p["x"]))


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_curve_over_one_factor_is_the_probability(line):
    _, given = plt.subplots()
    ax = plot_region(line, given)
    assert ax is given
    x, y = ax.lines[0].get_data()
    np.testing.assert_allclose(y, line.region([{"x": float(at)} for at in x]).probability)
    assert ax.get_ylabel() == "probability of yield <= 0.2"
    reached, not_reached = (c.get_offsets() for c in ax.collections[1:3])
    values = np.array([trial.value for trial in line.trials])
    assert len(reached) == np.count_nonzero(values <= 0.2)
    assert len(not_reached) == np.count_nonzero(values > 0.2)
    assert set(reached[:, 1]) == {1.0}
    assert set(not_reached[:, 1]) == {0.0}


def test_a_map_over_two_factors_has_a_line_at_an_even_chance():
    study = told({"x": (0.0, 1.0), "y": (0.0, 1.0)}, LevelSet(above=0.8), lambda p: p["x"] + p["y"], 10)
    ax = plot_region(study, n_grid=9)
    assert "even chance" in labels(ax)
    drawn = ax.collections[0].get_array()
    assert drawn.shape == (9, 9)
    assert float(drawn[-1, -1]) > 0.9 > 0.1 > float(drawn[0, 0])  # rows run up y
    assert labels(plot_slice(study, "x"))[-2:] == ["best measured", "level 0.8"]  # a level set recommends no point
    assert labels(plot_contour(study, ["x", "y"], n_grid=5))[-1] == "best measured"


def test_more_factors_stand_in_order_or_are_named():
    rows = [{"a": a, "b": b, "c": c} for a in range(4) for b in range(3) for c in "uv"]
    study = told(rows, LevelSet(above=2.5), lambda p: p["a"] + (p["c"] == "u"))
    ax = plot_region(study)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), np.sort(study.region().probability)[::-1])
    assert f"taken to be inside: {study.region().inside.sum()}" in labels(ax)
    plot_region(study, over="c")
    plot_region(study, over=["a", "c"])
    box = told({"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)}, LevelSet(above=0.5), lambda p: p["a"])
    with pytest.raises(InvalidInput, match="name one or two"):
        plot_region(box)
    plot_region(box, over=("a", "b"), n_grid=5)


def test_how_many_were_wrong_by_result_beside_the_truth(line):
    assert plot_regret_left(line, looks=3).get_ylabel() == "candidates on the wrong side"
    ax = plot_certificate([line.certificate()] * 2, [1, 0])
    assert labels(ax)[0] == "expected by the model"
    assert "truly wrong" in labels(ax)


def test_what_cannot_be_drawn_is_said(line):
    with pytest.raises(InvalidInput, match="over must name"):
        plot_region(line, over=["x", "x"])
    plain = Study([{"x": x} for x in range(5)], seed=1)
    plain.tell(plain.ask(), 1.0)
    with pytest.raises(InvalidInput, match="plot_posterior"):
        plot_region(plain)
