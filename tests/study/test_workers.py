"""The worker loop: what becomes of each trial, whatever evaluations do and in whatever order they end.

Evaluations end when the script of a test says so: `wait` is replaced, so that no thread runs and no time passes.
"""

import math
import signal
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import Regret, Study
from regretless.errors import StoreFull
from regretless.study import flight, progress, workers
from regretless.study.flight import Flight, InProcess, Workers
from regretless.study.options import Options
from regretless.study.workers import Loop

from .helpers import SPACES, all_bits, smooth

BOX = [(0.0, 1.0)]


class Bug(Exception):
    """Ends the run."""


class TooHot(Exception):
    """Makes a failed trial."""


#: What an evaluation may come to.
ENDINGS = {"value": 1.5, "nan": math.nan, "too hot": TooHot("too hot"), "bug": Bug("no such name"), "text": "1.5"}
#: And its worker.
DEATHS = {"died": BrokenExecutor("signal 9"), "cancelled": CancelledError()}


class Script(Executor):
    """An executor whose evaluations end as a script says: each entry is a list of (which of those in flight, how)."""

    def __init__(self, *steps):
        self.steps = list(steps)
        self.futures = []
        self.most = 0  # in flight at a time
        self.told = []  # how each evaluation ended, in the order of submission
        self.arguments = []  # what was evaluated

    def submit(self, _f, argument):
        future = Future()
        self.futures.append(future)
        self.told.append(None)
        self.arguments.append(argument)
        self.most = max(self.most, sum(not future.done() for future in self.futures))
        return future

    def wait(self, futures, **_):
        """In place of `concurrent.futures.wait`; at the end of the script everything has a value."""
        running = [future for future in self.futures if future in set(futures)]
        step = self.steps.pop(0) if self.steps else [(0, "value")]
        if callable(step):
            return step() or (set(), set(running))
        done = set()
        for which, how in step:
            left = [future for future in running if future not in done]
            if not left:
                break
            future = left[which % len(left)]
            self.told[self.futures.index(future)] = how
            ending = (ENDINGS | DEATHS)[how]
            future.set_exception(ending) if isinstance(ending, BaseException) else future.set_result(ending)
            done.add(future)
        return done, set(running) - done

    def run(self, study, *, workers=1, report=lambda *_: None, progress=lambda _: None, say=lambda _: None, **options):
        of_workers = {name: options.pop(name) for name in ("abort", "apart", "kill") if name in options}
        chosen = Options(f=None, **{"failing": (TooHot,), **options})
        self.loop = Loop(study, chosen, Workers(self, workers, **of_workers), report, progress, say)
        with patch.object(flight, "wait", self.wait):
            return self.loop.run()


def design(n=50):
    """A study whose trials are of the initial design: suggestions cost nothing."""
    return Study(BOX, seed=0, n_initial=n)


def statuses(study):
    return [trial.status for trial in study.trials]


# Evaluation in this process -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("executor", [InProcess, lambda: ThreadPoolExecutor(1)], ids=["here", "thread"])
def test_one_worker_is_the_loop_written_by_hand_bit_by_bit(space, executor):
    study, twin = (Study(SPACES[space](), seed=3) for _ in range(2))

    def f(argument):
        return smooth(argument if isinstance(argument, dict) else dict(enumerate(argument)))

    with executor() as pool:
        end = Loop(study, Options(f, n_trials=9), Workers(pool)).run()
    assert end.reason == "done"
    for _ in range(9):
        trial = twin.ask()
        twin.tell(trial, f(twin.space.argument(trial.params)))
    assert all_bits(study) == all_bits(twin)
    assert [trial.value for trial in study.trials] == [trial.value for trial in twin.trials]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_in_process_raises_where_the_result_is_asked_for(error):
    def f():
        raise error

    future = InProcess().submit(f)
    assert future.done()
    with pytest.raises(error):
        future.result()


