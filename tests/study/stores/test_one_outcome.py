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
def test_what_was_certified_is_certified_again(tmp_path, name):
    """The last event is a certificate: model, recommendation and bound come out the same, up to rounding."""
    path = tmp_path / "one.db"
    shutil.copy(DATA / "one_outcome.db", path)
    with Study.open(path, name) as study:
        then = study.events()[-1].data
        now = json.loads(json.dumps(study.certificate(0.1, draws=50).to_data()))
        assert now["params"] == close(then["params"])
        assert now["row"] == then["row"]
        for part in ("mean", "sd", "bound", "tail_sum", "pairwise", "exceeds"):
            assert now[part] == pytest.approx(then[part], rel=1e-6), part
        assert now["sentence"] == then["sentence"]
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
            assert entry.found["record"] == pytest.approx(entry.expected["record"], rel=1e-4)
