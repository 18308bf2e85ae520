"""The paper's setting is visible in what a study does and records."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.study.helpers import smooth

from regretless import Box, InvalidInput, Study, Surrogate, replay
from regretless.optimizer import as_task
from regretless.study.registry import as_store


def play(study: Study, n: int) -> list[dict]:
    models = []
    for _ in range(n):
        trial = study.ask()
        models.append(trial.hyperparameters)
        study.tell(trial, smooth(trial.params))
    return models


def test_refits_every_five_tells():
    study = Study([(0.0, 1.0)] * 2, preset="paper", seed=0)
    models = play(study, 20)
    assert [trial.source for trial in study.trials] == ["design"] * 4 + ["rule"] * 16  # 2^d
    assert models[:4] == [None] * 4
    scales = [model["lengthscale"] for model in models[4:]]
    changes = [i for i in range(1, len(scales)) if scales[i] != scales[i - 1]]
    assert changes == [5, 10, 15]
    for model in models[4:]:
        assert model["noise_var"] == 1e-4
        assert model["signal_var"] == 1.0
        assert all(0.03 - 1e-9 <= v <= 10.0 + 1e-9 for v in model["lengthscale"])
    assert study._task.surrogate == Surrogate.paper()
    assert study._task.surrogate.kernel == "rbf"
    assert study.rule.name == "irgp-ucb"


def test_zeta_follows_the_papers_law():
    box = Study([(0.0, 1.0)] * 4, preset="paper", seed=0, n_initial=1)
    table = Study(np.random.default_rng(0).random((200, 4)), preset="paper", seed=0)
    play(box, 12)
    play(table, 12)
    assert all(trial.zeta > 2.0 for trial in box.trials[1:])  # s = d/2
    assert all(trial.zeta > 2.0 * np.log(100.0) for trial in table.trials[2:])  # s = 2 log(N/2)
    assert len({trial.zeta for trial in table.trials[2:]}) == 10


@pytest.mark.parametrize(
    ("space", "paper", "default"),
    [
        ([(0.0, 1.0)], 2, 4),
        ([(0.0, 1.0)] * 3, 8, 8),
        ([(0.0, 1.0)] * 40, 64, 20),
        (np.random.default_rng(0).random((50, 3)), 2, 4),
        (np.array([[1.0, 2.0]]), 1, 1),
        ({"n": (1, 5), "c": ["a", "b"]}, 2, 3),
    ],
)
def test_size_of_the_design(space, paper, default):
    assert Study(space, preset="paper", seed=0)._task.n_initial == paper
    assert Study(space, seed=0)._task.n_initial == default


@pytest.mark.parametrize("n_initial", [0, 1, 5, np.int64(3)])
def test_size_of_the_design_as_given(n_initial):
    study = Study([(0.0, 1.0)], n_initial=n_initial, seed=0)
    play(study, 7)
    assert [t.source for t in study.trials] == ["design"] * int(n_initial) + ["rule"] * (7 - int(n_initial))


def test_past_data_stand_in_for_the_design():
    study = Study([(0.0, 1.0)], n_initial=3, seed=0)
    for x in (0.1, 0.5, 0.9):
        study.add([x], x)
    assert study.ask().source == "rule"


def test_the_default_refits_after_every_tell_at_first_then_less_often():
    study = Study([(0.0, 1.0)], seed=0)
    models = play(study, 40)[4:]
    fresh = [i == 0 or models[i] != models[i - 1] for i in range(len(models))]
    assert all(fresh[:10])
    assert 5 < sum(fresh[10:]) < 26


def test_what_is_given_overrules_the_preset():
    surrogate = Surrogate(kernel="matern32", noise_var=0.25)
    study = Study([(0.0, 1.0)], preset="paper", surrogate=surrogate, rule="gp-ucb", n_initial=3, seed=0)
    assert (study._task.surrogate, study.rule.name, study._task.n_initial) == (surrogate, "gp-ucb", 3)
    assert {model["noise_var"] for model in play(study, 6)[3:]} == {0.25}


def test_the_record_says_what_was_expected():
    """Mean and sd of a trial's record are those of `predict` before it was told, where the model is given."""
    given = Surrogate.known("rbf", lengthscale=0.4, signal_var=1.0, noise_var=1e-3)
    study = Study([(0.0, 1.0)] * 2, direction="minimize", surrogate=given, seed=3)
    play(study, 9)
    trial = study.ask()
    mean, sd = study.predict([trial.params])
    assert trial.details["mean"] == pytest.approx(mean[0], rel=1e-6)
    assert trial.details["sd"] == pytest.approx(sd[0], rel=1e-6)


