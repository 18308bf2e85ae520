"""Errors that are known and replicates, through the study: told, stored, corrected, replayed, and used exactly."""

import numpy as np
import pytest
from tests.study.helpers import SPACES, all_bits, bits, smooth
from tests.study.outcomes import BOUND, LINE

from regretless import Study, Surrogate, TrialConflict, replay
from regretless.study.journal import MemoryStore

KNOWN = Surrogate.known("matern52", 0.4, signal_var=1.5, noise_var=0.04)
GRID = [{"t": t / 9.0} for t in range(10)]


def reading(study: Study, trial, i: int, rng: np.random.Generator) -> None:
    """By turns a value, one with an error, replicates, and replicates with an error."""
    value = smooth(trial.params)
    some = (value + 0.1 * rng.normal(size=3)).tolist()
    study.tell(trial, [value, value, some, some][i % 4], sd=[None, 0.3, None, 0.2][i % 4])


class TestOnRecord:
    def test_the_trial_keeps_what_was_told(self):
        study = Study(LINE, seed=1)
        study.ask(4)
        assert study.tell(0, 1.0, sd=0.4).noise == {"value": {"sd": 0.4}}
        assert study.tell(1, [1.0, 2.0, 6.0]).value == 3.0
        assert study.trials[1].noise == {"value": {"replicates": [1.0, 2.0, 6.0]}}
        assert study.tell(2, [1.0, 2.0], sd=0.1).noise == {"value": {"sd": 0.1, "replicates": [1.0, 2.0]}}
        assert study.tell(3, [5.0]).noise == {}  # one replicate is a value
        told = [event for event in study.events() if event.kind == "told"]
        assert [event.value for event in told] == [1.0, 3.0, 1.5, 5.0]
        assert told[1].data["noise"] == {"value": {"replicates": [1.0, 2.0, 6.0]}}
        assert "noise" not in told[3].data
        known = study._history().noise[0]
        assert known.sd.tolist() == pytest.approx([0.4, 0.0, 0.1 / 2**0.5, 0.0])
        assert known.count.tolist() == [1.0, 3.0, 2.0, 1.0]
        assert known.spread.tolist() == pytest.approx([0.0, 14.0**0.5, 0.5**0.5, 0.0])

    def test_another_error_is_a_conflict(self):
        study = Study(LINE, seed=1)
        study.ask(2)
        study.tell(0, 1.0, sd=0.4)
        study.tell(0, 1.0, sd=0.4)
        study.tell(1, [1.0, 3.0])
        events = study.events()
        for number, value, sd in [(0, 1.0, 0.5), (0, 1.0, None), (1, 2.0, None), (1, [3.0, 1.0], None)]:
            with pytest.raises(TrialConflict, match="would change the past"):
                study.tell(number, value, sd=sd)
        assert study.events() == events

    def test_amending_it(self):
        study = Study(LINE, seed=1)
        study.ask()
        study.tell(0, 1.0, sd=0.4)
        assert study.amend(0, 1.0, sd=0.5, reason="recalibrated").noise == {"value": {"sd": 0.5}}
        assert study.amend(0, [1.0, 1.5], reason="all of them").noise == {"value": {"replicates": [1.0, 1.5]}}
        assert study.amend(0, 1.25, reason="nothing is known").noise == {}
        assert [event.kind for event in study.events()].count("amended") == 3
        assert study._history().noise[0].count.tolist() == [1.0]

    def test_of_one_outcome_of_several(self):
        study = Study(LINE, **BOUND, seed=1)
        study.ask()
        study.tell(0, {"impurity": [0.1, 0.3]}, sd=0.05)
        trial = study.tell(0, {"yield": 80.0}, sd={"yield": 0.4})
        assert trial.noise == {"yield": {"sd": 0.4}, "impurity": {"sd": 0.05, "replicates": [0.1, 0.3]}}
        study.amend(0, {"yield": 81.0}, reason="typo")
        assert study.trials[0].noise == {"impurity": {"sd": 0.05, "replicates": [0.1, 0.3]}}
        study.add(LINE[3], {"yield": 1.0, "impurity": 0.2}, sd={"impurity": 0.1})
        assert [None if known is None else known.sd.tolist() for known in study._history().noise] == [
            [0.0, 0.0],
            pytest.approx([0.05 / 2**0.5, 0.1]),
        ]

    @pytest.mark.parametrize("space", sorted(SPACES))
    def test_stored_and_replayed(self, space):
        store, rng = MemoryStore(), np.random.default_rng(1)
        study = Study.open(store, "s", space=SPACES[space](), seed=3)
        for i in range(14):
            reading(study, study.ask(), i, rng)
        again = Study.open(store, "s")
        assert again.trials == study.trials
        assert again.certificate() == study.certificate()
        assert all(entry.matches for entry in replay(again))
        assert bits(again.ask()) == bits(Study.open(store, "s").trials[-1])


