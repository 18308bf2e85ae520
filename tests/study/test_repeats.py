"""Whether a point may be suggested again: what each word means, which is the default, what the theorem needs."""

import math
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.study.helpers import ROWS

from regretless import GPUCB, IRGPUCB, Box, InvalidInput, Mixed, Study, StudyConflict, Surrogate, Table, replay
from regretless.confidence import Schedule
from regretless.gp import Kernel
from regretless.theory import expected_regret_table, information_gain

KNOWN = Surrogate.known("rbf", 0.3, signal_var=1.0, noise_var=1e-4)
FIXED = Surrogate(method="fixed", lengthscale=0.3, signal_var=1.0, noise_var=1e-4)
OLD = Path(__file__).parent / "stores" / "data" / "repeats_before_auto.db"


# The default ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [np.arange(9.0)[:, None], [(0.0, 1.0)], {"n": (1, 5), "c": ["a", "b"]}])
@pytest.mark.parametrize(
    ("settings", "repeats"),
    [
        ({}, "auto"),
        ({"rule": "irgp-ucb"}, "auto"),
        ({"rule": IRGPUCB("heuristic")}, "auto"),
        ({"surrogate": Surrogate(noise_var=1e-4)}, "auto"),
        ({"surrogate": Surrogate.paper()}, "auto"),  # its length scales are fitted
        ({"preset": "paper"}, "allow"),
        ({"preset": "paper", "rule": "ei"}, "allow"),
        ({"preset": "paper", "surrogate": Surrogate()}, "allow"),
        ({"surrogate": KNOWN}, "allow"),
        ({"surrogate": FIXED}, "allow"),
    ],
)
def test_the_default_follows_from_the_other_settings(space, settings, repeats):
    assert Study(space, seed=0, **settings).space.repeats == repeats
    for said in ("allow", "auto", "never"):  # what is said wins
        assert Study(space, seed=0, repeats=said, **settings).space.repeats == said


@pytest.mark.parametrize("rule", [IRGPUCB("theory"), GPUCB("theory")])
def test_a_theorems_law_comes_with_the_theorems_argmax(rule):
    assert Study(np.arange(9.0)[:, None], rule=rule).space.repeats == "allow"
    assert Study(Table(np.arange(9.0)[:, None], repeats="auto"), rule=rule).space.repeats == "auto"


@pytest.mark.parametrize("make", [lambda **r: Table(np.eye(3), **r), lambda **r: Box([(0, 1)], **r)])
def test_what_a_space_says_wins_over_the_preset(make):
    space = make()
    assert Study(space, preset="paper").space.repeats == "allow"
    assert space.repeats is None  # and is left as it was
    assert Study(make(repeats="auto"), preset="paper").space.repeats == "auto"
    assert Study(make(repeats="never"), surrogate=KNOWN).space.repeats == "never"
    assert Study(make(repeats="allow")).space.repeats == "allow"
    assert Study(make(repeats="never"), repeats="auto").space.repeats == "auto"


# Algorithm 1 ----------------------------------------------------------------------------------------------------------


