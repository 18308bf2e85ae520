"""Leases end when their time is up, not when somebody sets a clock."""

import time

import pytest

from regretless import InvalidInput, Study
from regretless.study import MemoryStore, leases
from regretless.study.leases import Clock, Lease, Reading

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
    assert study.release(trial, "broke").status == "lost"
    assert study.release(trial).status == "lost"
    assert study.tell(trial, 3.0).value == 3.0
    assert [event.kind for event in study.events()] == ["asked", "lost", "told"]


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
