"""Leases end when their time is up, not when somebody sets a clock."""

import time

import pytest

from regretless import InvalidInput, Study, replay
from regretless.study import MemoryStore
from regretless.study.ledger import Clock, Lease, Reading, leases
from regretless.study.replays import asked_from

SPACE = {"x": (0.0, 1.0)}


class Machine:
    """A machine whose clocks are ours."""

    def __init__(self, monkeypatch):
        self.ticks, self.wall, self.boot = 1000.0, 2e9, "one"
        monkeypatch.setattr(leases, "_ticks", lambda: self.ticks)
        monkeypatch.setattr(leases, "_boot", lambda: self.boot)
        monkeypatch.setattr(time, "time", lambda: self.wall)

    def wait(self, seconds):
        self.ticks += seconds
        self.wall += seconds


@pytest.fixture
def machine(monkeypatch):
    return Machine(monkeypatch)


@pytest.mark.parametrize("jump", [3600.0, -3600.0, 0.0])
def test_a_clock_that_jumps_changes_nothing(machine, jump, place):
    worker = Study.open(place, "s", space=SPACE, seed=1, lease=60.0)
    trial = worker.ask()
    machine.wall += jump
    other = Study.open(place, "s", lease=60.0)
    machine.wait(59.0)
    assert other.ask().number == 1  # it is not up yet
    machine.wait(2.0)
    assert other.ask() == trial  # at most 2 s after
    assert other.ask().number == 2  # once


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_two_machines_that_read_the_stores_clock_before_it_jumped(machine, jump):
    store = MemoryStore()
    worker, other = (Study.open(store, "s", space=SPACE, seed=1, lease=60.0) for _ in range(2))
    trial = worker.ask()
    machine.boot = "two"
    other.ask()
    machine.wall += jump
    machine.wait(50.0)
    assert other.ask().number == 2
    machine.wait(11.0)
    assert other.ask() == trial


def test_without_a_lease_a_trial_waits_for_ever(machine):
    store = MemoryStore()
    Study.open(store, "s", space=SPACE, seed=1).ask()
    machine.wait(1e9)
    assert Study.open(store, "s", lease=1.0).ask().number == 1


def test_a_lease_can_be_renewed(machine):
    store = MemoryStore()
    worker, other = (Study.open(store, "s", space=SPACE, seed=1, lease=60.0) for _ in range(2))
    trial = worker.ask()
    for _ in range(5):
        machine.wait(50.0)
        worker.renew(trial)
        assert other.ask(key="again").number == 1
    machine.wait(61.0)
    assert other.ask() == trial


def test_all_that_were_left_are_offered_before_anything_new(machine):
    store = MemoryStore()
    dead = Study.open(store, "s", space=SPACE, seed=1, lease=1.0)
    left = dead.ask(3)
    dead.tell(left[1], 0.5)
    machine.wait(2.0)
    other = Study.open(store, "s", lease=10.0)
    batch = other.ask(3, key="mine")
    assert [trial.number for trial in batch] == [0, 2, 3]
    assert other.ask(3, key="mine") == batch


@pytest.mark.parametrize("late", ["before", "after", "same"])
def test_the_first_result_counts_and_nobody_is_stopped(machine, late):
    """The rule for late results: whoever is first; the other is kept as an event, and told the trial as it is."""
    store = MemoryStore()
    dead = Study.open(store, "s", space=SPACE, seed=1, lease=1.0)
    trial = dead.ask()
    machine.wait(2.0)
    other = Study.open(store, "s", lease=1.0)
    assert other.ask() == trial
    if late == "before":
        assert dead.tell(trial, 1.0).value == 1.0
        assert other.tell(trial, 2.0).value == 1.0
    else:
        assert other.tell(trial, 2.0).value == 2.0
        assert dead.tell(trial, 2.0 if late == "same" else failed_or(1.0)).value == 2.0
    assert [event.kind for event in other.events()][2:] == ["told"] if late == "same" else ["told", "late"]
    assert other.ask().number == 1


def failed_or(value):
    return value


def test_a_released_trial_may_still_be_told():
    study = Study(SPACE, seed=1)
    trial = study.ask()
    assert study.release(trial, "broke").status == "released"
    assert study.release(trial).status == "released"
    assert study.tell(trial, 3.0).value == 3.0
    assert [event.kind for event in study.events()] == ["asked", "released", "told"]


