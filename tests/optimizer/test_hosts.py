"""A host that keeps the trials itself: the pure functions alone suggest and certify what a study does, bit for bit."""

import json

import pytest
from tests.study.helpers import SPACES
from tests.study.outcomes import BOTH, BOUND, TWO, measured

from regretless import Study
from regretless.optimizer import (
    Row,
    as_outcomes,
    as_task,
    assess,
    fit_from_data,
    fit_to_data,
    history_of,
    params_of,
    suggest,
)
from regretless.spaces import as_space

ONE = {"objective": "value"}
KINDS = {"one": ONE, "constraint": BOUND, "objectives": TWO, "both": BOTH}


class Host:
    """Keeps rows, and the newest fits and reference point as plain JSON; nothing else outlives a suggestion."""

    def __init__(self, space, seed, **outcomes) -> None:
        asked = {"objective": None, "direction": None, "objectives": None, "constraints": None, "limits": None}
        self.task = as_task(as_space(space), outcomes=as_outcomes(**{**asked, **outcomes}), seed=seed)
        self.rows: list[Row] = []
        self.memory = json.dumps({"fits": [None] * len(self.task.outcomes), "reference": None})

    def history(self):
        memory = json.loads(self.memory)
        fits = tuple(fit_from_data(data) for data in memory["fits"])
        reference = memory["reference"] and tuple(memory["reference"])
        return history_of(self.task, self.rows, fits, reference)

    def ask(self):
        history = self.history()
        suggestion, _ = suggest(self.task, history, len(self.rows), None)
        fits = suggestion.fits or history.fits
        reference = history.reference or suggestion.reference
        self.memory = json.dumps({"fits": [fit_to_data(fit, new=True) for fit in fits], "reference": reference})
        params, row = params_of(self.task, suggestion.point)
        self.rows.append(Row(params, running=True, source=suggestion.source))
        return params, row, suggestion

    def tell(self, number, values) -> None:
        row = self.rows[number]
        self.rows[number] = Row(row.params, {**row.values, **values}, running=False, source=row.source)


@pytest.mark.parametrize("space", sorted(SPACES))
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_host_suggests_what_a_study_does(space, kind):
    study, host = Study(SPACES[space](), seed=3, **KINDS[kind]), Host(SPACES[space](), 3, **KINDS[kind])
    for i in range(13):
        trial = study.ask()
        params, row, suggestion = host.ask()
        assert (params, row, suggestion.source) == (dict(trial.params), trial.row, trial.source)
        assert all(suggestion.record[name] == trial.details[name] for name in suggestion.record)
        values = measured(study, params)
        if i == 6:  # one outcome fails
            values.pop(study.outcomes[-1].name)
        study.tell(trial, values or None, failed=[o.name for o in study.outcomes if o.name not in values] or False)
        host.tell(i, values)
    mine, theirs = host.history(), study._history()
    assert mine.Y.tobytes() == theirs.Y.tobytes()
    assert mine.status.tolist() == theirs.status.tolist()
    assert mine.fits == theirs.fits
    assert mine.reference == theirs.reference
    assert assess(host.task, mine) == study.certificate()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_with_trials_that_run(kind):
    study, host = Study(SPACES["table"](), seed=3, **KINDS[kind]), Host(SPACES["table"](), 3, **KINDS[kind])
    for _ in range(4):
        batch = study.ask(3)
        for trial in batch:
            assert host.ask()[1] == trial.row
        for trial in reversed(batch):
            values = measured(study, trial.params)
            study.tell(trial, values)
            host.tell(trial.number, values)


def test_a_part_of_a_running_trial():
    task = Host(SPACES["table"](), 3, **BOUND).task
    params = task.domain.params_of(task.domain.at_index(0))
    history = history_of(task, [Row(params, {"yield": 1.0}, running=True), Row(params, {"yield": 1.0})])
    assert history.status.tolist() == [[1, 0], [1, 2]]
    assert (len(history.pending), len(history.told)) == (1, 1)


def test_a_fit_survives_json():
    study = Study(SPACES["table"](), seed=3, **BOUND)
    for _ in range(9):
        trial = study.ask()
        study.tell(trial, measured(study, trial.params))
    for fit in study._ledger.fits:
        assert fit_from_data(json.loads(json.dumps(fit_to_data(fit, new=True)))) == fit
        assert fit_from_data(fit_to_data(fit, new=False), fit) is fit
    assert fit_to_data(None, new=True) is None
    assert fit_from_data(None) is None


def test_a_host_may_leave_trials_out():
    task = as_task(as_space({"x": (0.0, 1.0)}), seed=1)
    rows = [Row({"x": 0.1}, {"value": 1.0}, number=2), Row({"x": 0.5}, {"value": 2.0}, number=5)]
    assert history_of(task, rows).points.trials.tolist() == [2, 5]
    assert history_of(task, [Row({"x": 0.1}), Row({"x": 0.5})]).points.trials.tolist() == [0, 1]
