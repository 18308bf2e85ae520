"""What a measurement should give: the interval that is shown with a suggestion, and how often it holds."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from regretless import InvalidInput, Study, Surrogate
from regretless.gp import Kernel, posterior
from regretless.problems import gp_sample, grid

from .helpers import ROWS, SPACES, smooth

LENGTHSCALE, NOISE_VAR = 0.25, 0.05
KNOWN = Surrogate.known("matern52", LENGTHSCALE, signal_var=1.0, noise_var=NOISE_VAR)


def told(space, n=9, **options):
    study = Study(space, seed=3, **options)
    sign = 1.0 if study.direction == "maximize" else -1.0
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, sign * smooth(trial.params))
    return study


def bits(study, params):
    return [column.tobytes() for column in study.predict_measurement([params])]


def test_a_given_model_against_the_formula():
    study = told(ROWS, surrogate=KNOWN)
    X = study.space.X
    at = np.array([X[study.space.index_of(trial.params)] for trial in study.trials])
    y = np.array([trial.value for trial in study.trials])
    post = posterior(Kernel("matern52", np.full(2, LENGTHSCALE), 1.0), noise_var=NOISE_VAR, X=at, y=y)
    mean, sd = post.mean_sd(X)
    spread = norm.ppf(0.95) * np.sqrt(sd**2 + NOISE_VAR)
    median, low, high = study.predict_measurement([study.space.params(i) for i in range(len(X))])
    np.testing.assert_allclose(median, mean, atol=1e-9)
    np.testing.assert_allclose(low, mean - spread, atol=1e-9)
    np.testing.assert_allclose(high, mean + spread, atol=1e-9)


@pytest.mark.parametrize("space", SPACES)
def test_a_fitted_model_has_the_tails_of_what_it_was_fitted_to(space):
    study = told(SPACES[space](), surrogate=Surrogate(method="likelihood"))
    assert study._carried.state.doubts == (None,)
    d = study._task.domain.dim
    params = study.best.params
    median, low, high = (float(column[0]) for column in study.predict_measurement([params]))
    fitted = study._carried.state.doubted().fitted
    h = fitted.fit.hyperparameters
    mean, sd = fitted.belief.posterior.mean_sd(study._task.domain.encode(params)[None, :])
    reach = t.ppf(0.975, max(9 - d - 1, 2)) * math.sqrt(sd[0] ** 2 + h.noise_var) * h.units.scale
    assert median == pytest.approx(h.units.shift + h.units.scale * mean[0])
    assert (high - median, median - low) == (pytest.approx(reach), pytest.approx(reach))


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("share", [0.5, 0.9, 0.95])
def test_averaged_settings_give_the_quantiles_of_their_mixture(space, share):
    """Of 100,000 draws: a setting each, f under it and noise, in the user's units."""
    study = told(SPACES[space]())
    params = study.best.params
    median, low, high = (float(column[0]) for column in study.predict_measurement([params], share=share))
    belief = study._carried.state.doubted()
    place = study._task.domain.place(params)
    index = np.array([-1 if place.index is None else place.index])
    means, sds = belief.moments(belief.numbered(place.x[None, :], index))
    rng = np.random.default_rng(0)
    which = rng.integers(len(means), size=100_000)
    scale = np.sqrt(sds[:, 0] ** 2 + np.array(belief.noise_vars))
    z = means[which, 0] + scale[which] * rng.standard_normal(100_000)
    y, _ = belief.units.restored(z, 0.0)
    assert np.mean(y < median) == pytest.approx(0.5, abs=0.01)
    # With nine values Student's law is wider than the normal: in the model's units the ends are moved out by as much.
    wider = t.ppf(0.5 + 0.5 * share, 6) / norm.ppf(0.5 + 0.5 * share)
    middle, *ends = np.quantile(z, [0.5, 0.5 - 0.5 * share, 0.5 + 0.5 * share])
    wanted, _ = belief.units.restored(middle + wider * (np.array(ends) - middle), 0.0)
    size = wanted[1] - wanted[0]
    assert (low, high) == (pytest.approx(wanted[0], abs=0.03 * size), pytest.approx(wanted[1], abs=0.03 * size))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, math.nan, "most", True])
