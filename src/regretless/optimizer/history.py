"""The history that a suggestion is made from, as arrays in the order of trial numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp import (
    Additive,
    Discrepancy,
    Hyperparameters,
    LevelDiscrepancy,
    Noise,
    Source,
    TruncatedDiscrepancy,
    Units,
)
from regretless.optimizer.network import Wire
from regretless.optimizer.task import Task
from regretless.spaces import UNLISTED, Place

__all__ = [
    "FAILED",
    "PENDING",
    "TOLD",
    "Fit",
    "History",
    "Points",
    "Row",
    "Series",
    "fit_from_data",
    "fit_to_data",
    "history_of",
    "hyperparameters_to_data",
    "only",
    "source_from_data",
    "source_to_data",
    "without_last",
]

#: What an outcome of a trial is: not there yet, measured, or never to come.
PENDING, TOLD, FAILED = range(3)
#: What of stored hyperparameters belongs to the units.
_OF_UNITS = frozenset(part.name for part in fields(Units))
#: Outputs that differ by less than this share of their size are one.
_SPAN = 1e-9
#: Outputs that are all smaller than this are taken for zero: squares of such length scales would underflow.
_LEAST = 1e-100


@dataclass(frozen=True, slots=True)
class Points:
    """Encoded points with their trial numbers, ascending.

    ``index`` holds the candidates' numbers, `UNLISTED` for what is not in a list. Points that are not ``inside`` are
    not candidates: they are data and no more. ``context`` has the codes of a parameter that the search does not choose,
    (n, 1) or wider; None where there is none.
    """

    trials: npt.NDArray[np.intp]
    X: Floats
    index: npt.NDArray[np.intp]
    inside: npt.NDArray[np.bool_]
    context: Floats | None = None

    def __len__(self) -> int:
        return len(self.trials)

    def __getitem__(self, which: Any) -> "Points":
        context = None if self.context is None else self.context[which]
        return Points(self.trials[which], self.X[which], self.index[which], self.inside[which], context)

    @property
    def inputs(self) -> Floats:
        """What the model sees: the codes of the points, and behind them those of the context."""
        return self.X if self.context is None else np.hstack([self.X, self.context])

    @property
    def at_target(self) -> npt.NDArray[np.bool_]:
        """Which points are measured at the target, where the codes of a fidelity are 0."""
        if self.context is None:
            return np.ones(len(self), dtype=np.bool_)
        return np.asarray((self.context == 0.0).all(axis=1))

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """The numbers of those that are in a list of candidates."""
        rows: npt.NDArray[np.intp] = self.index[self.index != UNLISTED]
        return rows


@dataclass(frozen=True, slots=True)
class Fit:
    """Hyperparameters, the trial whose suggestion asked for them, and the told trials they were fitted to."""

    hyperparameters: Hyperparameters
    at_trial: int
    trials: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One outcome of every trial: all that its model depends on."""

    told: Points
    y: Floats  # value of each told point, as it is maximised
    pending: Points
    failed: Points
    fit: Fit | None  # the newest
    noise: Noise | None = None  # what is known of the noise of each told value
    source: Source | None = None  # data of an earlier study
    n_outputs: int = 0  # the last so many columns of all points are outputs of earlier stages, as they are measured

    @property
    def widths(self) -> Floats | None:
        """What each column of a stage is divided by for a fit, whose priors are those of the unit cube.

        An output is divided by its range; None where no column is an output.
        """
        if not self.n_outputs:
            return None
        widths, outputs = np.ones(self.told.X.shape[1]), self.told.X[:, -self.n_outputs :]
        if len(outputs):
            span, largest = np.ptp(outputs, axis=0), np.abs(outputs).max(axis=0)
            widths[-self.n_outputs :] = np.where(
                (span > _SPAN * largest) & (largest > _LEAST), span, np.where(largest > _LEAST, largest, 1.0)
            )
        return widths

    def keys(self, rows: Any) -> tuple[Any, ...]:
        """What distinguishes some of the told values: the value, and what is known of its noise.

        Of a stage also its inputs, which somebody may have corrected since.
        """
        if self.n_outputs:
            inputs = map(tuple, self.told.X[rows].tolist())
            return tuple(zip(replace(self, n_outputs=0).keys(rows), inputs, strict=True))
        y = self.y[rows].tolist()
        if self.noise is None:
            return tuple(y)
        known = self.noise.take(rows)
        return tuple(zip(y, known.sd.tolist(), known.count.tolist(), known.spread.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class History:
    """Everything a suggestion depends on, apart from the task: n trials with m outcomes each."""

    points: Points  # of every trial that counts
    status: npt.NDArray[np.int8]  # (n, m): PENDING, TOLD or FAILED
    Y: Floats  # (n, m), as maximised; NaN where not told
    n_designed: int  # suggestions of the initial design so far
    n_ruled: int  # suggestions of the rule so far: the paper's t is one more
    fits: tuple[Fit | None, ...]  # the newest of each outcome
    excluded: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))  # candidates, by number
    noise: tuple[Noise | None, ...] = ()  # of each outcome, n entries; empty where nothing is known
    sources: tuple[Source | None, ...] = ()  # data of an earlier study, of each outcome; empty where there are none
    reference: tuple[float, ...] | None = None  # of several objectives, once it was fixed
    wires: tuple[Wire | None, ...] = ()  # what the model of each outcome sees, where that is not the point
    _series: dict[int, Series] = field(init=False, default_factory=dict, repr=False, compare=False)  # as asked for

    def series(self, outcome: int = 0) -> Series:
        """One outcome of every trial."""
        if outcome not in self._series:
            wire = self.wires[outcome] if self.wires else None
            series = self._series_of(outcome)
            self._series[outcome] = series if wire is None else self.of_stage(series, wire, self.Y)
        return self._series[outcome]

    def of_stage(self, series: Series, wire: Wire, Y: Floats) -> Series:
        """The series of a stage, with its own inputs: those that are outputs are columns of Y, a row for each trial.

        A result without one of them says nothing; one that is still to come has NaN there.
        """

        def seen(points: Points) -> Points:
            rows = np.searchsorted(self.points.trials, points.trials)
            return replace(points, X=np.hstack([points.X[:, wire.columns], Y[rows][:, wire.outcomes]]))

        told = seen(series.told)
        known = np.flatnonzero(~np.isnan(told.X).any(axis=1))
        noise = None if series.noise is None else series.noise.take(known)
        return replace(
            series,
            told=told[known],
            y=series.y[known],
            noise=noise,
            pending=seen(series.pending),
            failed=seen(series.failed),
            n_outputs=len(wire.outcomes),
        )

    def _series_of(self, outcome: int) -> Series:
        status = self.status[:, outcome]
        told = status == TOLD
        known = self.noise[outcome] if self.noise else None
        whole = bool(told.all())
        return Series(
            told=self.points if whole else self.points[told],
            y=self.Y[told, outcome],
            pending=self.points[:0] if whole else self.points[status == PENDING],
            failed=self.points[:0] if whole else self.points[status == FAILED],
            fit=self.fits[outcome],
            noise=known.take(np.flatnonzero(told)) if known is not None else None,
            source=self.sources[outcome] if self.sources else None,
        )

    def whole(self, task: Task) -> Floats:
        """The objectives of trials of which all were measured, as maximised: (n, K)."""
        K = len(task.objectives)
        return self.Y[(self.status[:, :K] == TOLD).all(axis=1), :K]

    @property
    def told(self) -> Points:
        """Trials with some measured outcome and none pending."""
        if len(self.fits) == 1:
            return self.series().told
        return self.points[~self._waits & (self.status == TOLD).any(axis=1)]

    @property
    def pending(self) -> Points:
        """Trials with a pending outcome."""
        if len(self.fits) == 1:
            return self.series().pending
        return self.points[self._waits]

    @property
    def failed(self) -> Points:
        """Trials without any measured outcome."""
        if len(self.fits) == 1:
            return self.series().failed
        return self.points[(self.status == FAILED).all(axis=1)]

    @property
    def _waits(self) -> npt.NDArray[np.bool_]:
        waits: npt.NDArray[np.bool_] = (self.status == PENDING).any(axis=1)
        return waits

    def allowed(self, n_candidates: int) -> npt.NDArray[np.bool_]:
        """Which candidates of a list are not excluded."""
        allowed = np.ones(n_candidates, dtype=np.bool_)
        allowed[self.excluded] = False
        return allowed


