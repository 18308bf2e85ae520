"""Bounds averaged over settings, with values compressed below a knee: against brute force and joint draws."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from regretless.gp import Drawn, posterior
from regretless.theory import (
    Knee,
    averaged_regret,
    care_after,
    careful_mean,
    lifted,
    mixture_quantile,
    remaining_regret,
    share_unsure,
)

KNEE = Knee(0.1, 0.75)


def settings(seed, H=4, n=10, N=30):
    """Posteriors of the same data under H settings, at N candidates."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((N, 2)), np.arange(N)])
    told = rng.choice(N, n, replace=False)
    y = np.sin(4.0 * X[told, 0]) + X[told, 1] - 0.8
    found = []
    for h in range(H):
        family = ("rbf", "matern32", "matern52")[h % 3]
        drawn = Drawn(family, tuple(rng.uniform(0.15, 0.6, 2)), rng.uniform(0.5, 2.0), 1.0, 0.05 * h, 0.01)
        found.append(posterior(drawn.kernel((False, False)), noise_var=0.01, X=X[told], y=y).on(X))
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("knee", [None, KNEE])
def test_the_certificate_is_the_average_of_those_of_the_settings(seed, knee):
    several = settings(seed)
    found = averaged_regret(several, eps=0.3, knee=knee)
    mixture = np.mean([each.mean for each in several], axis=0)
    assert found.index == mixture.argmax()
    alone = [remaining_regret(each, index=found.index, eps=0.3) for each in several]
    lift = np.zeros(4)
    if knee is not None:
        lift = np.array([lifted(each.mean[found.index], each.sd[found.index], knee) for each in several])
    bounds = np.array([one.bound for one in alone]) + lift
    np.testing.assert_allclose(found.each, bounds)
    assert found.bound == pytest.approx(careful_mean(bounds, care_after(10)))  # ten points were measured
    assert found.bound >= bounds.mean()
    assert found.tail_sum == pytest.approx(np.mean([one.tail_sum for one in alone]) + lift.mean())
    assert found.pairwise == pytest.approx(np.mean([one.pairwise for one in alone]) + lift.mean())
    assert found.exceeds >= np.mean([one.exceeds for one in alone]) * (1.0 - 1e-12)
    means, sds = (np.array([getattr(each, name)[found.index] for each in several]) for name in ("mean", "sd"))
    assert found.sd == pytest.approx(math.sqrt((sds**2).mean() + means.var()))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("knee", [None, KNEE])
def test_no_joint_draw_beats_the_bound_on_average(seed, knee):
    """The mean regret in the user's units over 3000 draws of the mixture, refused at 4 standard errors."""
    several, rng = settings(seed, n=5), np.random.default_rng(seed)
    found = averaged_regret(several, index=seed, knee=knee)  # also of rows that are not the best
    regrets = []
    for each in several:
        K = each.posterior.covariance(each.X, each.X) + 1e-10 * np.eye(len(each.X))
        f = rng.multivariate_normal(each.mean, K, size=750, method="cholesky")
        f = f if knee is None else knee.expand(f)
        regrets.append(f.max(axis=1) - f[:, seed])
    regrets = np.concatenate(regrets)
    assert regrets.mean() <= np.mean(found.each) + 4.0 * regrets.std() / math.sqrt(len(regrets))


@pytest.mark.parametrize("knee", [None, KNEE])
def test_simulation_is_that_of_the_mixture(knee):
    several = settings(3, n=5)
    found = averaged_regret(several, index=2, knee=knee, draws=8000, rng=np.random.default_rng(1))
    rng, regrets, wins = np.random.default_rng(2), [], []
    for each in several:
        K = each.posterior.covariance(each.X, each.X) + 1e-10 * np.eye(len(each.X))
        f = rng.multivariate_normal(each.mean, K, size=2000, method="cholesky")
        f = f if knee is None else knee.expand(f)
        regrets.append(f.max(axis=1) - f[:, 2])
        wins.append(f.argmax(axis=1) == 2)
    regrets, wins = np.concatenate(regrets), np.concatenate(wins)
    assert found.simulated.estimate == pytest.approx(regrets.mean(), abs=5.0 * regrets.std() / math.sqrt(4000))
    assert found.best.estimate == pytest.approx(wins.mean(), abs=5.0 * math.sqrt(0.25 / 4000))
    assert found.simulated.estimate <= found.bound
    assert found.best.draws == found.simulated.draws == 8000


def test_draws_are_shared_out_evenly():
    found = averaged_regret(settings(0, H=4), draws=10, rng=np.random.default_rng(0))
    assert found.best.draws == 10


