"""Pending and failed trials: they count, they spread the suggestions, and they never reach the model."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.study.helpers import SPACES, smooth
from tests.study.torture import rules

from regretless import IRGPUCB, Study, Surrogate
from regretless.acquisition import RULES
from regretless.gp.kernels import Kernel
from regretless.optimizer.model import believe, imagine
from regretless.problems import by_name
from regretless.search.product import SAME


def started(space: str, seed: int = 1, **more) -> Study:
    study = Study(SPACES[space](), seed=seed, n_initial=6, **more)
    for trial in study.ask(6):
        study.tell(trial, smooth(trial.params))
    return study


def codes(study: Study, trials) -> np.ndarray:
    return np.array([study._task.domain.encode(trial.params) for trial in trials])


def distances(X: np.ndarray) -> np.ndarray:
    gaps = np.linalg.norm(X[:, None] - X[None], axis=2)
    return gaps[np.triu_indices(len(X), 1)]


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("rule", ["irgp-ucb", "ei", "est", "ts"])
def test_a_batch_spreads_out(space, rule):
    study = started(space, rule=rules()[rule], surrogate=Surrogate(kernel="matern52"))
    batch = study.ask(5)
    assert len(batch) == 5
    assert {trial.source for trial in batch} == {"rule"}
    gaps = distances(codes(study, batch))
    assert gaps.min() > (0.01 if space in ("box", "mixed") else 1e-9)
    # The model expects less news from each further point: a pending point has little variance left.
    sds = np.array([trial.details["sd"] for trial in batch])
    assert (sds > 0.0).all()


def test_deterministic_rules_do_not_repeat_themselves():
    """EI draws nothing: only the pending point moves its second suggestion away."""
    study = started("box", rule="ei")
    first, second = study.ask(), study.ask()
    assert distances(codes(study, [first, second]))[0] > 0.01


def test_zeta_is_fresh_for_each():
    zetas = [trial.zeta for trial in started("box", rule=IRGPUCB("paper")).ask(5)]
    assert len(set(zetas)) == 5
    assert all(z >= 1.0 for z in zetas)  # s = d/2


def test_the_design_is_a_latin_hypercube_whoever_asks():
    one_by_one, at_once = Study([(0.0, 1.0)] * 3, seed=4), Study([(0.0, 1.0)] * 3, seed=4)
    singles = [one_by_one.ask() for _ in range(8)]
    assert [t.params for t in singles] == [t.params for t in at_once.ask(8)]
    X = codes(one_by_one, singles)
    assert (np.sort(np.floor(8 * X), axis=0) == np.arange(8.0)[:, None]).all()


def textbook(kernel: Kernel, noise_var: float, X, y, Z) -> tuple[np.ndarray, np.ndarray]:
    """Posterior mean and sd by a plain inverse."""

    def k(A, B):
        r = np.sqrt((((A[:, None] - B[None]) / kernel.lengthscale) ** 2).sum(-1))
        a = math.sqrt(5.0) * r
        return kernel.signal_var * (1 + a + a * a / 3) * np.exp(-a)

    inverse = np.linalg.inv(k(X, X) + noise_var * np.eye(len(X)))
    var = kernel.signal_var - np.einsum("ij,jk,ik->i", k(Z, X), inverse, k(Z, X))
    return k(Z, X) @ inverse @ y, np.sqrt(np.maximum(var, 0.0))


SURROGATE = Surrogate(method="fixed", lengthscale=0.4, signal_var=1.5, noise_var=1e-2)


@pytest.mark.parametrize("space", ["box", "table"])
def test_pending_points_count_at_their_posterior_mean(space):
    """The mean everywhere stays that of the data; the sd is that of data and pending points together."""
    study = started(space, surrogate=SURROGATE)
    told = codes(study, study.trials)
    pending = codes(study, study.ask(3))
    history = study._history().series()
    state = believe(study._task, history, len(study), None)
    imagined = imagine(history, state)
    posterior = getattr(imagined, "posterior", imagined)
    Z = np.random.default_rng(0).random((50, 2))
    h = state.fit.hyperparameters
    kernel = h.kernel((False, False))
    mean, _ = textbook(kernel, 1e-2, told, h.units.standardised(history.y), Z)
    everything = np.vstack([told, pending])
    _, sd = textbook(kernel, 1e-2, everything, np.zeros(len(everything)), Z)
    np.testing.assert_allclose(posterior.mean(Z), mean, atol=1e-9)
    np.testing.assert_allclose(posterior.mean_sd(Z)[1], sd, rtol=1e-6)


def test_failed_points_count_as_poor_for_choosing_only():
    study = started("box", surrogate=SURROGATE)
    trial = study.ask()
    study.tell(trial, failed=True)
    history = study._history().series()
    state = believe(study._task, history, len(study), None)
    x = codes(study, [trial])
    poor = np.quantile(state.fit.hyperparameters.units.standardised(history.y), 0.25)
    assert poor < imagine(history, state).mean(x)[0] < state.belief.mean(x)[0] - 0.1
    assert len(imagine(history, state)) == 7
    assert len(state.belief) == 6  # the model proper never saw it


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("seed", range(3))
def test_a_failure_is_not_repeated_at_once_and_leaves_the_recommendation(space, seed):
    study = started(space, seed)
    for _ in range(4):
        before = study.recommend()
        trial = study.ask()
        assert study.recommend() == before  # nor does a pending trial
        study.tell(trial, failed=True)
        assert study.recommend() == before
        following = study.ask()
        gap = np.abs(codes(study, [trial]) - codes(study, [following])).max()
        assert gap > 0.999 * SAME
        study.tell(following, smooth(following.params))


@pytest.mark.parametrize("rule", RULES)
def test_failures_do_not_stop_any_rule(rule):
    """A third of the box always fails; the best of the rest is approached all the same."""
    study = Study([(0.0, 1.0)], rule=rules()[rule], seed=5)
    for _ in range(18):
        trial = study.ask()
        x = trial.params["x0"]
        if x > 0.66:
            study.tell(trial, failed=True)
        else:
            study.tell(trial, -((x - 0.6) ** 2))
    assert abs(study.best.params["x0"] - 0.6) < 0.1
    assert sum(trial.status == "failed" for trial in study.trials) < 12


@pytest.mark.parametrize("seed", range(4))
def test_no_corner_trap(seed):
    """Holder table: maxima near the border, hardly any noise. No suggestion repeats an observed point."""
    problem = by_name("holder-table")
    study = Study(problem.space, seed=seed)
    for _ in range(60):
        trial = study.ask()
        assert all(trial.params != other.params for other in study.trials[: trial.number])
        gaps = np.abs(codes(study, study.trials[:-1]) - codes(study, [trial])).max(axis=1) if trial.number else [1.0]
        assert min(gaps) > 0.999 * SAME
        study.tell(trial, problem(study.space.argument(trial.params)))


def test_a_corner_optimum_is_tried_once():
    study = Study([(0.0, 1.0)] * 2, seed=0)
    for _ in range(25):
        trial = study.ask()
        study.tell(trial, sum(trial.params.values()))
    points = [tuple(trial.params.values()) for trial in study.trials]
    assert (1.0, 1.0) in points
    assert len(set(points)) == 25


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(0, 8), st.sampled_from(["table", "listed"]))
def test_asked_together_never_twice(seed, n, told, space):
    study = Study(SPACES[space](), seed=seed)
    for trial in study.ask(told) if told else []:
        study.tell(trial, smooth(trial.params))
    batch = [trial.params for trial in study.ask(n)] + [study.ask().params]
    assert all(batch[i] != batch[j] for i in range(len(batch)) for j in range(i))


def test_bounds_with_few_decimals_between_them():
    """A box that holds 222 neat decimals: what is pending is not asked for again, rounded."""
    top = 1.0 + 1000 * np.finfo(float).eps
    study = Study({"x": (1.0, top)}, seed=0, n_initial=60)
    for trial in study.ask(60):
        study.tell(trial, trial.params["x"] - 1.0)
    seen = [trial.params["x"] for trial in study.ask(40)]
    assert len({trial.params["x"] for trial in study.trials}) == 100
    assert all(1.0 <= x <= top for x in seen)


def test_a_failure_that_hardly_moves_the_model_is_still_not_repeated():
    """With much noise one poor value changes little, and the corner stays the best place by far."""
    noisy = Surrogate(method="fixed", lengthscale=3.0, signal_var=1.0, noise_var=5.0, standardize=False)
    study = Study([(0.0, 1.0)], rule="ei", surrogate=noisy, n_initial=0, seed=0)
    for x in np.linspace(0.0, 1.0, 21)[:-1]:
        study.add([x], 10.0 * x)
    first = study.ask()
    assert first.params["x0"] == 1.0
    study.tell(first, failed=True)
    for _ in range(3):
        following = study.ask()
        assert following.params["x0"] < 1.0 - 0.999 * SAME
        study.tell(following, failed=True)


def test_the_fit_depends_on_what_was_told_only():
    """Trials that failed or are pending, however many, do not move the streams of the fit and the recommendation."""
    study = Study(SPACES["mixed"](), seed=3, n_initial=9, surrogate=Surrogate(restarts=2))
    batch = study.ask(9)
    for trial in batch[:6]:
        study.tell(trial, smooth(trial.params))
    before = study.recommend()
    for trial in batch[6:]:
        study.tell(trial, failed=True)
        assert study.recommend() == before
    study.add(batch[0].params, failed=True)
    assert study.recommend() == before
    study.ask(3)
    assert study.recommend() == before