@dataclass(frozen=True, slots=True)
class Row:
    """One trial as a host keeps it: parameters, and the value of each outcome that was measured, by name.

    An outcome that is not named is pending while the trial is ``running``, and failed otherwise. ``number`` is for a
    host that leaves some of its trials out; else a row's number is its position. A host may find the `Place` of the
    parameters once and keep it in their place.
    """

    params: Mapping[str, Any] | Place
    values: Mapping[str, float] = field(default_factory=dict)
    running: bool = False
    source: str = "rule"
    number: int | None = None


def history_of(
    task: Task,
    rows: Iterable[Row],
    fits: tuple[Fit | None, ...] | None = None,
    reference: tuple[float, ...] | None = None,
) -> History:
    """The history of trials that a host keeps, in the order of their numbers, in the user's units.

    ``fits`` and ``reference`` are the newest that a suggestion came with: a host that keeps them goes on as a study
    does.

    >>> from regretless.optimizer import as_task
    >>> from regretless.spaces import as_space
    >>> task = as_task(as_space({"x": (0.0, 1.0)}), seed=1)
    >>> history = history_of(task, [Row({"x": 0.5}, {"value": 2.0}), Row({"x": 0.1}, running=True)])
    >>> history.series().y, len(history.pending)
    (array([2.]), 1)
    """
    rows = list(rows)
    places = [row.params if isinstance(row.params, Place) else task.place(row.params) for row in rows]
    n, m, width = len(rows), len(task.outcomes), task.context_width
    status, Y = np.full((n, m), FAILED, dtype=np.int8), np.full((n, m), np.nan)
    for i, row in enumerate(rows):
        for k, outcome in enumerate(task.outcomes):
            if outcome.name in row.values:
                status[i, k], Y[i, k] = TOLD, outcome.inward(row.values[outcome.name])
            elif row.running:
                status[i, k] = PENDING
    return History(
        points=Points(
            trials=np.array([i if row.number is None else row.number for i, row in enumerate(rows)], dtype=np.intp),
            X=np.array([place.x for place in places], dtype=np.float64).reshape(n, task.domain.dim),
            index=np.array([UNLISTED if p.index is None else p.index for p in places], dtype=np.intp),
            inside=np.array([place.inside for place in places], dtype=np.bool_),
            context=np.array([p.context for p in places], dtype=np.float64).reshape(n, width) if width else None,
        ),
        status=status,
        Y=Y,
        n_designed=sum(row.source == "design" for row in rows),
        n_ruled=sum(row.source == "rule" for row in rows),
        fits=(None,) * m if fits is None else fits,
        reference=reference,
        wires=task.wires,
    )


