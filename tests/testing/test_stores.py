"""Every store of ours passes the suite that others are given; and the suite notices stores that do not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.study.stores.conftest import old_sqlite, place, server  # noqa: F401

from regretless.study import MemoryStore
from regretless.study.stores import SqlStore
from regretless.testing import StoreSuite


class TestMemory(StoreSuite):
    threads = 1

    @pytest.fixture(autouse=True)
    def _start(self):
        self.store = MemoryStore()

    def connect(self):
        return self.store


class TestSql(StoreSuite):
    @pytest.fixture(autouse=True)
    def _start(self, place):  # noqa: F811
        self.place = place

    def connect(self):
        return SqlStore(self.place)


class Faulty(MemoryStore):
    """A store with one fault; each must fail some test of the suite."""

    fault = ""

    def create(self, name, spec, author):
        if self.fault == "overwrites studies":
            self._studies.pop(name, None)
        if self.fault == "rounds specs":
            spec = json.loads(json.dumps(spec), parse_float=lambda text: float(f"{float(text):.6g}"))
        super().create("one" if self.fault == "one name for all" else name, spec, author)

    def journal(self, name):
        journal = super().journal(name)
        return FaultyJournal(journal, self.fault)


class FaultyJournal:
    def __init__(self, journal, fault):
        self.journal, self.fault = journal, fault
        self.turn, self.now, self.close = journal.turn, journal.now, journal.close

    def read(self, after):
        events = self.journal.read(after)
        return events[1:] if self.fault == "skips the first" and after == 0 else events

    def write(self, after, decide):
        if self.fault == "hides what was missed":
            return self.journal.write(after, lambda _: decide([]))
        if self.fault == "loses bits":
            return self.journal.write(after, lambda missed: [rounded(event) for event in decide(missed)])
        if self.fault == "stores the first only":
            return self.journal.write(after, lambda missed: decide(missed)[:1])
        if self.fault == "forgets authors":
            return self.journal.write(after, lambda missed: [replace(e, author="") for e in decide(missed)])
        return self.journal.write(after, decide)


def rounded(event):
    return event if event.value is None else replace(event, value=float(np.float32(event.value)))


FAULTS = [
    "overwrites studies",
    "rounds specs",
    "one name for all",
    "skips the first",
    "hides what was missed",
    "loses bits",
    "stores the first only",
    "forgets authors",
]
#: Those of journals first: they are quick.
TESTS = sorted((name for name in dir(StoreSuite) if name.startswith("test_")), key=lambda name: "_study" in name)


def first_failure(fault):
    """A test of the suite that a store with that fault does not pass, if there is one."""
    for name in TESTS:
        suite = TestMemory()
        suite.store = Faulty()
        suite.store.fault = fault
        try:
            getattr(suite, name)()
        except Exception as error:
            return name, error
    return None


@pytest.mark.parametrize("fault", FAULTS)
def test_the_suite_notices(fault):
    assert first_failure(fault) is not None


def test_the_suite_has_nothing_against_a_store_without_fault():
    assert first_failure("") is None
