"""Values of every size: what is said about them is finite, or an error that says why it cannot be."""

import math
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regretless import Regret, Study, Surrogate, maximize
from regretless.errors import NumericalError

LARGEST = sys.float_info.max
ROWS = [{"x": i / 6, "c": c} for i in range(7) for c in "ab"]
SPACES = {"table": ROWS, "box": {"x": (0.0, 1.0), "c": ["a", "b"]}}
MODELS = {
    "default": {},
    "paper": {"preset": "paper"},
    "likelihood": {"surrogate": Surrogate(method="likelihood", restarts=0)},
    "exact": {"surrogate": Surrogate(method="fixed", lengthscale=0.3, signal_var=1.0, noise_var=0.0)},
    "known": {"surrogate": Surrogate.known("rbf", 0.3, signal_var=1.0, noise_var=1e-4)},
    "noisy": {"surrogate": Surrogate.known("matern32", 0.3, signal_var=1.0, noise_var=1e30)},
    "flat": {"surrogate": Surrogate.known("rbf", 0.3, signal_var=1e-200, noise_var=0.0)},
    "steep": {"surrogate": Surrogate.known("rbf", 0.01, signal_var=1e200, noise_var=1e-4)},
}

sizes = st.builds(lambda sign, power: sign * 10.0**power, st.sampled_from([1.0, -1.0]), st.floats(-300.0, 300.0))
some = st.one_of(sizes, st.sampled_from([0.0, 1.0, LARGEST, -LARGEST, 5e-324]), st.floats(-10.0, 10.0))
values = st.one_of(
    st.lists(some, min_size=1, max_size=10),
    st.builds(lambda value, n: [value] * n, some, st.integers(1, 10)),  # constant
    st.builds(lambda value, n, odd: [value] * n + [odd], some, st.integers(1, 8), some),
)


def told(space, model, results, direction="maximize"):
    study = Study(SPACES[space], direction=direction, seed=1, **MODELS[model])
    raw = not study._task.surrogate.standardize
    for value in results:
        study.tell(study.ask(), float(np.clip(value, -1e50, 1e50)) if raw else value)
    return study


def check(study):
    """Every number that is said is finite and no bound negative; True if something was said."""
    try:
        left, at = study.certificate(0.5, draws=5), study.recommend()
    except NumericalError:
        with pytest.raises(NumericalError, match=r"not a finite number|too far"):
            study.recommend() and study.certificate()
        assert study.should_stop(Regret(1.0)) is None
        return False
    names = ("mean", "sd", "bound", "tail_sum", "pairwise", "lemma", "exceeds")
    assert all(math.isfinite(getattr(left, name)) for name in names), left
    assert left.bound >= 0.0
    assert left.settings > 1 or left.bound <= left.tail_sum  # an average has a margin on top
    assert 0.0 <= left.exceeds <= 1.0
    assert math.isfinite(left.trust.rms)
    assert "nan" not in left.sentence
    assert math.isfinite(at.mean)
    assert math.isfinite(at.sd)
    assert all(np.isfinite(part).all() for part in study.predict([{"x": 0.5, "c": "b"}]))
    return True


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("space", SPACES)
@settings(deadline=None, max_examples=8)
@given(results=values, direction=st.sampled_from(["maximize", "minimize"]))
@example(results=[1e20, 2e20, -1e20], direction="maximize")
@example(results=[1.0, 2.0, 3.0, 1e300, -1e300, 2.0], direction="minimize")
@example(results=[1e300, -1e300, LARGEST, -LARGEST, 0.0], direction="maximize")
@example(results=[LARGEST, -LARGEST] * 5, direction="maximize")
@example(results=[1.0] * 6 + [1e200] * 2 + [2e200, 1.0], direction="maximize")
def test_a_certificate_is_finite_or_says_why_not(space, model, results, direction):
    check(told(space, model, results, direction))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(
    "results",
    [[1e20, 2e20, -1e20], [1e40] * 9, [1e-300, 2e-300, -1e-300], [3.0], [0.0] * 5 + [1e-12], [-1e40, 1e40, 0.0, 1.0]],
    ids=["large", "constant", "small", "one", "late", "wide"],
)
def test_what_can_be_computed_is(space, model, results):
    """An error is for values near the largest float alone, or for a model that cannot be meant."""
    assert check(told(space, model, results))


@pytest.mark.parametrize("space", SPACES)
def test_certificates_of_few_values_do_not_depend_on_their_unit(space):
    """Also where the schedule of fits saw one value only, which has no scale: the preset of the paper."""
    for n in range(2, 8):
        results = [1.0, -2.0, 0.5, 3.0, 1.5, -1.0, 2.5][:n]
        one, other = (told(space, "paper", [unit * value for value in results]) for unit in (1.0, 2.0**-40))
        assert other.certificate().bound == pytest.approx(2.0**-40 * one.certificate().bound, rel=1e-6)


def test_a_run_with_a_stop_rule_goes_on_without_a_certificate():
    results, without = iter([LARGEST, -LARGEST] * 10), []

    def look(study, trial):
        try:
            study.certificate()
        except NumericalError:
            without.append(trial.number)

    when = Regret(LARGEST, patience=1)
    result = maximize(lambda _: next(results), ROWS, 9, stop_when=when, callback=look, seed=1)
    assert without
    assert result.nfev > without[-1]
