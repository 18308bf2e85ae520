"""`scipy_minimize`, called as SciPy's global optimisers are and returning what they return."""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, OptimizeResult

from regretless.arrays import Floats, as_whole, show
from regretless.errors import Exhausted, InvalidInput, NumericalError
from regretless.optimizer import Certified, Regret
from regretless.spaces import Fixed, Float, Int, Mixed
from regretless.study import Study, Trial

__all__ = ["scipy_minimize"]

Constraint: TypeAlias = LinearConstraint | NonlinearConstraint | Bounds
#: An evaluation of several points: ``map`` and whatever is called like it.
Map: TypeAlias = Callable[[Callable[[Floats], Any], Iterable[Floats]], Iterable[Any]]


def scipy_minimize(
    fun: Callable[..., Any],
    bounds: Any,
    args: tuple[Any, ...] = (),
    *,
    maxfun: int = 100,
    rng: Any = None,
    callback: Callable[..., Any] | None = None,
    workers: int | Map = 1,
    constraints: Constraint | Sequence[Constraint] = (),
    x0: Any = None,
    integrality: Any = None,
    stop_when: Regret | None = None,
    seed: Any = None,
    **settings: Any,
) -> OptimizeResult:
    """Minimise an expensive function of an array, called as ``scipy.optimize.differential_evolution`` is.

    Parameters
    ----------
    fun
        ``fun(x, *args)``, a number. NaN or an infinity is a failed evaluation, which suggestions keep away from; an
        exception is raised.
    bounds
        Pairs ``(low, high)``, or ``Bounds``; all finite. Equal ones fix a variable.
    args
        Further arguments of ``fun``.
    maxfun
        How many evaluations; the one of ``x0`` counts.
    rng, seed
        A whole number, a NumPy generator, or None. Same number, same points, whatever the workers.
    callback
        Called after each batch: ``callback(intermediate_result)`` if its parameter has this name, else ``callback(x)``
        or ``callback(x, convergence)`` with the best point so far and the share of ``maxfun`` that is spent. True, or
        ``StopIteration``, ends the run.
    workers
        How many processes evaluate at a time, -1 for as many as there are processors; or a function called like
        ``map``, such as ``pool.map``. So many points are chosen at a time.
    constraints
        ``LinearConstraint``, ``NonlinearConstraint`` (a cheap function of x) or ``Bounds``, one or several. All points
        satisfy them. Nonlinear equations are refused.
    x0
        A point to begin with.
    integrality
        For each variable, or for all, whether it is a whole number.
    stop_when
        A `regretless.Regret`: stop when little enough regret is left.
    **settings
        Of `regretless.Study`, such as ``rule`` or ``n_initial``.

    Returns
    -------
    OptimizeResult
        ``x``, ``fun``, ``nfev``, ``nit``, ``message``, ``success`` (whether anything was measured) and ``status``: 0
        where ``stop_when`` was met, 1 where ``maxfun`` was spent, 2 where the callback ended the run, 3 where nothing
        was left to try. Beyond SciPy's: ``recommended``, where the posterior mean is lowest, its ``certificate``, and
        the ``study``.

    Examples
    --------
    >>> bowl = lambda x, a: (x[0] - a) ** 2 + x[1] ** 2
    >>> result = scipy_minimize(bowl, [(-1, 1), (-1, 1)], args=(0.3,), maxfun=25, rng=1)
    >>> bool(abs(result.x[0] - 0.3) < 0.05), result.nfev
    (True, 25)
    """
    if rng is not None and seed is not None:
        raise InvalidInput("give either rng or seed: they are two names of one thing.")
    space = _space(bounds, integrality, constraints)
    study = Study(space, direction="minimize", seed=_seed(rng if seed is None else seed), **settings)
    start = None if x0 is None else _start(x0, space)
    with _mapping(workers) as (mapped, size):
        run = _Run(study, partial(_value, fun, args), mapped, size, as_whole(maxfun, "maxfun", least=1))
        status, left = run.go(start, _heard(callback), stop_when)
        return run.result(status, left)