def test_a_fixed_model_still_follows_the_scale_of_the_values():
    """Standardised without a design: shift and scale are not for ever those of no value at all."""
    fixed = Surrogate(method="fixed", lengthscale=0.3, signal_var=1.0, noise_var=1e-4)
    study = Study([(0.0, 1.0)], surrogate=fixed, n_initial=0, seed=0)
    for _ in range(8):
        trial = study.ask()
        study.tell(trial, 1e12 * trial.params["x0"])
    model = study.ask().hyperparameters
    assert (model["lengthscale"], model["signal_var"], model["noise_var"]) == ((0.3,), 1.0, 1e-4)
    assert model["scale"] > 1e10


# The start ------------------------------------------------------------------------------------------------------------


def starts(space, n: int, seeds: range, **settings) -> list[np.ndarray]:
    """The first ``n`` suggestions as codes, for each seed."""
    found = []
    for seed in seeds:
        study = Study(space, n_initial=n, seed=seed, **settings)
        trials = study.ask(n)
        assert [trial.source for trial in trials] == ["design"] * n
        found.append(np.array([list(trial.params.values()) for trial in trials], dtype=float))
    return found


def test_the_paper_starts_at_random_the_default_evenly():
    """A Latin hypercube of 8 points has one in each eighth of a column; 8! / 8^8 = 0.24 % of random starts do."""

    def eighths(**settings):
        return [len(set((8 * X[:, 0]).astype(int))) for X in starts([(0.0, 1.0)] * 2, 8, range(20), **settings)]

    assert set(eighths()) == {8}
    assert max(eighths(preset="paper")) < 8


def test_random_starts_are_uniform_and_independent():
    """Means of 1,600 coordinates and their products within 4 standard errors: 1 in 10,000 by chance, each."""
    X = np.concatenate(starts([(0.0, 1.0)] * 2, 8, range(100), preset="paper")) - 0.5
    n = len(X)
    assert np.abs(X.mean(axis=0)).max() < 4 * math.sqrt(1 / 12 / n)
    assert abs((X[:, 0] * X[:, 1]).mean()) < 4 * math.sqrt(1 / 144 / n)
    assert abs((X[:-1] * X[1:]).mean()) < 4 * math.sqrt(1 / 144 / n)  # one after the other
    assert np.abs((X**2).mean(axis=0) - 1 / 12).max() < 4 * math.sqrt(1 / 180 / n)


def test_random_rows_are_all_alike():
    """Two of ten rows, 400 times: each row 80 times in the mean, sd 8; no row twice."""
    drawn = np.concatenate(starts(np.arange(10.0)[:, None], 2, range(400), preset="paper"), axis=1)
    assert (drawn[0] != drawn[1]).all()
    counts = np.bincount(drawn.ravel().astype(int), minlength=10)
    assert np.abs(counts - 80).max() < 4 * math.sqrt(400 * 0.2 * 0.8)


def test_the_start_of_a_stored_study_is_on_record(tmp_path):
    path = tmp_path / "lab.db"
    first = Study.open(path, "s", space=[(0.0, 1.0)] * 2, preset="paper", seed=5).ask(4)
    again = Study.open(path, "s")
    assert again._task.design == "random"
    assert [trial.params for trial in again.trials] == [trial.params for trial in first]
    assert all(entry.matches for entry in replay(again))
    assert as_store(path).spec("s")["design"] == "random"


@pytest.mark.parametrize("name", ["box", "table"])
def test_a_study_from_before_the_random_start_goes_on_as_it_did(tmp_path, name):
    """Stored when the preset began with a Latin hypercube and with length scales from 0.1."""
    old = Path(__file__).parent / "stores" / "data" / "paper_before_random_start.db"
    study = Study.open(shutil.copy(old, tmp_path / "old.db"), name, preset="paper")
    assert study._task.design == "hypercube"
    assert study._task.surrogate.lengthscale_bounds == (0.1, 10.0)
    entries = replay(study)
    assert len(entries) == {"box": 8, "table": 6}[name]
    for entry in entries:
        assert entry.found["params"] == pytest.approx(entry.expected["params"], abs=1e-3)
    study.tell(study.ask(), 0.0)


def test_an_unknown_start_is_refused():
    """Such as that of a study stored by a version to come."""
    with pytest.raises(InvalidInput, match=r"design must be 'hypercube' or 'random', got 'sobol'"):
        as_task(Box([(0.0, 1.0)]), design="sobol")