def algorithm_1(X, f, zetas, *, lengthscale: float, noise_var: float) -> list[int]:
    """The paper's loop in NumPy alone: the posterior by an inverse, the argmax over all rows."""
    K = np.exp(-0.5 * ((X - X.T) / lengthscale) ** 2)
    seen: list[int] = []
    for zeta in zetas:
        inverse = np.linalg.inv(K[np.ix_(seen, seen)] + noise_var * np.eye(len(seen)))
        mean = K[:, seen] @ inverse @ f[seen]
        var = 1.0 - np.einsum("ij,jk,ik->i", K[:, seen], inverse, K[:, seen])
        seen.append(int(np.argmax(mean + np.sqrt(zeta * np.maximum(var, 0.0)))))
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_on_a_table_algorithm_1_is_what_runs(seed):
    """Noise of 1e-4, the paper's: a plain loop with the same draws of zeta picks the same rows, repeats and all."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([[0.0, 1.0], rng.random(10)])[:, None]  # its own code
    f = np.sin(7.0 * X[:, 0] + seed)
    study = Study(X, surrogate=KNOWN, rule=IRGPUCB("theory"), n_initial=0, seed=seed)
    for _ in range(40):
        trial = study.ask()
        study.tell(trial, f[trial.row])
    zetas = [trial.zeta for trial in study.trials]
    assert min(zetas) >= 2.0 * math.log(len(X) / 2)
    rows = [trial.row for trial in study.trials]
    assert rows == algorithm_1(X, f, zetas, lengthscale=0.3, noise_var=1e-4)
    assert len(set(rows)) < len(X)  # some rows are never worth it, others were measured again


def test_the_theorem_holds_because_rows_may_be_repeated():
    """With little noise the bound of Theorem 4.1 is below what a run costs that measures every row once."""
    N, lengthscale, noise_var, runs = 200, 0.3, 1e-4, 6
    X = np.linspace(0.0, 1.0, N)[:, None]
    kernel = Kernel("rbf", np.array([lengthscale]), 1.0)
    gain = float(information_gain(kernel, X, N, noise_var=noise_var).upper[N])
    bound = expected_regret_table(N, n_candidates=N, info_gain=gain, noise_var=noise_var)
    root = np.linalg.cholesky(kernel(X, X) + 1e-10 * np.eye(N))
    known = Surrogate.known("rbf", lengthscale, signal_var=1.0, noise_var=noise_var)
    once = root @ np.random.default_rng(0).standard_normal((N, 4000))
    regret_once = N * once.max(axis=0) - once.sum(axis=0)
    assert regret_once.mean() - 5.0 * regret_once.std() / math.sqrt(4000) > bound  # level below 1e-6
    regrets = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        f = root @ rng.standard_normal(N)
        study = Study(X, surrogate=known, rule=IRGPUCB("theory"), n_initial=0, seed=seed)
        for _ in range(N):
            trial = study.ask()
            study.tell(trial, f[trial.row] + math.sqrt(noise_var) * rng.standard_normal())
        regrets.append(sum(f.max() - f[trial.row] for trial in study.trials))
    assert max(regrets) < bound  # each of them, far below


# Product spaces -------------------------------------------------------------------------------------------------------


def corners(repeats: str, space=None) -> list[tuple]:
    """Suggestions where the best point is a corner and the model knows it."""
    surrogate = Surrogate.known("rbf", 2.0, signal_var=4.0, noise_var=1e-4)
    study = Study({"x": (0.0, 1.0)} if space is None else space, surrogate=surrogate, repeats=repeats, seed=3)
    for _ in range(14):
        trial = study.ask()
        study.tell(trial, sum(trial.params.values()))
    return [tuple(trial.params.values()) for trial in study.trials if trial.source == "rule"]


def test_in_a_box_a_corner_is_suggested_again_only_where_that_is_allowed():
    allowed = corners("allow")
    assert allowed.count((1.0,)) > 1
    for repeats in ("auto", "never"):
        assert len(set(corners(repeats))) == len(allowed)


def test_so_in_a_discrete_space_too_large_to_be_listed(monkeypatch):
    monkeypatch.setattr(sys.modules["regretless.optimizer.task"], "ENUMERATE_UP_TO", 0)
    space = Mixed({"a": (0, 6), "b": (0, 6)})
    allowed = corners("allow", space)
    assert allowed.count((6, 6)) > 1
    assert len(set(corners("auto", space))) == len(allowed)


@pytest.mark.parametrize("space", [np.arange(6.0)[:, None], [(0.0, 5.0)]])
def test_pending_and_failed_points_are_kept_away_from_all_the_same(space):
    study = Study(space, surrogate=KNOWN, n_initial=0, seed=0)
    for value in (0.0, 1.0, 2.0):
        study.add([value], value)
    failed = study.ask()
    study.tell(failed, failed=True)
    pending = study.ask(2)
    assert len({trial.params["x0"] for trial in (failed, *pending)}) == 3


# Stored studies -------------------------------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path):
    """Studies of 16 trials on 16 rows, stored when "allow" was the word for what "auto" does."""
    return shutil.copy(OLD, tmp_path / "old.db")


@pytest.mark.parametrize("name", ["default", "paper", "known"])
def test_studies_from_before_auto_go_on_as_they_did(old, name):
    study = Study.open(old, name)
    assert study.space.repeats == "auto"
    again = replay(study)
    assert [entry.found["row"] for entry in again] == [entry.expected["row"] for entry in again]
    assert len({entry.found["row"] for entry in again}) == 16


def test_a_study_from_before_auto_answers_to_the_word_it_was_created_with(old):
    rows = np.array(list(Study.open(old, "default").space.X))
    for said in ("allow", "auto"):
        assert Study.open(old, "default", repeats=said).space.repeats == "auto"
    assert Study.open(old, "never").space.repeats == "never"
    with pytest.raises(StudyConflict, match=r"has repeats='auto', not 'never'"):
        Study.open(old, "default", repeats="never")
    with pytest.raises(StudyConflict, match=r"has repeats='never', not 'allow'"):
        Study.open(old, "never", repeats="allow")
    with pytest.raises(StudyConflict, match="another space"):
        Study.open(old, "default", space=Table(rows + 1.0, repeats="allow"))


@pytest.mark.parametrize("said", ["allow", "auto", "never", None])
def test_a_stored_study_keeps_its_word(tmp_path, said):
    rows = [{"x": i} for i in range(5)]
    kept = Study.open(tmp_path / "lab.db", "s", space=rows, repeats=said, preset="paper").space.repeats
    assert kept == (said or "allow")
    for space in (None, rows, Table(rows), Table(rows, repeats=kept)):
        for again in (None, kept):
            assert Study.open(tmp_path / "lab.db", "s", space=space, repeats=again).space.repeats == kept
    for other in {"allow", "auto", "never"} - {kept}:
        message = f"has repeats='{kept}', not '{other}'"
        for given in ({"repeats": other}, {"space": Table(rows, repeats=other)}, {"space": rows, "repeats": other}):
            with pytest.raises(StudyConflict, match=message):
                Study.open(tmp_path / "lab.db", "s", **given)
    with pytest.raises(InvalidInput, match="'allow', 'auto' or 'never', got 'often'"):
        Study.open(tmp_path / "lab.db", "s", repeats="often")


def test_all_lets_a_pending_row_be_asked_again():
    """Two rows, one far better and noisy: with "all" a batch asks for it twice, with "allow" only once."""
    noisy = Surrogate.known("rbf", 0.1, signal_var=1.0, noise_var=1.0)
    batches = {}
    for word in ("all", "allow"):
        study = Study(
            np.array([[0.0], [1.0]]), surrogate=noisy, rule=GPUCB(Schedule.constant(0.0)), repeats=word, seed=1
        )
        study.add(row=0, value=3.0)
        study.add(row=1, value=-3.0)
        batches[word] = sorted(trial.row for trial in study.ask(2))
    assert batches == {"all": [0, 0], "allow": [0, 1]}


def test_all_leaves_failed_rows_alone():
    study = Study(np.array([[0.0], [1.0]]), repeats="all", n_initial=0, seed=1)
    study.add(row=0, failed=True)
    assert {study.ask().row for _ in range(4)} == {1}


def test_the_design_of_a_table_names_no_measured_row():
    """Whatever was added before: with "auto" there is no model yet that could find noise."""
    first = Study(ROWS, seed=3).ask().row
    study = Study(ROWS, seed=3)
    study.add(row=first, value=1.0)
    asked = [study.ask().row for _ in range(3)]
    assert first not in asked
    allowed = Study(ROWS, seed=3, repeats="allow")
    allowed.add(row=first, value=1.0)
    assert allowed.ask().row == first
