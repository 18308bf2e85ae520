"""A function, a space, a number of trials: the loop around ask and tell."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.acquisition import Rule
from regretless.arrays import as_measurement, show
from regretless.errors import Exhausted, InvalidInput
from regretless.gp import Surrogate
from regretless.optimizer import Preset
from regretless.spaces import Repeats
from regretless.study.certificate import Regret, RemainingRegret, check_stop
from regretless.study.progress import progress_bar
from regretless.study.study import Study
from regretless.study.trial import Recommendation, Trial

__all__ = ["Result", "evaluations", "maximize", "minimize", "run"]


@dataclass(frozen=True, slots=True)
class Result:
    """What an optimisation found; ``x``, ``fun``, ``nfev``, ``message`` and ``success`` read as in SciPy."""

    study: Study
    message: str
    stopped_by: RemainingRegret | None = None  # the certificate that ended the run, where one did

    @property
    def best(self) -> Trial | None:
        """The trial with the best measured value; None if every trial failed."""
        return self.study.best

    @property
    def recommended(self) -> Recommendation | None:
        """Where the posterior mean is best; under noise a better choice than ``best``. None if nothing was told."""
        return self.study.recommend() if self.best is not None else None

    @property
    def history(self) -> tuple[Trial, ...]:
        """Every trial."""
        return self.study.trials

    @property
    def x(self) -> Any:
        """The best point as the function got it: a dict, or an array where the space has no names."""
        return None if self.best is None else self.study.space.argument(self.best.params)

    @property
    def fun(self) -> float | None:
        """The best measured value."""
        return None if self.best is None else self.best.value

    @property
    def nfev(self) -> int:
        """Evaluations that ended, failed ones included."""
        return evaluations(self.study)

    @property
    def success(self) -> bool:
        """Whether anything was measured."""
        return self.best is not None

    def __str__(self) -> str:
        if self.best is None:
            return f"{self.message}: nothing was measured"
        at = ", ".join(f"{name}={_short(value)}" for name, value in self.best.params.items())
        return f"{self.message}: best {self.fun:.8g} at {at}"


def evaluations(study: Study) -> int:
    """How many evaluations ended, failed ones included; what was added from elsewhere is none."""
    return sum(trial.status in ("told", "failed") and trial.source != "added" for trial in study.trials)


def maximize(
    f: Callable[[Any], Any],
    space: Any,
    n_trials: int,
    *,
    seed: int | None = None,
    preset: Preset = "default",
    rule: str | Rule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    repeats: Repeats | None = None,
    objective: str = "value",
    stop_when: Regret | None = None,
    callback: Callable[[Study, Trial], Any] | None = None,
    catch: tuple[type[Exception], ...] = (),
    progress: bool | None = None,
) -> Result:
    """Find where ``f`` is largest, in few evaluations.

    Parameters
    ----------
    f
        The expensive function. It gets a dict of parameters, or an array where the space has no names, and returns a
        number. NaN or an infinity counts as a failed trial.
    space
        What may be tried: bounds ``[(low, high), ...]``, a mapping of named parameters, or a table of candidates.
    n_trials
        Evaluations, the initial design included.
    seed, preset, rule, surrogate, n_initial, repeats, objective
        See `Study`.
    stop_when
        Stop early once little regret is left: ``Regret(0.5)`` or ``Regret(relative=0.01)``. The reason is the message.
    callback
        Called as ``callback(study, trial)`` after each trial; a true result ends the run.
    catch
        Exceptions of ``f`` that make a failed trial instead of ending the run.
    progress
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    Result
        Ctrl-C ends the run early and keeps what was found.

    Examples
    --------
    >>> result = maximize(lambda p: -((p["x"] - 0.3) ** 2), {"x": (0.0, 1.0)}, n_trials=12, seed=1)
    >>> abs(result.x["x"] - 0.3) < 0.02
    True
    """
    study = Study(
        space,
        direction="maximize",
        preset=preset,
        rule=rule,
        surrogate=surrogate,
        n_initial=n_initial,
        repeats=repeats,
        objective=objective,
        seed=seed,
    )
    return run(study, f, n_trials, stop_when=stop_when, callback=callback, catch=catch, progress=progress)


def minimize(
    f: Callable[[Any], Any],
    space: Any,
    n_trials: int,
    *,
    seed: int | None = None,
    preset: Preset = "default",
    rule: str | Rule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    repeats: Repeats | None = None,
    objective: str = "value",
    stop_when: Regret | None = None,
    callback: Callable[[Study, Trial], Any] | None = None,
    catch: tuple[type[Exception], ...] = (),
    progress: bool | None = None,
) -> Result:
    """Find where ``f`` is smallest; everything else as in `maximize`.

    >>> result = minimize(lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_trials=12, seed=1)
    >>> bool(abs(result.x[0] - 0.3) < 0.02)
    True
    """
    study = Study(
        space,
        direction="minimize",
        preset=preset,
        rule=rule,
        surrogate=surrogate,
        n_initial=n_initial,
        repeats=repeats,
        objective=objective,
        seed=seed,
    )
    return run(study, f, n_trials, stop_when=stop_when, callback=callback, catch=catch, progress=progress)


def run(
    study: Study,
    f: Callable[[Any], Any],
    n_trials: int,
    *,
    stop_when: Regret | None,
    callback: Callable[[Study, Trial], Any] | None,
    catch: tuple[type[Exception], ...],
    progress: bool | None,
) -> Result:
    """Ask, evaluate, tell, ``n_trials`` times."""
    if isinstance(n_trials, bool) or not isinstance(n_trials, int | np.integer) or n_trials < 1:
        raise InvalidInput(f"n_trials must be a whole number >= 1, got {show(n_trials)}.")
    if not callable(f):
        raise InvalidInput(f"f must be callable, got {show(f)}.")
    if callback is not None and not callable(callback):
        raise InvalidInput(f"callback must be callable as callback(study, trial), got {show(callback)}.")
    caught = _as_exceptions(catch)
    if stop_when is not None:
        check_stop(stop_when)
    done = 0
    with progress_bar(int(n_trials), show=progress) as report:
        try:
            for _ in range(n_trials):
                try:
                    asked = study.ask()
                except Exhausted:
                    return Result(study, f"every candidate was tried after {done} of {n_trials} trials")
                trial = _evaluate(study, f, asked, caught)
                done += 1
                report(study.best.value if study.best is not None else None)
                left = study.should_stop(stop_when) if stop_when is not None else None
                if left is not None:
                    return Result(study, f"stopped after {done} of {n_trials} trials. {left.sentence}", left)
                if callback is not None and callback(study, trial):
                    return Result(study, f"stopped by the callback after {done} of {n_trials} trials")
        except KeyboardInterrupt:
            return Result(study, f"interrupted after {done} of {n_trials} trials")
    return Result(study, f"{n_trials} trials done")


def _evaluate(study: Study, f: Callable[[Any], Any], trial: Trial, catch: tuple[type[Exception], ...]) -> Trial:
    try:
        value = f(study.space.argument(trial.params))
    except catch:
        return study.tell(trial, failed=True)
    except Exception:
        study.tell(trial, failed=True)  # the run ends here; what was asked for does not stay pending for ever
        raise
    try:
        number = as_measurement(value, f"what f returned for trial {trial.number}")
    except InvalidInput:
        study.tell(trial, failed=True)
        raise
    return study.tell(trial, number, failed=number is None)


def _as_exceptions(catch: Any) -> tuple[type[Exception], ...]:
    kinds = catch if isinstance(catch, tuple) else (catch,)
    if not all(isinstance(kind, type) and issubclass(kind, Exception) for kind in kinds):
        raise InvalidInput(f"catch must be a tuple of exception types, such as (ValueError,), got {show(catch)}.")
    return kinds


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