def test_what_is_handled_stays_in_flight_until_it_is_done():
    flight = Flight(Workers(InProcess(), 3))
    for item in "abc":
        flight.begin(item, str.upper, item)
    landed = flight.landed()
    assert [next(landed).item, next(landed).item] == ["a", "b"]
    landed.close()  # as an exception does while "b" is handled
    assert flight.items == ("b", "c")
    flight.begin("d", str.upper, "d")
    with pytest.raises(AssertionError):
        flight.begin("e", str.upper, "e")


# Whatever happens -----------------------------------------------------------------------------------------------------

steps = st.lists(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(list(ENDINGS))), max_size=4), max_size=14)


@settings(max_examples=150, deadline=None)
@given(steps, st.integers(1, 4), st.integers(1, 10), st.sampled_from([None, 1, 3]), st.booleans())
def test_every_trial_ends_as_its_evaluation_did(script, n_workers, n_trials, first_failures, resumed):
    study = design()
    before = 2 * resumed
    for _ in range(before):
        study.tell(study.ask(), 0.5)
    executor = Script(*script)
    plan = {"until": n_trials + before} if resumed else {"n_trials": n_trials}
    end = executor.run(study, workers=n_workers, first_failures=first_failures, **plan)
    found = [trial.status for trial in study.trials[before:]]
    assert executor.most <= n_workers
    assert "pending" not in found
    has_value = "value" in executor.told or first_failures is None
    wanted = {"value": "told", "bug": "released", "text": "released", None: "released"}
    without = "failed" if has_value else "released"
    assert found == [wanted.get(how, without) for how in executor.told]
    assert executor.loop.done == sum(status in ("told", "failed") for status in found) <= n_trials
    if {"bug", "text"} & set(executor.told):
        assert end.reason == "error"
        assert study.trials[end.trial.number].status == "released"
    elif has_value:
        assert end.reason == "done"
        assert executor.loop.done == n_trials
    else:
        assert end.reason == "hopeless"
        assert end.failed == sum(how is not None for how in executor.told)
    if end.reason != "hopeless" and not (end.reason == "error" and first_failures is not None):
        assert None not in executor.told  # what was begun was awaited


more_steps = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from([*ENDINGS, *DEATHS])), max_size=4), max_size=20
)


@settings(max_examples=150, deadline=None)
@given(more_steps, st.integers(1, 4), st.integers(1, 10), st.integers(0, 2), st.booleans())
def test_whatever_workers_do_no_trial_is_lost_and_none_has_two_results(script, n_workers, n_trials, retries, apart):
    study = design()
    executor = Script(*script)
    end = executor.run(study, workers=n_workers, n_trials=n_trials, retries=retries, apart=apart)
    found = statuses(study)
    assert executor.most <= n_workers
    assert "pending" not in found
    assert [trial.number for trial in study.trials] == list(range(len(study.trials)))
    ended = [event.number for event in study.events() if event.kind in ("told", "failed", "released")]
    assert sorted(ended) == list(range(len(found)))  # one end each
    assert executor.loop.done == found.count("told") + found.count("failed") <= n_trials
    assert executor.loop.failed == found.count("failed")
    if end.reason == "done":
        assert executor.loop.done == n_trials
    else:
        assert end.reason == "error"
        assert found.count("released") == sum(how in ("bug", "text") for how in executor.told)


# Decisions ------------------------------------------------------------------------------------------------------------


def test_failures_before_the_first_value_are_kept_back():
    study, seen = design(), []
    executor = Script([(0, "nan")], [(0, "too hot")], lambda: seen.extend(statuses(study)), [(0, "value")])
    assert executor.run(study, n_trials=3, first_failures=3).reason == "done"
    assert seen == ["pending"] * 3
    assert statuses(study) == ["failed", "failed", "told"]


def test_failures_that_are_kept_back_use_up_the_plan():
    study = design()
    end = Script([(0, "nan")], [(0, "nan")]).run(study, n_trials=2, first_failures=3)
    assert (end.reason, end.failed) == ("hopeless", 2)
    assert statuses(study) == ["released", "released"]


def test_after_the_first_value_any_number_may_fail():
    study = design()
    end = Script([(0, "value")], *[[(0, "nan")]] * 9).run(study, n_trials=8, first_failures=3)
    assert end.reason == "done"
    assert statuses(study) == ["told"] + ["failed"] * 7


