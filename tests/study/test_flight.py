"""Evaluations in flight, on an executor that completes, fails, breaks and cancels in any order. No process, no time."""

from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from regretless.study import flight
from regretless.study.flight import Flight, TimeUp, WorkerDied, Workers


class Fake(Executor):
    """Its futures end when a test says so; broken, it takes no more work."""

    def __init__(self, ran):
        self.ran = ran  # (executor, item, future) of everything that was ever submitted
        self.broken = False

    def submit(self, _fn, item):
        if self.broken:
            raise BrokenExecutor("broken")
        future = Future()
        self.ran.append((self, item, future))
        return future

    def running(self):
        return [future for executor, _, future in self.ran if executor is self and not future.done()]

    def break_down(self):
        self.broken = True
        for future in self.running():
            future.set_exception(BrokenExecutor("a process was killed"))


class Harness:
    """A flight on fakes, with a clock that is set by hand."""

    def __init__(self, count=2, *, retries=1, time_limit=None, apart=False, remade=True, killed=False):
        self.now, self.ran, self.begun, self.ended, self.late = 100.0, [], [], {}, []
        self.executor = Fake(self.ran)
        workers = Workers(
            self.executor,
            count,
            self.remake if remade else None,
            (lambda futures: [future.set_exception(WorkerDied("killed")) for future in futures]) if killed else None,
            apart,
        )
        self.patch = patch.object(flight, "monotonic", lambda: self.now)
        self.patch.start()
        self.flight = Flight(workers, retries, time_limit, order=lambda item: item)

    def remake(self):
        self.executor = Fake(self.ran)
        return self.executor

    def begin(self, number=1):
        for _ in range(number):
            self.begun.append(len(self.begun))
            self.flight.begin(self.begun[-1], None, self.begun[-1])

    def land(self):
        landed = list(self.flight.landed())
        for each in landed:
            if each.late:
                assert isinstance(self.ended[each.item], TimeUp)
                self.late.append(each.item)
            else:
                assert each.item not in self.ended  # never twice
                self.ended[each.item] = each.future.exception() or each.future.result()
        assert [each.item for each in landed] == sorted(each.item for each in landed)
        self.flight.repeat()
        return [each.item for each in landed]

    def runs(self, item):
        return [future for _, each, future in self.ran if each == item]

    def future(self, item):
        return self.runs(item)[-1]

    def in_flight(self):
        return [item for _, item, future in self.ran if not future.done()]


@pytest.fixture
def harness():
    made = []

    def make(*args, **more):
        made.append(Harness(*args, **more))
        return made[-1]

    yield make
    for each in reversed(made):
        each.patch.stop()


class AnyOrder(RuleBasedStateMachine):
    """Whatever happens in whatever order: no item is lost, none ends twice, never are there too many in flight."""

    @initialize(
        count=st.integers(1, 4),
        retries=st.integers(0, 2),
        time_limit=st.sampled_from([None, 10.0]),
        apart=st.booleans(),
        remade=st.booleans(),
        killed=st.booleans(),
    )
    def start(self, count, retries, **more):
        self.count, self.retries, self.apart, self.over = count, retries, more["apart"], False
        self.h = Harness(count, retries=retries, **more)

    def teardown(self):
        if not hasattr(self, "h"):
            return
        try:
            if not self.over:
                for _ in range(4 * len(self.h.begun) + 4):  # what is left completes
                    for _, _, future in self.h.ran:
                        if not future.done():
                            future.set_result("value")
                    self.land()
                    if self.over:
                        return
                assert sorted(self.h.ended) == self.h.begun  # ended = begun: none lost
                assert not self.h.in_flight()
        finally:
            self.h.patch.stop()

    def land(self):
        try:
            self.h.land()
        except BrokenExecutor:  # a foreign pool is broken: whoever drives the flight ends the run
            self.over = True

    def pick(self, which):
        running = [future for _, _, future in self.h.ran if not future.done()]
        return running[which % len(running)] if running else None

    @precondition(lambda self: not self.over and self.h.flight.has_room)
    @rule()
    def begin(self):
        try:
            self.h.begin()
        except BrokenExecutor:
            self.over = True

    @precondition(lambda self: not self.over)
    @rule(
        which=st.integers(0, 9),
        how=st.sampled_from(["value", ValueError("f"), BrokenExecutor("one"), CancelledError(), "cancel"]),
    )
    def one_ends(self, which, how):
        if (future := self.pick(which)) is None:
            return
        if how == "cancel":
            future.cancel()
        elif isinstance(how, Exception):
            future.set_exception(how)
        else:
            future.set_result(how)

    @precondition(lambda self: not self.over)
    @rule()
    def all_break(self):
        self.h.executor.break_down()

    @precondition(lambda self: not self.over)
    @rule(seconds=st.sampled_from([3.0, 11.0]))
    def time_passes(self, seconds):
        self.h.now += seconds

    @rule()
    def look(self):
        if not self.over:
            self.land()

    @invariant()
    def holds(self):
        if not hasattr(self, "h") or self.over:
            return
        flown = self.h.flight
        assert flown.busy <= self.count
        assert len(self.h.in_flight()) <= self.count
        assert sorted((*flown.items, *self.h.ended)) == self.h.begun  # each is in flight or has ended
        most = 1 + self.retries + (0 if self.apart or self.count == 1 or not self.retries else 1)
        assert all(len(self.h.runs(item)) <= most for item in self.h.begun)
        alone = [each for each in flown._flying.values() if each.alone and not each.late]
        if alone:  # a killer, perhaps: nothing else that counts runs beside it
            assert [each for each in flown._flying.values() if not each.late] == alone


