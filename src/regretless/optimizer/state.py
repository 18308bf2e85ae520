"""Cached results of a history: one object, shared by suggestions, predictions and certificates."""

from dataclasses import dataclass, replace

from regretless.gp import Additive
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged, averaged
from regretless.optimizer.history import History
from regretless.optimizer.model import Fitted, believe, explore, outdated
from regretless.optimizer.task import Task

__all__ = ["State", "Verdict", "believed", "doubted", "kept", "with_search", "with_survey"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether values are those of a sum of functions of one column each: its setting if they are."""

    trials: tuple[int, ...]  # what it rests on
    y: tuple[float, ...]
    setting: Additive | None


@dataclass(frozen=True, slots=True)
class State:
    """The posterior to search by and the belief to certify by of each outcome, as far as computed.

    ``survey`` and ``verdict`` are those of excursions, which are made with one outcome only.

    It only saves time: whoever starts without gets the same bits.
    """

    search: tuple[Fitted | None, ...]
    doubts: tuple[Averaged | None, ...]
    survey: Fitted | None = None
    verdict: Verdict | None = None

    @classmethod
    def empty(cls, task: Task) -> "State":
        """An empty cache."""
        m = len(task.outcomes)
        return cls((None,) * m, (None,) * m)

    def believed(self, outcome: int = 0) -> Fitted:
        """The posterior to search by, which is there after `believed`."""
        found = self.search[outcome]
        assert found is not None
        return found

    def all_doubted(self) -> tuple[Averaged, ...]:
        """The beliefs to certify by of all outcomes."""
        return tuple(self.doubted(k) for k in range(len(self.doubts)))

    def all_believed(self) -> tuple[Fitted, ...]:
        """The posteriors to search by of all outcomes."""
        return tuple(self.believed(k) for k in range(len(self.search)))

    def doubted(self, outcome: int = 0) -> Averaged:
        """The belief to certify by, which is there after `doubted`."""
        found = self.doubts[outcome]
        assert found is not None
        return found


def believed(task: Task, history: History, trial: int, state: State) -> State:
    """The state with the posteriors to search by, given everything told, for the suggestion of ``trial``."""
    with single_thread():
        return with_search(task, history, trial, state)


def with_search(task: Task, history: History, trial: int, state: State) -> State:
    """As `believed`, where BLAS is on one thread already."""
    each = zip(range(len(task.outcomes)), state.search, strict=True)
    search = tuple(believe(task.of(k), history.series(k), trial, fitted) for k, fitted in each)
    return replace(state, search=search)


def with_survey(task: Task, history: History, state: State) -> State:
    """The state with the posterior of excursions, given everything told, where BLAS is on one thread already."""
    return replace(state, survey=explore(task, history.series(), state.survey))


def doubted(task: Task, history: History, state: State) -> State:
    """The state with the beliefs to certify by, given everything told."""
    with single_thread():
        doubts = tuple(
            averaged(task.promised(k), history.series(k), state.doubts[k]) for k in range(len(task.outcomes))
        )
    return replace(state, doubts=doubts)


def kept(task: Task, history: History, state: State) -> State:
    """The state without search posteriors that will be recomputed: on a table each takes much memory."""
    search = tuple(
        None if fitted is None or outdated(task.of(k), history.series(k), fitted) else fitted
        for k, fitted in enumerate(state.search)
    )
    return replace(state, search=search)
