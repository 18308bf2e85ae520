"""Figures of several outcomes show what the study knows."""

import numpy as np
import pytest

from regretless import Study
from regretless.errors import InvalidInput
from regretless.plots import plot_front, plot_fronts, plot_hypervolume, plot_posterior, plot_regret, plot_run


@pytest.fixture(autouse=True)
def closed():
    from matplotlib import pyplot as plt

    yield
    plt.close("all")


def two(n=12, *, constraints=None):
    table = [{"a": a, "b": b} for a in range(6) for b in range(4)]
    study = Study(table, objectives={"gain": "maximize", "cost": "minimize"}, constraints=constraints, seed=1)
    for _ in range(n):
        trial = study.ask()
        a, b = trial.params["a"], trial.params["b"]
        told = {"gain": a + 2.0 * b - 0.3 * b * b, "cost": 0.5 * a + b * b, "dirt": a * 0.2}
        study.tell(trial, {name: told[name] for name in (outcome.name for outcome in study.outcomes)})
    return study


def drawn(ax, label):
    """The points of a scatter, by its label."""
    [found] = [each for each in ax.collections if each.get_label() == label]
    return {tuple(map(float, point)) for point in found.get_offsets()}


def test_the_front_has_every_measured_and_every_recommended_point():
    study = two(constraints={"dirt": ("<=", 0.5)})
    ax = plot_front(study)
    held = {t.number for t in study.trials if t.values["dirt"] <= 0.5}
    for label, numbers in (("measured", held), ("violates a constraint", set(range(12)) - held)):
        wanted = {(t.values["gain"], t.values["cost"]) for t in study.trials if t.number in numbers}
        assert drawn(ax, label) == wanted
    [bars] = ax.containers
    x, y = bars.lines[0].get_data()
    means = {(point.expected["gain"][0], point.expected["cost"][0]) for point in study.front}
    assert set(zip(x.tolist(), y.tolist(), strict=True)) == means
    assert drawn(ax, "reference point") == {(study.reference["gain"], study.reference["cost"])}
    assert ax.get_xlabel() == "gain (larger is better)"
    assert ax.get_ylabel() == "cost (smaller is better)"


def test_the_line_is_the_edge_of_what_is_dominated():
    """Between two points of the front, the one with the larger gain still dominates: steps come before it."""
    [line] = [each for each in plot_front(two()).lines if each.get_drawstyle() != "default"]
    assert line.get_drawstyle() == "steps-pre"
    ax = plot_front(two(), over=("cost", "gain"))
    assert [each for each in ax.lines if each.get_drawstyle() == "steps-post"]


def test_the_hypervolume_grows_to_that_of_the_study():
    for constraints in (None, {"dirt": ("<=", 0.5)}):
        study = two(constraints=constraints)
        [line] = plot_hypervolume(study).lines
        volumes = line.get_ydata()
        assert len(volumes) == 12
        assert (np.diff(volumes) >= 0.0).all()
        assert volumes[-1] == pytest.approx(study.hypervolume)
        twin = Study(
            study.space, objectives={"gain": "maximize", "cost": "minimize"}, reference=study.reference, seed=1
        )
        for trial in study.trials[:5]:
            if constraints is None or trial.values["dirt"] <= 0.5:
                twin.add(trial.params, {name: trial.values[name] for name in ("gain", "cost")})
        assert volumes[4] == pytest.approx(twin.hypervolume)


def test_three_objectives_are_drawn_in_pairs():
    study = Study({"x": (0.0, 1.0)}, objectives=dict.fromkeys("abc", "maximize"), seed=1)
    for _ in range(6):
        trial = study.ask()
        x = trial.params["x"]
        study.tell(trial, {"a": x, "b": 1 - x, "c": x * (1 - x)})
    figure = plot_fronts(study)
    labels = [(ax.get_xlabel()[0], ax.get_ylabel()[0]) for ax in figure.axes]
    assert labels == [("a", "b"), ("a", "c"), ("b", "c")]
    with pytest.raises(InvalidInput, match="name two of them"):
        plot_front(study)
    for over in ("ab", ("a", "a"), ("a", "d"), ("a",)):
        with pytest.raises(InvalidInput, match="over must name two different objectives"):
            plot_front(study, over=over)
    assert plot_front(study, over=("c", "a")).get_xlabel() == "c (larger is better)"


def test_what_cannot_be_drawn_is_refused():
    one = Study({"x": (0.0, 1.0)}, seed=1)
    one.tell(one.ask(), 1.0)
    for plot in (plot_front, plot_fronts, plot_hypervolume):
        with pytest.raises(InvalidInput, match="this study has one: use plot_regret"):
            plot(one)
    several = two(4)
    for plot in (plot_regret, plot_run):
        with pytest.raises(InvalidInput, match="use plot_front and plot_hypervolume"):
            plot(several)
    empty = Study({"x": (0.0, 1.0)}, objectives={"a": "maximize", "b": "maximize"}, seed=1)
    with pytest.raises(InvalidInput, match="at least one told value"):
        plot_front(empty)
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plot_hypervolume(empty)


def constrained(n=8):
    study = Study({"x": (0.0, 1.0)}, objective="gain", constraints={"dirt": ("<=", 0.5)}, seed=1)
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, {"gain": trial.params["x"], "dirt": trial.params["x"]})
    return study


def test_the_best_so_far_is_feasible():
    study = constrained()
    ax = plot_regret(study)
    line = ax.lines[0]
    wanted, best = [], np.nan
    for trial in study.trials:
        best = np.fmax(best, trial.value if trial.values["dirt"] <= 0.5 else np.nan)
        wanted.append(best)
    np.testing.assert_array_equal(line.get_ydata(), wanted)
    assert line.get_label() == "best feasible so far"
    crosses = drawn(ax, "violates a constraint")
    assert {y for _, y in crosses} == {t.value for t in study.trials if t.values["dirt"] > 0.5}
    assert crosses


def test_the_model_of_any_outcome_can_be_drawn():
    study = constrained()
    ax = plot_posterior(study, outcome="dirt")
    assert ax.get_ylabel() == "dirt"
    [bound] = [line for line in ax.lines if line.get_label() == "dirt <= 0.5"]
    assert set(bound.get_ydata()) == {0.5}
    [mean] = [line for line in ax.lines if line.get_label() == "posterior mean"]
    x = mean.get_xdata()
    np.testing.assert_allclose(mean.get_ydata(), study.predict([{"x": float(v)} for v in x], "dirt")[0])
    assert "dirt <= 0.5" not in [line.get_label() for line in plot_posterior(study).lines]
    with pytest.raises(InvalidInput, match="outcome must be one of gain, dirt"):
        plot_posterior(study, outcome="dirty")


def test_the_map_of_a_constraint_has_its_edge():
    study = Study(
        {"x": (0.0, 1.0), "y": (0.0, 1.0)},
        objectives={"a": "maximize", "b": "minimize"},
        seed=1,
        constraints={"c": (">=", 0.5)},
    )
    for _ in range(9):
        trial = study.ask()
        x, y = trial.params["x"], trial.params["y"]
        study.tell(trial, {"a": x + y, "b": x * y, "c": x})
    ax = plot_posterior(study, outcome="c")
    assert "edge of c >= 0.5" in [line.get_label() for line in ax.lines]
