"""Places, their units, and when values look like one hill."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from regretless import Surrogate
from regretless.gp import Units, is_one_hill
from regretless.gp.places import ALIKE, RADIUS, _ranks, places, units_of_places
from regretless.gp.priors import category_scale, hyperprior

REAL = (False, False)


def slow_places(X, y, categorical):
    """One point after the other, best first, into the first place whose best is near."""
    found = []
    for i in np.argsort(-y, kind="stable").tolist():
        for place in found:
            gap = [float(a != b) if c else a - b for a, b, c in zip(X[i], X[place[0]], categorical, strict=True)]
            if sum(g * g for g in gap) < RADIUS**2 * X.shape[1]:
                place.append(i)
                break
        else:
            found.append([i])
    return found


@pytest.mark.parametrize("seed", range(6))
def test_places_are_those_of_the_slow_way(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.random((60, 2)), rng.normal(size=60).round(1)
    categorical = (False, seed % 2 == 1)
    if categorical[1]:
        X[:, 1] = np.floor(3.0 * X[:, 1])
    assert [place.tolist() for place in places(X, y, categorical)] == slow_places(X, y, categorical)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=1, max_size=20))
def test_ranks(values):
    np.testing.assert_array_equal(_ranks(np.array(values)), rankdata(values))


def test_units_are_not_captured_by_a_crowd():
    """A hundred points on one maximum leave median and spread of the places where they were."""
    rng = np.random.default_rng(0)
    X, y = rng.random((20, 2)), rng.normal(size=20)
    crowd = X[y.argmax()] + 0.001 * rng.normal(size=(100, 2))
    X_all, y_all = np.vstack([X, crowd]), np.append(y, y.max() + 0.001 * rng.normal(size=100))
    before, after = (units_of_places(A, b, REAL, compress=True) for A, b in ((X, y), (X_all, y_all)))
    assert after.scale == pytest.approx(before.scale, rel=0.2)
    assert after.knee == pytest.approx(before.knee, abs=0.2)
    plain = Units.of(y_all, compress=True)
    assert plain.scale < 0.6 * after.scale
    assert plain.knee == pytest.approx(y.max(), abs=0.01)


def test_large_values_do_not_overflow():
    units = units_of_places(
        np.array([[0.1], [0.11], [0.9]]), np.array([1.7e308, 1.6e308, -1.7e308]), (False,), compress=True
    )
    assert np.isfinite([units.shift, units.scale, units.knee]).all()


def funnel(X):
    return -np.linalg.norm(X - 0.4, axis=1) - 0.02 * np.cos(40.0 * X).sum(axis=1)


def field(X):
    return np.cos(13.0 * X[:, 0]) * np.cos(11.0 * X[:, 1])


@pytest.mark.parametrize("seed", range(5))
def test_a_funnel_is_one_hill_and_a_field_is_none(seed):
    X = np.random.default_rng(seed).random((40, 2))
    assert is_one_hill(X, funnel(X), REAL)
    assert not is_one_hill(X, field(X), REAL)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40))
def test_it_is_the_correlation_less_a_standard_error(seed, n):
    rng = np.random.default_rng(seed)
    X, y = rng.random((n, 2)), rng.normal(size=n)
    best, *others = [place[0] for place in slow_places(X, y, REAL)]
    expected = False
    if len(others) >= 4:
        r = spearmanr(-((X[others] - X[best]) ** 2).sum(axis=1), y[others]).statistic
        expected = bool(np.tanh(np.arctanh(np.clip(r, 0.0, 0.999)) - (len(others) - 3) ** -0.5) > ALIKE)
    assert is_one_hill(X, y, REAL) == expected


@pytest.mark.parametrize("n", range(5))
def test_few_places_tell_nothing(n):
    X = np.linspace(0.0, 1.0, max(n, 1))[:, None]
    assert not is_one_hill(X, -X[:, 0], (False,))


def test_equal_values_are_no_hill():
    X = np.random.default_rng(0).random((30, 2))
    assert not is_one_hill(X, np.ones(30), REAL)


def test_survey_is_the_cautious_model_in_units_of_places():
    survey = Surrogate().survey()
    assert survey is not None
    assert (survey.kernel, survey.lengthscale_prior, survey.places, survey.restarts) == (
        "matern32",
        (0.2, 0.35),
        True,
        0,
    )
    assert (survey.fit_mean, survey.compress) == (True, True)


@pytest.mark.parametrize(
    "surrogate",
    [Surrogate.paper(), Surrogate.known("rbf", 0.2, signal_var=1.0, noise_var=0.1), Surrogate(standardize=False),
     Surrogate(lengthscale_prior=(0.1, 0.5)), Surrogate(method="likelihood")],
)  # fmt: skip
def test_a_model_that_was_asked_for_has_no_survey(surrogate):
    assert surrogate.survey() is None


def test_category_scale_is_the_ratio_of_root_mean_squared_distances():
    rng = np.random.default_rng(0)
    numbers = np.mean((rng.random(400_000) - rng.random(400_000)) ** 2)
    for K in (2, 5, 12):
        codes = rng.integers(K, size=(2, 400_000))
        ratio = np.sqrt(np.mean(codes[0] != codes[1]) / numbers)
        assert category_scale(K) == pytest.approx(ratio, rel=0.01)


def test_the_prior_of_categories_is_wider():
    plain, scaled = hyperprior(3, (0.35, 1.0)), hyperprior(3, (0.35, 1.0), (0, 4, 0))
    np.testing.assert_allclose(np.exp(scaled.location - plain.location), [1, category_scale(4), 1, 1, 1])
    np.testing.assert_array_equal(scaled.scale, plain.scale)
