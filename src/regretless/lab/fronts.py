"""Several outcomes as tables: the fronts of a study, and how often its constraints were violated."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from regretless.lab.text import objectives_of, plus_minus, share
from regretless.pareto import hypervolume
from regretless.study import Recommendation, Study

__all__ = ["front_tables", "hypervolumes", "violations"]

_FEASIBLE = "P(feasible)"
#: Points of a front that are listed: on a box it has many, of which so many, evenly spread, are shown.
_LISTED = 20


def front_tables(
    study: Study, front: Sequence[Recommendation], row_name: str = "row"
) -> list[tuple[str, list[str], list[dict[str, Any]]]]:
    """The front that the models recommend, and the Pareto-optimal measurements: title, columns and rows of each.

    Both are in the order of the first objective, the best first.

    >>> study = Study([{"t": t} for t in range(8)], objectives={"yield": "maximize", "cost": "minimize"}, seed=1)
    >>> for _ in range(8):
    ...     trial = study.ask()
    ...     t = trial.params["t"]
    ...     trial = study.tell(trial, {"yield": 9.0 * t - t * t, "cost": float(t)})
    >>> [title for title, _, _ in front_tables(study, study.front)]
    ['Front by the models, mean ± sd', 'Front by measurement']
    """
    first = objectives_of(study)[0]
    tables = []
    named = study.space.has_rows
    constrained = any(outcome.role == "constraint" for outcome in study.outcomes)
    where = [*([row_name] if named else []), *study.space.names]
    names = [outcome.name for outcome in study.outcomes]
    if front:
        by_model = sorted(front, key=lambda each: -first.inward(each.expected[first.name][0]))
        rows = [
            {
                row_name: each.row,
                **each.params,
                **{n: plus_minus(*each.expected[n]) for n in names},
                _FEASIBLE: _share(each),
            }
            for each in by_model
        ]
        columns = [*where, *names, *([_FEASIBLE] if constrained else [])]
        few = [rows[round(i)] for i in np.linspace(0, len(rows) - 1, _LISTED)] if len(rows) > _LISTED else rows
        some = f" ({len(few)} of {len(rows)} points)" if len(few) < len(rows) else ""
        tables.append((f"Front by the models, mean ± sd{some}", columns, few))
    measured = sorted(study.best_trials, key=lambda trial: -first.inward(trial.values[first.name] or 0.0))
    if measured:
        rows = [{"trial": t.number, row_name: t.row, **t.params, **t.values} for t in measured]
        tables.append(("Front by measurement", ["trial", *where, *names], rows))
    return tables


def violations(study: Study) -> str:
    """How often each constraint was violated among the measurements, in words; nothing without constraints.

    >>> study = Study({"x": (0.0, 1.0)}, objective="yield", constraints={"impurity": ("<=", 0.5)}, seed=1)
    >>> _ = study.tell(study.ask(), {"yield": 81.2, "impurity": 0.7})
    >>> violations(study)
    'impurity <= 0.5 in 1 of 1'
    """
    used = [trial for trial in study.trials if not trial.excluded and trial.status != "released"]
    parts = []
    for outcome in study.outcomes:
        if outcome.role == "constraint":
            known = [value for trial in used if (value := trial.values.get(outcome.name)) is not None]
            parts.append(f"{outcome.wanted} in {sum(not outcome.holds(value) for value in known)} of {len(known)}")
    return "; ".join(parts)


def _share(point: Recommendation) -> str:
    return "" if point.prob_feasible is None else share(point.prob_feasible)


def hypervolumes(study: Study) -> list[tuple[int, float]]:
    """The hypervolume of all results so far above the reference point of now, by the numbers of trials.

    Trials that violate a constraint, or lack an objective, add nothing.
    """
    reference, objectives = study.reference, objectives_of(study)
    if reference is None or len(objectives) == 1:
        return []
    z = [each.inward(reference[each.name]) for each in objectives]
    bounds = [each for each in study.outcomes if each.role == "constraint"]
    found: list[tuple[int, float]] = []
    points: list[list[float]] = []
    for trial in study.trials:
        values = [trial.values.get(each.name) for each in objectives]
        if trial.excluded or any(value is None for value in values):
            continue
        if all((value := trial.values.get(each.name)) is not None and each.holds(value) for each in bounds):
            points.append([each.inward(float(v or 0.0)) for each, v in zip(objectives, values, strict=True)])
        found.append((trial.number, hypervolume(np.array(points), z) if points else 0.0))
    return found
