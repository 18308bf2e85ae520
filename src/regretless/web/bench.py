"""The studies of one store, kept open while the page runs.

Each study is open twice. One object answers pages and takes results: that is quick, and one request at a time may use
it. The other one works beside, in a thread of its own: suggestions, certificates, explanations and figures need fits,
and no page waits for them longer than a moment.
"""

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from regretless.errors import RegretlessError, UnknownStudy
from regretless.lab.lab import Lab
from regretless.study import Event, Study, Trial
from regretless.web.standing import Standing, standing_of

__all__ = ["Bench", "Desk", "Job", "study_id"]

T = TypeVar("T")

#: Finished jobs that are kept for each study, messages for people, and files that wait to become studies.
_JOBS, _MESSAGES, _FILES = 64, 200, 8


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """Something computed beside: its value once there is one, or why there is none."""

    value: T | None
    problem: RegretlessError | None
    running: bool
    seconds: float  # since it was asked for

    @property
    def error(self) -> str:
        """Why there is no value, in words."""
        return "" if self.problem is None else str(self.problem)


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for suggestions."""

    key: str
    count: int
    author: str


def study_id(name: str) -> str:
    """What a study is called in addresses: names are data, and may hold anything."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]


class Bench:
    """All studies of a store; ``report`` writes one as a page to download, where somebody hands it over."""

    def __init__(
        self,
        store: Any,
        *,
        author: str | None = None,
        trust: Iterable[str] = (),
        report: Callable[[Lab], str] | None = None,
    ) -> None:
        self.store, self.author, self.trust, self.report = store, author, tuple(trust), report
        self.files: OrderedDict[str, Any] = OrderedDict()
        self._messages: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._desks: dict[str, Desk] = {}
        self._lock = threading.Lock()

    def names(self) -> dict[str, str]:
        """The studies by what they are called in addresses, in the order of their names."""
        return {study_id(name): name for name in Study.names(self.store)}

    def desk(self, which: str) -> "Desk":
        """The study of that address."""
        with self._lock:
            found = self._desks.get(which)
            if found is None:
                name = self.names().get(which)
                if name is None:
                    raise UnknownStudy("there is no such study here. It may have been in another file.")
                found = self._desks[which] = Desk(self, name)
            return found

    def say(self, text: str, kind: str = "done") -> str:
        """Keep a message for the page that follows; its key goes into the address."""
        with self._lock:
            key = secrets.token_urlsafe(6)
            self._messages[key] = (kind, text)
            while len(self._messages) > _MESSAGES:
                self._messages.popitem(last=False)
            return key

    def said(self, key: str) -> tuple[str, str] | None:
        """The message of that key."""
        return self._messages.get(key)

    def keep_file(self, file: Any) -> str:
        """Keep a file that was read until it becomes a study; its key."""
        with self._lock:
            key = secrets.token_urlsafe(16)
            self.files[key] = file
            while len(self.files) > _FILES:
                self.files.popitem(last=False)
            return key

    def close(self) -> None:
        """Let go of everything."""
        for desk in self._desks.values():
            desk.close()


