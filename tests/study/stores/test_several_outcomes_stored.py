"""Stored studies with several outcomes open and go on; those of today's rules replay."""

import shutil
from pathlib import Path

import pytest

from regretless import Study, replay

from .data.make_several_outcomes import STUDIES, measured

DATA = Path(__file__).parent / "data"
FILES = ["several_outcomes_before_edges.db", "several_outcomes.db"]


def opened(tmp_path, file, name):
    shutil.copy(DATA / file, tmp_path / file)
    return Study.open(tmp_path / file, name)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", STUDIES)
def test_it_says_what_was_told_and_goes_on(tmp_path, file, name):
    with opened(tmp_path, file, name) as study:
        whole = [trial for trial in study.trials if trial.status == "told"]
        assert len(study.trials) == 15
        assert len(whole) == 14  # one of them with a part that failed
        for trial in whole:
            truth = measured(trial.params)
            assert all(value in (None, truth[outcome]) for outcome, value in trial.values.items())
        assert (len(study.front) > 1) if name == "front" else study.recommend().qualified
        waiting = next(trial for trial in study.trials if trial.status == "pending")
        values = measured(waiting.params)
        study.tell(waiting, {"yield": values["yield"]})
        assert study.trials[waiting.number].status == "told"
        assert study.ask().source == "rule"


@pytest.mark.parametrize("name", ["front", "feasible"])
def test_every_suggestion_is_computed_again(tmp_path, name):
    with opened(tmp_path, "several_outcomes.db", name) as study:
        entries = replay(study)
        assert len(entries) == 15
        for entry in entries:
            assert (entry.found["row"], entry.found["source"]) == (entry.expected["row"], entry.expected["source"])
            assert entry.found["details"] == pytest.approx(entry.expected["details"], rel=1e-4)


def test_a_study_of_earlier_steps_can_be_replayed(tmp_path):
    """Of a study stored before: the design is what it was, and every suggestion can be computed."""
    with opened(tmp_path, "several_outcomes_before_edges.db", "front") as study:
        entries = replay(study)
        assert len(entries) == 15
        designed = [entry for entry in entries if entry.expected["source"] == "design"]
        assert len(designed) == 3
        assert all(entry.found["row"] == entry.expected["row"] for entry in designed)