class TestExactly:
    """A known model, so that theory says the same of the pooled and of the expanded data."""

    def pair(self, space, replicates):
        pooled, expanded = (Study(space, surrogate=KNOWN, seed=2, repeats="allow") for _ in range(2))
        rng = np.random.default_rng(3)
        for t in (0, 2, 3, 7, 9):
            values = (np.sin(6.0 * GRID[t]["t"]) + 0.2 * rng.normal(size=replicates)).tolist()
            pooled.add(GRID[t], values)
            for value in values:
                expanded.add(GRID[t], value)
        return pooled, expanded

    @pytest.mark.parametrize("space", [GRID, {"t": (0.0, 1.0)}])
    @pytest.mark.parametrize("replicates", [1, 2, 5])
    def test_replicates_are_the_same_as_one_by_one(self, space, replicates):
        pooled, expanded = self.pair(space, replicates)
        for mine, theirs in zip(pooled.predict(GRID), expanded.predict(GRID), strict=True):
            assert mine == pytest.approx(theirs, abs=1e-9)
        mine, theirs = pooled.certificate(), expanded.certificate()
        assert mine.params == pytest.approx(theirs.params, abs=1e-4)
        if space is GRID:
            assert (mine.bound, mine.mean, mine.sd) == pytest.approx((theirs.bound, theirs.mean, theirs.sd), abs=1e-9)

    def test_the_likelihood_is_that_of_all_values(self):
        """Fitted hyperparameters agree: nothing is lost by pooling, not even about the noise."""
        rng = np.random.default_rng(5)
        model = Surrogate(kernel="matern52", standardize=False, compress=False, fit_mean=False)
        pooled, expanded = (Study(GRID, surrogate=model, seed=2) for _ in "ab")
        for t in range(10):
            values = (np.sin(6.0 * GRID[t]["t"]) + 0.3 * rng.normal(size=4)).tolist()
            pooled.add(GRID[t], values)
            for value in values:
                expanded.add(GRID[t], value)
        pooled.ask()
        expanded.ask()
        a, b = (study._fit.hyperparameters for study in (pooled, expanded))
        assert a.noise_var == pytest.approx(b.noise_var, rel=0.02)
        assert a.lengthscale == pytest.approx(b.lengthscale, rel=0.05)

    @pytest.mark.parametrize("later", [False, True])
    def test_an_error_is_added_to_the_common_one(self, later):
        """Told sd: noise variance 0.04 + sd^2, against the textbook formula; the last two before or after a fit."""
        study = Study(GRID, surrogate=KNOWN, n_initial=0, seed=2)
        sds, y = np.array([0.5, 0.1, 0.8, 0.3]), np.array([0.2, 1.0, -0.4, 0.7])
        for i, (t, value, sd) in enumerate(zip((1, 4, 6, 8), y, sds, strict=True)):
            if i == 2 and later:
                study.release(study.ask())
            study.add(GRID[t], float(value), sd=float(sd))
        fit = study._carried.believe(study._history()).believed().fit.hyperparameters
        X = study.space.X
        kernel, rows = fit.kernel((False,)), [1, 4, 6, 8]
        z, scale = fit.units.standardised(y), fit.units.scale
        K = kernel(X[rows], X[rows]) + np.diag(fit.noise_var + (sds / scale) ** 2)
        weights = np.linalg.solve(K, kernel(X[rows], X))
        mean = fit.units.restored(weights.T @ z, 0.0)[0]
        var = fit.signal_var - np.einsum("ij,ij->j", kernel(X[rows], X), weights)
        found_mean, found_sd = study.predict(GRID)
        assert found_mean == pytest.approx(mean, abs=1e-9)
        assert found_sd == pytest.approx(scale * np.sqrt(var), abs=1e-9)

    def test_a_precise_value_weighs_more(self):
        study = Study(GRID, surrogate=KNOWN, seed=2)
        study.add(GRID[4], 1.0, sd=0.01)
        study.add(GRID[4], 0.0, sd=2.0)
        assert study.predict([GRID[4]])[0][0] > 0.9


@pytest.mark.parametrize("space", sorted(SPACES))
def test_without_noise_nothing_changes(space):
    """Values as lists of one, and values: the same bits, the same record."""
    plain, single = (Study(SPACES[space](), seed=3) for _ in range(2))
    for _ in range(12):
        a, b = plain.ask(), single.ask()
        plain.tell(a, smooth(a.params))
        single.tell(b, [smooth(b.params)])
    assert all_bits(plain) == all_bits(single)
    assert plain._history().noise == ()
    assert [(e.kind, e.value, e.data.keys()) for e in plain.events()] == [
        (e.kind, e.value, e.data.keys()) for e in single.events()
    ]


def test_suggestions_after_a_restart_know_the_noise():
    store, rng = MemoryStore(), np.random.default_rng(1)
    study = Study.open(store, "s", space=SPACES["table"](), seed=3)
    whole = Study(SPACES["table"](), seed=3)
    other = np.random.default_rng(1)
    for i in range(16):
        if i % 4 == 0:
            study = Study.open(store, "s")
        a, b = study.ask(), whole.ask()
        assert bits(a) == bits(b)
        reading(study, a, i, rng)
        reading(whole, b, i, other)