@dataclass(slots=True)
class _Run:
    """Ask for a batch, evaluate it, tell; until something ends it."""

    study: Study
    value: Callable[[Floats], float]
    mapped: Map
    size: int
    most: int
    nfev: int = 0
    nit: int = 0

    def go(
        self, start: dict[str, Any] | None, callback: Callable[[OptimizeResult, float], bool], when: Regret | None
    ) -> tuple[int, Certified | None]:
        """Why it ended, and by which certificate."""
        if start is not None:
            value = next(iter(self.mapped(self.value, [_array(start)])))
            self._told(lambda **told: self.study.add(start, **told), value)
        while self.nfev < self.most:
            try:
                batch = self.study.ask(min(self.size, self.most - self.nfev))
            except Exhausted:
                return 3, None
            values = list(self.mapped(self.value, [_array(trial.params) for trial in batch]))
            for trial, value in zip(batch, values, strict=True):
                self._told(partial(self.study.tell, trial), value)
            self.nit += 1
            if when is not None and (left := self.study.should_stop(when)) is not None:
                return 0, left
            if callback(self._best(), self.nfev / self.most):
                return 2, None
        return 1, None

    def _told(self, tell: Callable[..., Trial], value: float) -> None:
        self.nfev += 1
        if np.isfinite(value):
            tell(value=value)
        else:
            tell(failed=True)

    def _best(self) -> OptimizeResult:
        best = self.study.best
        x = np.full(len(self.study.space.names), np.nan) if best is None else _array(best.params)
        value = np.nan if best is None else best.value
        return OptimizeResult(x=x, fun=value, nfev=self.nfev, nit=self.nit)

    def result(self, status: int, left: Certified | None) -> OptimizeResult:
        """What SciPy's optimisers return, and what they do not."""
        success, recommended, certificate = self.study.best is not None, None, left
        if success:
            recommended = _array(self.study.recommend().params)
            try:
                certificate = certificate or self.study.certificate()
            except NumericalError:  # values such as 1e300
                certificate = None
        said = {
            0: "" if left is None else left.sentence,
            1: f"maxfun={self.most} evaluations were made.",
            2: "The callback ended the run.",
            3: "Every point was tried.",
        }
        message = said[status] if success else f"No evaluation gave a number. {said[status]}"
        more = {"recommended": recommended, "certificate": certificate, "study": self.study}
        return OptimizeResult(self._best(), status=status, success=success, message=message, **more)


def _value(fun: Callable[..., Any], args: tuple[Any, ...], x: Floats) -> float:
    returned = np.asarray(fun(x, *args))
    if returned.size != 1 or returned.dtype.kind not in "biuf":
        raise InvalidInput(f"fun must return a number, got {show(returned)}.")
    return float(returned.reshape(()))


def _array(params: Any) -> Floats:
    return np.array(list(params.values()), dtype=np.float64)


# The arguments as a study takes them ---------------------------------------------------------------------------------


def _space(bounds: Any, integrality: Any, constraints: Any) -> Mixed:
    low, high = _ends(bounds)
    whole = np.broadcast_to(np.asarray(False if integrality is None else integrality, dtype=bool), low.shape)
    sides = {f"x{j}": _side(*side) for j, side in enumerate(zip(low, high, whole, strict=True))}
    several = [constraints] if isinstance(constraints, Constraint) else list(constraints)
    return Mixed(sides, constraints=[each for one in several for each in _constraints(one, list(sides))])


def _ends(bounds: Any) -> tuple[Floats, Floats]:
    if isinstance(bounds, Bounds):
        low, high = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
    else:
        pairs = np.array([[np.nan if end is None else end for end in pair] for pair in bounds], dtype=np.float64)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InvalidInput(f"bounds must be pairs (low, high), one for each variable, got {show(bounds)}.")
        low, high = pairs.T
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise InvalidInput("bounds must be finite numbers: without them there is nothing to model.")
    return low, high


def _side(low: float, high: float, whole: bool) -> Float | Int | Fixed:
    if whole:
        low, high = np.ceil(low), np.floor(high)
        return Fixed(int(low)) if low == high else Int(int(low), int(high))
    return Fixed(float(low)) if low == high else Float(float(low), float(high))


