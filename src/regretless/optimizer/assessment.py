"""Certificates and predictions in the user's units, for a study or a host that keeps its own record."""

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.optimizer.certificate import Certified
from regretless.optimizer.expectation import expect_left_out, expect_measurement
from regretless.optimizer.goal import Asked
from regretless.optimizer.history import History
from regretless.optimizer.joint import composite_sample
from regretless.optimizer.meanings import Chosen, meaning_of
from regretless.optimizer.stages import network_outputs
from regretless.optimizer.state import State, believed, doubted
from regretless.optimizer.task import Task

__all__ = [
    "assess",
    "certificate_of",
    "left_out_of",
    "measurement_of",
    "recommended",
    "recommended_elsewhere",
]


def assess(task: Task, history: History, *, eps: float | None = None, draws: int | None = None) -> Certified:
    """A certificate without a study: an upper bound on the expected regret of recommending now, given the data.

    >>> from regretless.optimizer import Row, as_task, history_of
    >>> from regretless.spaces import as_space
    >>> task = as_task(as_space([{"t": t} for t in range(5)]), seed=1)
    >>> history = history_of(task, [Row({"t": t}, {"value": -abs(t - 3.0)}) for t in range(5)])
    >>> assess(task, history).row
    3
    """
    trial = int(history.points.trials[-1]) + 1 if len(history.points) else 0
    state = believed(task, history, trial, State.empty(task))
    state = doubted(task, history, state)
    choice = recommended_elsewhere(task, history, state)
    return certificate_of(task, history, state, choice, eps=eps, draws=draws)


def recommended(task: Task, history: History, state: State) -> Chosen:
    """The recommendation: a point, or with several objectives a Pareto set. ``state`` holds both kinds of beliefs."""
    return meaning_of(task).recommend(task, history, state)


def recommended_elsewhere(task: Task, history: History, state: State) -> Chosen | None:
    """`recommended`, or None where that is what the certificate itself chooses: it need not be computed twice."""
    meaning = meaning_of(task)
    return None if meaning.is_own_choice(task, state) else meaning.recommend(task, history, state)


def certificate_of(
    task: Task,
    history: History,
    state: State,
    choice: Chosen | None,
    *,
    eps: float | None = None,
    draws: int | None = None,
) -> Certified:
    """The certificate of ``choice``; None: of the point with the largest mean under the certificate's own model.

    The second depends on the told values alone, so it can be computed again for any time in the past. ``state`` has
    been doubted.
    """
    return meaning_of(task).certify(task, history, state, choice, Asked(eps, draws))


def measurement_of(
    task: Task,
    history: History,
    state: State,
    X: Floats,
    index: npt.NDArray[np.intp],
    outcome: int = 0,
    *,
    share: float = 0.9,
) -> tuple[Floats, Floats, Floats]:
    """Median, lower and upper end of predicted measurements at encoded points, by the beliefs to certify by.

    ``index`` are the numbers of those points that are candidates of a list.
    """
    wanted = task.outcomes[outcome]
    if wanted.composite is not None or task.network is not None:
        beliefs = state.all_doubted()
        if outcome:
            drawn = network_outputs(task, beliefs, X, measured=True)[0][..., outcome - 1]
        else:
            drawn = composite_sample(task, beliefs, beliefs[0].numbered(X, index), measured=True)
        median, low, high = np.quantile(drawn, (0.5, 0.5 - 0.5 * share, 0.5 + 0.5 * share), axis=1)
        return wanted.outward(median), *wanted.outward_interval(low, high)
    limits = wanted.limits.reaching(wanted.outward(history.series(outcome).y)).maximised(wanted.sign)
    median, low, high = expect_measurement(task, state.doubted(outcome), X, index, share=share, limits=limits)
    return wanted.outward(median), *wanted.outward_interval(low, high)


def left_out_of(task: Task, state: State, outcome: int = 0) -> tuple[tuple[int, ...], Floats, Floats, Floats, Floats]:
    """Trials, and of each the measured value, and median, lower and upper end by all other results.

    ``state`` has been doubted.
    """
    wanted = task.outcomes[outcome]
    trials, value, median, low, high = expect_left_out(task, state.doubted(outcome))
    return trials, wanted.outward(value), wanted.outward(median), *wanted.outward_interval(low, high)
