"""A function, a space, a number of trials: `maximize` and `minimize`."""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from regretless.acquisition import JointRule, Rule
from regretless.arrays import show
from regretless.errors import InvalidInput, RegretlessError
from regretless.gp import Surrogate
from regretless.optimizer import Composite, Direction, Fidelity, Given, Network, Preset, StopRule, Target
from regretless.spaces import Repeats
from regretless.study.arguments import same_arguments
from regretless.study.executors import hired
from regretless.study.flight import Workers
from regretless.study.journal import Store
from regretless.study.options import Exceptions, OnError, Options, as_options
from regretless.study.progress import progress_bar
from regretless.study.result import Result, evaluations
from regretless.study.study import Constraints, Study
from regretless.study.trial import Trial
from regretless.study.workers import LEASE, End, Loop

__all__ = ["maximize", "minimize", "run"]


def maximize(
    f: Callable[[Any], Any],
    space: Any,
    n_trials: int | None = None,
    *,
    until: int | None = None,
    budget: float | None = None,
    store: str | Path | Store | None = None,
    name: str | None = None,
    seed: int | None = None,
    preset: Preset = "default",
    rule: str | Rule | JointRule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    repeats: Repeats | None = None,
    objective: str | Composite | Network | Target | None = None,
    objectives: Mapping[str, Direction] | None = None,
    constraints: Constraints | None = None,
    reference: Mapping[str, float] | None = None,
    fallback: float | None = None,
    risk: float = 0.1,
    limits: Given | Mapping[str, Given] | None = None,
    fidelity: Fidelity | None = None,
    stop_when: StopRule | None = None,
    callback: Callable[[Study, Trial], Any] | None = None,
    on_error: OnError = "raise",
    catch: Exceptions | None = None,
    progress: bool | None = None,
    workers: int | None = None,
    executor: Any = None,
    retries: int = 1,
    time_limit: float | None = None,
) -> Result:
    """Maximise an expensive function in few evaluations.

    Parameters
    ----------
    f
        The expensive function. It gets a dict of parameters, or an array where the space has no names, and returns a
        number. NaN or an infinity counts as a failed trial. Several outcomes are returned as a dict by name; a list of
        numbers is replicates.
    space
        What may be tried: bounds ``[(low, high), ...]``, a mapping of named parameters, or a table of candidates.
    n_trials
        The number of evaluations, including the initial design. A study that is resumed gets this many more.
    until
        In place of ``n_trials``: the total number of evaluations, including those of a study that is resumed.
    budget
        With a fidelity, beside or in place of them: an evaluation begins while what the study has spent is less.
    store
        Where to keep the run: the path of an SQLite file, or the URL of a database, as in `Study.open`. The same call
        made again resumes it. Without a store nothing is kept when the program ends.
    name
        What the run is called in the store.
    seed
        The source of all randomness. The same seed and the same results give the same suggestions. None draws one,
        which ``result.study.seed`` has.
    preset
        Where settings that are not given come from: ``"default"``, or ``"paper"`` for those of the paper's experiments.
    rule
        How the next point is chosen: a name such as ``"irgp-ucb"`` (the default) or ``"ei"``, or a `Rule`.
    surrogate
        The model: a `Surrogate`. By default a Gaussian process whose kernel and hyperparameters are fitted to the data.
    n_initial
        Points of the initial design, before the rule takes over. Results that were added count.
    repeats
        Whether a point may be suggested again: ``"auto"`` (the default) where the model finds noise, ``"never"``,
        ``"allow"`` whenever its score is largest, ``"all"`` also while it is pending. See `Study`.
    objective
        What the value is called in messages, such as ``"yield"`` or, with its unit, ``"yield [%]"``.
    objectives
        Several objectives by name, ``{"yield": "maximize", "cost": "minimize"}``. The result then has a Pareto
        ``front`` in place of a best point.
    constraints
        Bounds on what is measured, ``{"impurity": ("<=", 0.5)}``; or constraints on the inputs, ``["x + y <= 1"]``.
    reference
        With several objectives, the point above which hypervolume counts, by name; inferred by default.
    fallback
        Under constraints, the value that is to be had without any trial, with which certificates compare.
    risk
        The largest probability with which a recommendation may violate a constraint.
    limits
        The least and the largest value the objective can take, such as ``(0, 100)``. Certificates use it.
    fidelity
        Cheaper levels of the evaluations and their costs: see `Study`.
    stop_when
        Stop early once little regret is left: ``Regret(0.5)`` or ``Regret(relative=0.01)``. The reason is the message.
    callback
        Called as ``callback(study, trial)`` after each trial; a true result ends the run.
    on_error
        ``"raise"``: an exception of ``f`` ends the run and is raised. Its trial is released and is not a failed one,
        and all others are in ``error.study``. ``"fail"``: it makes a failed trial, which suggestions keep away from,
        and the run goes on. A type of exception, or a tuple of them: these make failed trials, others are raised. A
        return value that is not a number is treated as an exception.
    catch
        Deprecated: the old name of ``on_error``.
    progress
        Whether to show progress: a bar on a terminal, elsewhere a line every ten seconds. By default the bar, and the
        lines for runs with workers.
    workers
        How many evaluations run at a time, each in a process of its own. A worker that is free gets a new trial at
        once, which takes results and running evaluations into account. None evaluates in this process, one by one.
    executor
        Evaluate there instead: on an executor of `concurrent.futures` or anything with ``submit``, on a
        ``dask.distributed.Client``, or on what a function returns that makes an executor, and a new one if that breaks.
        ``workers`` is then the number of evaluations at a time; by default the number of its workers.
    retries
        How often an evaluation is repeated if its worker dies, before the trial counts as failed.
    time_limit
        Seconds for one evaluation, after which its trial counts as failed. Processes of ``workers`` are killed and
        replaced. An ``executor`` cannot do that: its worker stays busy until the evaluation ends.

    Returns
    -------
    Result
        What was found. Ctrl-C ends the run early, releases the running trial and keeps all results. With workers,
        running evaluations are finished first; pressed twice, they are ended and released.

    Examples
    --------
    >>> result = maximize(lambda p: -((p["x"] - 0.3) ** 2), {"x": (0.0, 1.0)}, n_trials=12, seed=1)
    >>> abs(result.x["x"] - 0.3) < 0.02
    True
    """
    return _find("maximize", locals())