def test_three_failures_before_the_first_value_end_the_run_and_what_else_runs():
    study, said, ended = design(), [], []
    executor = Script([(0, "nan")], [(0, "nan")], [(0, "too hot")])
    end = executor.run(
        study,
        n_trials=9,
        workers=2,
        first_failures=3,
        report=lambda trial, why: said.append((trial.number, trial.status, why)),
        abort=lambda: ended.append(statuses(study)),
    )
    assert (end.reason, end.failed, end.why) == ("hopeless", 3, "TooHot('too hot')")
    assert ended == [["pending"] * 4]  # ended before the trials are offered to others
    assert statuses(study) == ["released"] * 4
    assert said[-1] == (2, "pending", "TooHot('too hot')")


def test_a_value_that_lands_with_the_third_failure_counts():
    study = design()
    end = Script([(0, "nan"), (0, "nan"), (0, "nan"), (0, "value")]).run(study, n_trials=4, workers=4, first_failures=3)
    assert end.reason == "done"
    assert statuses(study) == ["failed"] * 3 + ["told"]


def test_an_exception_begins_nothing_new_and_what_runs_is_awaited():
    study, said = design(), []
    end = Script([(1, "bug")], [(0, "text")], [(0, "value")]).run(
        study, n_trials=9, workers=3, report=lambda trial, why: said.append((trial.number, trial.status, why))
    )
    assert statuses(study) == ["released", "released", "told"]
    assert (end.reason, end.trial.number, str(end.error)) == ("error", 1, "no such name")  # the first one
    assert [(number, status) for number, status, _ in said] == [(1, "released"), (0, "released"), (2, "told")]
    assert "what f returned for trial 0" in said[1][2]
    assert next(event.data["reason"] for event in study.events() if event.kind == "released") == "Bug('no such name')"


def test_results_of_one_wake_up_are_told_in_the_order_of_asking():
    study = design()
    Script([(2, "value"), (0, "value"), (0, "value")]).run(study, n_trials=3, workers=3)
    assert [event.number for event in study.events() if event.kind == "told"] == [0, 1, 2]


def test_nothing_left_to_try():
    study = Study([{"t": t} for t in range(3)], seed=1, repeats="never")
    end = Script([(0, "value")]).run(study, n_trials=9, workers=2)
    assert end.reason == "exhausted"
    assert statuses(study) == ["told"] * 3


def test_the_stop_rule_begins_nothing_new_and_the_callback_still_hears_of_every_trial(monkeypatch):
    study, looks, called = design(), iter([None, None, "enough", None]), []
    monkeypatch.setattr(study, "should_stop", lambda _: next(looks))
    end = Script().run(
        study, n_trials=9, workers=2, stop_when=Regret(0.1), callback=lambda _, trial: called.append(trial.number)
    )
    assert (end.reason, end.left) == ("stopped", "enough")
    assert statuses(study) == ["told"] * 3  # the third had begun
    assert called == [0, 1, 2]  # whoever logs trials gets all of them


def test_a_callback_hears_of_failed_trials_too_and_ends_the_run():
    study, called = design(), []
    end = Script([(0, "nan")]).run(
        study, n_trials=9, callback=lambda _, trial: called.append((trial.number, trial.status)) or trial.number == 1
    )
    assert end.reason == "callback"
    assert called == [(0, "failed"), (1, "told")]


def test_results_of_one_wake_up_are_told_in_the_order_of_their_numbers_whatever_was_repeated():
    study = design()
    script = [[(0, "died")], [(0, "value"), (0, "value"), (0, "value")]]  # then trial 0 is the last of three in flight
    Script(*script).run(study, n_trials=3, workers=3, apart=True)
    assert [event.number for event in study.events() if event.kind == "told"] == [0, 1, 2]


def test_a_trial_whose_worker_died_is_evaluated_again_at_the_same_point():
    study = design()
    executor = Script([(0, "died")], [(0, "value")])
    assert executor.run(study, n_trials=1).reason == "done"
    assert [trial.params["x0"] for trial in study.trials] * 2 == [argument[0] for argument in executor.arguments]
    assert statuses(study) == ["told"]


