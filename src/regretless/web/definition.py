"""What a form says of a new study: what is wanted, what may be set, when to stop."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regretless.errors import InvalidInput
from regretless.lab.aims import Aims
from regretless.optimizer import LevelSet, StopRule
from regretless.optimizer.outcomes import as_outcomes
from regretless.spaces import Mixed, Mixture
from regretless.study import HypervolumeLeft, Misclassified, Regret
from regretless.web.forms import number_in, text_in, whole_in

__all__ = [
    "AIMS",
    "BOUNDED",
    "PARTS",
    "aims_of",
    "batch_in",
    "name_in",
    "outcomes_in",
    "seed_in",
    "space_in",
    "stop_in",
]

#: What may be wanted of a result, as it is called on pages; some need a bound or a level.
AIMS = {
    "maximise": "large values",
    "minimise": "small values",
    "at most": "at most …",
    "at least": "at least …",
    "all above": "to know all that have at least …",
    "all below": "to know all that have at most …",
}
BOUNDED = ("at most", "at least", "all above", "all below")
#: Rows of the form for a space, and of its results.
PARTS, _OUTCOMES = 8, 3


def aims_of(wishes: Iterable[tuple[str, str, str]], typed: Mapping[str, str]) -> Aims:
    """Objectives, constraints and goal: each result by its name, what is wanted of it, and the text of its bound."""
    objectives: dict[str, Any] = {}
    constraints: dict[str, Any] = {}
    goal: LevelSet | None = None
    for name, aim, bound in wishes:
        if name in objectives or name in constraints:
            raise InvalidInput(f"{name!r} is named twice. An outcome is named once.")
        if aim in ("at most", "at least"):
            constraints[name] = ("<=" if aim == "at most" else ">=", number_in(bound, f"the bound of {name}"))
        elif aim in ("all above", "all below"):
            level = number_in(bound, f"the level of {name}")
            goal = LevelSet(above=level) if aim == "all above" else LevelSet(below=level)
            objectives[name] = "maximize" if aim == "all above" else "minimize"
        else:
            objectives[name] = "minimize" if aim == "minimise" else "maximize"
    return _checked(objectives, constraints, goal, _limits(typed))


def outcomes_in(typed: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The results that the form for a space names."""
    rows = (
        (text_in(typed, f"outcome{k}"), typed.get(f"aim{k}", ""), text_in(typed, f"limit{k}")) for k in range(_OUTCOMES)
    )
    return [(name, aim if aim in AIMS else "maximise", bound) for name, aim, bound in rows if name]


def _checked(objectives: dict[str, Any], constraints: dict[str, Any], goal: LevelSet | None, limits: Any) -> Aims:
    if not objectives:
        raise InvalidInput("say what is measured, and whether large or small values are wanted.")
    if limits is not None and len(objectives) > 1:
        raise InvalidInput("a range is for one objective: several have no common range. Leave it empty.")
    if goal is not None and (len(objectives) > 1 or constraints or limits is not None):
        raise InvalidInput("to know all that reach a level is a goal of its own: name one result, without a range.")
    if goal is None:
        as_outcomes(objective=None, direction=None, objectives=objectives, constraints=constraints, limits=limits)
    return Aims(objectives, constraints, limits=limits, goal=goal)


def _limits(typed: Mapping[str, str]) -> Any:
    low, high = text_in(typed, "least"), text_in(typed, "largest")
    if not (low or high):
        return None
    return tuple(None if not text else number_in(text, "the range of the result") for text in (low, high))


def space_in(typed: Mapping[str, str]) -> Mixed:
    """The parameters of a form, and a mixture."""
    parts: dict[str, Any] = {}
    for k in range(PARTS):
        name = text_in(typed, f"name{k}")
        if not name:
            continue
        if name in parts:
            raise InvalidInput(f"{name!r} is named twice. Every parameter needs a name of its own.")
        parts[name] = _part(name, typed, k)
    names = [name for name in (line.strip() for line in typed.get("mixture", "").split(",")) if name]
    if names:
        total = text_in(typed, "total")
        mixture = Mixture(names, number_in(total, "the total of the mixture") if total else 1.0)
        parts[_free("mixture", [*parts, *names])] = mixture
    if not parts:
        raise InvalidInput("name one parameter at least, or the components of a mixture.")
    constraints = [line for line in (each.strip() for each in typed.get("constraints", "").split(";")) if line]
    return Mixed(parts, constraints=constraints)


def _free(word: str, taken: Sequence[str]) -> str:
    """The word, or one made of it, that is no name of a parameter."""
    while word in taken:
        word += "_"
    return word


def _part(name: str, typed: Mapping[str, str], k: int) -> Any:
    """A parameter: choices, or numbers between two ends."""
    kind = typed.get(f"kind{k}", "real")
    if kind == "choices":
        values = [value for value in (part.strip() for part in text_in(typed, f"values{k}").split(";")) if value]
        if len(values) < 2:
            raise InvalidInput(f"{name} needs two choices at least, with semicolons between them, such as HCl; HNO3.")
        return values
    low, high = (number_in(text_in(typed, f"{end}{k}"), f"{name}, {end}") for end in ("from", "to"))
    if kind == "whole":
        if not (low.is_integer() and high.is_integer()):
            raise InvalidInput(f"{name} is a whole number: its ends must be whole, got {low:g} and {high:g}.")
        return (int(low), int(high))
    return (low, high, "log") if kind == "log" else (float(low), float(high))


def stop_in(typed: Mapping[str, str], aims: Aims) -> StopRule | None:
    """How little is little enough: an amount, or a share as 1 %."""
    text = text_in(typed, "stop")
    if not text:
        return None
    share = text.endswith("%")
    amount = number_in(text.rstrip("% "), "the target")
    if aims.several and not share:
        raise InvalidInput("several objectives have no common unit to stop by. Write 2 %, of the hypervolume.")
    if aims.several:
        return HypervolumeLeft(relative=amount / 100.0)
    rule = Regret if aims.goal is None else Misclassified
    return rule(relative=amount / 100.0) if share else rule(amount)


def batch_in(typed: Mapping[str, str]) -> int:
    """Experiments per round."""
    return whole_in(typed, "batch", least=1, most=100, default=1)


def seed_in(typed: Mapping[str, str]) -> int | None:
    """The seed, if one was typed."""
    return whole_in(typed, "seed", least=0, most=9_999_999, default=-1) if text_in(typed, "seed") else None


def name_in(typed: Mapping[str, str]) -> str:
    """What the study is called."""
    name = text_in(typed, "name")
    if not name:
        raise InvalidInput("give the study a name.")
    return name