def only(series: Series, rows: npt.NDArray[np.intp]) -> Series:
    """The series with these rows of what was told, ascending, and no others."""
    noise = None if series.noise is None else series.noise.take(rows)
    return replace(series, told=series.told[rows], y=series.y[rows], noise=noise)


def without_last(history: History, count: int) -> History:
    """The history without the last ``count`` told trials, as if they were pending."""
    told = np.flatnonzero((history.status == TOLD).any(axis=1))
    kept = np.ones(len(history.points), dtype=np.bool_)
    kept[told[len(told) - count :]] = False
    rows = np.flatnonzero(kept)
    noise = tuple(None if known is None else known.take(rows) for known in history.noise)
    return replace(history, points=history.points[kept], status=history.status[kept], Y=history.Y[kept], noise=noise)


def fit_to_data(fit: Fit | None, *, new: bool) -> dict[str, Any] | None:
    """A fit for the record: in full when it is new, with the trials it saw as ranges, else by its number alone.

    >>> fit_to_data(Fit(Hyperparameters("rbf", (0.5,), 1.0, 0.1), 4, (0, 1, 3)), new=True)["trials"]
    [[0, 1], [3, 3]]
    """
    if fit is None:
        return None
    if not new:
        return {"at_trial": fit.at_trial}
    ranges: list[list[int]] = []
    for number in fit.trials:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return {
        "hyperparameters": hyperparameters_to_data(fit.hyperparameters),
        "at_trial": fit.at_trial,
        "trials": ranges,
    }


