"""Figures of the model for every kind of space: each returns its axes, with the right values on them."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from regretless import InvalidInput, LevelSet, Study
from regretless.lab import importance
from regretless.plots import (
    plot_contour,
    plot_importance,
    plot_parallel,
    plot_parity,
    plot_regret,
    plot_regret_left,
    plot_slice,
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def table():
    rows = [
        {"T": T, "acid": acid, "rate": r} for T in (20, 40, 60) for acid in ("HCl", "HNO3") for r in (1e-4, 1e-3, 1e-1)
    ]
    return Study(rows, objective="yield", seed=1)


def box():
    return Study({"T": (20.0, 60.0), "rate": (1e-4, 1e-1, "log"), "acid": ["HCl", "HNO3"]}, objective="yield", seed=1)


@pytest.fixture(scope="module", params=[table, box], ids=["table", "box"])
def study(request):
    made = request.param()
    for _ in range(9):
        trial = made.ask()
        made.tell(trial, trial.params["T"] / 10 + 0.3 * (trial.params["acid"] == "HCl"))
    return made


def test_every_figure_returns_the_axes_it_was_given(study):
    draws = [
        plot_regret,
        lambda study, ax: plot_regret_left(study, ax, looks=3),
        lambda study, ax: plot_slice(study, "T", ax),
        lambda study, ax: plot_slice(study, "acid", ax),
        lambda study, ax: plot_contour(study, ["T", "acid"], ax),
        lambda study, ax: plot_contour(study, ["rate", "T"], ax),
        plot_parallel,
        plot_importance,
        plot_parity,
    ]
    for draw in draws:
        _, ax = plt.subplots()
        assert draw(study, ax=ax) is ax
        assert isinstance(draw(study, None), Axes) if draw is plot_parity else True


def test_categories_and_log_scales(study):
    assert [label.get_text() for label in plot_slice(study, "acid").get_xticklabels()] == ["HCl", "HNO3"]
    assert plot_slice(study, "rate").get_xscale() == "log"
    assert plot_contour(study, ["T", "acid"]).get_yticklabels()[0].get_text() == "HCl"


def test_a_slice_is_the_prediction(study):
    ax = plot_slice(study, "T")
    line = next(each for each in ax.lines if each.get_label() == "posterior mean")
    anchor = study.recommend().params
    mean, _ = study.predict([{**anchor, "T": value} for value in line.get_xdata()])
    assert np.allclose(line.get_ydata(), mean)


def test_importance_names_what_matters(study):
    shares = importance(study)
    assert next(iter(shares)) == "T"
    assert shares["T"] > 0.8
    assert all(-1e-9 <= share <= 1.0 + 1e-9 for share in shares.values())
    by_scale = importance(study, by="lengthscale")
    assert set(by_scale) == set(shares)
    assert sum(by_scale.values()) == pytest.approx(1.0)


def test_first_order_indices_of_an_additive_function():
    """Var(E[f | x_j]) / Var(f) of f = 2 a + b over a full grid, where it is known: 4 to 1."""
    study = Study([{"a": a, "b": b} for a in range(6) for b in range(6)], seed=1)
    for row in range(36):
        study.add(row=row, value=2.0 * (row // 6) + row % 6)
    shares = importance(study)
    assert shares["a"] == pytest.approx(0.8, abs=0.02)
    assert shares["b"] == pytest.approx(0.2, abs=0.02)


def test_what_is_no_factor_is_refused(study):
    for call in (
        lambda: plot_slice(study, "nothing"),
        lambda: plot_contour(study, ["T"]),
        lambda: plot_contour(study, ["T", "T"]),
        lambda: importance(study, by="magic"),
        lambda: plot_importance(Study({"x": (0.0, 1.0)}), by="lengthscale"),
    ):
        with pytest.raises(InvalidInput):
            call()


def test_cells_of_a_log_axis_are_centred_on_their_values():
    rows = [{"rate": 10.0**k, "T": T} for k in range(-4, 0) for T in (20, 40, 60)]
    study = Study(rows, seed=1)
    for _ in range(5):
        trial = study.ask()
        study.tell(trial, trial.params["T"] + np.log10(trial.params["rate"]))
    ax = plot_contour(study, ["rate", "T"])
    x = np.asarray(ax.collections[0].get_coordinates())[0, :, 0]
    assert np.sqrt(x[1:] * x[:-1]).tolist() == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1])
    plt.close("all")


def test_a_study_draws_all_of_them_by_name():
    from regretless.plots.family import FAMILY

    rows = [{"T": T, "acid": acid} for T in range(20, 70, 10) for acid in ("HCl", "HNO3")]
    one = Study(rows, objective="yield", seed=1)
    two = Study(rows, objectives={"yield": "maximize", "cost": "minimize"}, seed=1)
    box = Study({"x": (0.0, 1.0)}, seed=1)
    level = Study(rows, goal=LevelSet(above=50.0), seed=1)
    for study in (one, two, box, level):
        for _ in range(5):
            trial = study.ask()
            value = float(trial.params.get("T", 0)) + trial.params.get("x", 0.0)
            study.tell(trial, {"yield": value, "cost": value / 2} if study is two else value)
    more = {"slice": ("T",), "contour": (["T", "acid"],)}
    for what in FAMILY:
        study = {"front": two, "hypervolume": two, "posterior": box, "region": level}.get(what, one)
        assert isinstance(study.plot(what, *more.get(what, ())), Axes), what
    assert "hypervolume" in two.plot().get_ylabel()
    with pytest.raises(InvalidInput, match="what must be one of history"):
        one.plot("nothing")
    plt.close("all")
