"""Does it find the optimum? Statistical claims at fixed seeds, with thresholds that leave room."""

import numpy as np
import pytest

from regretless import Study, Surrogate, maximize, minimize
from regretless.gp.kernels import Kernel
from regretless.problems import by_name, gp_sample, grid


def reached(problem, n_trials: int, seeds, **more) -> list[float]:
    """Simple regret of each seed."""
    return [problem.regret(maximize(problem, problem.space, n_trials, seed=seed, **more).fun) for seed in seeds]


def test_branin():
    """30 trials come within 0.05 of the optimum (values span about 300) for at least 9 of 10 seeds.

    Random search of 30 points has a median regret near 1 here.
    """
    regrets = reached(by_name("branin"), 30, range(10))
    assert sum(regret < 0.05 for regret in regrets) >= 9, regrets


def test_quadratic():
    """30 trials in 3 columns: regret below 1e-2 of the range of 3 for at least 9 of 10 seeds."""
    regrets = []
    for seed in range(10):
        result = minimize(lambda x: float(((x - 0.37) ** 2).sum()), [(-1.0, 1.0)] * 3, n_trials=30, seed=seed)
        regrets.append(result.fun)
    assert sum(regret < 0.03 for regret in regrets) >= 9, regrets


@pytest.mark.slow
def test_mixed():
    """One of 3 categories and one of 12 whole numbers are right, the real one within 0.05, in at least 9 of 10 runs."""

    def f(p):
        return -((p["x"] - 0.3) ** 2) - 0.05 * (p["n"] - 7) ** 2 - {"a": 0.5, "b": 0.0, "c": 1.0}[p["c"]]

    space = {"x": (0.0, 1.0), "n": (1, 12), "c": ["a", "b", "c"]}
    best = [maximize(f, space, n_trials=35, seed=seed).x for seed in range(10)]
    assert sum(b["n"] == 7 and b["c"] == "b" and abs(b["x"] - 0.3) < 0.05 for b in best) >= 9, best


def test_irgp_ucb_beats_random_search_on_gp_samples():
    """The paper's setting on a smaller table: paired over 20 sample paths, regret after 25 trials; sign test.

    Under the null (no better than chance) at least 17 wins of 20 decided pairs have probability 0.0013.
    """
    kernel = Kernel("rbf", np.array([0.2, 0.2]), 1.0)
    points = grid(np.linspace(0.0, 1.0, 12), dim=2)
    surrogate = Surrogate.known("rbf", 0.2, signal_var=1.0, noise_var=1e-4)
    wins, ours, theirs = 0, [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        problem = gp_sample(points, kernel, rng, jitter=1e-8)
        study = Study(problem.space, surrogate=surrogate, seed=seed)
        for _ in range(25):
            trial = study.ask()
            study.tell(trial, problem(study.space.argument(trial.params)) + 1e-2 * rng.standard_normal())
        tried = [problem(study.space.argument(trial.params)) for trial in study.trials]
        chance = problem.evaluate(points[rng.choice(len(points), 25, replace=False)])
        ours.append(problem.regret(max(tried)))
        theirs.append(problem.regret(float(chance.max())))
        wins += ours[-1] <= theirs[-1]
    assert wins >= 17, (ours, theirs)
    assert np.mean(ours) < 0.5 * np.mean(theirs)


def test_recommendation_under_noise_is_better_than_the_luckiest_value():
    """Noise of half the signal: where the mean is best beats where the value was best, on average over 8 seeds."""
    gains = []
    for seed in range(8):
        rng = np.random.default_rng(seed)

        def f(x, rng=rng):
            return float(np.cos(3.0 * (x[0] - 0.6)) + 0.5 * rng.standard_normal())

        result = maximize(f, np.linspace(0.0, 1.0, 41)[:, None], n_trials=25, seed=seed)
        true = [np.cos(3.0 * (p["x0"] - 0.6)) for p in (result.recommended.params, result.best.params)]
        gains.append(true[0] - true[1])
    assert np.mean(gains) > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["branin", "himmelblau", "holder-table", "hartmann3"])
def test_usual_functions(name):
    """60 trials reach 1 % of the range seen at random, for at least 9 of 10 seeds.

    On Holder table, which has four equal maxima among many others, about one run in five ends beside them (ADR 22):
    fewer than 6 of 10 would come by chance once in thirty times.
    """
    problem = by_name(name)
    X = np.random.default_rng(0).random((2000, problem.space.dim))
    spread = np.ptp([problem(problem.space.argument(problem.space.decode(x))) for x in X])
    regrets = reached(problem, 60, range(10))
    assert sum(regret < 0.01 * spread for regret in regrets) >= (6 if name == "holder-table" else 9), regrets
