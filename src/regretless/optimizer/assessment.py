"""A certificate in the user's units, and what a measurement should give: for whoever keeps the record."""

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.optimizer.certificate import Certified, RemainingRegret
from regretless.optimizer.feasible import certify_feasible, recommend_feasible
from regretless.optimizer.front import Front, certify_front, recommend_front
from regretless.optimizer.history import History
from regretless.optimizer.proof import certify
from regretless.optimizer.recommendation import Choice, predict_left_out, predict_measurement, recommend
from regretless.optimizer.state import State, believed, doubted
from regretless.optimizer.task import Task, params_of

__all__ = ["assess", "certificate_of", "left_out_of", "measurement_of", "recommended"]


def assess(task: Task, history: History, *, eps: float | None = None, draws: int = 0) -> Certified:
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
    return certificate_of(task, history, state, recommended(task, history, state), eps=eps, draws=draws)


def recommended(task: Task, history: History, state: State) -> Choice | Front:
    """What to settle on: a point, or with several objectives a Pareto set. ``state`` has been believed."""
    if len(task.objectives) > 1:
        return recommend_front(task, history, state)
    return recommend_feasible(task, history, state) if task.constraints else recommend(task, history, state.believed())


def certificate_of(
    task: Task,
    history: History,
    state: State,
    choice: Choice | Front | None,
    *,
    eps: float | None = None,
    draws: int = 0,
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
    return _plain(task, history, state, choice, eps, draws)


def _plain(
    task: Task, history: History, state: State, choice: Choice | None, eps: float | None, draws: int
) -> RemainingRegret:
    objective = task.objective
    limits = objective.limits.maximised(objective.sign)
    proof = certify(task, history, choice, state.doubted(), limits=limits, eps=eps, draws=draws)
    found, units = proof.certificate, proof.fit.hyperparameters.units
    mean, sd = units.restored(found.mean, found.sd)
    params, row = params_of(task, proof.point)
    return RemainingRegret(
        params=params,
        row=row,
        mean=float(objective.outward(mean)),
        sd=float(sd),
        bound=units.scale * found.bound,
        tail_sum=units.scale * found.tail_sum,
        pairwise=units.scale * found.pairwise,
        lemma=units.scale * found.lemma,
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
    )


def measurement_of(
    task: Task, history: History, state: State, X: Floats, outcome: int = 0
) -> tuple[Floats, Floats, Floats]:
    """Median, lower and upper end of what measurements at encoded points should give. ``state`` has been doubted."""
    wanted = task.outcomes[outcome]
    limits = wanted.limits.reaching(wanted.outward(history.series(outcome).y)).maximised(wanted.sign)
    median, low, high = predict_measurement(task, state.doubted(outcome), X, limits=limits)
    return wanted.outward(median), *wanted.outward_interval(low, high)


def left_out_of(task: Task, state: State, outcome: int = 0) -> tuple[tuple[int, ...], Floats, Floats, Floats, Floats]:
    """Trials, and of each the measured value, and median, lower and upper end by all other results.

    ``state`` has been doubted.
    """
    wanted = task.outcomes[outcome]
    trials, value, median, low, high = predict_left_out(task, state.doubted(outcome))
    return trials, wanted.outward(value), wanted.outward(median), *wanted.outward_interval(low, high)
