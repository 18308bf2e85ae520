"""How a file of experiments was read, in words."""

from typing import Any

from regretless.lab.aims import Aims
from regretless.lab.text import number
from regretless.risk import Expectation
from regretless.sheets import Experiments

__all__ = ["read_as", "wanted"]


def read_as(experiments: Experiments) -> list[dict[str, Any]]:
    """How each column was read."""
    rows = []
    for name in experiments.factors:
        values = list(dict.fromkeys(experiments.factors[name]))
        if len(values) == 1:
            kind = f"always {number(values[0])}"
        elif isinstance(values[0], str):
            some = [repr(name) if "," in str(name) else str(name) for name in values[:4]]
            kind = f"{len(values)} names: {', '.join(some)}{', ...' if len(values) > 4 else ''}"
        else:
            numbers = [value for value in values if isinstance(value, int | float)]
            kind = f"numbers from {number(min(numbers))} to {number(max(numbers))}, {len(numbers)} different"
        rows.append({"column": name, "read as": kind})
    for name, column in experiments.errors.items():
        rows.append({"column": column, "read as": f"the known standard deviation of {name}"})
    if experiments.id is not None:
        rows.insert(0, {"column": experiments.id, "read as": "the names of the rows"})
    return rows


def _worth(name: str, direction: str, aims: Aims) -> str:
    """An objective, with an environment what is wanted of it over that."""
    if aims.environment is None:
        return name
    return (aims.aim or Expectation()).words(name, aims.environment.words, larger=direction == "maximize")


def wanted(aims: Aims) -> str:
    """What is wanted, in words.

    >>> wanted(Aims({"yield": "maximize", "cost": "minimize"}, {"impurity": ("<=", 0.5)}))
    'yield is to be maximised and cost to be minimised, with impurity <= 0.5'
    """
    if aims.goal is not None:
        return f"looked for: where {aims.goal.words(*aims.objectives)}"
    said = [
        f"{_worth(name, direction, aims)} {{}}to be {direction[:-3]}ised" for name, direction in aims.objectives.items()
    ]
    text = " and ".join([said[0].format("is "), *(each.format("") for each in said[1:])])
    bounds = [f"{name} {sense} {bound:g}" for name, (sense, bound) in aims.constraints.items()]
    text += f", with {' and '.join(bounds)}" if bounds else ""
    fidelity = aims.fidelity
    return text + (f", at {fidelity.name} {number(fidelity.target)}" if fidelity is not None else "")
