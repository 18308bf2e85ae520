"""Excursions: exploring steps under a survey model of the whole space or, if the function is a sum, per column."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from regretless.acquisition import IRGPUCB, Rule
from regretless.arrays import Floats
from regretless.errors import NumericalError
from regretless.gp import Additive, AdditivePosterior, additive_setting, is_one_hill, left_out_density
from regretless.optimizer.history import History, Series, only
from regretless.optimizer.model import explore
from regretless.optimizer.purchase import alike
from regretless.optimizer.state import State, Verdict, with_survey
from regretless.optimizer.task import Task
from regretless.spaces import Mixed

__all__ = ["Excursion", "by_columns", "excursion", "with_verdict"]

#: By how much the log density of left-out values must be higher for a sum to be believed: of few values a wrong model
#: is better by chance (ADR 90).
_CLEARLY = 6.0
#: Beyond so many points nothing is asked of the columns: every step would take them all.
_MOST = 500
#: Results until a sum is considered again: at the least, and as a share of those there were.
_LEAST, _SHARE = 3, 4


@dataclass(frozen=True, slots=True)
class Excursion:
    """An exploring step: its rule under the survey model, or under a sum of functions of one column each."""

    rule: Rule
    columns: AdditivePosterior | None = None


def excursion(task: Task, history: History, state: State) -> tuple[Excursion | None, State]:
    """The next step if it is an excursion, and the state with the models it needed.

    One is due, and what was told is a sum of functions of the columns, or does not look like one hill. A list of
    candidates is searched by one model: its theorem is about that, and tables gain nothing (ADR 55).
    """
    rule, series = task.rule, history.series()
    if not isinstance(rule, IRGPUCB) or task.domain.n_candidates is not None or task.surrogate.survey() is None:
        return None, state
    due = rule.excursion(history.n_ruled + 1)
    if due is None or not len(series.y):
        return None, state
    if rule.additive and _may_be_a_sum(task, series):
        state = with_verdict(task, series, state)
        if state.verdict is not None and state.verdict.setting is not None:
            columns = _imagined(task, series, state.verdict.setting)
            return Excursion(rule.by_columns(history.n_ruled + 1), columns), state
    one = alike(task, series)
    if is_one_hill(one.told.X, one.y, task.categorical):
        return None, state
    return Excursion(due), with_survey(task, history, state)


def by_columns(columns: AdditivePosterior, zeta: float) -> Callable[[int, Floats], Floats]:
    r"""The upper bound of each column: Add-GP-UCB (Kandasamy, Schneider and Póczos 2015) with a random parameter.

    .. math:: \mu_j(x_j) + \sqrt{2 \zeta / d} \, \sigma_j(x_j)

    The standard deviations of d parts that are known equally well add up to :math:`\sqrt d` times that of their sum.
    """
    root = math.sqrt(2.0 * zeta / columns.X.shape[1])

    def score(j: int, codes: Floats) -> Floats:
        mean, sd = columns.part(j, codes)
        return mean + root * sd

    return score


def _may_be_a_sum(task: Task, series: Series) -> bool:
    """Whether it is asked: with constraints of the space, known noise, an earlier study or levels it is not."""
    free = isinstance(task.domain, Mixed) and task.domain.region is None and task.domain.dim > 1
    points = len(series.told) + len(series.pending) + len(series.failed)
    plain = series.noise is None and series.source is None and task.fidelity is None
    return free and plain and points <= _MOST


def with_verdict(task: Task, series: Series, state: State) -> State:
    """The state with the verdict whether a sum explains the first values clearly better than the survey model does.

    It depends on these values alone.
    """
    first = only(series, np.arange(_considered(len(series.y))))
    trials, y = tuple(first.told.trials.tolist()), tuple(first.y.tolist())
    if state.verdict is not None and (state.verdict.trials, state.verdict.y) == (trials, y):
        return state
    try:
        setting = additive_setting(first.told.X, first.y, task.categorical)
        columns = setting.posterior(task.categorical, first.told.X, first.y)
        survey = explore(task, first, state.survey)
        of_sum = columns.left_out_density() - len(y) * math.log(setting.units.scale)
        slopes = survey.fit.hyperparameters.units.slope(first.y)
        of_survey = left_out_density(survey.belief.posterior)
        of_survey += float(np.log(np.maximum(slopes, np.finfo(np.float64).tiny)).sum())
    except NumericalError:
        return replace(state, verdict=Verdict(trials, y, None))
    verdict = Verdict(trials, y, setting if of_sum >= of_survey + _CLEARLY else None)
    return replace(state, verdict=verdict, survey=survey)


def _considered(n: int) -> int:
    """On how many of n results the newest verdict rests.

    >>> [_considered(n) for n in (1, 3, 4, 6, 16, 19, 20, 100)]
    [1, 1, 4, 4, 16, 16, 20, 90]
    """
    seen = min(n, 1)
    while seen and seen + max(_LEAST, seen // _SHARE) <= n:
        seen += max(_LEAST, seen // _SHARE)
    return seen


def _imagined(task: Task, series: Series, setting: Additive) -> AdditivePosterior:
    """The posterior for choosing: pending points at their mean, failed ones no better than a poor value.

    As `regretless.optimizer.model.imagine` does it.
    """
    told = setting.posterior(task.categorical, series.told.X, series.y)
    if not len(series.pending) and not len(series.failed):
        return told
    poor = float(np.quantile(told.z, 0.25))
    at_failed = np.minimum(told.mean_sd(series.failed.X)[0], poor)
    z = np.concatenate([told.mean_sd(series.pending.X)[0], at_failed])
    return told.with_points(np.vstack([series.pending.X, series.failed.X]), z)
