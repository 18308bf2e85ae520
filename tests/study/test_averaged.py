"""Promises averaged over hyperparameters: decisions, what plays no part, several outcomes, and the truth."""

import math

import numpy as np
import pytest

from regretless import Study, Surrogate, Table
from regretless.gp import Kernel
from regretless.lab.status import status_of
from regretless.optimizer import average
from regretless.problems import gp_sample, grid

from .helpers import ROWS, SPACES, smooth


def run(space, n, **options):
    study = Study(space, seed=3, **options)
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, smooth(trial.params))
    return study


@pytest.mark.parametrize("space", SPACES)
def test_recommendation_and_certificate_speak_of_the_same(space):
    for n in (3, 9, 14):
        study = run(SPACES[space](), n)
        left, advice = study.certificate(), study.recommend()
        assert (left.params, left.row) == (advice.params, advice.row)


def test_on_a_table_the_largest_mean_of_the_mixture_is_recommended():
    study = run(ROWS, 12)
    study.exclude_row(study.recommend().row, "out of stock")
    row = study.recommend().row
    belief = study._carried.state.doubted()
    mixture = np.mean([each.mean for each in belief.on_table(study.space.X)], axis=0)
    mixture[list(map(study.space.ids.index, study.excluded_rows))] = -np.inf
    assert row == study.space.ids[int(mixture.argmax())]
    assert study.certificate().row == row


def test_pending_and_failed_trials_play_no_part():
    study = run(ROWS, 10)
    before = study.certificate(0.1), study.recommend()
    asked = study.ask(2)
    study.tell(asked[0], failed=True)
    assert (study.certificate(0.1), study.recommend()) == before


def test_a_corrected_value_counts():
    study = run(ROWS, 10)
    before = study.certificate()
    study.amend(study.trials[0], study.trials[0].value - 5.0, reason="typo")
    after = study.certificate()
    assert after != before
    fresh = Study(ROWS, seed=3)
    for trial in study.trials:
        fresh.add(trial.params, trial.value)
    assert fresh.certificate().bound == pytest.approx(after.bound)


def test_known_errors_and_replicates_have_their_own_noise():
    plain, sure, unsure = (Study(ROWS, seed=3) for _ in range(3))
    for i, x in enumerate(ROWS[:12]):
        value = float(np.sin(4.0 * x[0]) + x[1])
        plain.add(x, value)
        sure.add(x, [value - 0.01, value, value + 0.01])
        unsure.add(x, value, sd=0.8 if i % 2 else None)
    assert unsure.certificate().bound > plain.certificate().bound
    assert sure.certificate().bound >= 0.0
    noise = [np.sqrt(np.median(s._carried.state.doubted().noise_vars)) for s in (sure, unsure)]
    assert noise[0] < 0.1


def test_more_results_than_a_posterior_holds(monkeypatch):
    monkeypatch.setattr(average, "_MOST", (20, 20))
    study = Study(ROWS, seed=3)
    for k in range(2):
        for x in ROWS:
            study.add(x, float(np.sin(4.0 * x[0]) + x[1]) + 0.01 * k)
    left = study.certificate()
    assert (left.used, left.told) == (20, 2 * len(ROWS))
    assert "20 of the" in left.sentence


def test_fewer_settings_on_a_long_table(monkeypatch):
    assert [average._count(N, 40) for N in (1, 10_000, 20_000, 100_000)] == [24, 24, 24, 8]
    assert [average._largest(N) for N in (1, 20_000, 200_000)] == [500, 250, 100]
    monkeypatch.setattr(average, "_LONGEST", 10)
    study = run(ROWS, 9)
    assert study.certificate().settings == 1  # one fitted setting must do


def test_the_price_is_known_before():
    short, long = Study(ROWS, seed=1), Study(Table(np.random.default_rng(0).random((60_000, 2))), seed=1)
    for study in (short, long):
        for i in range(40):
            study.add(study.space.params(i), float(i % 7))
    assert short.certificate_seconds() < 0.3
    assert long.certificate_seconds() > 0.5


