"""What is promised is the same after a restart, on every store, whether somebody looked before or not."""

import numpy as np
import pytest

from regretless import Study, Table

ROWS = [{"t": float(t), "c": c} for t in range(12) for c in ("a", "b", "c")]
SPACES = {"table": lambda: Table(ROWS), "box": lambda: {"t": (0.0, 11.0), "c": ["a", "b", "c"]}}


def measure(params, rng):
    return (
        10.0
        - (params["t"] - 6.0) ** 2 / 5.0
        + {"a": 0.0, "b": 2.0, "c": 1.0}[params["c"]]
        + 0.3 * rng.standard_normal()
    )


def told(study, n, look=False):
    rng = np.random.default_rng(1)
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, measure(trial.params, rng))
        if look:
            study.certificate(0.5)
            study.predict([trial.params])
    return study


def said(study):
    at = [{"t": 3.0, "c": "a"}, {"t": 6.0, "c": "b"}]
    mean, sd = study.predict(at)
    ends = study.predict_measurement(at)
    return study.certificate(0.5), study.recommend(), mean.tobytes(), sd.tobytes(), [end.tobytes() for end in ends]


@pytest.mark.parametrize("space", SPACES)
def test_after_a_restart_and_with_and_without_having_looked(place, space):
    looked = told(Study.open(place, "lab", space=SPACES[space](), seed=5, objective="yield"), 13, look=True)
    first = said(looked)
    assert said(looked) == first
    reopened = Study.open(place, "lab")
    assert said(reopened) == first
    quiet = told(Study(SPACES[space](), seed=5, objective="yield"), 13)
    assert said(quiet) == first


def test_what_was_certified_stays_readable_on_record(place):
    study = told(Study.open(place, "lab", space=Table(ROWS), seed=5), 9)
    left = study.certificate(record=True)
    data = study.events()[-1].data
    assert data["bound"] == left.bound
    assert data["simulated"]["estimate"] == left.simulated.estimate
    assert data["best"]["draws"] == left.best.draws
    assert (data["settings"], data["unsure"]) == (left.settings, left.unsure)
