"""Random studies with random outcomes, told in random parts, corrected, restarted: what always holds."""

import math
from typing import Any

import numpy as np
import pytest
from tests.study.helpers import MIXED, ROWS, bits

from regretless import Exhausted, HypervolumeLeft, Regret, Study, Surrogate, Table, TrialConflict, replay
from regretless.optimizer import FAILED, PENDING, TOLD
from regretless.study.journal import MemoryStore

SPACES = {
    "table": lambda: ROWS,
    "small": lambda: Table(ROWS[:9], repeats="never"),
    "box": lambda: [(-1.0, 2.0), (0.0, 5.0)],
    "mixed": lambda: MIXED,
    "listed": lambda: {"n": (1, 4), "c": ["a", "b"]},
}


def random_settings(rng: np.random.Generator) -> dict[str, Any]:
    """One to three objectives, none to two constraints, all of their settings."""
    K, J = int(rng.integers(1, 4)), int(rng.integers(0, 3))
    directions = {f"f{k}": str(rng.choice(["maximize", "minimize"])) for k in range(K)}
    more: dict[str, Any] = {
        "objectives": directions,
        "constraints": {f"g{j}": (str(rng.choice(["<=", ">="])), float(rng.normal())) for j in range(J)},
        "risk": float(rng.uniform(0.02, 0.5)),
        "seed": int(rng.integers(100)),
        "n_initial": int(rng.integers(0, 6)),
        "surrogate": Surrogate(restarts=0),
    }
    if K == 1 and J and rng.random() < 0.5:
        more["fallback"] = float(rng.normal())
    if K > 1 and rng.random() < 0.5:
        more["reference"] = {name: float(rng.normal()) for name in directions}
    return more


