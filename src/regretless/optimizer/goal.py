"""The base class of goals: what is sought, what is recommended, and what is certified."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from regretless.acquisition import Rule
from regretless.arrays import show
from regretless.errors import InvalidInput

if TYPE_CHECKING:  # a task has a goal, and a goal answers for a task
    from regretless.optimizer.certificate import Certified
    from regretless.optimizer.history import History
    from regretless.optimizer.meanings import Chosen
    from regretless.optimizer.state import State
    from regretless.optimizer.task import Task

__all__ = ["Asked", "Goal", "Meaning", "as_goal"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a certificate beside the bound; None where nothing was said."""

    eps: float | None = None
    draws: int | None = None

    def refuse(self) -> None:
        """Refuse what only the certificate of one objective that is optimised can answer."""
        if self.eps is not None or self.draws:
            raise InvalidInput(
                "eps and draws are for one objective that is optimised, without constraints, or its mean over "
                "environments."
            )


class Meaning(ABC):
    """What "best" means: defines the recommendation and its certificate."""

    __slots__ = ()

    @abstractmethod
    def recommend(self, task: "Task", history: "History", state: "State") -> "Chosen":
        """The recommendation. ``state`` holds the beliefs to search by and to certify by."""

    def is_own_choice(self, task: "Task", state: "State") -> bool:  # noqa: ARG002
        """Whether `certify` without a choice certifies what `recommend` recommends: it need not be computed twice."""
        return False

    @abstractmethod
    def certify(
        self, task: "Task", history: "History", state: "State", chosen: "Chosen | None", asked: Asked
    ) -> "Certified":
        """The certificate of ``chosen``; None: of what the model of the certificate itself expects most of.

        The second depends on the told values alone. ``state`` has been doubted.
        """


class Goal(Meaning):
    """Base class of goals other than the optimum of one objective, yours included.

    A goal is a frozen dataclass of numbers and words, so that a study can be stored. What it is about is a level of the
    objective: rules find it in ``View.level``, and searches begin around the results that are nearest to it.

    Attributes
    ----------
    rules
        The rules that serve it. The first is the one that ``"irgp-ucb"`` stands for.
    direction
        Whether values are turned around for the model: inside, larger is towards what is sought.
    """

    __slots__ = ()
    rules: ClassVar[tuple[type[Rule], ...]]

    @property
    def direction(self) -> Literal["maximize", "minimize"]:
        """Which way is larger inside."""
        return "maximize"

    @property
    @abstractmethod
    def level(self) -> float:
        """The value that matters, in the user's units."""

    @abstractmethod
    def worth(self, value: float) -> float:
        """How good a measured value is: the trial with the largest is `Study.best`."""

    @abstractmethod
    def words(self, objective: str) -> str:
        """The goal in words: a clause that continues "where"."""


def as_goal(goal: Any) -> Goal | None:
    """A goal that is no optimum; None is the usual one."""
    if goal is None or isinstance(goal, Goal):
        return goal
    raise InvalidInput(f"goal must be a Goal, such as LevelSet(above=0.5), or None, got {show(goal)}.")