def _constraints(given: Any, names: list[str]) -> list[Any]:
    """Linear ones as text, whose faces the search knows; others as a function that is not negative where they hold."""
    if isinstance(given, LinearConstraint):
        A = given.A.toarray() if hasattr(given.A, "toarray") else given.A
        return _linear(np.atleast_2d(np.asarray(A, dtype=np.float64)), given.lb, given.ub, names)
    if isinstance(given, Bounds):
        return _linear(np.eye(len(names)), given.lb, given.ub, names)
    if isinstance(given, NonlinearConstraint):
        if np.any(np.equal(given.lb, given.ub)):
            raise InvalidInput(
                "a NonlinearConstraint with lb equal to ub is an equation, which no point that is drawn satisfies. "
                "Allow a tolerance, or solve it for one of the variables."
            )
        return [partial(_slack, given.fun, np.asarray(given.lb, float), np.asarray(given.ub, float))]
    raise InvalidInput(f"constraints must be LinearConstraint, NonlinearConstraint or Bounds, got {show(given)}.")


def _linear(A: Floats, lb: Any, ub: Any, names: list[str]) -> list[str]:
    if A.shape[1] != len(names):
        raise InvalidInput(
            f"the matrix of a LinearConstraint has {A.shape[1]} columns, there are {len(names)} variables."
        )
    low, high = (np.broadcast_to(np.asarray(end, dtype=np.float64), len(A)) for end in (lb, ub))
    texts = []
    for row, least, most in zip(A.tolist(), low.tolist(), high.tolist(), strict=True):
        total = " + ".join(f"({a!r})*{name}" for a, name in zip(row, names, strict=True) if a)
        if not total:
            continue
        if least == most:
            texts.append(f"{total} == {least!r}")
        else:
            wanted = ((">=", least), ("<=", most))
            texts += [f"{total} {sense} {end!r}" for sense, end in wanted if np.isfinite(end)]
    return texts


def _slack(fun: Callable[[Floats], Any], lb: Floats, ub: Floats, params: dict[str, Any]) -> float:
    g = np.atleast_1d(np.asarray(fun(_array(params)), dtype=np.float64))
    slack = np.minimum(g - lb, ub - g).min()
    return float(slack) if np.isfinite(slack) else (1.0 if slack > 0.0 else -1.0)


def _start(x0: Any, space: Mixed) -> dict[str, Any]:
    x = np.asarray(x0, dtype=np.float64)
    if x.shape != (len(space.names),):
        raise InvalidInput(f"x0 must have one number for each of {len(space.names)} variables, got {show(x0)}.")
    try:
        return dict(space.check(dict(zip(space.names, x.tolist(), strict=True))))
    except InvalidInput as error:
        raise InvalidInput(f"x0 is not a point that may be tried: {error}") from None


def _seed(rng: Any) -> int | None:
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if isinstance(rng, np.random.RandomState):
        return int(rng.randint(2**31 - 1))
    return None if rng is None else int(rng)


def _heard(callback: Callable[..., Any] | None) -> Callable[[OptimizeResult, float], bool]:
    """The callback, called with what its parameters ask for; True ends the run."""
    if callback is None:
        return lambda _best, _share: False
    names = list(inspect.signature(callback).parameters)

    def heard(best: OptimizeResult, share: float) -> bool:
        try:
            if names == ["intermediate_result"]:
                return callback(intermediate_result=best) is True
            return (callback(best.x) if len(names) == 1 else callback(best.x, share)) is True
        except StopIteration:
            return True

    return heard


@contextmanager
def _mapping(workers: Any) -> Iterator[tuple[Map, int]]:
    """A function called like map, and how many points to give it at a time."""
    if callable(workers):
        pool = getattr(workers, "__self__", None)  # of a bound method, such as pool.map
        size = getattr(pool, "_max_workers", None) or getattr(pool, "_processes", None) or os.cpu_count() or 1
        yield workers, 1 if workers is map else int(size)
        return
    count = as_whole(os.cpu_count() or 1 if workers == -1 else workers, "workers", least=1)
    if count == 1:
        yield map, 1
        return
    with ProcessPoolExecutor(count) as executor:
        yield executor.map, count
