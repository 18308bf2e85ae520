"""What opening and asking cost when a study is long."""

import time
from dataclasses import replace

import numpy as np
import pytest
from tests.study.stores.workers import CONTEXT, ask_once

from regretless import Study


def long_study(path, count) -> None:
    """A study of so many suggestions of the rule and their results, stored as it would be, in little time."""
    with Study.open(path, "s", space={"x": (0.0, 1.0), "y": (0.0, 1.0)}, seed=1, n_initial=4) as study:
        for _ in range(6):
            trial = study.ask()
            study.tell(trial, trial.params["x"])
        asked, told = study.events()[-2:]
        record = {**asked.data, "fit": {"at_trial": study._fit.at_trial}}
        rng, events = np.random.default_rng(0), []
        for number in range(6, count):
            x = rng.random(2).round(6).tolist()
            data = {**record, "params": dict(zip("xy", x, strict=True)), "x": x, "key": f"k{number}"}
            events.append(replace(asked, seq=2 * number + 1, number=number, data=data))
            events.append(replace(told, seq=2 * number + 2, number=number, value=x[0]))
        study._recorder.journal.write(12, lambda _: events)


@pytest.mark.slow
def test_opening_ten_thousand_trials(tmp_path):
    long_study(tmp_path / "lab.db", 10_000)
    began = time.process_time()
    study = Study.open(tmp_path / "lab.db", "s")
    assert time.process_time() - began <= 1.0
    assert len(study) == 10_000
    assert study.best.value == max(trial.value for trial in study.trials)


@pytest.mark.slow
def test_asking_after_two_thousand_trials(tmp_path):
    path = tmp_path / "lab.db"
    long_study(path, 2000)
    queue = CONTEXT.Queue()
    process = CONTEXT.Process(target=ask_once, args=(str(path), queue))
    process.start()
    source, seconds, gigabytes = queue.get(timeout=120)
    process.join()
    assert source == "rule"
    assert seconds <= 10.0
    assert gigabytes <= 0.5
