"""What the objective cannot leave: certificates and predictions know it, suggestions do not. Bounds: `tests/theory`."""

import math

import numpy as np
import pytest

from regretless import InvalidInput, Regret, Study, StudyConflict, Surrogate, maximize, minimize
from regretless.gp import Kernel
from regretless.optimizer.limits import Limits, as_limits
from regretless.problems import gp_sample, grid

from .helpers import ROWS, SPACES, all_bits, smooth

KNOWN = Surrogate.known("matern52", 0.3, signal_var=1.0, noise_var=0.01)


def run(space, n=9, f=smooth, **options):
    study = Study(space, seed=3, **options)
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


@pytest.mark.parametrize("space", SPACES)
def test_the_bound_is_no_larger_and_no_further_than_the_limit(space):
    free = run(SPACES[space]())
    top = free.best.value + 0.05
    held = run(SPACES[space](), limits=(None, top))
    left, before = held.certificate(0.2), free.certificate(0.2)
    assert all_bits(held) == all_bits(free)  # suggestions do not depend on limits
    assert left.bound < before.bound
    assert left.bound <= top - left.mean + 1e-12
    assert left.exceeds <= before.exceeds
    assert left.limits == (None, top)
    assert left.limits_hold
    assert (left.params, left.sd) == (before.params, before.sd)
    wide = run(SPACES[space](), limits=(-1e6, 1e6)).certificate(0.2)
    assert wide.bound == pytest.approx(before.bound, rel=1e-9)


@pytest.mark.parametrize("space", SPACES)
def test_minimising_uses_the_lower_limit(space):
    top = run(SPACES[space]()).best.value + 0.05
    up = run(SPACES[space](), limits=(-1e3, top)).certificate(0.2, draws=20)
    down = run(SPACES[space](), f=lambda p: -smooth(p), direction="minimize", limits=(-top, 1e3))
    left = down.certificate(0.2, draws=20)
    assert (left.bound, left.exceeds, left.best, left.mean) == (up.bound, up.exceeds, up.best, -up.mean)
    useless = run(SPACES[space](), f=lambda p: -smooth(p), direction="minimize", limits=(None, 1e3))
    assert useless.certificate().bound > left.bound


@pytest.mark.parametrize("space", SPACES)
def test_predictions_stay_within(space):
    """Or as far outside as results lie; a measurement may be carried beyond by noise alone."""
    study = run(SPACES[space](), limits=(None, -0.5), f=lambda p: min(smooth(p), -0.5))
    points = [study.space.params(i) if space == "table" else t.params for i, t in enumerate(study.trials)]
    assert study.recommend().mean <= -0.5
    assert study.predict(points)[0].max() <= -0.5
    median, low, high = study.predict_measurement(points)
    belief = study._carried.state.doubted()
    assert median.max() <= -0.5 + 1e-12
    assert (low <= median).all()
    assert (median <= high).all()
    assert high.max() <= -0.5 + 5.0 * math.sqrt(max(belief.noise_vars)) * belief.units.scale
    study.add(points[0], 0.25)
    assert study.predict(points)[0].max() <= 0.25


def test_a_result_outside_is_taken_as_noise():
    study = run(ROWS, surrogate=KNOWN)
    top = study.best.value - 0.05  # the best was carried half a standard deviation beyond
    held = Study(ROWS, surrogate=KNOWN, limits=(None, top), seed=3)
    for trial in study.trials:
        assert held.add(trial.params, trial.value).value == trial.value
    left = held.certificate()
    assert left.limits_hold
    assert left.mean <= top
    assert left.bound <= top - left.mean + 1e-12


def test_a_little_outside_is_not_a_contradiction_without_noise_either():
    """A model that is sure of every value: 101 where yields go from 40 to 101 leaves the limit of 100 in force."""
    sure = Surrogate(method="fixed", lengthscale=0.3, signal_var=1.0, noise_var=0.0)
    for top, holds in ((101.0, True), (120.0, False)):
        study = Study([{"t": t} for t in range(10)], surrogate=sure, limits=(0, 100), seed=1)
        for t in range(8):
            study.add({"t": t}, top if t == 5 else 40.0 + t)
        left = study.certificate()
        assert left.limits_hold == holds
        assert (left.bound < 1e-6) == holds


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_limits_that_the_data_contradict_are_not_used(direction):
    """Percentages with the limits of a share: without this rule nothing would seem to be left to gain."""
    rows = [{"t": t} for t in range(30)]

    def percentage(p):
        return 40.0 + p["t"]

    wrong, free = (run(rows, 12, f=percentage, direction=direction, limits=limits) for limits in ((0, 1), None))
    left = wrong.certificate()
    assert not left.limits_hold
    assert left.bound == free.certificate().bound
    assert left.mean == free.certificate().mean
    assert "The limits (0 to 1) were not used: the results contradict them." in left.sentence
    assert left.to_data()["limits"] == (0.0, 1.0)


