"""Level sets as a goal: which candidates are above a level."""

from dataclasses import dataclass
from typing import Any

from regretless.arrays import as_finite_float, show
from regretless.errors import InvalidInput

__all__ = ["LevelSet", "as_goal"]


@dataclass(frozen=True, slots=True)
class LevelSet:
    """The goal of knowing which candidates reach a level, in place of finding the best one.

    ``above`` asks for those with at least that value, ``below`` for those with at most that; one of them is given, in
    the units of the objective.

    >>> LevelSet(above=80).words("yield")
    'yield >= 80'
    """

    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        if (self.above is None) == (self.below is None):
            raise InvalidInput("LevelSet needs either above= or below=, a level in the units of the objective.")
        name = "below" if self.above is None else "above"
        object.__setattr__(self, name, as_finite_float(getattr(self, name), name) + 0.0)

    @property
    def level(self) -> float:
        """The level, in the user's units."""
        found = self.below if self.above is None else self.above
        assert found is not None
        return found

    def holds(self, value: float) -> bool:
        """Whether a value reaches the level.

        >>> LevelSet(below=3).holds(2.5)
        True
        """
        return value >= self.level if self.below is None else value <= self.level

    def words(self, objective: str) -> str:
        """The goal in words."""
        return f"{objective} {'<=' if self.above is None else '>='} {self.level:g}"


def as_goal(goal: Any) -> LevelSet | None:
    """A goal that is no optimum; None is the usual one."""
    if goal is None or isinstance(goal, LevelSet):
        return goal
    raise InvalidInput(f"goal must be a LevelSet, such as LevelSet(above=0.5), or None, got {show(goal)}.")
