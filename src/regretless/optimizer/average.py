"""The belief behind certificates, from the results of one outcome: an average over plausible hyperparameters.

It depends on what was told, in the order of the trials, and on the seed: not on what was asked, nor on whether somebody
looked before. The settings are drawn given the first so many values, as many as the schedule of fits says for their
number; each posterior has all values or, of very many, a subset.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from regretless.arrays import Floats
from regretless.gp import Drawn, PointMoments, Posterior, Settings, TablePosterior, Units, draw_settings, posterior
from regretless.gp import fitted_to as schedule
from regretless.gp.kernels import FAMILIES
from regretless.gp.priors import LENGTHSCALE
from regretless.optimizer.history import Points, Series, only
from regretless.optimizer.model import Fitted, doubt, in_reach, told_key
from regretless.optimizer.subset import chosen
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.spaces import UNLISTED
from regretless.theory import Calibration, Knee, averaged_calibration, calibration, mixture_quantile

__all__ = ["Averaged", "averaged", "seconds_of"]

#: Largest and smallest number of settings: fewer on a long table, where each costs its n N kernel values.
SETTINGS = (24, 8)
_ENTRIES = 1.2e6
#: Beyond this number of candidates one fitted setting is used.
_LONGEST = 200_000
#: Largest number of results in each posterior: fewer on a long table, where each costs n^2 N products.
_MOST = (500, 100)
_PRODUCTS = 1.25e9
#: Measured: seconds for each outcome, and for each kernel value.
_SECONDS = (0.1, 2.7e-8)
#: The values' standard deviation over that of the means of distinct rows, from which on they are not averaged.
_FAR_MORE = 2.0
#: What the values were used for before anything was drawn, in degrees of freedom: shift, scale and knee.
_UNKNOWN = 3
#: Settings that are checked against the data for the trust light.
_JUDGED = 8


@dataclass(frozen=True, slots=True)
class Averaged:
    """The posterior of one outcome under each setting; it is carried along to save time."""

    units: Units
    drawn: tuple[Drawn, ...]  # the settings; none where the model has one, as fitted or given
    posteriors: tuple[Posterior, ...]  # under each of them
    noise_vars: tuple[float, ...]  # of a measurement, under each
    told: Points  # those in the posteriors, in their order
    seen: tuple[tuple[int, ...], tuple[object, ...]]  # trials and values that the settings were drawn from
    fitted: Fitted | None = None  # where the model has one setting

    @property
    def used(self) -> int:
        """The number of results it uses."""
        return len(self.told)

    @property
    def knee(self) -> Knee | None:
        """Where values are compressed below, in the model's units."""
        if self.units.knee is None or self.units.both:
            return None
        at = float(self.units.standardised(np.array(self.units.knee)))
        return Knee(at, self.units.bend / self.units.scale)

    def inside(self, values: tuple[float, float]) -> tuple[float, float]:
        """Limits in the model's units; where there is none, none."""
        low, high = self.units.standardised(np.array(values)).tolist()
        return low if values[0] > -math.inf else -math.inf, high if values[1] < math.inf else math.inf

    def on_table(self, X: Floats, most: int | None = None) -> list[PointMoments | TablePosterior]:
        """Moments at every candidate of a list, under each setting or ``most`` of them."""
        if self.fitted is not None and self.fitted.belief.table is not None:
            return [self.fitted.belief.table]
        return self.at(self.numbered(X, np.arange(len(X))), most)

    def at(self, X: Floats, most: int | None = None) -> list[PointMoments | TablePosterior]:
        """Moments at points, numbered where they may be rows of a list."""
        H = len(self.posteriors)
        some = range(H) if most is None or most >= H else [h * H // most for h in range(most)]
        return [self.posteriors[h].on(X) for h in some]

    def numbered(self, X: Floats, index: npt.NDArray[np.intp]) -> Floats:
        """Points with the number of their row: under a row effect, what was measured in a row says more of that row."""
        if self.fitted is not None or not self.drawn[0].row_var:
            return X
        return np.column_stack([X, _numbers(X, index, self.told)])

    def mean(self, X: Floats) -> Floats:
        """The mean of the mixture, in the model's units, at points that are no rows of a list."""
        total: Floats = np.mean([each.mean(X) for each in self.posteriors], axis=0)
        return total

    def moments(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and sd under each setting, (H, m), in the model's units, at (numbered) points."""
        found = [each.mean_sd(X) for each in self.posteriors]
        return np.array([mean for mean, _ in found]), np.array([sd for _, sd in found])

    def trust(self) -> Calibration:
        """Whether the models predict their own data well."""
        H = len(self.posteriors)
        count = min(_JUDGED, H)
        return averaged_calibration([calibration(self.posteriors[h * H // count]) for h in range(count)])

    def quantile(self, p: float, means: Floats, sds: Floats) -> Floats:
        """The p-quantile of the mixture, further from the median by as much as Student's law is wider than the normal.

        Units come from the values themselves, and with few of them knee and scale are hardly known (ADR 60).
        """
        middle = mixture_quantile(0.5, means, sds)
        if p == 0.5:
            return middle
        wider = float(stdtrit(max(self.used - _UNKNOWN, 2), p) / ndtri(p))
        return middle + wider * (mixture_quantile(p, means, sds) - middle)

    def spread(self, means: Floats, sds: Floats) -> tuple[Floats, Floats]:
        """Mean and sd in the units of y, given those under each setting.

        Under one setting it is just that. Else the median, and half the width of what holds 95 % in units of 1.96: so
        mean +- 1.96 sd is as wide as that, although the tails of a mixture are long.
        """
        if not self.drawn:
            return self.units.restored(means[0], sds[0])
        low, middle, high = (self.units.restored(self.quantile(p, means, sds), 0.0)[0] for p in (0.025, 0.5, 0.975))
        return middle, (0.5 * high - 0.5 * low) / 1.959963984540054

    def expected(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and sd in the units of y, at (numbered) points: see `spread`."""
        return self.spread(*self.moments(X))


def averaged(task: Task, series: Series, state: Averaged | None) -> Averaged:
    """The belief given all results. If the user gave the model, its prior or an earlier study, that model is used.

    So does a study with fidelities: the discrepancies of its levels are those of one fit.
    """
    if not _is_open(task, series):
        fitted = doubt(task, series, None if state is None else state.fitted)
        return _as_fitted(series, fitted)
    state = None if state is None or state.fitted is not None else state
    seen = schedule(task.surrogate, len(series.y), task.domain.n_candidates or 0)
    if (series.y[:seen] == series.y[:1]).all():
        seen = len(series.y)  # equal values have no scale
    first = only(series, np.arange(seen))
    key = (tuple(first.told.trials.tolist()), first.keys(np.arange(seen)))
    if state is not None and state.seen == key and len(state.drawn[0].lengthscale) == first.told.X.shape[1]:
        units, drawn = state.units, state.drawn
    else:
        units, drawn = _draw(task, first)
    return _given(task, series, units, drawn, key)


def seconds_of(task: Task, n: int) -> float:
    """The approximate time of a certificate with n results on one core, to be announced if it is long.

    >>> from regretless.optimizer import as_task
    >>> from regretless.spaces import Table
    >>> [round(seconds_of(as_task(Table(np.random.rand(N, 2)), seed=1), 40), 1) for N in (500, 20_000)]
    [0.1, 0.6]
    """
    N = task.domain.n_candidates or 500
    n = min(n, _largest(N))
    return len(task.outcomes) * (_SECONDS[0] + _SECONDS[1] * _count(N, n) * N * n)


def _count(N: int, n: int) -> int:
    """The number of settings."""
    most, least = SETTINGS
    return min(max(int(_ENTRIES * most / (N * max(n, 1))), least), most)


def _largest(N: int) -> int:
    """How many results each posterior rests on at the most."""
    most, least = _MOST
    return min(max(int(math.sqrt(_PRODUCTS / N)), least), most)


def _is_open(task: Task, series: Series) -> bool:
    """Whether hyperparameters are left to the data, under the prior of the package, on a list that is not too long."""
    given = task.surrogate
    return (
        given.method == "map"
        and given.lengthscale_prior == LENGTHSCALE
        and given.standardize
        and given.signal_var is None
        and series.source is None
        and task.fidelity is None
        and task.domain.engine is None
        and (task.domain.n_candidates or 0) <= _LONGEST
    )


def _as_fitted(series: Series, fitted: Fitted) -> Averaged:
    h, belief = fitted.fit.hyperparameters, fitted.belief.posterior
    told = series.told[np.searchsorted(series.told.trials, sorted(fitted.used))]
    return Averaged(h.units, (), (belief,), (h.noise_var,), told, ((), ()), fitted)


def _draw(task: Task, first: Series) -> tuple[Units, tuple[Drawn, ...]]:
    """Units and settings given the first values."""
    given, widths, y = task.surrogate, first.widths, first.y
    X = first.told.X if widths is None else first.told.X / widths
    rows = _rows(X)
    if task.knee is not None:
        units = Units.around(y, task.knee, first=2 * X.shape[1] + 2)
    else:
        units = Units.of(_of_rows(y, rows), compress=given.compress)
    settings = Settings(
        task.categorical,
        families=FAMILIES if given.kernel == "auto" else (given.kernel,),
        mean_var=1.0 if given.fit_mean else 0.0,
        noise_var=given.noise_var,
        row_effect=given.noise_var is None and task.domain.n_candidates is not None,
    )
    noise = None if first.noise is None else first.noise.scaled(units.slope(y))
    count = _count(task.domain.n_candidates or 1, len(y))
    rng = stream(task.seed, told_key(first), Purpose.CAUTION)
    z = in_reach(units, y, len(y))
    drawn = draw_settings(settings, X, z, rows, count=count, rng=rng, noise=noise)
    return units, drawn if widths is None else tuple(each.stretched(widths) for each in drawn)


def _given(
    task: Task, series: Series, units: Units, drawn: tuple[Drawn, ...], key: tuple[tuple[int, ...], tuple[object, ...]]
) -> Averaged:
    """The posteriors given all values, or a subset of very many."""
    z = in_reach(units, series.y, len(key[0]))
    n, limit = len(z), _largest(task.domain.n_candidates or 1)
    told, noise = series.told, None if series.noise is None else series.noise.scaled(units.slope(series.y))
    if n > limit:
        kernel = drawn[0].kernel(task.categorical)
        some = chosen(kernel, drawn[0].noise_var, told.X, z, limit)
        told, z, noise = told[some], z[some], None if noise is None else noise.take(some)
    X = told.X
    if drawn[0].row_var:
        X = np.column_stack([X, _numbers(X, told.index, told)])
    posteriors = tuple(
        posterior(
            h.kernel(task.categorical),
            noise_var=h.noise_var,
            X=X,
            y=z,
            noise_vars=None if noise is None else noise.variances(h.noise_var),
        )
        for h in drawn
    )
    return Averaged(units, drawn, posteriors, tuple(h.noise_var for h in drawn), told, key)


def _of_rows(y: Floats, rows: npt.NDArray[np.intp]) -> Floats:
    """The mean of each distinct row: repeats of one row would otherwise set knee and scale.

    The values themselves, where those of one row differ far more than the rows do: then the scale is that of the noise.
    """
    size = float(np.abs(y).max()) or 1.0
    z = y / size
    means = np.bincount(rows, weights=z / np.bincount(rows)[rows]).astype(np.float64)
    return means * size if z.std() <= _FAR_MORE * means.std() else y


def _rows(X: Floats) -> npt.NDArray[np.intp]:
    """Numbers of the rows of X, the same for equal ones."""
    return np.unique(X, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)


def _numbers(X: Floats, index: npt.NDArray[np.intp], told: Points) -> Floats:
    """Those of candidates; what is no candidate has one of its own, which equal points that were told share."""
    numbers = index.astype(np.float64)
    outside = np.flatnonzero(index == UNLISTED)
    if len(outside):
        others = told.X[told.index == UNLISTED]
        known = {row.tobytes(): -2.0 - k for k, row in reversed(list(enumerate(others)))}
        fresh = -2.0 - len(others)
        numbers[outside] = [known.get(X[i].tobytes(), fresh - k) for k, i in enumerate(outside)]
    return numbers
