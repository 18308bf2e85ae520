"""Moments of all outcomes at the same points, in internal units."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.confidence.quantiles import latin_normals
from regretless.gp import PointMoments, TablePosterior, Units
from regretless.optimizer.average import Averaged
from regretless.optimizer.history import History
from regretless.optimizer.model import Fitted, in_use, told_key
from regretless.optimizer.scene import desirability, outer_of
from regretless.optimizer.stages import network_draws, network_outputs, network_sample
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import dense_sample, points_around
from regretless.spaces import UNLISTED, Point
from regretless.theory import log_prob_feasible

__all__ = [
    "JointMoments",
    "composite_at",
    "composite_draws",
    "composite_moments",
    "composite_sample",
    "drawn_everywhere",
    "expected_at",
    "expected_at_each",
    "log_feasible",
    "moments_at",
    "moments_everywhere",
    "objective_moments",
    "part_moments",
    "points_everywhere",
    "searched_at",
]

#: Size of the sample that represents a product space.
_DENSE = 2000
#: Draws of a composite objective at a point, and numbers that are held at a time.
_FEW, _ROOM = 512, 2_000_000
#: Points of a network whose draws are worked on at a time.
_ROWS = 1000


@dataclass(frozen=True, slots=True)
class JointMoments:
    """N points with m outcomes: objectives first, in the units of y, then constraints, as `Units.linear` has them.

    There a constraint's threshold is what it is in the units of y, and the law is normal.
    """

    X: Floats
    mean: Floats  # (N, m)
    sd: Floats  # (N, m)
    covariances: tuple[Callable[[int], Floats], ...]  # of each outcome, between one of the points and all of them
    listed: bool  # whether the points are all candidates

    def point(self, index: int) -> Point:
        """One of the points."""
        return Point(self.X[index], index if self.listed else None)


def moments_everywhere(
    task: Task, history: History, fitted: tuple[Fitted, ...], purpose: Purpose, *also: Floats
) -> JointMoments:
    """Moments at every candidate of a list; elsewhere at points that stand for the space, and at ``also``."""
    X = fitted[0].belief.candidates
    if X is None:
        series = history.series()
        rng = stream(task.seed, told_key(series), purpose)
        units = [each.fit.hyperparameters.units for each in fitted]
        worth = desirability(task, units, [each.belief.posterior.mean for each in fitted], rng)
        around = points_around(task.domain, worth, in_use(series, fitted[0]).told.X, rng)
        X = np.vstack([*also, around, dense_sample(task.domain, _DENSE, rng)])
        return moments_at(task, fitted, X, listed=False)
    return moments_at(task, fitted, X, listed=True)


def moments_at(task: Task, fitted: tuple[Fitted, ...], X: Floats, *, listed: bool) -> JointMoments:
    """Moments at the rows of X, which are all candidates if they are ``listed``."""
    means, sds, covariances = [], [], []
    for outcome, each in zip(task.outcomes, fitted, strict=True):
        units, known = each.fit.hyperparameters.units, each.belief.on(None if listed else X)
        in_units = units.restored if outcome.role == "objective" else units.linear
        mean, sd = in_units(known.mean, known.sd)
        means.append(mean)
        sds.append(sd)
        covariances.append(_scaled(known.covariance_with, units.scale))
    return JointMoments(X, np.column_stack(means), np.column_stack(sds), tuple(covariances), listed)


def points_everywhere(task: Task, beliefs: tuple[Averaged, ...], rng: np.random.Generator, *also: Floats) -> Floats:
    """Candidates of a list; elsewhere ``also``, and points that stand for the space."""
    if task.domain.candidates is not None:
        return task.domain.candidates
    worth = desirability(task, [each.units for each in beliefs], [each.mean for each in beliefs], rng)
    return np.vstack([*also, points_around(task.domain, worth, beliefs[0].told.X, rng)])


def log_feasible(task: Task, beliefs: tuple[Averaged, ...], X: Floats) -> Floats:
    """The log probability that all constraints hold at points, averaged over the settings of each: ``(N,)``.

    Outcomes are independent, and so are their settings.
    """
    total = np.zeros(len(X))
    for outcome, belief in zip(task.constraints, beliefs[len(task.objectives) :], strict=True):
        chance = np.zeros(len(X))
        for known in _known(task, belief, X):
            mean, sd = belief.units.linear(known.mean, known.sd)
            chance += np.exp(log_prob_feasible(mean[:, None], sd[:, None], [outcome.threshold]))
        with np.errstate(divide="ignore"):
            total += np.log(chance / len(belief.posteriors))
    return total


def _known(task: Task, belief: Averaged, X: Floats, most: int | None = None) -> list[PointMoments | TablePosterior]:
    return belief.on_table(X, most) if X is task.domain.candidates else belief.at(X, most)


def objective_moments(
    task: Task, belief: Averaged, X: Floats, most: int | None = None
) -> list[tuple[Floats, Floats, Callable[[int], Floats]]]:
    """Of one objective under each setting, or ``most`` of them: mean, sd and covariances, as `Units.linear` has them.

    Below the knee, where there is one, they are those of compressed values.
    """
    units = belief.units
    return [
        (*units.linear(known.mean, known.sd), _scaled(known.covariance_with, units.scale))
        for known in _known(task, belief, X, most)
    ]


def part_moments(task: Task, beliefs: Sequence[Averaged], X: Floats) -> list[tuple[Floats, Floats]]:
    """Of the parts of a composite objective: means and sds under each setting, (H, N), in the units of y."""
    each = (objective_moments(task, belief, X) for belief in beliefs[1:])
    return [(np.array([m for m, _, _ in known]), np.array([s for _, s, _ in known])) for known in each]


def drawn_everywhere(
    task: Task, beliefs: Sequence[Averaged], X: Floats, z: Floats
) -> Callable[[npt.NDArray[np.bool_]], Iterator[Floats]]:
    """Draws of a composite objective at those points that count, block by block: (points, draws).

    They are asked for more than once; those of a network, which take long, are kept.
    """
    if task.network is not None:
        whole = np.vstack(list(network_draws(task, beliefs, X, z)))
        return lambda among: (F for F in np.split(whole[among], range(_ROWS, int(among.sum()), _ROWS)))
    parts = part_moments(task, beliefs, X)
    return lambda among: composite_draws(task, [(m[:, among], s[:, among]) for m, s in parts], z)


def composite_draws(task: Task, parts: Sequence[tuple[Floats, Floats]], z: Floats) -> Iterator[Floats]:
    """Draws of a composite objective, as maximised, block by block of the points: (points, draws).

    Each draw, a row of ``z`` with one standard normal number for each part, takes one setting of every part in turns.
    """
    outer, rows = outer_of(task, [Units()] * len(task.outcomes)).function, max(1, _ROOM // z.size)
    turns = [np.arange(len(z)) % len(mean) for mean, _ in parts]
    for i in range(0, parts[0][0].shape[1], rows):
        block = slice(i, i + rows)
        drawn = [
            (mean[turn, block] + sd[turn, block] * z[:, k : k + 1]).T
            for k, ((mean, sd), turn) in enumerate(zip(parts, turns, strict=True))
        ]
        yield outer(np.stack(drawn, axis=-1))


def composite_sample(task: Task, beliefs: Sequence[Averaged], points: Floats, *, measured: bool = False) -> Floats:
    """Draws of a composite objective, as maximised, at (numbered) points, always the same ones: (points, draws).

    ``measured``: of what it will be computed to be, with the noise of the outcomes.
    """
    if task.network is not None:
        return network_sample(task, beliefs, points, measured=measured)
    parts = []
    for belief in beliefs[1:]:
        means, sds = belief.moments(points)
        if measured:
            sds = np.sqrt(sds**2 + np.array(belief.noise_vars)[:, None])
        known = [belief.units.linear(*moments) for moments in zip(means, sds, strict=True)]
        parts.append((np.array([m for m, _ in known]), np.array([s for _, s in known])))
    return _few(task, parts)


def composite_at(task: Task, moments: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Mean and sd of a composite objective, as maximised, from means and sds of its parts at one point."""
    drawn = _few(task, [(np.array([[mean]]), np.array([[sd]])) for mean, sd in moments])
    return float(drawn.mean()), float(drawn.std())


