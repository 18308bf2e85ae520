"""The rule's view: the posterior of each outcome over the same candidates, with pending and failed trials imagined."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np

from regretless.acquisition import Cascade, JointRule, JointScore, MomentScore, Outer, Outputs, Rule, Stage, View
from regretless.arrays import Floats
from regretless.gp import Expansion, Posterior, Units
from regretless.gp.blocks import Monotone
from regretless.optimizer.history import History, Series
from regretless.optimizer.model import Belief, Fitted, heeded, imagine, in_use
from regretless.optimizer.outcomes import inferred_reference
from regretless.optimizer.state import State
from regretless.optimizer.task import Task
from regretless.pareto import non_dominated
from regretless.rng import Purpose, stream
from regretless.search import FINE, Objective, climber, points_around
from regretless.spaces import UNLISTED

__all__ = [
    "Scene",
    "cascade_of",
    "desirability",
    "objective_of",
    "outer_of",
    "outputs_of",
    "reference_of",
    "reference_to_keep",
    "scene_of",
    "thresholds_of",
    "worth_of_means",
]

Record: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Scene:
    """One view per outcome and, with several outcomes, thresholds and reference point, in their models' units.

    Of a network there is a view of the objective alone: a stage has inputs of its own.
    """

    views: tuple[View, ...]
    outputs: Outputs | None

    @property
    def jitter(self) -> float:
        """The most that was added to the diagonal of a covariance matrix."""
        cascade = None if self.outputs is None else self.outputs.cascade
        stages = () if cascade is None else cascade.stages
        return max(
            given.jitter for given in (*(view.posterior for view in self.views), *(s.posteriors[0] for s in stages))
        )

    @property
    def X(self) -> Floats:
        """The candidates, or the points from which a search starts."""
        return self.views[0].X

    def draw(self, rule: Rule | JointRule, t: int, rng: np.random.Generator) -> tuple[Objective, Floats, Record]:
        """The score of a rule, to be searched, its values on the candidates, and what was drawn.

        There are no values where candidates are looked at block by block.
        """
        if isinstance(rule, Rule):
            score = rule.draw(self.views[0], t, rng)
            if self.views[0].blocks is not None:
                assert isinstance(score, MomentScore)
                formula = cast(Monotone, score.formula)
                return Objective(score.at, score.value_and_gradient, formula=formula), np.empty(0), score.record
            return Objective(score.at, score.value_and_gradient), score.on(self.views[0]), score.record
        assert self.outputs is not None
        joint = rule.draw(self.outputs, t, rng)
        return objective_of(joint), joint.on(self.outputs), joint.record


def objective_of(score: JointScore) -> Objective:
    """A score of several outcomes, to be searched closely and along its edges."""
    return Objective(score.at, score.value_and_gradient, FINE, score.edges)


def scene_of(task: Task, history: History, trial: int, state: State, models: Sequence[Fitted] | None = None) -> Scene:
    """The rule's view at the suggestion of ``trial``: the posteriors to search by, or other ``models``."""
    fitted = state.all_believed() if models is None else models
    series = [history.series(k) for k in range(len(task.outcomes))]
    if task.network is not None:
        series = _with_expected_inputs(task, history, fitted, series)
    counted = [heeded(task, part, fit) for part, fit in zip(series, fitted, strict=True)]
    beliefs = [
        imagine(part, fit, objective=outcome.role == "objective" and outcome.goal is None)
        for part, fit, outcome in zip(counted, fitted, task.outcomes, strict=True)
    ]
    parts = [in_use(part, fit) for part, fit in zip(counted, fitted, strict=True)]
    X = np.empty((0, task.domain.dim)) if beliefs[0].blocks is not None else beliefs[0].candidates
    if X is None:
        rng = stream(task.seed, trial, Purpose.CANDIDATES)
        units = [each.fit.hyperparameters.units for each in fitted]
        worth = desirability(task, units, [belief.posterior.mean for belief in beliefs], rng)
        if task.scenarios is None:
            X = points_around(task.domain, worth, parts[0].told.X, rng)
        else:
            X = points_around(task.scenarios.decisions, worth, task.scenarios.decisions_of(parts[0].told.X), rng)
    if task.network is not None:
        view = _view(task, series[0], parts[0], fitted[0], beliefs[0], X)
        units = [each.fit.hyperparameters.units for each in fitted]
        cascade = cascade_of(task, units, [(belief.posterior,) for belief in beliefs])
        return Scene((view,), Outputs((view,), 1, cascade=cascade))
    views = tuple(
        _view(task, whole, part, fit, belief, X)
        for whole, part, fit, belief in zip(series, parts, fitted, beliefs, strict=True)
    )
    return Scene(views, None if len(views) == 1 else outputs_of(task, history, state, views))