def test_a_trial_that_kills_its_workers_fails_for_that_reason_even_where_exceptions_end_the_run():
    study = design()
    end = Script(*[[(0, "died")]] * 3).run(study, n_trials=2, retries=2, apart=True, failing=())
    assert end.reason == "done"
    assert statuses(study) == ["failed", "told"]
    failed = next(event for event in study.events() if event.kind == "failed")
    assert failed.data["reason"] == "its worker died 3 times: signal 9"


def test_a_foreign_pool_that_broke_ends_the_run_with_all_trials_released():
    study = design()

    class Broken(Script):
        def submit(self, *args):
            if any(self.told):
                raise BrokenExecutor("a child process terminated abruptly")
            return super().submit(*args)

    with pytest.raises(BrokenExecutor):
        Broken([(0, "value"), (0, "died")]).run(study, n_trials=9, workers=3)
    assert statuses(study) == ["told", "released", "released"]


def test_what_ended_the_run_is_certified_again_when_the_rest_has_come_in(monkeypatch):
    study, looks = design(), iter([None, None, "enough"])
    monkeypatch.setattr(study, "should_stop", lambda _: next(looks, "more than enough"))
    monkeypatch.setattr(study, "certificate", lambda: f"after {sum(s == 'told' for s in statuses(study))}")
    end = Script([(0, "value")], [(0, "value")], [(0, "nan")]).run(study, n_trials=9, workers=3, stop_when=Regret(0.1))
    assert (end.reason, end.left, end.after, end.more) == ("stopped", "enough", "after 3", 2)
    assert statuses(study).count("failed") == 1


# Time limits ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    for module in (workers, flight):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


def later(clock, seconds):
    return lambda: clock.__setitem__(0, clock[0] + seconds)


class Begun(Script):
    """What has begun cannot be cancelled."""

    def submit(self, *args):
        future = super().submit(*args)
        future.set_running_or_notify_cancel()
        return future


def test_a_trial_past_its_time_limit_has_failed_and_its_worker_is_killed(clock):
    study, killed = design(), []

    def kill(futures):
        for future in futures:
            killed.append(future)
            future.set_exception(BrokenExecutor("killed"))

    executor = Script(later(clock, 5.0), later(clock, 5.0))
    end = executor.run(study, n_trials=2, time_limit=10.0, kill=kill, apart=True)
    assert end.reason == "done"
    assert statuses(study) == ["failed", "told"]
    assert killed == executor.futures[:1]
    failed = next(event for event in study.events() if event.kind == "failed")
    assert (failed.data["reason"], failed.data["overdue"]) == ("no result after 10 seconds", True)


def test_a_value_after_the_time_limit_is_put_on_record_and_not_used(clock):
    study = design()
    script = [later(clock, 11.0), [(0, "value")], [(0, "value")]]
    executor = Begun(*script)
    assert executor.run(study, n_trials=2, time_limit=10.0).reason == "done"
    assert statuses(study) == ["failed", "told"]
    assert [(event.kind, event.number, event.value) for event in study.events() if event.number == 0][1:] == [
        ("failed", 0, None),
        ("late", 0, 1.5),
    ]
    assert executor.most == 1  # its worker was busy until then


def test_workers_that_never_come_back_end_the_run(clock):
    study = design()
    executor = Begun(*[later(clock, 6.0)] * 9)
    assert executor.run(study, n_trials=5, time_limit=10.0, workers=2).reason == "stuck"
    assert statuses(study) == ["failed", "failed"]


# Leases ---------------------------------------------------------------------------------------------------------------


def test_leases_are_renewed_with_every_heartbeat_and_not_before(tmp_path, monkeypatch):
    clock = [100.0]
    for module in (workers, flight):
        monkeypatch.setattr(module, "monotonic", lambda: clock[0])

    def later(seconds):
        return lambda: clock.__setitem__(0, clock[0] + seconds)

    with Study.open(tmp_path / "s.db", "s", space=BOX, seed=0, lease=60.0) as study:
        script = [[(1, "nan")], later(19.0), later(2.0), later(19.0), later(2.0), [(0, "value")], later(25.0)]
        Script(*script).run(study, until=4, workers=2, first_failures=3)
        renewed = [event.number for event in study.events() if event.kind == "renewed"]
    # After 21 s and 42 s trials 0 and 2 run, and 1, which failed, is kept back; after 67 s 2 and 3 run.
    assert renewed == [0, 2, 1, 0, 2, 1, 2, 3]