def _few(task: Task, parts: Sequence[tuple[Floats, Floats]]) -> Floats:
    z = latin_normals(_FEW, len(parts), stream(task.seed, 0, Purpose.CERTIFICATE))
    return np.vstack(list(composite_draws(task, parts, z)))


def composite_moments(
    task: Task, beliefs: Sequence[Averaged], points: Floats, outcome: int = 0
) -> tuple[Floats, Floats]:
    """Mean and sd of a composite objective, or of the output of a stage, as maximised, at (numbered) points."""
    if outcome:
        drawn = network_outputs(task, beliefs, points)[0][..., outcome - 1]
    else:
        drawn = composite_sample(task, beliefs, points)
    return drawn.mean(axis=1), drawn.std(axis=1)


def expected_at(task: Task, beliefs: tuple[Averaged, ...], point: Point) -> dict[str, tuple[float, float]]:
    """Mean and sd of every outcome at one point by name, as the user sees them."""
    return expected_at_each(task, beliefs, [point])[0]


def expected_at_each(
    task: Task, beliefs: tuple[Averaged, ...], points: Sequence[Point]
) -> list[dict[str, tuple[float, float]]]:
    """The same at several points at once."""
    X = np.array([point.x for point in points])
    index = np.array([UNLISTED if point.index is None else point.index for point in points], dtype=np.intp)
    found: list[dict[str, tuple[float, float]]] = [{} for _ in points]
    if task.network is not None:
        drawn, F = network_outputs(task, beliefs, X)
        each = [(task.objective, F), *((outcome, drawn[..., k]) for k, outcome in enumerate(task.outcomes[1:]))]
        for outcome, values in each:
            for one, m, s in zip(found, values.mean(axis=1).tolist(), values.std(axis=1).tolist(), strict=True):
                one[outcome.name] = (outcome.outward(m), s)
        return found
    for outcome, belief in zip(task.outcomes, beliefs, strict=True):
        mean, sd = belief.expected(belief.numbered(X, index))
        for one, m, s in zip(found, mean.tolist(), sd.tolist(), strict=True):
            one[outcome.name] = (outcome.outward(m), s)
    if task.composite is not None:
        mean, sd = composite_moments(task, beliefs, beliefs[0].numbered(X, index))
        for one, m, s in zip(found, mean.tolist(), sd.tolist(), strict=True):
            one[task.objective.name] = (task.objective.outward(m), s)
    return found


def searched_at(task: Task, fitted: tuple[Fitted, ...], x: Floats) -> dict[str, tuple[float, float]]:
    """The same under the models to search by, by which a front is chosen."""
    found = {}
    for outcome, each in zip(task.outcomes, fitted, strict=True):
        mean, sd = each.fit.hyperparameters.units.restored(*each.belief.posterior.mean_sd(x[None, :]))
        found[outcome.name] = (outcome.outward(float(mean[0])), float(sd[0]))
    return found


def _scaled(covariance_with: Callable[[int], Floats], scale: float) -> Callable[[int], Floats]:
    return lambda index: scale * (scale * covariance_with(index))
