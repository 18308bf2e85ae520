"""The simulations behind the theory's figures against slow, independent ones."""

import math

import numpy as np
import pytest
from scipy import stats

from regretless.confidence import ShiftedExponential
from regretless.gp import Kernel, posterior, table_posterior
from regretless.paper import simulations
from regretless.paper.experiments import EXPERIMENTS
from regretless.paper.jobs import Unit
from regretless.paper.settings import read_settings
from regretless.paper.simulations import play_two_points


def compute(experiment, problem, method, seed=0, **change):
    numbers = {**read_settings(experiment, quick=True).numbers, **change}
    return EXPERIMENTS[experiment].compute(Unit(experiment, problem, method, seed, numbers))


@pytest.mark.parametrize("constant", [1.0, None])
@pytest.mark.parametrize("rho", [0.0, 0.5, -0.5])
def test_two_points_against_the_textbook_posterior(constant, rho):
    K = np.array([[1.0, rho], [rho, 0.99]])
    T, runs = 30, 3
    world, rule = np.random.default_rng(1), np.random.default_rng(2)
    found = play_two_points(K, constant, runs, [1, 7, T], world, rule)
    world, rule = np.random.default_rng(1), np.random.default_rng(2)
    f = world.standard_normal((runs, 2)) @ np.linalg.cholesky(K).T
    zeta = [np.full(runs, constant**2) if constant else None for _ in range(T)]
    noise = []
    for t in range(T):
        if constant is None:
            zeta[t] = rule.exponential(2.0, runs)  # s = 2 log(2/2) = 0
        noise.append(world.standard_normal(runs))
    for r in range(runs):
        seen, y, total = [], [], 0.0
        for t in range(T):
            if seen:
                gain = K[:, seen] @ np.linalg.inv(K[np.ix_(seen, seen)] + np.eye(len(seen)))
                mean, cov = gain @ np.array(y), K - gain @ K[seen]
            else:
                mean, cov = np.zeros(2), K
            x = int(np.argmax(mean + np.sqrt(zeta[t][r] * np.diagonal(cov))))
            total += f[r].max() - f[r, x]
            seen.append(x)
            y.append(f[r, x] + noise[t][r])
            if t + 1 in found:
                assert found[t + 1][r] == pytest.approx(total, abs=1e-9)


def test_regrets_against_conditioning_a_posterior():
    X = np.random.default_rng(0).random((16, 2))  # a grid has ties, which rounding would break
    kernel, noise_var, T, runs = Kernel("rbf", np.full(2, 0.3), 1.0), 0.05, 12, 3
    zeta = np.random.default_rng(3).exponential(2.0, (T, runs)) + 4.0
    regret, step = simulations._regrets(kernel, X, noise_var, zeta, np.random.default_rng(4))
    world = np.random.default_rng(4)
    f = world.standard_normal((runs, 16)) @ np.linalg.cholesky(kernel(X, X)).T
    noise = np.array([world.standard_normal(runs) for _ in range(T)])
    for r in range(runs):
        table = table_posterior(posterior(kernel, noise_var=noise_var, X=X[:0], y=np.empty(0)), X)
        total = steps = 0.0
        for t in range(T):
            root = math.sqrt(zeta[t, r])
            x = int(np.argmax(table.mean + root * table.sd))
            total, steps = total + f[r].max() - f[r, x], steps + root * table.sd[x]
            table = table.condition(X[x], float(f[r, x] + math.sqrt(noise_var) * noise[t, r]))
            assert regret[t, r] == pytest.approx(total, abs=1e-8)
            assert step[t, r] == pytest.approx(steps, abs=1e-8)


def test_zeta_sums_against_the_exact_tail():
    """At the first T only one bound can have been broken: its exact probability is known. Level 1e-6."""
    found = compute("bounds", "square", "zeta", zeta_paths=20_000, zeta_horizon=5, delta=0.5)
    L = math.log(math.pi**2 / (3 * 0.5))
    for form, slack in (("printed", 1 + 2 * math.sqrt(L) + 2 * L), ("corrected", 2 + 2 * math.sqrt(2 * L) + 2 * L)):
        p = stats.chi2(2).sf(slack)
        broken = round(found[form][0] * 20_000)
        assert stats.binomtest(broken, 20_000, p).pvalue > 1e-6
    assert (np.diff(found["printed"]) >= 0).all()


def test_blocks_of_runs_are_sums():
    found = compute("bounds", "square", "irgp-ucb")
    assert found["t"][[0, -1]].tolist() == [1.0, 100.0]
    assert (np.diff(found["sum"]) >= 0).all()
    assert (found["squares"] * found["runs"] >= found["sum"] ** 2 * (1 - 1e-12)).all()
    assert (found["sum"] < found["steps"]).all()  # on average over functions; ten runs are enough to see it here


def test_conditional_runs_share_their_zetas():
    a, b = (compute("bounds", "square", "conditional", seed=k) for k in (0, 1))
    assert not np.array_equal(a["zeta"], b["zeta"])
    shift = 2 * math.log(64 / 2)
    assert (np.diff(a["zeta"]) >= shift * np.diff(a["t"])).all()
    alone = compute("bounds", "square", "conditional", conditional_functions=20)
    assert np.array_equal(alone["zeta"], a["zeta"])


def test_stopping_columns():
    run = compute("stopping", "gp-sample", "irgp-ucb")
    assert set(run) == {"t", "regret", *simulations.STOPPING}
    assert (run["certificate"] <= run["lemma"] + 1e-12).all()
    assert (run["lemma"] < run["gap"]).all()
    assert (run["regret"] >= 0).all()
    table = table_posterior(posterior(Kernel("rbf", np.ones(1), 1.0), noise_var=0.1, X=np.zeros((0, 1)), y=np.empty(0)),
                            np.array([[0.0], [0.5]]))  # fmt: skip
    # prior: mean 0, sd 1 everywhere, so the gap is twice the root of share * beta
    beta = 2 * math.log(7 * 9 * math.pi**2 / 0.6)
    assert simulations._gap(table, [0], 3, 7, 0.2) == pytest.approx(2 * math.sqrt(0.2 * beta))


def test_confidence_is_the_laws():
    run = compute("confidence", "table-1000", "irgp-ucb")
    assert run["mean"][[0, -1]] == pytest.approx([14.429216] * 2)
    assert (run["lower"][0], run["upper"][0]) == pytest.approx((12.480, 19.807), abs=1e-3)
    assert compute("confidence", "table-1000", "gp-ucb")["mean"][[0, 9, 99]] == pytest.approx(
        [11.978, 21.188, 30.398], abs=1e-3
    )
    assert compute("confidence", "table-1000", "rgp-ucb")["mean"][[0, 9, 99]] == pytest.approx(
        [17.037, 28.394, 39.752], abs=1e-3
    )
    assert compute("confidence", "box-4", "irgp-ucb")["mean"][0] == ShiftedExponential.heuristic(4).mean(1)