def test_bad_shares(share):
    with pytest.raises(InvalidInput, match="share"):
        told(ROWS).predict_measurement([], share=share)


@pytest.mark.parametrize("space", SPACES)
def test_real_results_alone_count(space):
    """Neither what is pending nor what failed has a part in it, and looking changes no suggestion."""
    study, quiet = told(SPACES[space]()), told(SPACES[space]())
    params = study.best.params
    before = bits(study, params)
    trials, others = study.ask(3), quiet.ask(3)
    assert [dict(trial.params) for trial in trials] == [dict(trial.params) for trial in others]
    assert bits(study, params) == before
    study.tell(trials[0], failed=True)
    assert bits(study, params) == before
    study.tell(trials[1], 3.0)
    assert bits(study, params) != before


@pytest.mark.parametrize("space", SPACES)
def test_minimising_is_the_mirror_image(space):
    up, down = told(SPACES[space]()), told(SPACES[space](), direction="minimize")
    at = [up.best.params]
    median, low, high = up.predict_measurement(at)
    mirrored = down.predict_measurement(at)
    assert (median, low, high) == (-mirrored[0], -mirrored[2], -mirrored[1])


def test_errors():
    with pytest.raises(InvalidInput, match="at least one told value"):
        Study(ROWS).predict_measurement([])
    with pytest.raises(InvalidInput, match="predict_measurement needs a list of params"):
        told(ROWS).predict_measurement({"x0": 0.5, "x1": 0.5})


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_where_the_model_expects_f_beyond_a_limit_noise_goes_to_both_sides(sign):
    """A slope that the model carries on below zero, where nothing can be: there f is 0, and half of all y are above."""
    steep = Surrogate.known("rbf", 1.0, signal_var=100.0, noise_var=0.01)
    limits = (0.0, None) if sign > 0.0 else (None, 0.0)
    study = Study({"x": (0.0, 1.0)}, surrogate=steep, limits=limits, seed=1)
    for x, value in ((0.0, 3.0), (0.1, 2.0), (0.2, 1.0)):
        study.add({"x": x}, sign * value)
    free = Study({"x": (0.0, 1.0)}, surrogate=steep, seed=1)
    for trial in study.trials:
        free.add(trial.params, trial.value)
    at = [{"x": 0.4}]
    ends = sorted(sign * end[0] for end in free.predict_measurement(at)[1:])
    assert ends[1] < 0.0  # the model alone expects nothing above
    median, low, high = (column[0] for column in study.predict_measurement(at))
    noise = norm.ppf(0.95) * 0.1
    assert (low, median, high) == (pytest.approx(-noise), 0.0, pytest.approx(noise))


def outcomes(seeds, n, **options):
    """Whether each measurement that a rule suggested, in batches of three, fell into the interval shown before it."""
    inside = []
    for seed in range(seeds):
        rng = np.random.default_rng([11, seed])
        kernel = Kernel("matern52", np.full(2, LENGTHSCALE), 1.0)
        problem = gp_sample(grid(np.linspace(0.0, 1.0, 11), dim=2), kernel, rng, noise_var=NOISE_VAR)
        measure, study = problem.noisy(rng), Study(problem.space, seed=seed, **options)
        while len(study) < n:
            trials = study.ask(3)
            asked = [trial for trial in trials if trial.source == "rule"]
            if asked and study.best is not None:
                _, low, high = study.predict_measurement([trial.params for trial in asked])
            for trial in trials:
                value = measure(study.space.argument(trial.params))
                study.tell(trial, value)
                if trial in asked and len(study) > 3:
                    k = asked.index(trial)
                    inside.append(low[k] <= value <= high[k])
    return inside


def test_nine_of_ten_fall_inside_under_the_true_model():
    """Each with probability 0.9 given all before; refused at 4 standard errors, in batches a little less strict."""
    inside = outcomes(25, 21, surrogate=KNOWN)
    assert len(inside) > 400
    assert abs(np.mean(inside) - 0.9) <= 4.0 * math.sqrt(0.09 / len(inside))


def test_most_fall_inside_under_a_fitted_model():
    """Samples of a GP with much noise, 3 to 24 values of which nothing is known. Measured: 0.79."""
    assert 0.72 <= np.mean(outcomes(12, 24)) <= 0.97
