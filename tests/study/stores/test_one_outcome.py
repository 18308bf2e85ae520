"""Studies stored before a trial could have several outcomes open, say what they said, and replay."""

import json
import shutil
from pathlib import Path

import pytest

from regretless import Study, replay

DATA = Path(__file__).parent / "data"


def close(params):
    """Numbers to six digits, words exactly."""
    return {name: value if isinstance(value, str) else pytest.approx(value, rel=1e-6) for name, value in params.items()}


@pytest.mark.parametrize("name", ["box", "mixed", "listed", "table"])
def test_what_was_certified_stays_on_record(tmp_path, name):
    """The last event is a certificate of one cautious fit. Those of today are averaged: the same on every opening."""
    path = tmp_path / "one.db"
    shutil.copy(DATA / "one_outcome.db", path)
    with Study.open(path, name) as study:
        then = study.events()[-1].data
        now = study.certificate(0.1, draws=50)
        assert set(json.loads(json.dumps(now.to_data()))) >= set(then)
        assert then["sentence"].startswith("Under the fitted model, recommending")
        assert now.settings > 1
        assert now.bound < 2.0 * then["bound"]
        with Study.open(path, name) as again:
            assert again.certificate(0.1, draws=50) == now
        assert [trial.status for trial in study.trials].count("told") == 13
        assert study.objective == ("loss [mg]" if study.direction == "minimize" else "value")


@pytest.mark.parametrize("name", ["box", "mixed", "listed", "table"])
def test_every_suggestion_is_computed_again(tmp_path, name):
    """Rounding differs between processors, so points are compared to six digits and words exactly."""
    path = tmp_path / "one.db"
    shutil.copy(DATA / "one_outcome.db", path)
    with Study.open(path, name) as study:
        entries = replay(study)
        assert len(entries) == 17
        for entry in entries:
            assert entry.found["params"] == close(entry.expected["params"])
            assert (entry.found["row"], entry.found["source"]) == (entry.expected["row"], entry.expected["source"])
            assert entry.found["details"] == pytest.approx(entry.expected["details"], rel=1e-4)
