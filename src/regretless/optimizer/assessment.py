"""A certificate in the user's units, and what a measurement should give: for whoever keeps the record."""

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.optimizer.certificate import Certified, RemainingRegret
from regretless.optimizer.expectation import expect_left_out, expect_measurement
from regretless.optimizer.feasible import certify_feasible, recommend_feasible
from regretless.optimizer.front import Front, certify_front, recommend_front
from regretless.optimizer.history import History
from regretless.optimizer.proof import certify
from regretless.optimizer.recommendation import Choice, recommend, recommend_row
from regretless.optimizer.state import State, believed, doubted
from regretless.optimizer.task import Task, params_of
from regretless.theory import SimulatedRegret

__all__ = [
    "assess",
    "certificate_of",
    "left_out_of",
    "measurement_of",
    "recommended",
    "recommended_elsewhere",
]

#: Joint draws of a certificate where nothing is said: twenty for each setting of the model.
DRAWS = 480


def assess(task: Task, history: History, *, eps: float | None = None, draws: int | None = None) -> Certified:
    """How much recommending now costs at most, given the data: a certificate without a study.

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


def recommended(task: Task, history: History, state: State) -> Choice | Front:
    """What to settle on: a point, or with several objectives a Pareto set. ``state`` has been believed and doubted.

    On a list it is the row of which the averaged belief expects most. Elsewhere, and with several outcomes, the model
    to search by says it.
    """
    if len(task.objectives) > 1:
        return recommend_front(task, history, state)
    if task.constraints:
        return recommend_feasible(task, history, state)
    belief = state.doubted()
    if task.domain.candidates is not None and belief.drawn:
        return recommend_row(task, history, belief)
    return recommend(task, history, state.believed())


def recommended_elsewhere(task: Task, history: History, state: State) -> Choice | Front | None:
    """`recommended`, or None where that is what the certificate itself chooses: it need not be computed twice."""
    own = len(task.outcomes) == 1 and task.domain.candidates is not None and bool(state.doubted().drawn)
    return None if own else recommended(task, history, state)


def certificate_of(
    task: Task,
    history: History,
    state: State,
    choice: Choice | Front | None,
    *,
    eps: float | None = None,
    draws: int | None = None,
) -> Certified:
    """The certificate of ``choice``; None: of the point that the model of the certificate itself expects most of.

    The second depends on the told values alone, so it can be computed again for any time in the past. ``state`` has
    been doubted.
    """
    if len(task.outcomes) > 1 and (eps is not None or draws):
        raise InvalidInput("eps and draws are for one objective without constraints.")
    if isinstance(choice, Front) or len(task.objectives) > 1:
        assert choice is None or isinstance(choice, Front)
        return certify_front(task, history, state, choice)
    if task.constraints:
        return certify_feasible(task, history, state, choice)
    if draws is None:
        fitted = state.doubted().fitted
        draws = DRAWS if fitted is None or fitted.belief.blocks is None else 0  # blocks cannot be drawn together
    return _plain(task, history, state, choice, eps, draws)


def _plain(
    task: Task, history: History, state: State, choice: Choice | None, eps: float | None, draws: int
) -> RemainingRegret:
    objective = task.objective
    limits = objective.limits.maximised(objective.sign)
    proof = certify(task, history, choice, state.doubted(), limits=limits, eps=eps, draws=draws)
    found, scale = proof.certificate, proof.scale
    params, row = params_of(task, proof.point)
    simulated = found.simulated
    return RemainingRegret(
        params=params,
        row=row,
        mean=float(objective.outward(proof.mean)),
        sd=scale * found.sd,
        bound=scale * found.bound,
        tail_sum=scale * found.tail_sum,
        pairwise=scale * found.pairwise,
        lemma=scale * found.lemma,
        eps=eps,
        exceeds=found.exceeds,
        best=found.best,
        exact=task.domain.n_candidates is not None,
        trust=proof.calibration,
        objective=objective.name,
        model="given" if task.surrogate.method == "fixed" else "fitted",
        used=proof.used,
        told=len(history.series().y),
        limits=objective.limits.given,
        limits_hold=proof.limits_hold,
        simulated=None
        if simulated is None
        else SimulatedRegret(scale * simulated.estimate, scale * simulated.se, simulated.draws),
        settings=len(found.each),
        unsure=found.unsure,
    )


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
    """Median, lower and upper end of what measurements at encoded points should give. ``state`` has been doubted.

    ``index`` are the numbers of those points that are candidates of a list.
    """
    wanted = task.outcomes[outcome]
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