def _with_expected_inputs(
    task: Task, history: History, fitted: Sequence[Fitted], series: Sequence[Series]
) -> list[Series]:
    """The series of stages in which what was not measured of the stages before, or not yet, is its mean."""
    Y, found = history.Y.copy(), list(series)
    for k, wire in enumerate(task.wires):
        if wire is None:
            continue
        inputs = np.hstack([history.points.X[:, wire.columns], Y[:, wire.outcomes]])
        missing = np.flatnonzero(np.isnan(Y[:, k]))
        if len(missing):
            mean = fitted[k].belief.posterior.mean(inputs[missing])
            Y[missing, k] = fitted[k].fit.hyperparameters.units.restored(mean, 0.0)[0]
        trials = history.points.trials
        pending, failed = (
            replace(points, X=inputs[np.searchsorted(trials, points.trials)])
            for points in (series[k].pending, series[k].failed)
        )
        found[k] = replace(series[k], pending=pending, failed=failed)
    return found


def cascade_of(task: Task, units: Sequence[Units], posteriors: Sequence[tuple[Posterior, ...]]) -> Cascade:
    """The stages of a network, under models of each outcome."""
    stages = tuple(
        Stage(posteriors[k], wire.columns, tuple(j - 1 for j in wire.outcomes), units[k].shift, units[k].scale, levels)
        for k, wire, levels in ((k, wire, task.levels_of(k)) for k, wire in enumerate(task.wires) if wire is not None)
    )
    return Cascade(stages, outer_of(task, units).function)


def outputs_of(task: Task, history: History, state: State, views: tuple[View, ...]) -> Outputs:
    """Views of several outcomes with thresholds and reference point, in the units of the models to search by."""
    units = [state.believed(k).fit.hyperparameters.units for k in range(len(views))]
    K = len(task.objectives)
    if task.composite is not None:
        return Outputs(views, 1, outer=outer_of(task, units))
    thresholds = thresholds_of(task, units)
    if K == 1:
        return Outputs(views, 1, thresholds)
    reference = reference_of(task, history)
    inside = [float(unit.standardised(np.array(z))) for unit, z in zip(units[:K], reference, strict=True)]
    return Outputs(views, K, thresholds, np.array(inside))


def outer_of(task: Task, units: Sequence[Units]) -> Outer:
    """The function of a composite objective, as maximised, of values of its parts in their ``units``."""
    composite, sign = task.composite, task.objective.sign
    assert composite is not None
    parts = list(zip(composite.of, units[1:], strict=True))

    def function(values: Floats) -> Floats:
        by_name = {name: unit.restored(values[..., k], 0.0)[0] for k, (name, unit) in enumerate(parts)}
        return sign * composite(by_name)

    return Outer(function, None if composite.signs is None else sign * composite.signs)


def thresholds_of(task: Task, units: Sequence[Units]) -> tuple[float, ...]:
    """The thresholds of the constraints in the units of their models."""
    models = zip(task.constraints, units[len(task.objectives) :], strict=True)
    return tuple(float(each.standardised(np.array(outcome.threshold))) for outcome, each in models)


def reference_of(task: Task, history: History) -> tuple[float, ...]:
    """The reference point of several objectives, as maximised: given, fixed earlier, or inferred from what is told."""
    if task.reference is not None:
        return task.reference
    if history.reference is not None:
        return history.reference
    whole = history.whole(task)
    if len(whole):
        return inferred_reference(whole)
    columns = (history.series(k).y for k in range(len(task.objectives)))
    return tuple(float(y.min()) if len(y) else 0.0 for y in columns)


def reference_to_keep(task: Task, history: History) -> tuple[float, ...] | None:
    """The reference point of several objectives, once there are as many complete results as initial points.

    Until then it is inferred anew each time: a first batch may be larger than the design, and told in parts.
    """
    if len(task.objectives) == 1 or len(history.whole(task)) < max(task.n_initial, 2):
        return None
    return reference_of(task, history)