class Desk:
    """One study: `at` to read it and to record what happens, `job` for what takes longer."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench, self.name, self.id = bench, name, study_id(name)
        self._lock = threading.RLock()
        self._study = self._open()
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="regretless")
        self._other: Study | None = None
        self._jobs: OrderedDict[Hashable, tuple[Future[Any], float]] = OrderedDict()
        self._standings: OrderedDict[int, Standing] = OrderedDict()
        self._newest: Standing | None = None  # in one word: another thread adds to those above
        self.asks: OrderedDict[str, Ask] = OrderedDict()
        self.rows: tuple[int, list[str]] | None = None  # the texts of candidates, for searches
        self.events: dict[int, list[Event]] = {}  # of each trial
        self.row_events: list[Event] = []  # candidates excluded and included
        self._log: list[Event] = []

    @contextmanager
    def at(self, author: str | None = None) -> Iterator[Lab]:
        """The study as it is stored now, for one request at a time."""
        with self._lock:
            self._study.refresh()
            self._read()
            if author is not None:
                self._study.author = author
            yield Lab.of(self._study)
            self._read()

    def later(self, seq: int) -> list[Event]:
        """What happened after an event."""
        return self._log[max(seq, 0) :]

    def _read(self) -> None:
        """Sort what is new on record by the trials it happened to."""
        for event in self._study.events(len(self._log)) if self._study.seq > len(self._log) else ():
            if event.seq > self._study.seq:  # stored since, by somebody else
                break
            self._log.append(event)
            if event.number is not None:
                self.events.setdefault(event.number, []).append(event)
            elif event.kind in ("row_excluded", "row_included"):
                self.row_events.append(event)

    def job(self, key: Hashable, work: Callable[[Lab], T], *, wait: float = 0.0) -> Job[T]:
        """What ``work`` makes of the study, computed beside, once for each key; perhaps not finished yet."""
        with self._lock:
            if key not in self._jobs:
                self._jobs[key] = (self._beside.submit(self._run, work), time.monotonic())
                self._forget()
            future, since = self._jobs[key]
        try:
            return Job(future.result(timeout=wait), None, False, time.monotonic() - since)
        except FutureTimeout:
            return Job(None, None, True, time.monotonic() - since)
        except RegretlessError as error:
            return Job(None, error, False, time.monotonic() - since)

    def known(self, key: Hashable) -> bool:
        """Whether such a job was ever asked for."""
        return key in self._jobs

    def ask(self, key: str, count: int, author: str, *, wait: float) -> Job[Sequence[Trial]]:
        """Suggestions; the same for the same key, however often they are asked for."""
        with self._lock:
            self.asks[key] = Ask(key, count, author)
            while len(self.asks) > _JOBS:
                self.asks.popitem(last=False)
            known = self._jobs.get(("ask", key))
            if known is not None and known[0].done() and known[0].exception() is not None:
                del self._jobs["ask", key]  # it is tried again

        def work(lab: Lab) -> Sequence[Trial]:
            lab.study.author = author
            return lab.study.ask(count, key=key)

        return self.job(("ask", key), work, wait=wait)

    def asking(self) -> list[Ask]:
        """Requests whose suggestions are being computed."""
        found = []
        for key, ask in list(self.asks.items()):
            entry = self._jobs.get(("ask", key))
            if entry is not None and not entry[0].done():
                found.append(ask)
        return found

    def standing(self, seq: int, *, wait: float) -> tuple[Standing | None, bool]:
        """Where the study stands at an event, or the last that is known and False while the new one is computed."""
        if seq not in self._standings:
            self.job(("standing", seq), self._stand, wait=wait)
        found = self._standings.get(seq)
        if found is not None:
            return found, True
        return self._newest, False

    def certify(self, seq: int, *, wait: float) -> None:
        """Ask for the certificate of an event that is not computed unless somebody asks: it takes long."""
        self.job(("certify", seq), lambda lab: self._stand(lab, certify=True), wait=wait)

    def certifying(self, seq: int) -> bool:
        """Whether that is being computed."""
        entry = self._jobs.get(("certify", seq))
        return entry is not None and not entry[0].done()

    def close(self) -> None:
        """Let go of the study; what is being computed is finished first."""
        self._beside.shutdown(cancel_futures=True)
        for study in (self._study, self._other):
            if study is not None:
                study.close()

    def _stand(self, lab: Lab, *, certify: bool | None = None) -> None:
        """One standing for all that was recorded by now, however many asked for one meanwhile."""
        seq = lab.study.seq
        if seq not in self._standings or certify:
            self._newest = self._standings[seq] = standing_of(lab, certify=certify)
            while len(self._standings) > _JOBS:
                self._standings.popitem(last=False)

    def _run(self, work: Callable[[Lab], T]) -> T:
        if self._other is None:
            self._other = self._open()
        self._other.refresh()
        return work(Lab.of(self._other))

    def _forget(self) -> None:
        while len(self._jobs) > _JOBS:
            key = next((key for key, (future, _) in self._jobs.items() if future.done()), None)
            if key is None:
                return
            del self._jobs[key]

    def _open(self) -> Study:
        return Study.open(self.bench.store, self.name, author=self.bench.author, trust=self.bench.trust)
