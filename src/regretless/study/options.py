"""The options of a run: the arguments that `maximize`, `minimize`, `Study.optimize` and the command line share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from regretless.arrays import as_positive, as_whole, show
from regretless.deprecation import warn_renamed
from regretless.errors import InvalidInput
from regretless.optimizer import StopRule, check_stop
from regretless.study.executors import check_executor
from regretless.study.result import evaluations
from regretless.study.study import Study
from regretless.study.trial import Trial

__all__ = ["Exceptions", "OnError", "Options", "as_options"]

Exceptions: TypeAlias = type[Exception] | tuple[type[Exception], ...]
#: Costs are sums of floats: a budget is spent when that much of it is left.
_ROUNDING = 1e-9
#: How to treat exceptions of the function: all end the run, or all or some of them make failed trials.
OnError: TypeAlias = Literal["raise", "fail"] | Exceptions


@dataclass(frozen=True, slots=True)
class Options:
    """What to evaluate, how often, how many at a time, and when to stop early."""

    f: Callable[[Any], Any]
    n_trials: int | None = None  # so many more, or
    until: int | None = None  # so many in all
    budget: float | None = None  # cost in all, beside one of them or in place of both
    stop_when: StopRule | None = None
    callback: Callable[[Study, Trial], Any] | None = None
    failing: tuple[type[Exception], ...] = ()  # exceptions that make a failed trial; others end the run
    progress: bool | None = None
    workers: int | None = None  # evaluations at a time; None for one, in this process, or as many as the executor has
    executor: Any = None
    retries: int = 1  # how often an evaluation is repeated whose worker died
    time_limit: float | None = None  # seconds for one evaluation
    first_failures: int | None = None  # so many failed evaluations before the first value end the run

    def total(self, study: Study) -> int:
        """The number of evaluations that remain; with a budget, an upper bound on it."""
        counts = [] if self.n_trials is None else [self.n_trials]
        if self.until is not None:
            study.refresh()
            counts.append(max(self.until - evaluations(study), 0))
        if self.budget is not None:
            study.refresh()
            counts.append(math.ceil(max(self.budget - study.spent, 0.0) / _cheapest(study)))
        return min(counts)

    def has_more(self, study: Study, *, done: int, begun: int) -> bool:
        """Whether another evaluation is planned, after this run has ``done`` and ``begun`` so many."""
        if self.budget is not None and study.spent >= self.budget * (1.0 - _ROUNDING):
            return False
        if self.until is not None:
            return evaluations(study) + begun < self.until
        return self.n_trials is None or done + begun < self.n_trials


def _cheapest(study: Study) -> float:
    """The smallest cost of a trial."""
    if study.fidelity is None:
        raise InvalidInput(
            "budget is in the unit of the costs of a fidelity, and this study has none: give n_trials, or fidelity=."
        )
    return min(study.fidelity.cost)


def as_options(
    f: Any,
    n_trials: Any,
    *,
    until: Any,
    budget: Any,
    stop_when: Any,
    callback: Any,
    on_error: Any,
    catch: Any,
    progress: bool | None,
    workers: Any,
    executor: Any,
    retries: Any,
    time_limit: Any,
    level: int = 3,
) -> Options:
    """Check the arguments of a run before a study is made or opened; the user's call is ``level`` frames up."""
    if (n_trials is not None and until is not None) or (n_trials is None and until is None and budget is None):
        raise InvalidInput(
            "say how many evaluations: n_trials= for that many more, or until= for that many in total; with a "
            "fidelity, budget= is the total cost."
        )
    if not callable(f):
        raise InvalidInput(f"f must be callable, got {show(f)}.")
    if callback is not None and not callable(callback):
        raise InvalidInput(f"callback must be callable as callback(study, trial), got {show(callback)}.")
    if stop_when is not None:
        check_stop(stop_when)
    more = None if n_trials is None else as_whole(n_trials, "n_trials", least=1)
    in_all = None if until is None else as_whole(until, "until", least=1)
    check_executor(executor)
    if time_limit is not None and workers is None and executor is None:
        raise InvalidInput("time_limit needs workers= or executor=: a function in this process cannot be ended.")
    return Options(
        f,
        more,
        in_all,
        None if budget is None else as_positive(budget, "budget", hint="It is in the unit of the costs."),
        stop_when,
        callback,
        _failing(on_error, catch, level + 1),
        progress,
        workers=None if workers is None else as_whole(workers, "workers", least=1),
        executor=executor,
        retries=as_whole(retries, "retries"),
        time_limit=None if time_limit is None else as_positive(time_limit, "time_limit", hint="It is in seconds."),
    )


def _failing(on_error: Any, catch: Any, level: int) -> tuple[type[Exception], ...]:
    """The exceptions that make a failed trial."""
    if catch is not None:
        warn_renamed("catch=", "on_error=", level=level)
        if on_error != "raise":
            raise InvalidInput("give on_error alone: catch is its old name.")
        on_error = catch
    if isinstance(on_error, str) and on_error in ("raise", "fail"):
        return (Exception,) if on_error == "fail" else ()
    kinds = on_error if isinstance(on_error, tuple) else (on_error,)
    if not all(isinstance(kind, type) and issubclass(kind, Exception) for kind in kinds):
        raise InvalidInput(
            "on_error must be 'raise', 'fail', or the exceptions that make a failed trial, such as (ValueError,), "
            f"got {show(on_error)}."
        )
    return kinds
