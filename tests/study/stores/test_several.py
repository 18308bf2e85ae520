"""Studies with several outcomes in stores: reopened, replayed, refused under other settings, killed between parts."""

import json
import random
import time

import pytest
from tests.study.helpers import SPACES, all_bits, bits
from tests.study.outcomes import BOTH, BOUND, KINDS, TWO, measured
from tests.study.stores.workers import SETTINGS, lines, loop_in_parts, numbers, run, value_of

from regretless import InvalidInput, Study, StudyConflict, replay
from regretless.study.codec import Trust
from regretless.study.journal import MemoryStore
from regretless.study.settings import settings, settings_from_spec, spec_of


def go_on(study: Study, count: int) -> None:
    """Some in one piece, some in parts, some that fail in part or whole."""
    for _ in range(count):
        trial = study.ask()
        values = measured(study, trial.params)
        first = study.outcomes[0].name
        if trial.number % 7 == 5:
            study.tell(trial, {first: values[first]}, failed=[o.name for o in study.outcomes[1:]])
        elif trial.number % 11 == 8:
            study.tell(trial, failed=True)
        elif trial.number % 3 == 1:
            for name in reversed(values):
                study.tell(trial, {name: values[name]})
        else:
            study.tell(trial, values, sd={first: 0.05} if trial.number % 4 == 0 else None)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_reopened_and_replayed(place, kind):
    """12 + 12 = 24, bit for bit, on every kind of store."""
    whole = Study(SPACES["table"](), seed=3, **KINDS[kind])
    go_on(whole, 24)
    with Study.open(place, "s", space=SPACES["table"](), seed=3, **KINDS[kind]) as study:
        go_on(study, 12)
        study.ask()
        study.tell(12, {"yield": 0.0})
        study.amend(12, {"yield": 0.5}, reason="to be taken back")
    with Study.open(place, "s") as study:
        assert study.trials[12].values == {"yield": 0.5}
        assert study.trials[12].status == "pending"
        assert all(entry.matches for entry in replay(study))
    with Study.open(place, "t", space=SPACES["table"](), seed=3, **KINDS[kind]) as study:
        go_on(study, 12)
    with Study.open(place, "t", **KINDS[kind]) as study:
        assert all(entry.matches for entry in replay(study))
        go_on(study, 12)
        assert all_bits(study) == all_bits(whole)
        assert all(entry.matches for entry in replay(study))
        assert study.certificate() == whole.certificate()
        assert (study.reference, study.best_trials) == (whole.reference, whole.best_trials)


@pytest.mark.slow
@pytest.mark.parametrize("space", sorted(SPACES))
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_fifty_trials_in_two_halves(tmp_path, space, kind):
    path = tmp_path / "lab.db"
    whole = Study(SPACES[space](), seed=3, **KINDS[kind])
    go_on(whole, 50)
    for half in range(2):
        with Study.open(path, "s", space=SPACES[space](), seed=3, **KINDS[kind]) as study:
            go_on(study, 25)
            assert all_bits(study) == all_bits(whole)[: 25 * (half + 1)]
            assert all(entry.matches for entry in replay(study))
    assert study.certificate() == whole.certificate()


