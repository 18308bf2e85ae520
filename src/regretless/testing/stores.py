"""What any store must do. Derive a class, say how to connect, and let pytest call its ``test_`` methods."""

import math
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from regretless.errors import RegretlessError, StudyConflict, TrialConflict, UnknownStudy
from regretless.spaces import Table
from regretless.study import Event, Store, Study, replay

__all__ = ["StoreSuite"]

#: Floats that are lost by what does not keep all bits.
_FLOATS = [0.1, 1 / 3, -1e-300, 5e-324, sys.float_info.max, 1e22, 2.0**53 + 2, 123456789.12345678, math.pi]
_TEXTS = ["plain", "", "ünï ☃", "quote ' \" \\", "\x00 nul", "line\nbreak", "=1+1", "x" * 5000]
_SPACE = {"x": (0.0, 1.0), "c": ["a", "b"]}


class StoreSuite(ABC):
    """The conformance suite of stores.

    Examples
    --------
    >>> from regretless.study import MemoryStore
    >>> class TestMine(StoreSuite):
    ...     threads = 1
    ...
    ...     def __init__(self):
    ...         self.store = MemoryStore()
    ...
    ...     def connect(self):
    ...         return self.store
    >>> TestMine().test_events_come_back_in_order()
    """

    #: Workers in the tests of sharing, each with a connection of its own; 1 for a store that one thread uses.
    threads = 4

    @abstractmethod
    def connect(self) -> Store:
        """Another connection to the store of this test, which was empty when the test began."""

    # Studies by name ------------------------------------------------------------------------------------------------

    def test_studies_are_created_once(self) -> None:
        """A name is taken by the first."""
        store = self.connect()
        assert store.names() == []
        assert store.spec("one") is None
        store.create("two", {"a": 1}, "me")
        store.create("one", {"a": 2}, "me")
        _refused(StudyConflict, lambda: self.connect().create("one", {"a": 3}, "you"))
        assert self.connect().names() == ["one", "two"]
        assert self.connect().spec("one") == {"a": 2}

    def test_specs_come_back_exactly(self) -> None:
        """Numbers to the last bit, whole numbers as such, any text, nested, in order."""
        spec = {"floats": _FLOATS, "texts": _TEXTS, "kinds": [1, 1.0, True, None], "z": {"y": {"x": []}}, "a": 0}
        self.connect().create("exact", spec, "me")
        assert repr(dict(self.connect().spec("exact") or {})) == repr(spec)

    # Events ---------------------------------------------------------------------------------------------------------

    def test_events_come_back_in_order(self) -> None:
        """All of them, or those after one."""
        journal = self._journal()
        for seq in range(1, 6):
            events = [_event(seq)]
            journal.write(seq - 1, lambda _, events=events: events)
        again = self.connect().journal("s")
        assert again.read(0) == [_event(seq) for seq in range(1, 6)]
        assert again.read(3) == [_event(4), _event(5)]
        assert again.read(5) == []

    def test_events_come_back_exactly(self) -> None:
        """Typed columns and JSON keep every bit."""
        journal = self._journal()
        events = [_event(i + 1, value=value, data={"value": value, "n": i}) for i, value in enumerate(_FLOATS)]
        events += [_event(len(events) + i + 1, data={"text": text, text: 1}) for i, text in enumerate(_TEXTS)]
        events.append(_event(len(events) + 1, data={"a": [math.inf, {"b": -math.inf}], "k": [1, 1.0, True, None]}))
        assert journal.write(0, lambda _: events) == events
        assert repr(self.connect().journal("s").read(0)) == repr(events)

    def test_writers_see_what_they_missed(self) -> None:
        """Whoever writes is first shown what others wrote."""
        first, second = self._journal(), self.connect().journal("s")
        first.write(0, lambda _: [_event(1)])
        seen: list[Event] = []

        def decide(missed: Sequence[Event]) -> list[Event]:
            seen[:] = missed
            return [_event(2)]

        second.write(0, decide)
        assert seen == [_event(1)]
        assert first.read(1) == [_event(2)]

    def test_nothing_or_all_is_written(self) -> None:
        """An error on the way leaves nothing behind, and the journal goes on."""
        journal = self._journal()

        def fail(_: Sequence[Event]) -> list[Event]:
            raise RuntimeError("on purpose")

        _refused(RuntimeError, lambda: journal.write(0, fail))
        assert journal.write(0, lambda _: []) == []
        assert self.connect().journal("s").read(0) == []
        journal.write(0, lambda _: [_event(1), _event(2)])
        assert len(self.connect().journal("s").read(0)) == 2

    def test_studies_do_not_mix(self) -> None:
        """Each has its own events."""
        store = self.connect()
        for name in ("a", "b"):
            store.create(name, {}, "me")
        store.journal("a").write(0, lambda _: [_event(1)])
        assert store.journal("b").read(0) == []
        store.journal("b").write(0, lambda _: [_event(1, author="you")])
        assert [event.author for event in self.connect().journal("a").read(0)] == ["me"]

    def test_it_may_be_closed_and_used_again(self) -> None:
        """Closing lets go of connections, not of the study."""
        journal = self._journal()
        journal.write(0, lambda _: [_event(1)])
        journal.close()
        assert len(journal.read(0)) == 1
        assert journal.now() > 0.0

    # Studies --------------------------------------------------------------------------------------------------------

    def test_a_study_goes_on_where_it_was(self) -> None:
        """Opened anew before every step, it suggests what one in memory does, bit for bit, and can be replayed."""
        memory = Study(_SPACE, seed=3, n_initial=3)
        for step in range(7):
            study = Study.open(self.connect(), "s", space=_SPACE, seed=3, n_initial=3)
            batch, other = study.ask(1 + step % 2), memory.ask(1 + step % 2)
            assert repr(batch) == repr(other)
            again = Study.open(self.connect(), "s")
            for trial in reversed(batch):
                if step == 4:
                    again.tell(trial, failed=True)
                    memory.tell(trial, failed=True)
                elif step != 5:
                    again.tell(trial, trial.params["x"] ** 2)
                    memory.tell(trial, trial.params["x"] ** 2)
        stored = Study.open(self.connect(), "s")
        assert repr(stored.trials) == repr(memory.trials)
        assert stored.best == memory.best
        assert all(entry.matches for entry in replay(stored))

    def test_a_trials_life_is_on_record(self) -> None:
        """Every change is an event with time and author; corrections keep what was there before."""
        study = Study.open(self.connect(), "s", space=Table([{"t": i} for i in range(6)]), seed=1, author="ann")
        told, failed, lost = study.ask(3)
        study.tell(told, 812.0)
        study.tell(failed, failed=True)
        study.release(lost, "the flask broke")
        study.add(row=5, value=1.0)
        study.amend(told, 81.2, reason="typo")
        study.exclude(3, "wrong batch")
        study.include(3)
        study.exclude_row(4, "sold out")
        opened = Study.open(self.connect(), "s", author="bob")
        assert opened.trials == study.trials
        assert opened.excluded_rows == (4,)
        assert [trial.status for trial in opened.trials] == ["told", "failed", "released", "told"]
        assert opened.trials[0].value == 81.2
        kinds = "asked asked asked told failed released added amended excluded included row_excluded"
        assert [event.kind for event in opened.events()] == kinds.split()
        assert {event.author for event in opened.events()} == {"ann"}
        assert all(event.time > 1e9 for event in opened.events())

    def test_requests_are_idempotent(self) -> None:
        """The same key, the same trials; the same tell, stored once; another value is a conflict."""
        study = Study.open(self.connect(), "s", space=_SPACE, seed=1)
        trial = study.ask(key="round 1")
        again = Study.open(self.connect(), "s")
        assert again.ask(key="round 1") == trial
        assert again.ask(2, key="round 2") == study.ask(2, key="round 2")
        for each in (study, again, study):
            each.tell(trial, 1.0)
        assert [event.kind for event in study.events()].count("told") == 1
        _refused(TrialConflict, lambda: again.tell(trial, 2.0))
        _refused(TrialConflict, lambda: again.tell(trial, failed=True))
        assert len(study.events()) == 4

    def test_other_settings_are_refused(self) -> None:
        """Nothing is changed by the attempt."""
        Study.open(self.connect(), "s", space=_SPACE, direction="minimize", seed=1)
        wrong: list[dict[str, Any]] = [
            {"space": {"x": (0.0, 2.0), "c": ["a", "b"]}},
            {"direction": "maximize"},
            {"rule": "ei"},
            {"seed": 2},
            {"n_initial": 1},
            {"repeats": "never"},
            {"objective": "yield"},
            {"preset": "paper"},
        ]
        for settings in wrong:
            _refused(StudyConflict, partial(Study.open, self.connect(), "s", **settings))
        _refused(UnknownStudy, lambda: Study.open(self.connect(), "other"))
        study = Study.open(self.connect(), "s", space=_SPACE)
        assert (study.direction, study.seed, len(study.events())) == ("minimize", 1, 0)

    def test_workers_share_a_study(self) -> None:
        """No gap, no number twice, no suggestion that is pending, nothing lost."""
        table = Table([{"t": i} for i in range(12 * self.threads)], repeats="never")
        Study.open(self.connect(), "s", space=table, seed=1, n_initial=2)
        errors: list[BaseException] = []

        def work() -> None:
            try:
                study = Study.open(self.connect(), "s")
                for _ in range(8):
                    trial = study.ask()
                    study.tell(trial, float(trial.params["t"]))
                study.close()
            except BaseException as error:
                errors.append(error)

        workers = [threading.Thread(target=work) for _ in range(self.threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert not errors, errors
        study = Study.open(self.connect(), "s")
        assert [trial.number for trial in study.trials] == list(range(8 * self.threads))
        assert len({trial.row for trial in study.trials}) == len(study.trials)
        assert all(trial.value == trial.params["t"] for trial in study.trials)
        assert all(entry.matches for entry in replay(study))

    def test_a_lost_workers_trial_is_offered_again_once(self) -> None:
        """After its lease; its own result, if it comes late, is kept and not used, and no error."""
        dead = Study.open(self.connect(), "s", space=_SPACE, seed=1, lease=1e-3)
        trial = dead.ask()
        first, second = (Study.open(self.connect(), "s", lease=3600.0) for _ in range(2))
        threading.Event().wait(0.01)
        assert first.ask() == trial
        assert second.ask().number == 1
        first.tell(trial, 1.0)
        assert dead.tell(trial, 2.0).value == 1.0
        assert [event.kind for event in first.events()] == ["asked", "offered", "asked", "told", "late"]

    def _journal(self) -> Any:
        store = self.connect()
        store.create("s", {}, "me")
        return store.journal("s")


def _event(seq: int, **more: Any) -> Event:
    return replace(Event(seq, 1e9 + seq / 3, "me", "certified"), **more)


def _refused(kind: type[BaseException], call: Callable[[], Any]) -> None:
    try:
        call()
    except kind:
        return
    except RegretlessError as error:
        raise AssertionError(f"expected {kind.__name__}, got {error!r}") from error
    raise AssertionError(f"expected {kind.__name__}, nothing was raised")
