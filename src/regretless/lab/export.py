"""Everything on record as a table of trials, and as plain JSON."""

from dataclasses import asdict
from typing import Any

from regretless.lab.lab import Lab
from regretless.lab.results import result_cells
from regretless.lab.text import is_measured, utc
from regretless.optimizer import LevelSet
from regretless.study.frame import Times, times_of

__all__ = ["trials_record", "trials_table"]


def trials_table(lab: Lab) -> tuple[list[str], list[dict[str, Any]]]:
    """Columns and rows: parameters, results, reasons of suggestions, author and time (UTC)."""
    errors = lab.error_names
    own = [lab.trial_name, *([lab.row_name] if lab.has_rows else []), *lab.study.parameters, *lab.result_names]
    keys = {outcome: "" if len(lab.outcomes) == 1 else f" {outcome}" for outcome in lab.outcomes}
    models = [f"{word}{key}" for key in keys.values() for word in ("expected", "expected sd")]
    region = [] if not isinstance(lab.study.goal, LevelSet) else ["probability"]
    fidelity = lab.study.fidelity
    paid = [] if fidelity is None else ["cost"]
    said = ("status", "excluded", "source", *paid, *models, *region, "zeta", "asked", "ended", "author", "note")
    title = {word: lab.title(word) for word in said}
    times, rows = times_of(lab.study), []
    chances = _chances(lab)
    for trial in lab.study.trials:
        when = times.get(trial.number, Times())
        facts = {
            "status": trial.status,
            "excluded": "yes" if trial.excluded else None,
            "source": trial.source,
            **({} if fidelity is None else {"cost": fidelity.cost_of(trial.params[fidelity.name])}),
            **{f"expected{key}": trial.details.get(_key("mean", name, lab)) for name, key in keys.items()},
            **{f"expected sd{key}": trial.details.get(_key("sd", name, lab)) for name, key in keys.items()},
            **({"probability": chances.get(trial.number)} if region else {}),
            "zeta": trial.zeta,
            "note": trial.note,
            "asked": None if when.asked is None else utc(when.asked),
            "ended": None if when.ended is None else utc(when.ended),
            "author": when.author,
        }
        ids = {lab.trial_name: trial.number, lab.row_name: trial.row}
        results = result_cells(trial, errors, lab.dialect.decimal)
        rows.append({**trial.params, **ids, **results, **{title[word]: value for word, value in facts.items()}})
    return own + [title[word] for word in said], rows


def _chances(lab: Lab) -> dict[int, float]:
    """Of a level set, how probably each trial's candidate reaches the level by all results."""
    study = lab.study
    if not isinstance(study.goal, LevelSet) or not is_measured(study):
        return {}
    found = study.region([trial.params for trial in study.trials]).probability.tolist()
    return {trial.number: chance for trial, chance in zip(study.trials, found, strict=True)}


def _key(word: str, outcome: str, lab: Lab) -> str:
    """What the record of a suggestion calls what was expected of an outcome."""
    return word if outcome == lab.study.objective else f"{word}[{outcome}]"


def trials_record(lab: Lab) -> dict[str, Any]:
    """The settings, the trials and every event, as plain JSON."""
    study = lab.study
    return {
        "study": study.name,
        "objective": study.objective,
        "direction": study.direction,
        "outcomes": [outcome.wanted for outcome in study.outcomes],
        **({} if study.fidelity is None else {"fidelity": asdict(study.fidelity), "spent": study.spent}),
        "rule": study.rule.name,
        "seed": study.seed,
        "metadata": study.metadata,
        "trials": [
            {
                "trial": trial.number,
                "row": trial.row,
                "params": trial.params,
                "status": trial.status,
                "value": trial.value,
                "values": trial.values,
                "noise": trial.noise,
                "excluded": trial.excluded,
                "source": trial.source,
                "note": trial.note,
                "details": trial.details,
                "hyperparameters": trial.hyperparameters,
            }
            for trial in study.trials
        ],
        "events": [
            {
                "seq": event.seq,
                "time": utc(event.time),
                "author": event.author,
                "kind": event.kind,
                "trial": event.number,
                "value": event.value,
                "data": event.data,
            }
            for event in study.events()
        ],
    }