@same_arguments(maximize)
def minimize(*args: Any, **more: Any) -> Result:
    """Minimise an expensive function in few evaluations; all arguments are those of `maximize`.

    >>> result = minimize(lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_trials=12, seed=1)
    >>> bool(abs(result.x[0] - 0.3) < 0.02)
    True
    """
    given = inspect.signature(maximize).bind(*args, **more)
    given.apply_defaults()
    return _find("minimize", given.arguments)


#: The arguments of both that concern the run; the others concern the study.
_OF_THE_RUN = (
    *("f", "n_trials", "until", "budget", "stop_when", "callback", "on_error", "catch", "progress"),
    *("workers", "executor", "retries", "time_limit"),
)


def _find(direction: Direction, given: dict[str, Any]) -> Result:
    """Run `maximize` or `minimize` on their arguments by name."""
    options = as_options(**{name: given.pop(name) for name in _OF_THE_RUN}, level=4)
    here = options.workers is None and options.executor is None  # no lease is renewed while f is evaluated
    given |= {"direction": direction if given["objectives"] is None else None, "lease": None if here else LEASE}
    with _study(**given) as study:
        return run(study, options)


def run(study: Study, options: Options) -> Result:
    """Ask, evaluate and tell, as often as planned."""
    total = options.total(study)
    if not total:
        done = f"{evaluations(study)} evaluations were done already"
        return Result(study, done if options.budget is None else f"{done}, at a cost of {study.spent:g}")
    with (
        hired(options.f, options.workers, options.executor) as workers,
        progress_bar(total, show=options.progress, workers=workers.count) as progress,
    ):
        loop = Loop(study, options, workers, progress=progress, say=progress.say)
        try:
            end = loop.run()
            if end.error is not None:
                raise end.error
            if end.reason == "stuck":
                raise _stuck(workers, options)
        except BaseException as error:
            _attach(study, error, _released(loop.released))
            raise
    return Result(study, _message(end, loop.done, None if options.budget is not None else total), end.left)


def _message(end: End, done: int, total: int | None) -> str:
    """Why the run ended, in words; ``total`` is None where it is not known."""
    planned = "" if total is None else f" of {total}"
    so_far = f"after {done}{planned} trials"
    if end.left is not None and end.after is not None:
        then = f"stopped after {done - end.more}{planned} trials. {end.left.sentence}"
        ran = "the one that was running" if end.more == 1 else f"the {end.more} that were running"
        return f"{then} With {ran}: {end.after.sentence}"
    if end.left is not None:
        return f"stopped {so_far}. {end.left.sentence}"
    return {
        "callback": f"stopped by the callback {so_far}",
        "exhausted": f"every candidate was tried {so_far}",
        "interrupted": f"interrupted {so_far}",
    }.get(end.reason, f"{done} trials done")


@contextlib.contextmanager
def _study(*, space: Any, store: Any, name: str | None, lease: float | None = None, **settings: Any) -> Iterator[Study]:
    """A study in memory, or in a store."""
    if store is None:
        if name is not None:
            raise InvalidInput(f"name={show(name)} needs store=, the file or database to keep the study in.")
        yield Study(space, **settings)
        return
    with Study.open(store, "study" if name is None else name, space=space, lease=lease, **settings) as study:
        yield study


def _stuck(workers: Workers, options: Options) -> RegretlessError:
    return RegretlessError(
        f"all {workers.count} workers go on with evaluations that are past the time limit of {options.time_limit:g} "
        "seconds, and an executor cannot be made to end them. Leave executor= out: the processes of workers= are "
        "killed and replaced."
    )


def _released(trials: list[Trial]) -> str:
    """A sentence on the trials without a result."""
    if not trials:
        return ""
    if len(trials) > 1:
        return f"{len(trials)} trials that were running were released and do not count as failed. "
    at = ", ".join(f"{name}={value!r}" for name, value in trials[0].params.items())
    return f"Trial {trials[0].number} ({at}), in which this happened, was released and does not count as failed. "


def _attach(study: Study, error: BaseException, lost: str) -> None:
    """Attach the study to the error."""
    stored = study.name is not None
    kept = f"in error.study and in the store, as {study.name!r}" if stored else "in error.study"
    again = "start again, or call " if stored else ""
    with contextlib.suppress(Exception):  # a class of exceptions may have no room for it
        error.study = study  # type: ignore[attr-defined]
        error.add_note(
            f"regretless: {lost}Evaluations that are kept: {evaluations(study)}, {kept}. "
            f"To go on: {again}error.study.optimize(f, ...)."
        )