AnyOrder.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestAnyOrder = AnyOrder.TestCase


# Decisions ------------------------------------------------------------------------------------------------------------


def test_a_worker_that_died_is_no_fault_of_the_evaluation(harness):
    h = harness(2, apart=True)
    h.begin(2)
    h.future(0).set_exception(WorkerDied("killed by signal 9"))
    assert h.land() == []
    assert sorted(h.in_flight()) == [0, 1]  # it runs again
    assert h.flight.items == (1, 0)
    h.future(0).set_result("value")
    h.land()
    assert h.ended == {0: "value"}


def test_after_the_last_retry_it_has_failed(harness):
    h = harness(2, apart=True, retries=2)
    h.begin()
    for _ in range(3):
        assert h.ended == {}
        h.future(0).set_exception(WorkerDied("killed by signal 9"))
        h.land()
    assert isinstance(h.ended[0], WorkerDied)
    assert str(h.ended[0]) == "its worker died 3 times: killed by signal 9"
    assert len(h.runs(0)) == 3


def test_without_retries_nothing_runs_twice(harness):
    h = harness(2, retries=0)
    h.begin(2)
    h.executor.break_down()
    assert h.land() == [0, 1]
    assert [len(h.runs(item)) for item in (0, 1)] == [1, 1]
    assert str(h.ended[0]) == "its worker died once: a process was killed"


def test_whom_nobody_can_blame_runs_alone_after_the_second_strike(harness):
    h = harness(3)
    h.begin(3)
    h.executor.break_down()
    h.land()
    assert h.in_flight() == [0, 1, 2]
    h.executor.break_down()
    h.land()
    assert h.in_flight() == [0]  # one of the three is the killer; each runs alone
    assert not h.flight.has_room
    h.future(0).set_result("innocent")
    h.land()
    assert h.in_flight() == [1]
    h.executor.break_down()
    h.land()
    assert str(h.ended[1]) == "its worker died 3 times, the last time while nothing else ran: a process was killed"
    assert h.in_flight() == [2]
    h.future(2).set_result("innocent")
    h.land()
    assert h.flight.has_room
    assert {item: h.ended[item] for item in (0, 2)} == {0: "innocent", 2: "innocent"}


def test_who_runs_alone_waits_for_the_others_and_nothing_new_begins(harness):
    h = harness(3)
    h.begin(2)
    for _ in range(2):
        h.future(0).set_exception(CancelledError())
        h.land()
    assert h.in_flight() == [1]
    assert not h.flight.has_room
    h.future(1).set_result("value")
    h.land()
    assert h.in_flight() == [0]


def test_a_pool_that_broke_is_made_anew_only_where_it_is_ours(harness):
    ours, foreign = harness(2), harness(2, remade=False)
    for h in (ours, foreign):
        h.begin()
        h.executor.break_down()
    first = ours.executor
    ours.land()
    assert ours.executor is not first
    assert ours.in_flight() == [0]
    with pytest.raises(BrokenExecutor):
        foreign.land()
    assert foreign.flight.items == (0,)  # still known, to be released


def test_an_exception_of_f_is_not_the_death_of_a_worker(harness):
    h = harness(2)
    h.begin()
    h.future(0).set_exception(ValueError("a bug"))
    h.land()
    assert isinstance(h.ended[0], ValueError)
    assert len(h.runs(0)) == 1


# Time limits ----------------------------------------------------------------------------------------------------------


def test_what_is_past_its_limit_is_killed_where_that_can_be_done(harness):
    h = harness(2, time_limit=10.0, killed=True)
    h.begin()
    h.now += 9.0
    h.begin()
    assert h.land() == []
    h.now += 1.0
    assert h.land() == [0]
    assert isinstance(h.ended[0], TimeUp)
    assert str(h.ended[0]) == "no result after 10 seconds"
    assert h.in_flight() == [1]
    assert h.flight.has_room  # a time limit is not repeated, and the worker is free


def test_what_ended_in_the_nick_of_time_keeps_its_value(harness):
    h = harness(1, time_limit=10.0, killed=True)
    h.begin()
    h.now += 11.0
    h.future(0).set_result("value")
    h.land()
    assert h.ended == {0: "value"}


def test_a_worker_that_cannot_be_killed_is_busy_until_it_really_ends(harness):
    h = harness(1, time_limit=10.0)
    h.begin()
    h.future(0).set_running_or_notify_cancel()  # so that it cannot be cancelled
    h.now += 10.0
    assert h.land() == [0]
    assert isinstance(h.ended[0], TimeUp)
    assert not h.flight.has_room
    assert len(h.flight) == 0
    assert h.land() == []
    h.future(0).set_result("too late")
    h.land()
    assert h.late == [0]
    assert h.flight.has_room


def test_what_had_not_begun_by_its_limit_is_cancelled_and_makes_room(harness):
    h = harness(1, time_limit=10.0)
    h.begin()
    h.now += 10.0
    h.land()
    assert h.future(0).cancelled()
    assert h.flight.has_room
    assert h.late == []


def test_waiting_ends_with_the_next_time_limit(harness, monkeypatch):
    h, waits = harness(2, time_limit=10.0), []
    monkeypatch.setattr(flight, "wait", lambda _, timeout, **__: waits.append(timeout))
    h.begin()
    h.now += 4.0
    h.begin()
    h.flight.wait()
    h.flight.wait(2.0)
    h.now += 30.0
    h.flight.wait(2.0)
    assert waits == [6.0, 2.0, 0.0]