def desirability(
    task: Task, units: Sequence[Units], expect: Sequence[Callable[[Floats], Floats]], rng: np.random.Generator
) -> Callable[[Floats], Floats]:
    """The order in which measured points start a search: by mean; feasible before infeasible; by how few dominate them.

    For a level set, by how near the level they are; of decisions, by what they are worth at the means; of a composite
    objective, by the function of the means.

    ``expect`` are the means of the outcomes at points, in their ``units``.
    """
    if task.level is not None:
        level, mean = float(units[0].standardised(np.array(task.level))), expect[0]
        return lambda X: -np.abs(mean(X) - level)
    if task.scenarios is not None:
        return worth_of_means(task, expect[0], units[0].expansion)
    if len(task.outcomes) == 1:
        return expect[0]
    if task.network is not None:
        return _worth_of_network(task, units, expect)
    if task.composite is not None:
        outer = outer_of(task, units).function
        return lambda X: outer(np.column_stack([mean(X) for mean in expect[1:]]))
    K, thresholds = len(task.objectives), thresholds_of(task, units)

    def worth(X: Floats) -> Floats:
        means = np.column_stack([mean(X) for mean in expect])
        missing = np.maximum(means[:, K:] - thresholds, 0.0).sum(axis=1)
        order = means[:, 0]
        if K > 1:  # the front of what is feasible first, in random order
            feasible, order = missing == 0.0, rng.random(len(X))
            order[feasible] += non_dominated(means[feasible, :K])
        spread = float(np.ptp(order)) or 1.0
        value: Floats = np.where(missing > 0.0, order.min() - spread - missing, order)
        return value

    return worth


def _worth_of_network(
    task: Task, units: Sequence[Units], expect: Sequence[Callable[[Floats], Floats]]
) -> Callable[[Floats], Floats]:
    """The objective where every stage is its mean."""
    cascade = cascade_of(task, units, [()] * len(units))

    def worth(X: Floats) -> Floats:
        g = np.zeros((len(X), len(cascade)))
        for k, mean in enumerate(expect[1:]):
            g[:, k] = mean(cascade.inputs(k, X, g))
        return cascade.outer(g)

    return worth


def worth_of_means(
    task: Task, mean: Callable[[Floats], Floats], expansion: Expansion | None = None
) -> Callable[[Floats], Floats]:
    """What decisions are worth where f is its mean."""
    scenarios, aim = task.scenarios, task.aim
    assert scenarios is not None
    assert aim is not None

    def worth(X: Floats) -> Floats:
        Z = scenarios.points(X)
        f = mean(Z.reshape(-1, Z.shape[2])).reshape(Z.shape[:2])
        return aim.value(f if expansion is None else expansion(f), scenarios.weights)

    return worth


def _view(task: Task, whole: Series, part: Series, fitted: Fitted, belief: Belief, X: Floats) -> View:
    told = part.told
    counted = whole.told.inside if task.fidelity is None else whole.told.inside & whole.told.at_target
    y = fitted.fit.hyperparameters.units.standardised(whole.y[counted])  # what may be tried is compared with
    best_told = float(y.max()) if len(y) else 0.0
    # Pending points are assumed to return their posterior mean. One may be the incumbent: else a batch gathers there.
    believed = np.vstack([told.X[told.inside], part.pending.X])
    table, level = belief.table, None
    if task.level is not None:
        level = float(fitted.fit.hyperparameters.units.standardised(np.array(task.level)))
    if belief.blocks is not None:
        return View(
            posterior=belief.posterior,
            X=X,
            mean=np.empty(0),
            sd=np.empty(0),
            told=believed,
            best_told=best_told,
            n_levels=task.domain.n_levels,
            blocks=belief.blocks,
        )
    if table is not None:
        rows = np.searchsorted(told.trials, fitted.used)  # the posterior's own order
        earlier = np.full(table.posterior.n_source, UNLISTED, dtype=np.intp)
        return View(
            posterior=table.posterior,
            X=table.X,
            mean=table.mean,
            sd=table.sd,
            told=believed,
            best_told=best_told,
            n_levels=task.domain.n_levels,
            table=table,
            observed=np.concatenate([earlier, told.index[rows], part.pending.index, part.failed.index]),
            prior_factor=fitted.prior_factor,
            level=level,
            scenarios=task.scenarios,
            aim=task.aim,
            expansion=fitted.fit.hyperparameters.units.expansion,
        )
    posterior = belief.posterior
    # Where decisions are searched, X are decisions, which have no moments of their own.
    mean, sd = posterior.mean_sd(X) if task.scenarios is None else (np.empty(0), np.empty(0))
    return View(
        posterior=posterior,
        X=X,
        mean=mean,
        sd=sd,
        told=believed,
        best_told=best_told,
        n_levels=task.domain.n_levels,
        climb=climber(task.domain),
        level=level,
        scenarios=task.scenarios,
        aim=task.aim,
        expansion=fitted.fit.hyperparameters.units.expansion,
    )