@pytest.mark.parametrize("lease", [0.0, -1.0, float("nan"), float("inf"), "60", True])
def test_leases_are_checked(lease):
    with pytest.raises(InvalidInput, match="lease"):
        Study.open(MemoryStore(), "s", space=SPACE, lease=lease)


def test_readings_of_different_starts_compare_by_the_shared_clock():
    lease = Lease(10.0, Reading("one", 5.0, 100.0))
    assert Lease.from_data(lease.to_data()) == lease
    assert not lease.ended(Reading("one", 14.9, 9999.0))
    assert lease.ended(Reading("one", 15.0, 0.0))
    assert not lease.ended(Reading("two", 9999.0, 109.9))
    assert lease.ended(Reading("two", 0.0, 110.0))
    before = Clock(50.0).read()
    assert 50.0 <= before.shared < 51.0


def abandon(machine, place, workers, **more):
    """One worker after the other asks and is never heard of again; what each got."""
    asked = []
    for _ in range(workers):
        with Study.open(place, "s", lease=60.0, **more) as study:
            asked.append(study.ask())
        machine.wait(61.0)
    return asked


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_trial_is_offered_again_so_often_and_then_failed(machine, place, retries):
    Study.open(place, "s", space=SPACE, seed=1).close()
    asked = abandon(machine, place, retries + 2, retries=retries)
    assert [trial.number for trial in asked] == [0] * (retries + 1) + [1]
    study = Study.open(place, "s")
    assert study.trials[0].status == "failed"
    assert [event.kind for event in study.events()] == ["asked", *["offered"] * retries, "failed", "asked"]
    event = study.events()[-2]
    assert event.data["leases"] == retries + 1
    assert event.data["reason"].startswith(f"its lease ended {retries + 1} time")
    assert len(study._history().pending.trials) == 1
    assert len(study._history().failed.trials) == 1


def test_three_retries_by_default_and_the_record_replays(machine, place):
    """The suggestion after a failed trial is computed from what is stored: that it failed."""
    with Study.open(place, "s", space=SPACE, seed=1, n_initial=2) as study:
        for value in (0.1, 0.5, 0.3):
            study.tell(study.ask(), value)
    assert [trial.number for trial in abandon(machine, place, 6)] == [3, 3, 3, 3, 4, 4]
    study = Study.open(place, "s")
    assert all(entry.matches for entry in replay(study))
    _, history = asked_from(study, 4)
    assert list(history.failed.trials) == [3]
    assert len(history.pending.trials) == 0


@pytest.mark.parametrize("retries", [0, 1])
def test_a_result_that_comes_after_all_retries_is_kept(machine, place, retries):
    worker = Study.open(place, "s", space=SPACE, seed=1, lease=60.0, retries=retries)
    trial = worker.ask()
    machine.wait(61.0)
    abandon(machine, place, retries + 1, retries=retries)
    assert worker.tell(trial, 2.0).status == "failed"  # no error ends it
    assert worker.events()[-1].kind == "late"
    assert worker.events()[-1].value == 2.0
    for again in (worker, Study.open(place, "s")):  # told once more, after a restart too: nothing new
        again.tell(trial.number, 2.0)
        assert [event.kind for event in again.events()].count("late") == 1
    assert worker.amend(trial, 2.0, reason="it came late").value == 2.0


def test_a_renewed_lease_uses_up_no_retry(machine, place):
    worker = Study.open(place, "s", space=SPACE, seed=1, lease=60.0, retries=0)
    trial = worker.ask()
    for _ in range(5):
        machine.wait(50.0)
        worker.renew(trial)
    assert worker.ask().number == 1
    assert worker.trials[0].status == "pending"


def test_several_that_wore_out_are_failed_at_once(machine, place):
    worker = Study.open(place, "s", space=SPACE, seed=1, lease=60.0, retries=0)
    worker.ask(3)
    worker.tell(1, 1.0)
    machine.wait(61.0)
    first, second = (Study.open(place, "s", lease=60.0, retries=0) for _ in range(2))
    assert first.ask().number == 3
    assert second.ask().number == 4
    assert [trial.status for trial in second.trials] == ["failed", "told", "failed", "pending", "pending"]
    assert [event.kind for event in second.events()] == [*["asked"] * 3, "told", "failed", "failed", "asked", "asked"]


@pytest.mark.parametrize("retries", [-1, 1.5, "3", None, True])
def test_retries_are_checked(retries):
    with pytest.raises(InvalidInput, match="retries"):
        Study.open(MemoryStore(), "s", space=SPACE, retries=retries)
