"""Thompson sampling and PIMS: their laws on a table are those of the exact posterior."""

import numpy as np
import pytest
from scipy import stats

from regretless.acquisition import PIMS, RULES, TS
from regretless.acquisition.paths import draw_sample

from .views import box_view, joint_posterior, rng, table_view

#: A true law is refused once in ten thousand sets of draws (and the seeds are fixed).
LEVEL = 1e-4


@pytest.fixture(scope="module")
def small():
    return table_view(7, 2, d=1, noise_var=0.05, lengthscale=0.25)


@pytest.fixture(scope="module")
def joint_draws(small):
    mean, cov = joint_posterior(small)
    return rng(123).multivariate_normal(mean, cov, size=400_000, method="eigh")


def test_ts_picks_each_candidate_as_often_as_it_is_the_best(small, joint_draws):
    """Probability matching: chi-square test of 6000 suggestions."""
    probability = np.bincount(joint_draws.argmax(axis=1), minlength=7) / len(joint_draws)
    source = rng(1)
    picks = [int(TS().draw(small, 1, source).on(small).argmax()) for _ in range(6000)]
    counts = np.bincount(picks, minlength=7)
    assert (probability > 0.01).sum() >= 4
    rare = probability * len(picks) < 10
    expected = np.append(probability[~rare], probability[rare].sum() + 1e-9) * len(picks)
    found = np.append(counts[~rare], counts[rare].sum())
    statistic = ((found - expected) ** 2 / expected)[expected > 1].sum()
    assert stats.chi2.sf(statistic, df=(expected > 1).sum() - 1) > LEVEL


def test_paths_have_the_posterior_s_moments(small):
    mean, cov = joint_posterior(small)
    values = draw_sample(small, 20_000, rng(2), n_features=10).values
    error = np.sqrt(np.diag(cov) / values.shape[1])
    assert (np.abs(values.mean(axis=1) - mean) < 5 * error).all()
    np.testing.assert_allclose(np.cov(values), cov, atol=0.06)


def test_pims_threshold_has_the_law_of_the_maximum(small, joint_draws):
    """Kolmogorov-Smirnov test of 3000 suggestions."""
    source = rng(3)
    levels = [PIMS().draw(small, 1, source).record["threshold"] for _ in range(3000)]
    assert stats.ks_2samp(levels, joint_draws.max(axis=1)).pvalue > LEVEL


@pytest.mark.parametrize("seed", range(5))
def test_pims_threshold_is_the_maximum_of_its_path(small, seed):
    path = TS().draw(small, 1, rng(seed)).on(small)
    assert PIMS().draw(small, 1, rng(seed)).record["threshold"] == path.max()


@pytest.mark.parametrize("seed", range(5))
def test_on_a_box_the_maximum_is_climbed_to(seed):
    view = box_view(1, n_candidates=60, lengthscale=0.06)
    path = TS().draw(view, 1, rng(seed))
    dense = path.at(np.linspace(0.0, 1.0, 4001)[:, None]).max()
    threshold = PIMS().draw(view, 1, rng(seed)).record["threshold"]
    assert threshold >= path.on(view).max()
    assert threshold == pytest.approx(dense, abs=1e-5)


@pytest.mark.parametrize("name", ["pims", "atsc", "est"])
@pytest.mark.parametrize("seed", range(4))
def test_reach_takes_the_smallest_multiplier(name, seed):
    view = table_view(50, 5, seed=seed)
    score = RULES[name]().draw(view, 1, rng(seed))
    multiplier = (score.record["threshold"] - view.mean) / view.sd
    assert score.on(view).argmax() == multiplier.argmin()
    np.testing.assert_allclose(score.on(view), -multiplier, rtol=1e-12)


def test_maxima_on_tables_know_their_candidate():
    view = table_view(25)
    sample = draw_sample(view, 6, rng(1), n_features=10)
    maxima = sample.maxima(view)
    np.testing.assert_array_equal(maxima.X, view.X[maxima.indices])
    np.testing.assert_array_equal(maxima.values, sample.values.max(axis=0))
    assert sample.paths is None


def test_large_tables_use_features(monkeypatch):
    monkeypatch.setattr("regretless.acquisition.paths.EXACT_UP_TO", 20)
    monkeypatch.setattr("regretless.acquisition.paths.BLOCK", 7)
    view = table_view(25)
    sample = draw_sample(view, 3, rng(1), n_features=50)
    np.testing.assert_allclose(sample.values, sample.paths(view.X), rtol=1e-12)
    maxima = sample.maxima(view)
    np.testing.assert_array_equal(maxima.values, sample.values.max(axis=0))
    np.testing.assert_array_equal(maxima.X, view.X[maxima.indices])


def test_a_path_keeps_to_its_data():
    view = box_view(2, n=6, noise_var=1e-8)
    path = TS().draw(view, 1, rng(3))
    np.testing.assert_allclose(path.at(view.told), view.posterior.y, atol=1e-3)