class Driver:
    """Does what comes to its mind, and knows what the study should know."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([8, seed])
        self.store = MemoryStore()
        names = sorted(SPACES)
        self.space = SPACES[names[int(self.rng.integers(len(names)))]]()
        self.settings = random_settings(self.rng)
        self.study = Study.open(self.store, "s", space=self.space, **self.settings)
        self.names = [outcome.name for outcome in self.study.outcomes]
        self.size = float(10.0 ** self.rng.integers(-6, 7))
        self.model: dict[int, dict[str, float | None]] = {}
        self.lost: set[int] = set()
        self.excluded: set[int] = set()

    def some(self, numbers: Any) -> int | None:
        numbers = sorted(numbers)
        return numbers[int(self.rng.integers(len(numbers)))] if numbers else None

    def value(self) -> Any:
        kind = self.rng.random()
        if kind < 0.1:
            return (self.size * self.rng.normal(size=int(self.rng.integers(1, 5)))).tolist()
        return float(self.size * (self.rng.normal() if kind < 0.8 else self.rng.integers(-1, 2)))

    # What it does -----------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        try:
            trials = self.study.ask(int(self.rng.integers(1, 4)))
        except Exhausted:
            assert self.study.space.repeats == "never"
            return
        for trial in trials:
            self.model[trial.number] = {}
            assert all(math.isfinite(number) for number in trial.details.values()), trial
            assert math.isfinite(trial.jitter)

    def tell(self) -> None:
        number = self.some(n for n, values in self.model.items() if len(values) < len(self.names))
        if number is None:
            return
        missing = [name for name in self.names if name not in self.model[number]]
        part = [name for name in missing if self.rng.random() < 0.6] or missing[:1]
        failed = [name for name in part if self.rng.random() < 0.15]
        values = {name: self.value() for name in part if name not in failed}
        sd = {name: 0.1 * self.size for name in values if self.rng.random() < 0.2}
        self.study.tell(number, values or None, failed=failed or False, sd=sd or None)
        self.study.tell(number, values or None, failed=failed or False, sd=sd or None)  # again: nothing
        self.lost.discard(number)
        self.note(number, values, failed)

    def add(self) -> None:
        donor = self.some(self.model)
        if donor is None:
            return
        values = {name: self.value() for name in self.names}
        trial = self.study.add(self.study.trials[donor].params, values)
        self.model[trial.number] = {}
        self.note(trial.number, values, [])

    def amend(self) -> None:
        number = self.some(n for n, values in self.model.items() if values and n not in self.lost)
        if number is not None:
            name = self.names[int(self.rng.integers(len(self.names)))]
            value = self.value()
            if name not in self.model[number]:
                with pytest.raises(TrialConflict):
                    self.study.amend(number, {name: value}, reason="fuzz")
                return
            self.study.amend(number, {name: value}, reason="fuzz")
            self.note(number, {name: value}, [])

    def exclude(self) -> None:
        number = self.some(n for n, values in self.model.items() if len(values) == len(self.names))
        if number is not None:
            (self.study.include if number in self.excluded else self.study.exclude)(number, reason="fuzz")
            self.excluded ^= {number}

    def release(self) -> None:
        number = self.some(n for n in self.model if self.study.trials[n].status == "pending")
        if number is None:
            return
        if self.model[number]:
            with pytest.raises(TrialConflict):
                self.study.release(number)
        else:
            self.study.release(number)
            self.lost.add(number)

    def restart(self) -> None:
        before = [bits(trial) for trial in self.study.trials]
        self.study = Study.open(self.store, "s", space=self.space, **self.settings)
        assert [bits(trial) for trial in self.study.trials] == before

    def forget(self) -> None:
        self.study._carried.forget()

    def look(self) -> None:
        """What is known is finite, and looking changes nothing."""
        history = self.study._history()
        if not all(len(history.series(k).y) for k in range(len(self.names))):
            return
        study, events = self.study, self.study.events()
        left = study.certificate()
        assert math.isfinite(left.bound)
        assert left.bound >= 0.0
        assert "nan" not in left.sentence
        K = len(self.settings["objectives"])
        if K == 1:
            found = study.recommend()
            assert all(map(math.isfinite, (found.mean, found.sd)))
            study.should_stop(Regret(self.size))
        else:
            assert study.hypervolume >= 0.0
            assert all(math.isfinite(mean + sd) for point in study.front for mean, sd in point.expected.values())
            study.should_stop(HypervolumeLeft(relative=0.5))
        for name in self.names:
            mean, sd = study.predict([trial.params for trial in study.trials[:3]], outcome=name)
            assert np.isfinite(mean).all()
            assert np.isfinite(sd).all()
        assert study.events() == events

    # What holds -------------------------------------------------------------------------------------------------------

    def note(self, number: int, values: dict[str, Any], failed: list[str]) -> None:
        for name, value in values.items():
            self.model[number][name] = float(np.mean(value)) if isinstance(value, list) else value
        self.model[number] |= dict.fromkeys(failed)

    def check(self) -> None:
        study, m = self.study, len(self.names)
        assert [trial.number for trial in study.trials] == sorted(self.model)
        used = [n for n in sorted(self.model) if n not in self.excluded and n not in self.lost]
        history = study._history()
        assert history.points.trials.tolist() == used
        for number, values in self.model.items():
            trial = study.trials[number]
            assert list(trial.values) == [name for name in self.names if name in values]
            for name, value in values.items():
                assert trial.values[name] == (None if value is None else pytest.approx(value, rel=1e-12, abs=1e-300))
            whole = len(values) == m
            everything_failed = all(value is None for value in values.values())
            status = "pending" if not whole else "failed" if everything_failed else "told"
            assert trial.status == ("released" if number in self.lost else status)
        for i, number in enumerate(used):
            for k, outcome in enumerate(study.outcomes):
                value = study.trials[number].values.get(outcome.name, math.nan)
                code = PENDING if outcome.name not in self.model[number] else FAILED if value is None else TOLD
                assert history.status[i, k] == code
                assert np.isnan(history.Y[i, k]) if code != TOLD else history.Y[i, k] == outcome.sign * value
        parts = len(history.told), len(history.pending), len(history.failed)
        assert sum(parts) == len(used)

    def run(self, steps: int) -> None:
        actions = [self.ask] * 5 + [self.tell] * 9 + [self.add, self.amend, self.exclude, self.release]
        actions += [self.restart, self.forget, self.look]
        for _ in range(steps):
            actions[int(self.rng.integers(len(actions)))]()
            self.check()
        self.look()
        self.restart()
        self.check()
        assert all(entry.matches for entry in replay(self.study))
        twin = Study.open(self.store, "s")
        assert (twin._history().Y.tobytes(), twin._ledger.fits) == (
            self.study._history().Y.tobytes(),
            self.study._ledger.fits,
        )


@pytest.mark.parametrize("seed", range(8))
def test_random_studies(seed):
    Driver(seed).run(25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 250))
def test_many_random_studies(seed):
    Driver(seed).run(70)