def fit_from_data(data: Mapping[str, Any] | None, newest: Fit | None = None) -> Fit | None:
    """Decode a fit; one that is stored by its number alone is the newest.

    >>> fit = Fit(Hyperparameters("rbf", (0.5,), 1.0, 0.1), 4, (0, 1, 3))
    >>> fit_from_data(fit_to_data(fit, new=True)) == fit
    True
    """
    if data is None:
        return None
    if "trials" not in data:
        return newest
    trials = tuple(number for first, last in data["trials"] for number in range(first, last + 1))
    return Fit(_hyperparameters(data["hyperparameters"]), data["at_trial"], trials)


def source_to_data(source: Source) -> dict[str, Any]:
    """Data of an earlier study as plain JSON.

    >>> h = Hyperparameters("rbf", (0.5,), 1.0, 0.1)
    >>> source = h.as_source(np.array([[0.0], [1.0]]), np.array([1.0, 2.0]))
    >>> source_from_data(source_to_data(source)).z.tolist()
    [1.0, 2.0]
    """
    arrays = {name: getattr(source, name).tolist() for name in ("X", "z", "noise_vars", "log_theta")}
    return {**arrays, "family": source.family, "units": asdict(source.units)}


def source_from_data(data: Mapping[str, Any]) -> Source:
    """Decode data of an earlier study."""
    arrays = {name: np.array(data[name], dtype=np.float64) for name in ("X", "z", "noise_vars", "log_theta")}
    return Source(**arrays, family=data["family"], units=Units(**data["units"]))


def hyperparameters_to_data(h: Hyperparameters | Additive) -> dict[str, Any]:
    """Hyperparameters as plain JSON; an additive model has a variance per column."""
    if isinstance(h, Additive):
        return {
            "family": "additive matern52",
            "lengthscale": h.lengthscale,
            "signal_var": h.signal_var,
            "noise_var": h.noise_var,
            "shift": h.units.shift,
            "scale": h.units.scale,
        }
    return {
        "family": h.family,
        "lengthscale": h.lengthscale,
        "signal_var": h.signal_var,
        "noise_var": h.noise_var,
        "shift": h.units.shift,
        "scale": h.units.scale,
        "knee": h.units.knee,
        "bend": h.units.bend,
        **({"both": True} if h.units.both else {}),
        **({"rho": h.rho} if h.rho else {}),
        **({} if h.discrepancy is None else _of_levels(h)),
    }


def _of_levels(h: Hyperparameters) -> dict[str, Any]:
    assert h.discrepancy is not None
    said = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(h.discrepancy).items()}  # as JSON has it
    return {"discrepancy": said, "offset": h.offset, "level_noise_var": h.level_noise_var}


def _discrepancy(data: Mapping[str, Any]) -> Discrepancy:
    return LevelDiscrepancy(tuple(data["variances"])) if "variances" in data else TruncatedDiscrepancy(**data)


def _hyperparameters(data: Mapping[str, Any]) -> Hyperparameters:
    """Records of before there was a knee do not name one."""
    units = Units(**{name: value for name, value in data.items() if name in _OF_UNITS})
    rest = {name: value for name, value in data.items() if name not in _OF_UNITS}
    if "discrepancy" in rest:
        rest["discrepancy"] = _discrepancy(rest["discrepancy"])
    return Hyperparameters(**{**rest, "lengthscale": tuple(rest["lengthscale"]), "units": units})