class TestSettings:
    @pytest.mark.parametrize(
        "more",
        [
            {**BOUND, "direction": "minimize", "fallback": 3.5, "risk": 0.2, "limits": (0, 100)},
            {**TWO, "reference": {"yield": 0.5, "cost": 2.0}, "limits": {"cost": (0, None)}},
            {**BOTH, "rule": "hvi"},
            {**BOUND, "rule": "constrained-ei"},
            {"objectives": {"loss": "minimize"}, "risk": 0.3},
        ],
    )
    def test_what_is_written_is_read(self, more):
        made = settings(SPACES["box"](), seed=1, **more)
        read = settings_from_spec(json.loads(json.dumps(spec_of(made))), Trust())
        assert read.task == made.task
        assert spec_of(read) == spec_of(made)

    @pytest.mark.parametrize(
        ("made", "given", "message"),
        [
            (BOUND, {"constraints": {"impurity": ("<=", 0.6)}}, "has constraints=.*not"),
            (BOUND, {"constraints": {"impurity": (">=", 0.5)}}, "has constraints=.*not"),
            (BOUND, {"constraints": {}}, "has constraints=.*not"),
            (BOUND, {"objective": "other"}, "has objective='yield', not 'other'"),
            (BOUND, {"objectives": {"yield": "minimize"}}, "has objectives=.*not"),
            (BOUND, {"risk": 0.2}, "has risk=0.1, not 0.2"),
            (BOUND, {"fallback": 1.0}, "has fallback=None, not 1.0"),
            (BOUND, {"limits": (0, 1)}, "has limits=None, not"),
            (BOUND, {"rule": "ei"}, "has the rule"),
            (TWO, {"objectives": {"yield": "maximize", "cost": "maximize"}}, "has objectives=.*not"),
            (TWO, {"objective": "yield"}, "has objective=None, not 'yield'"),
            (TWO, {"direction": "maximize"}, "has direction=None, not 'maximize'"),
            (TWO, {"reference": {"yield": 0.0, "cost": 0.0}}, "has reference=None, not"),
            (TWO, {"limits": {"cost": (0, 1)}}, "has limits=None, not"),
            ({"reference": {"yield": 1, "cost": 2}, **TWO}, {"reference": {"yield": 1, "cost": 3}}, "has reference="),
            ({}, {"constraints": {"a": ("<=", 1)}}, "has constraints={}, not"),
            ({}, {"objectives": {"value": "minimize"}}, "has objectives="),
        ],
    )
    def test_another_setting_is_a_conflict(self, made, given, message):
        store = MemoryStore()
        Study.open(store, "s", space=SPACES["box"](), seed=1, **made)
        Study.open(store, "s", space=SPACES["box"](), **made)
        with pytest.raises(StudyConflict, match=message):
            Study.open(store, "s", **given)

    def test_the_same_in_other_words_is_none(self):
        store = MemoryStore()
        Study.open(store, "s", space=SPACES["box"](), seed=1, objectives={"loss": "minimize"})
        Study.open(store, "s", objectives={"loss": "minimize"})
        Study.open(store, "s", objective="loss", direction="minimize")
        Study.open(store, "t", space=SPACES["box"](), seed=1, **BOTH)
        Study.open(
            store, "t", objectives={"cost": "minimize", "yield": "maximize"}, constraints={"impurity": [">=", -1]}
        )

    def test_nonsense_is_said_to_be_so(self):
        store = MemoryStore()
        Study.open(store, "s", space=SPACES["box"](), seed=1, **BOUND)
        with pytest.raises(InvalidInput, match="constraints of the space are compared with its own: give space="):
            Study.open(store, "s", constraints="impurity")


def check_parts(study: Study, logs) -> None:
    """No part lost, none doubled, none half-stored: what tell returned for is there, what is there is right."""
    names = [outcome.name for outcome in study.outcomes]
    for k, name in enumerate(names):
        told = [number for log in logs for number in numbers(log, f"told{k}")]
        assert len(set(told)) == len(told)
        assert all(name in study.trials[number].values for number in told)
    parts = {}
    for event in study.events():
        if event.kind == "told":
            for name in event.data["values"]:
                parts[event.number, name] = parts.get((event.number, name), 0) + 1
    assert set(parts.values()) <= {1}
    for trial in study.trials:
        assert trial.values == {name: value_of(trial) + k for k, name in enumerate(names) if name in trial.values}
        assert (
            list(trial.values) == names[: len(trial.values)]
        )  # told in this order, and never one without those before
        assert trial.status == ("told" if len(trial.values) == len(names) else "pending")
        assert sum(number == trial.number for number, _ in parts) == len(trial.values)


def kill_between_parts(place, tmp_path, kills) -> int:
    """SIGKILL while one outcome after the other is told; the next worker finishes what is there."""
    rng, logs = random.Random(2), []
    Study.open(place, "s", **SETTINGS, **BOTH).close()
    halves = 0
    for i in range(kills):
        logs.append(tmp_path / f"log{i}")
        process = run(loop_in_parts, place, str(logs[-1]), 10_000, {})
        while not numbers(logs[-1], "asked") and process.is_alive():
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.06))
        process.kill()
        process.join()
        assert not [line for line in lines(logs[-1]) if line.startswith(("error", "crash"))]
        with Study.open(place, "s") as study:
            check_parts(study, logs)
            for trial in study.trials:
                if trial.status == "pending":
                    halves += bool(trial.values)
                    for k, outcome in enumerate(study.outcomes):  # whoever comes next tells all of it
                        study.tell(trial, {outcome.name: value_of(trial) + k})
            assert all(trial.status == "told" for trial in study.trials)
    with Study.open(place, "s") as study:
        check_parts(study, logs)
        assert all(entry.matches for entry in replay(study))
        assert len(bits(study.ask())) > 0
    return halves


def test_kill_between_parts(place, tmp_path):
    kill_between_parts(place, tmp_path, 4)


@pytest.mark.slow
def test_a_hundred_kills_between_parts(place, tmp_path):
    assert kill_between_parts(place, tmp_path, 100) > 10  # that many did die between two parts