@pytest.mark.parametrize("offset", [0.0, 3e20])
def test_limits_that_rounding_makes_one_are_not_used(offset):
    """Beside values of 1e20 the limits 0 and 100 cannot be told apart: no certificate of zero, and no error."""
    study = Study([{"t": t} for t in range(3)], limits=(0, 100), seed=1)
    for value in (50.0, 60.0, offset + 1e20, offset - 1e20):
        study.add({"t": 0}, value)
    left = study.certificate()
    assert left.bound > 1e19
    assert not left.limits_hold
    assert study.should_stop(Regret(1.0, patience=1)) is None
    tiny = Study([{"t": t} for t in range(3)], limits=(0, 1e-20), seed=1)  # equal values have no scale
    for t in range(2):
        tiny.add({"t": t}, 1e-21)
    assert tiny.certificate().bound > 9e-21
    assert tiny.certificate().limits_hold


def test_limits_beyond_all_numbers_of_the_model():
    study = Study([{"t": t} for t in range(3)], limits=(-1e300, 1e300), seed=1)
    for t in range(3):
        study.add({"t": t}, t * 1e-20)
    median, low, high = study.predict_measurement([{"t": 1}])  # without a warning of NumPy's
    assert low[0] < median[0] < high[0] < 1e-18
    assert study.certificate().bound < 1e-18


def test_bounds_hold_on_average_when_results_are_cut_off_too():
    """Beyond the theorem: what is measured is the function cut off. Refused at 3 standard errors over 60 functions."""
    kernel, points = Kernel("matern52", np.array([0.15]), 1.0), grid(np.linspace(0.0, 1.0, 40), dim=1)
    model = Surrogate.known("matern52", 0.15, signal_var=1.0, noise_var=0.01)
    gap, saved = [], []
    for i in range(60):
        rng = np.random.default_rng([3, i])
        problem = gp_sample(points, kernel, rng, noise_var=0.0)
        study = Study(problem.space, surrogate=model, limits=(None, 0.8), seed=i)
        free = Study(problem.space, surrogate=model, seed=i)
        for _ in range(6):
            trial = study.ask()
            value = min(problem(trial.params), 0.8) + 0.1 * rng.standard_normal()
            study.tell(trial, value)
            free.tell(free.ask(), value)
        left = study.certificate()
        gap.append(min(problem.optimum, 0.8) - min(problem(left.params), 0.8) - left.bound)
        saved.append(free.certificate().bound - left.bound)
    assert np.mean(gap) - 3.0 * np.std(gap, ddof=1) / math.sqrt(60) <= 0.0
    assert np.mean(saved) > 0.1


class TestKept:
    def test_in_a_store_and_compared(self, tmp_path):
        path = tmp_path / "lab.db"
        with Study.open(path, "s", space=ROWS, limits=(0, 100), seed=1) as study:
            assert study.limits == (0.0, 100.0)
        with Study.open(path, "s") as again:
            assert again.limits == (0.0, 100.0)
        with Study.open(path, "s", limits=[0.0, 100.0]):
            pass
        for other in ((0, 10), (0, None), (None, 100)):
            with pytest.raises(StudyConflict, match="limits"):
                Study.open(path, "s", limits=other)
        with Study.open(path, "one-sided", space=ROWS, limits=(0, math.inf), seed=1):
            pass
        with Study.open(path, "one-sided", limits=(0, None)) as study:
            assert study.limits == (0.0, None)
        with Study.open(path, "none", space=ROWS, seed=1) as study:
            assert study.limits is None
        with pytest.raises(StudyConflict, match="limits=None, not"):
            Study.open(path, "none", limits=(0, 1))

    def test_on_record_with_a_certificate(self):
        study = run(ROWS, limits=(None, 50))
        study.certificate(record=True)
        data = study.events()[-1].data
        assert data["limits"] == (None, 50.0)
        assert data["limits_hold"] is True

    @pytest.mark.parametrize(("optimize", "sign"), [(maximize, 1.0), (minimize, -1.0)])
    def test_in_runs(self, optimize, sign):
        limits = (None, 0.0) if sign > 0 else (0.0, None)
        result = optimize(lambda x: -sign * (x[0] - 0.3) ** 2, [(0.0, 1.0)], 9, limits=limits, seed=1)
        assert result.study.limits == limits
        assert sign * result.recommended.mean <= 0.0


@pytest.mark.parametrize(
    "limits",
    [5, "01", (1,), (1, 2, 3), (2, 1), (1, 1), (math.nan, 1), (math.inf, None), ("0", 1), (True, 5), (0, -math.inf)],
)
def test_bad_limits(limits):
    with pytest.raises(InvalidInput, match="limits"):
        Study(ROWS, limits=limits)


def test_what_is_no_limit():
    assert as_limits(None) == as_limits((None, None)) == as_limits((-math.inf, math.inf)) == Limits()
    assert [str(as_limits(pair)) for pair in ((0, 100), (0, None), (None, 2.5))] == [
        "0 to 100",
        "at least 0",
        "at most 2.5",
    ]