def test_without_a_lease_nothing_is_stored_for_a_heartbeat():
    study = design()
    Script(lambda: None, lambda: None).run(study, n_trials=1)
    assert [event.kind for event in study.events()] == ["asked", "told"]


# Ctrl-C ---------------------------------------------------------------------------------------------------------------


def press():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def heed_ctrl_c():
    """A test run in the background has Ctrl-C ignored, as shells do."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_once_begins_nothing_new_and_what_runs_is_told():
    study, said, ended = design(), [], []
    executor = Script([(0, "value")], press, [(1, "value")])
    end = executor.run(study, n_trials=9, workers=3, say=said.append, abort=lambda: ended.append(1))
    assert end.reason == "interrupted"
    assert statuses(study) == ["told"] * 4
    assert said == ["regretless: interrupted. 3 evaluations run and are finished first; Ctrl-C again to end at once."]
    assert not ended
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_twice_ends_what_runs_then_releases_it():
    study, ended = design(), []
    executor = Script([(0, "value")], press, press)
    end = executor.run(study, n_trials=9, workers=3, abort=lambda: ended.append(statuses(study)))
    assert end.reason == "interrupted"
    assert ended == [["told", "pending", "pending", "pending"]]
    assert statuses(study) == ["told", "released", "released", "released"]
    assert {event.data["reason"] for event in study.events() if event.kind == "released"} == {"interrupted"}


def test_ctrl_c_elsewhere_than_in_waiting_breaks_nothing():
    """While a result is told or a point is asked for, it is heard and heeded when that is done."""
    study = design()

    def report(trial, _why):
        if trial.number == 1:
            press()

    end = Script([(0, "value"), (0, "value")]).run(study, n_trials=9, workers=3, report=report)
    assert end.reason == "interrupted"
    assert statuses(study) == ["told"] * 3


def test_a_third_ctrl_c_breaks_in_wherever_that_is():
    study, pressed = design(), []

    def callback(_study, _trial):
        for _ in range(3):
            pressed.append(1)
            press()
        raise AssertionError("it goes on")

    end = Script([(0, "value")]).run(study, n_trials=9, workers=3, callback=callback)
    assert end.reason == "interrupted"
    assert len(pressed) == 3
    assert statuses(study) == ["told", "released", "released"]


def test_ctrl_c_while_the_run_is_broken_off_is_not_heard():
    study = design()
    end = Script([(0, "value")], press, press).run(study, n_trials=9, workers=3, abort=press)
    assert end.reason == "interrupted"
    assert statuses(study) == ["told", "released", "released", "released"]


def test_ctrl_c_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    study = design()
    assert Script(press).run(study, n_trials=3, workers=2).reason == "done"
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_ctrl_c_releases_what_waits_to_be_repeated():
    study = design()
    executor = Script([(0, "died")], [(1, "died")], press)  # the first is to run alone, when the second has ended
    end = executor.run(study, n_trials=9, workers=2)
    assert end.reason == "interrupted"
    assert sorted(statuses(study)) == ["released", "told"]


def test_ctrl_c_that_reached_the_workers_too_releases_their_trials():
    """In a terminal it goes to the whole group: the processes of a pool hand it over as an exception."""
    study = design()
    executor = Script([(0, "ctrl-c")], [(0, "value")])
    with patch.dict(DEATHS, {"ctrl-c": KeyboardInterrupt()}):
        end = executor.run(study, n_trials=9, workers=2)
    assert end.reason == "interrupted"
    assert statuses(study) == ["released", "told"]


# Progress -------------------------------------------------------------------------------------------------------------


def test_where_a_run_stands():
    seen = []
    Script([(0, "nan")], [(0, "value")]).run(design(), n_trials=3, workers=2, progress=seen.append)
    found = [(now.done, now.running, now.failed, now.best) for now in seen]
    assert found == [(0, 2, 0, None), (1, 2, 1, None), (2, 1, 1, 1.5), (3, 0, 1, 1.5)]


def test_a_line_every_ten_seconds_where_there_is_no_terminal(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    with progress.progress_bar(40, show=None, workers=8) as bar:
        for seconds in (4.0, 9.9, 10.0, 15.0, 21.0):
            now[0] = seconds
            bar(progress.Now(int(seconds), 8, 2, 0.5))
    assert capsys.readouterr().err.splitlines() == [
        "regretless: 10/40 trials, 8 running, 2 failed, best 0.5",
        "regretless: 21/40 trials, 8 running, 2 failed, best 0.5",
    ]
    for show, n in ((False, 8), (None, 1)):  # a single worker is silent, as ever
        with progress.progress_bar(40, show=show, workers=n) as bar:
            now[0] += 60.0
            bar(progress.Now(3))
    assert capsys.readouterr().err == ""


# Broken off -----------------------------------------------------------------------------------------------------------


def interrupt():
    raise KeyboardInterrupt  # as SIGTERM does for the command line


def test_an_interrupt_ends_what_runs_then_releases_it():
    study, ended = design(), []
    executor = Script([(0, "value")], interrupt)
    end = executor.run(study, n_trials=9, workers=3, abort=lambda: ended.append(statuses(study)))
    assert end.reason == "interrupted"
    assert ended == [["told", "pending", "pending", "pending"]]
    assert statuses(study) == ["told", "released", "released", "released"]
    assert [future.cancelled() for future in executor.futures] == [False, True, True, True]  # none begins any more
    assert {event.data["reason"] for event in study.events() if event.kind == "released"} == {"interrupted"}


def test_ctrl_c_while_failures_are_kept_back_releases_them():
    study = design()
    assert Script([(0, "nan")], interrupt).run(study, n_trials=9, first_failures=3).reason == "interrupted"
    assert statuses(study) == ["released", "released"]


def test_a_trial_that_others_told_does_not_keep_the_rest_from_being_released(tmp_path):
    with (
        Study.open(tmp_path / "s.db", "s", space=BOX, seed=0) as study,
        Study.open(tmp_path / "s.db", "s") as other,
    ):

        def told_elsewhere():
            other.tell(0, 0.5)
            raise KeyboardInterrupt

        Script(told_elsewhere).run(study, n_trials=9, workers=3)
        assert statuses(study) == ["told", "released", "released"]


@pytest.mark.parametrize(("ending", "says"), [("value", "gave 1.5"), ("nan", "failed")])
def test_a_result_that_cannot_be_stored_is_in_a_note_and_the_store_is_not_asked_again_and_again(
    monkeypatch, ending, says
):
    study, asked = design(), []

    def full(trial, *_, **__):
        asked.append(trial.number)
        raise StoreFull("no room")

    monkeypatch.setattr(study, "tell", full)
    monkeypatch.setattr(study, "release", full)
    with pytest.raises(StoreFull) as caught:
        Script([(1, ending)]).run(study, n_trials=9, workers=3)
    assert caught.value.__notes__ == [f"Trial 1 {says}, which could not be stored; tell it later."]
    assert asked == [1, 0]  # told once, released once in vain


def test_an_executor_that_takes_no_more_work_leaves_no_trial_pending():
    study, pool = design(), ThreadPoolExecutor(2)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        Loop(study, Options(lambda _: 1.0, n_trials=3), Workers(pool, 2)).run()
    assert statuses(study) == ["released"]


@pytest.mark.parametrize("leave", [SystemExit, GeneratorExit])
def test_a_function_that_leaves_the_program_breaks_the_run_off(leave):
    study = design()

    def f(_):
        raise leave

    loop = Loop(study, Options(f, n_trials=3, failing=(Exception,)), Workers(InProcess()))
    with pytest.raises(leave):
        loop.run()
    assert statuses(study) == ["released"]
    assert [trial.number for trial in loop.released] == [0]
