"""The posterior of one outcome, from its results: refitted when due, otherwise conditioned on new results.

Float arithmetic is not associative, so one order is fixed: the observations of the fit all at once, those told later
one by one in the order of their trials, then the pending and the failed ones. Whether a posterior was carried along or
built anew after a restart, the same operations are done, and the same bits come out.

Of very many observations a subset stands for the first ones: see `regretless.optimizer.subset`.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from regretless.arrays import Floats
from regretless.errors import NumericalError
from regretless.gp import (
    BlockPosterior,
    Hyperparameters,
    Posterior,
    Source,
    TablePosterior,
    Units,
    block_posterior,
    fitted_to,
    prior_factor,
    refit_due,
    table_posterior,
)
from regretless.linalg import Factor
from regretless.optimizer.history import Fit, Points, Series, only
from regretless.optimizer.subset import base_of, chosen, largest
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream

__all__ = [
    "Belief",
    "Fitted",
    "believe",
    "doubt",
    "explore",
    "heeded",
    "imagine",
    "in_reach",
    "in_use",
    "outdated",
    "told_key",
]

Belief = Posterior | TablePosterior | BlockPosterior

#: Standardised values of this size can still be squared and summed.
_LARGEST = 1e50
#: Fresh starts, at the least, of a fit that is not carried on from an earlier one.
_STARTS = 2


@dataclass(frozen=True, slots=True)
class Fitted:
    """The posterior of one outcome, carried from one suggestion to the next, only to save time."""

    fit: Fit
    base: Belief  # given the observations of the fit, or a subset
    belief: Belief  # given the later ones too
    trials: tuple[int, ...]  # all observations, in their order
    y: tuple[Any, ...]  # their values, with what is known of the noise: see `Series.keys`
    n_base: int  # the first so many of them, or a subset of these, are in ``base``
    kept: tuple[int, ...]  # those in ``base``
    prior_factor: Callable[[], Factor] | None = None  # tables: for exact draws, computed when first asked for
    before: Fit | None = None  # the newest fit on record when ``fit`` was made: where its search began
    source: Source | None = None  # the data of an earlier study that it counts

    @property
    def used(self) -> tuple[int, ...]:
        """The observations in ``belief``, in their order: all of them or, of too many, a subset."""
        return self.kept + self.trials[self.n_base :]


def believe(task: Task, series: Series, trial: int, state: Fitted | None) -> Fitted:
    """The posterior given all results, for the suggestion of ``trial``."""
    if state is not None and _of_other_data(task, series, state):
        state = None
    fitted = _in_force(task, series, trial, state)
    if fitted is None:
        fitted = _fit(task, series, trial)
    elif state is not None and state.fit != fitted and state.fit == replace(fitted, at_trial=state.fit.at_trial):
        state = replace(state, fit=fitted)  # made for another trial that was not asked for in the end
    rows = _rows(series, fitted)
    trials, y = tuple(series.told.trials[rows].tolist()), series.keys(rows)
    n_base, count = _base(task, series, fitted)
    if state is None or state.fit != fitted or not _based_on(state, trials[:n_base], y[:n_base], count):
        state = replace(_from_fit(task, series, fitted), before=series.fit, source=series.source)
    done = len(state.trials)
    if state.trials != trials[:done] or state.y != y[:done]:  # a trial of a lower number came in since
        done = n_base
        state = replace(state, belief=state.base)
    belief = state.belief
    later = rows[done:]
    standardised, known = _standardised(fitted, series.y[later]).tolist(), _noise_vars(fitted, series, later)
    for x, value, noise_var in zip(series.told[later].inputs, standardised, known, strict=True):
        belief = belief.condition(x, value, noise_var=noise_var)
    return replace(state, belief=belief, trials=trials, y=y)


def outdated(task: Task, series: Series, state: Fitted) -> bool:
    """Whether the next suggestion cannot use ``state``, because its posterior will be recomputed.

    The state may then be freed before: on a table it takes as much memory as the new one will.
    """
    if _of_other_data(task, series, state) or _in_force(task, series, state.fit.at_trial, state) != state.fit:
        return True
    return _base(task, series, state.fit) != (state.n_base, len(state.kept))


def doubt(task: Task, series: Series, state: Fitted | None) -> Fitted:
    """One fitted posterior to certify by, where the settings are not averaged over: see `regretless.optimizer.average`.

    It is that of the values as they are, on a table under the cautious model.

    A bound on a regret is in the user's units, and so it stays when no value is compressed. Nor is the mean fitted: the
    mean of values that were chosen with care expects more of the others, which here is the careful side.
    Its hyperparameters are fitted to the first so many told values, as many as the schedule of fits says for their
    number (all of them, where these are all equal: such values have no scale), always from the same starts. So it
    depends on what was told, and on nothing that was asked before. In a product space they are estimates anyway, and
    the search would never look where only a cautious model has doubts.
    """
    surrogate = task.surrogate
    if task.domain.n_candidates is not None:
        surrogate = surrogate.cautious()
    restarts = max(surrogate.restarts, _STARTS)
    task = replace(task, surrogate=replace(surrogate, restarts=restarts, fit_mean=False, compress=False))
    return _of_values(task, series, state)


def explore(task: Task, series: Series, state: Fitted | None) -> Fitted:
    """The posterior of the survey, by which excursions are made: see `Surrogate.survey`.

    Like that of certificates it depends on what was told alone.
    """
    surrogate = task.surrogate.survey()
    assert surrogate is not None
    return _of_values(replace(task, surrogate=surrogate), series, state)


def _of_values(task: Task, series: Series, state: Fitted | None) -> Fitted:
    """The posterior whose fits depend on the told values, and on nothing that was asked before."""
    seen = fitted_to(task.surrogate, len(series.y), _candidates(task))
    if (series.y[:seen] == series.y[:1]).all():
        seen = len(series.y)
    first = only(series, np.arange(seen))
    trials, y = tuple(first.told.trials.tolist()), first.keys(np.arange(seen))
    if state is not None and _of_other_data(task, series, state):
        state = None
    if state is not None and state.fit.trials == trials and state.y[: len(y)] == y:
        newest = state.fit
    else:
        newest = _fit(task, replace(first, fit=None), told_key(first), Purpose.CAUTION)
    return believe(task, replace(series, fit=newest), newest.at_trial, state)


def imagine(series: Series, state: Fitted, *, objective: bool = True) -> Belief:
    """The posterior for choosing: pending points at their posterior mean, failed ones at a poor value.

    A pending point then has little variance left, so the next suggestion goes elsewhere. A failed point counts as the
    smaller of its mean and the lower quartile of what was measured: suggestions keep away without the model ever being
    fitted to a made-up value. What is not an ``objective`` counts at its mean there too.
    """
    if not len(series.pending) and not len(series.failed):
        return state.belief
    belief = state.belief.branch()
    hyperparameters = state.fit.hyperparameters
    poor = float(np.quantile(hyperparameters.units.standardised(series.y), 0.25)) if len(series.y) else 0.0
    poor = poor if objective else math.inf
    # One row at a time at the mean of the posterior so far: conditioning at the mean leaves every mean as it was.
    for x, noise_var in _expected(hyperparameters, series.pending):
        belief = belief.condition(x, float(belief.posterior.mean(x[None, :])[0]), noise_var=noise_var)
    for x, noise_var in _expected(hyperparameters, series.failed):
        belief = belief.condition(x, min(float(belief.posterior.mean(x[None, :])[0]), poor), noise_var=noise_var)
    return belief


def _expected(h: Hyperparameters, points: Points) -> Iterator[tuple[Floats, float | None]]:
    """Where values are imagined, and their noise variance; None is the common one."""
    inputs = points.inputs
    noise_vars = h.noise_vars(np.zeros(len(points)), None, inputs)
    yield from zip(inputs, [None] * len(points) if noise_vars is None else noise_vars.tolist(), strict=True)


def heeded(task: Task, series: Series, state: Fitted) -> Series:
    """The series with those failed points only that `imagine` counts: all or, beyond the limit, an eighth of it.

    They are chosen as results are, at the means that the posterior expects there: where it is tempted to go.
    """
    belief, failed = state.belief, series.failed
    limit = largest(0 if belief.table is None else len(belief.table.X), task.domain.memory)
    count = limit // 8
    if len(failed) <= count or len(state.used) + len(series.pending) + len(failed) <= limit:
        return series
    given = belief.posterior
    rows = chosen(given.kernel, given.noise_var, failed.inputs, given.mean_sd(failed.inputs)[0], count)
    return replace(series, failed=failed[rows])


def in_use(series: Series, state: Fitted) -> Series:
    """The series with those told points only that the posterior rests on; the same where it rests on all."""
    if len(state.used) == len(series.y):
        return series
    return only(series, np.searchsorted(series.told.trials, sorted(state.used)))


def told_key(series: Series) -> int:
    """The trial after the last told one: what depends on the observations alone draws from the streams of this key.

    Asking in turns it is the trial that is asked for. Pending and failed trials do not move it.
    """
    return int(series.told.trials[-1]) + 1 if len(series.told) else 0


def _standardised(fitted: Fit, y: Floats) -> Floats:
    return in_reach(fitted.hyperparameters.units, y, len(fitted.trials))


def in_reach(units: Units, y: Floats, seen: int) -> Floats:
    """Values as the model sees them, where it can compute with them; its units are those of the ``seen`` first ones."""
    with np.errstate(over="ignore"):
        z = units.standardised(y)
    if len(z) and not np.abs(z).max() <= _LARGEST:
        size = float(np.abs(y[np.abs(z).argmax()]))
        raise NumericalError(
            f"a value of size {size:.3g} is too far from the {seen} values that the model was fitted to "
            "last to compute with. If it is a mistake, correct it with amend or set it aside with exclude; else tell "
            "some more: the next fit takes it in."
        )
    return z


def _noise_vars(fitted: Fit, series: Series, rows: list[int]) -> list[float | None]:
    """The noise variance of single values as the model sees them; None is the common one."""
    if not rows:
        return []
    noise = None if series.noise is None else series.noise.take(rows)
    known = fitted.hyperparameters.noise_vars(series.y[rows], noise, series.told[rows].inputs)
    return [None] * len(rows) if known is None else list(known.tolist())


def _in_force(task: Task, series: Series, trial: int, state: Fitted | None) -> Fit | None:
    """The fit in force: the newest on record or, if a new one is due, that of ``state`` if it would be the same.

    A fit depends on the told values and on the newest fit before it. The trial it is made for is only put on record.
    """
    if series.fit is not None and not _due(task, series, series.fit):
        return series.fit
    if state is None or state.before != series.fit or state.fit.trials != tuple(series.told.trials.tolist()):
        return None
    same_values = state.y[: len(state.fit.trials)] == series.keys(np.arange(len(series.y)))
    return replace(state.fit, at_trial=trial) if same_values else None


def _of_other_data(task: Task, series: Series, state: Fitted) -> bool:
    """Whether the table was extended since, or an earlier study was added."""
    table, blocks = state.base.table, state.base.blocks
    if table is not None and table.X is not task.domain.candidates:
        return True
    if blocks is not None and blocks.codes is not _codes(task):
        return True
    return state.source is not series.source


def _due(task: Task, series: Series, newest: Fit) -> bool:
    return refit_due(task.surrogate, n=len(series.y), n_fitted=len(newest.trials), N=_candidates(task))


def _candidates(task: Task) -> int:
    return task.domain.n_candidates or 0


def _base(task: Task, series: Series, fitted: Fit) -> tuple[int, int]:
    return base_of(len(series.y), len(fitted.trials), _most(task))


def _most(task: Task) -> int:
    """The largest number of results in a posterior; the length of a table sets no limit if it is searched in blocks."""
    return largest(0 if _blockwise(task) else _candidates(task), task.domain.memory)


def _blockwise(task: Task) -> bool:
    """Whether the rows of a table may be searched in blocks, if they are too many for the n x N matrix."""
    return task.domain.n_candidates is not None and task.rule.blockwise


def _codes(task: Task) -> Any:
    """The codes of a table, in memory or in a file."""
    return task.domain.block_codes if task.domain.engine is not None else task.domain.candidates


def _based_on(state: Fitted, trials: tuple[int, ...], y: tuple[float, ...], count: int) -> bool:
    """Whether the base of ``state`` has ``count`` observations, chosen from just these."""
    n_base = len(trials)
    same_size = (state.n_base, len(state.kept)) == (n_base, count)
    return same_size and state.trials[:n_base] == trials and state.y[:n_base] == y


def _fit(task: Task, series: Series, trial: int, purpose: Purpose = Purpose.FIT) -> Fit:
    """A fit to all told values.

    Outputs of earlier stages are fitted on a unit interval, and their length scales kept in the units of measurements:
    so a posterior goes on as results come in, however wide they range by then.
    """
    inputs, start = series.told.inputs, series.fit.hyperparameters if series.fit is not None else None
    widths = None if task.surrogate.method == "fixed" else series.widths
    if widths is not None:
        inputs, start = inputs / widths, None if start is None else _stretched(start, 1.0 / widths)
    hyperparameters = task.surrogate.fit(
        inputs,
        series.y,
        categorical=task.categorical,
        start=start,
        rng=stream(task.seed, told_key(series), purpose),
        noise=series.noise,
        source=series.source,
        knee=task.knee,
        levels=task.domain.n_levels,
        discrepancy=None if task.fidelity is None else task.fidelity.discrepancy,
    )
    found = hyperparameters if widths is None else _stretched(hyperparameters, widths)
    return Fit(found, trial, tuple(series.told.trials.tolist()))


def _stretched(h: Hyperparameters, widths: Floats) -> Hyperparameters:
    """The same model of inputs that are multiplied by ``widths``."""
    return replace(h, lengthscale=tuple((np.array(h.lengthscale) * widths).tolist()))


def _rows(series: Series, fitted: Fit) -> list[int]:
    """Rows of the told points in the fixed order: those of the fit, then the others, each by trial."""
    in_fit = set(fitted.trials)
    row_of = {trial: row for row, trial in enumerate(series.told.trials.tolist())}
    return [row_of[trial] for trial in fitted.trials] + [row for trial, row in row_of.items() if trial not in in_fit]


def _from_fit(task: Task, series: Series, fitted: Fit) -> Fitted:
    n_base, count = _base(task, series, fitted)
    rows, inputs = _rows(series, fitted)[:n_base], series.told.inputs
    trials, y = tuple(series.told.trials[rows].tolist()), series.keys(rows)
    h = fitted.hyperparameters
    if count < n_base:
        z = _standardised(fitted, series.y[rows])  # not all of them were seen by the fit
        rows = [rows[i] for i in chosen(h.kernel(task.categorical), h.noise_var, inputs[rows], z, count)]
    kept = tuple(series.told.trials[rows].tolist())
    noise = None if series.noise is None else series.noise.take(rows)
    base = h.posterior(task.categorical, inputs[rows], series.y[rows], noise=noise, source=series.source)
    candidates, engine = task.domain.candidates, task.domain.engine
    if engine is not None or (_blockwise(task) and count > largest(_candidates(task), task.domain.memory)):
        in_blocks = block_posterior(base, _codes(task), engine)
        return Fitted(fitted, in_blocks, in_blocks, trials, y, n_base, kept)
    if candidates is None:
        return Fitted(fitted, base, base, trials, y, n_base, kept)
    everywhere = table_posterior(base, candidates)
    factor = cache(lambda: prior_factor(base.kernel, candidates))
    return Fitted(fitted, everywhere, everywhere, trials, y, n_base, kept, factor)