def test_a_row_that_was_measured_again_is_better_known_than_its_neighbour():
    rng = np.random.default_rng(0)
    study = Study(Table(np.round(rng.random((30, 2)), 3)), seed=1)
    effect = rng.standard_normal(30)
    for _ in range(3):
        for i in range(12):
            study.add(study.space.params(i), float(effect[i] + 0.02 * rng.standard_normal()))
    mean, sd = study.predict([study.space.params(i) for i in range(30)])
    assert np.abs(mean[:12] - effect[:12]).max() < 0.3
    assert sd[:12].max() < 0.3 * sd[12:].min()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_values_and_equal_ones(n):
    for space in SPACES.values():
        study = run(space(), n)
        left = study.certificate()
        assert math.isfinite(left.bound)
        assert math.isfinite(study.recommend().sd)
    equal = Study(ROWS, seed=1)
    for x in ROWS[:n]:
        equal.add(x, 2.0)
    assert math.isfinite(equal.certificate().bound)


def test_with_constraints_and_with_several_objectives():
    options = {"constraints": {"cost": ("<=", 5.0)}}
    study = Study([{"t": float(t)} for t in range(20)], objective="yield", seed=2, **options)
    several = Study([{"t": float(t)} for t in range(20)], objectives={"yield": "maximize", "cost": "minimize"}, seed=2)
    for made in (study, several):
        for _ in range(9):
            trial = made.ask()
            t = trial.params["t"]
            made.tell(trial, {"yield": 8.0 * t - t * t, "cost": t})
    left = study.certificate()
    assert left.settings == 24
    assert 0.0 <= left.unsure <= 1.0
    assert left.row == study.recommend().row
    front = several.certificate()
    assert front.settings == 6
    assert set(front.rows) == {point.row for point in several.front}


def test_status_says_what_is_known_beside_the_bound():
    said = dict(status_of(run(ROWS, 12)).facts())["Beside it"]
    assert "best with probability" in said
    assert "simulated regret" in said
    assert "% of the bound from not knowing the model" in said


@pytest.mark.slow
def test_promises_are_kept_on_average():
    """Samples of a GP whose settings vary, of which the study knows nothing: mean regret below mean bound."""
    bounds, regrets, inside = [], [], []
    for seed in range(40):
        rng = np.random.default_rng([7, seed])
        family = ("rbf", "matern32", "matern52")[seed % 3]
        kernel = Kernel(family, rng.uniform(0.15, 0.6, 2), 1.0)
        problem = gp_sample(grid(np.linspace(0.0, 1.0, 12), dim=2), kernel, rng, noise_var=1e-3, jitter=1e-8)
        study, measure = Study(problem.space, seed=seed), problem.noisy(rng)
        for _ in range(14):
            trial = study.ask()
            study.tell(trial, measure(study.space.argument(trial.params)))
        left = study.certificate()
        regrets.append(problem.optimum - problem(study.space.argument(left.params)))
        bounds.append(left.bound)
        some = [study.space.params(i) for i in range(0, 144, 5)]
        mean, sd = study.predict(some)
        f = np.array([problem(study.space.argument(params)) for params in some])
        inside.append(np.mean(np.abs(f - mean) <= 1.96 * sd))
    se = np.std(np.subtract(regrets, bounds), ddof=1) / math.sqrt(40)
    assert np.mean(regrets) <= np.mean(bounds) + 2.0 * se
    assert 0.88 <= np.mean(inside) <= 0.995


def test_a_surrogate_of_before_there_was_a_fitted_mean_opens():
    study = run(ROWS, 9, surrogate=Surrogate(fit_mean=False, compress=False))
    assert {drawn.mean_var for drawn in _drawn(study)} == {0.0}


def _drawn(study):
    study.certificate()
    return study._carried.state.doubted().drawn