@pytest.mark.parametrize("mean", [-2.0, -0.3, 0.1, 0.6, 3.0])
@pytest.mark.parametrize("sd", [0.05, 0.5, 1.5])
@pytest.mark.parametrize("lower", [-math.inf, -1.0, 0.5])
def test_what_compression_lifts(mean, sd, lower):
    """Against an adaptive integral of c - y(c) over the law of what is cut off at the lower limit."""

    def g(c):
        c = max(c, lower)
        return c - float(KNEE.expand(np.array(c)))

    wanted, _ = quad(
        lambda c: g(c) * norm.pdf(c, mean, sd), mean - 14 * sd - 2 * sd**2, KNEE.at, limit=400, points=None
    )
    if KNEE.at > mean - 14 * sd:
        assert lifted(mean, sd, KNEE, lower) == pytest.approx(max(wanted, 0.0), rel=1e-5, abs=1e-9)
    assert lifted(mean, sd, KNEE, lower) >= 0.0


def test_above_the_knee_nothing_is_lifted():
    assert lifted(5.0, 0.1, KNEE) == 0.0
    assert lifted(0.0, 0.0, Knee(1.0, 1.0)) == pytest.approx(math.sinh(1.0) - 1.0)
    z = np.array([-3.0, 0.0, 0.1, 2.0])
    np.testing.assert_allclose(KNEE.expand(z)[2:], z[2:])
    assert (KNEE.expand(z) <= z).all()


def test_a_candidate_alone_leaves_no_regret():
    assert averaged_regret(settings(0, n=1, N=1), knee=KNEE).bound == 0.0


@pytest.mark.parametrize("p", [0.025, 0.5, 0.9])
def test_quantiles_of_a_mixture(p):
    rng = np.random.default_rng(0)
    mean, sd = rng.standard_normal((5, 7)), rng.uniform(0.01, 2.0, (5, 7))
    for j, q in enumerate(mixture_quantile(p, mean, sd)):
        wanted = brentq(lambda u, j=j: norm.cdf(u, mean[:, j], sd[:, j]).mean() - p, -20.0, 20.0, xtol=1e-12)
        assert q == pytest.approx(wanted, abs=1e-8)
    assert mixture_quantile(p, mean[:1], sd[:1]) == pytest.approx(norm.ppf(p, mean[0], sd[0]))


def test_the_share_that_comes_from_not_knowing_the_model():
    assert share_unsure(1.0, [1.0, 1.0, 1.0]) == 0.0
    assert share_unsure(4.0, [1.0, 1.0, 10.0]) == 0.75
    assert share_unsure(0.0, [0.0]) == 0.0


def test_the_lower_bound_without_settings_that_agree_is_the_plain_one():
    """One setting, or equal ones: nothing is added."""
    one = settings(1, H=1)
    plain = remaining_regret(one[0])
    assert averaged_regret(one).bound == pytest.approx(plain.bound)
    assert averaged_regret(one * 3).bound == pytest.approx(plain.bound)
    assert averaged_regret(one * 3).unsure == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_what_compression_lifts_a_poor_recommendation_is_added_under_each_setting(seed):
    several = settings(seed, n=5)
    worst = int(np.mean([each.mean for each in several], axis=0).argmin())
    found = averaged_regret(several, index=worst, eps=0.5, knee=KNEE)
    lift = np.array([lifted(each.mean[worst], each.sd[worst], KNEE) for each in several])
    assert lift.min() > 0.01
    plain = averaged_regret(several, index=worst, eps=0.5)
    np.testing.assert_allclose(found.each, np.array(plain.each) + lift)
    assert found.mean == pytest.approx(plain.mean - lift.mean())
    assert found.exceeds >= plain.exceeds


def test_no_margin_leads_beyond_a_limit():
    several = settings(2, n=3)
    free = averaged_regret(several, knee=KNEE)
    held = averaged_regret(several, knee=KNEE, limits=(-math.inf, free.mean + 0.5 * free.bound))
    assert held.bound <= free.mean + 0.5 * free.bound - held.mean
    assert held.bound <= free.bound


def test_the_margin_counts_points_not_repeats():
    """Ten points measured four times each are ten points: the settings know no more of the others."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((30, 2)), np.arange(30)])
    rows = np.tile(np.arange(10), 4)
    y = np.sin(4.0 * X[rows, 0]) + 0.1 * rng.standard_normal(40)
    several = [
        posterior(
            Drawn("rbf", (scale, scale), 1.0, 1.0, 0.01, 0.01).kernel((False, False)), noise_var=0.01, X=X[rows], y=y
        )
        for scale in (0.2, 0.4, 0.8)
    ]
    found = averaged_regret([each.on(X) for each in several])
    each = np.array(found.each)
    assert found.bound == pytest.approx(each.mean() + care_after(10) * each.std())


def test_the_fewer_points_the_wider_the_margin():
    assert [care_after(n) for n in (1, 20, 40, 80, 400)] == [2.0, 2.0, 1.0, 0.5, 0.1]
