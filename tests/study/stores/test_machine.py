"""The plain model of a study against one in a file, which is opened anew now and then, beside one in memory."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test
from tests.study.helpers import all_bits, snapshot
from tests.study.test_machine import COMMON, StudyMachine

from regretless import Study, replay


class StoredMachine(StudyMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "lab.db"

    def make(self, space, **more):
        return Study.open(self.path, "s", space=space, **more)

    @precondition(lambda self: hasattr(self, "study"))
    @rule(other=st.booleans())
    def reopen(self, other):
        """Either as after a restart, or as another worker beside the first, whose view is then older."""
        before = snapshot(self.study)
        if not other:
            self.study.close()
        self.study = Study.open(self.path, "s")
        assert snapshot(self.study) == before

    @precondition(lambda self: self.model)
    @rule()
    def repeat(self):
        assert all_bits(self.study) == all_bits(self.twin)
        assert all(entry.matches for entry in replay(self.study))

    def teardown(self):
        if hasattr(self, "study"):
            self.study.close()
        self.folder.cleanup()


def test_a_stored_study_is_its_model():
    run_state_machine_as_test(
        StoredMachine, settings=settings(max_examples=8, stateful_step_count=25, derandomize=True, **COMMON)
    )


@pytest.mark.slow
def test_a_stored_study_is_its_model_hundreds_of_times():
    run_state_machine_as_test(StoredMachine, settings=settings(max_examples=500, stateful_step_count=40, **COMMON))
