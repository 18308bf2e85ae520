"""A function, a space, a number of trials: the loop around ask and tell."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from regretless.acquisition import Rule
from regretless.arrays import as_measurement, show
from regretless.errors import Exhausted, InvalidInput, RegretlessError
from regretless.gp import Surrogate
from regretless.optimizer import Given, Preset, Regret
from regretless.spaces import Repeats
from regretless.study.journal import Store
from regretless.study.options import Exceptions, OnError, Options, as_options
from regretless.study.progress import progress_bar
from regretless.study.result import Result, evaluations
from regretless.study.study import Study
from regretless.study.trial import Trial

__all__ = ["maximize", "minimize", "run"]


def maximize(
    f: Callable[[Any], Any],
    space: Any,
    n_trials: int | None = None,
    *,
    until: int | None = None,
    store: str | Path | Store | None = None,
    name: str | None = None,
    seed: int | None = None,
    preset: Preset = "default",
    rule: str | Rule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    repeats: Repeats | None = None,
    objective: str = "value",
    limits: Given | None = None,
    stop_when: Regret | None = None,
    callback: Callable[[Study, Trial], Any] | None = None,
    on_error: OnError = "raise",
    catch: Exceptions | None = None,
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
        Evaluations, the initial design included. A stored study that is resumed gets so many more.
    until
        In place of ``n_trials``: evaluations in all, those that a resumed study already has included.
    store, name
        Where to keep the run, and what it is called there: the path of a file or what else `Study.open` takes. The same
        call made again goes on where it was. Without a store the run lives as long as the program.
    seed, preset, rule, surrogate, n_initial, repeats, objective, limits
        See `Study`.
    stop_when
        Stop early once little regret is left: ``Regret(0.5)`` or ``Regret(relative=0.01)``. The reason is the message.
    callback
        Called as ``callback(study, trial)`` after each trial; a true result ends the run.
    on_error
        ``"raise"``: an exception of ``f`` ends the run and is raised. Its trial is given up and is not a failed one,
        and all others are in ``error.study``. ``"fail"``: it makes a failed trial, which suggestions keep away from,
        and the run goes on. A type of exception, or a tuple of them: these make failed trials, others are raised. A
        return value that is not a number is treated as an exception.
    catch
        The old name of ``on_error`` with types of exceptions.
    progress
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    Result
        Ctrl-C ends the run early, gives the running trial up and keeps what was found.

    Examples
    --------
    >>> result = maximize(lambda p: -((p["x"] - 0.3) ** 2), {"x": (0.0, 1.0)}, n_trials=12, seed=1)
    >>> abs(result.x["x"] - 0.3) < 0.02
    True
    """
    options = as_options(
        f,
        n_trials,
        until=until,
        stop_when=stop_when,
        callback=callback,
        on_error=on_error,
        catch=catch,
        progress=progress,
    )
    with _study(
        space,
        store,
        name,
        direction="maximize",
        preset=preset,
        rule=rule,
        surrogate=surrogate,
        n_initial=n_initial,
        repeats=repeats,
        objective=objective,
        limits=limits,
        seed=seed,
    ) as study:
        return run(study, options)


def minimize(
    f: Callable[[Any], Any],
    space: Any,
    n_trials: int | None = None,
    *,
    until: int | None = None,
    store: str | Path | Store | None = None,
    name: str | None = None,
    seed: int | None = None,
    preset: Preset = "default",
    rule: str | Rule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    repeats: Repeats | None = None,
    objective: str = "value",
    limits: Given | None = None,
    stop_when: Regret | None = None,
    callback: Callable[[Study, Trial], Any] | None = None,
    on_error: OnError = "raise",
    catch: Exceptions | None = None,
    progress: bool | None = None,
) -> Result:
    """Find where ``f`` is smallest; everything else as in `maximize`.

    >>> result = minimize(lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_trials=12, seed=1)
    >>> bool(abs(result.x[0] - 0.3) < 0.02)
    True
    """
    options = as_options(
        f,
        n_trials,
        until=until,
        stop_when=stop_when,
        callback=callback,
        on_error=on_error,
        catch=catch,
        progress=progress,
    )
    with _study(
        space,
        store,
        name,
        direction="minimize",
        preset=preset,
        rule=rule,
        surrogate=surrogate,
        n_initial=n_initial,
        repeats=repeats,
        objective=objective,
        limits=limits,
        seed=seed,
    ) as study:
        return run(study, options)


def run(study: Study, options: Options) -> Result:
    """Ask, evaluate, tell, as often as planned."""
    total, stop_when, callback, until = options.total(study), options.stop_when, options.callback, options.until
    if not total:
        return Result(study, f"{evaluations(study)} evaluations were done already")
    done, asked = 0, None
    with progress_bar(total, show=options.progress) as report:
        try:
            while True:
                left = study.should_stop(stop_when) if stop_when is not None else None
                if left is not None:  # perhaps before anything was asked, in a study that is resumed
                    return Result(study, f"stopped after {done} of {total} trials. {left.sentence}", left)
                if asked is not None and callback is not None and callback(study, study.trials[asked.number]):
                    return Result(study, f"stopped by the callback after {done} of {total} trials")
                if done >= total or (until is not None and evaluations(study) >= until):
                    return Result(study, f"{done} trials done")
                try:
                    asked = study.ask()
                except Exhausted:
                    return Result(study, f"every candidate was tried after {done} of {total} trials")
                _evaluate(study, options, asked)
                done += 1
                report(study.best.value if study.best is not None else None)
        except KeyboardInterrupt:
            _give_up(study, asked, "interrupted")
            return Result(study, f"interrupted after {done} of {total} trials")
        except BaseException as error:
            _attach(study, error, _give_up(study, asked, show(error)))
            raise


@contextlib.contextmanager
def _study(space: Any, store: Any, name: str | None, **settings: Any) -> Iterator[Study]:
    """A study in memory, or one that lasts."""
    if store is None:
        if name is not None:
            raise InvalidInput(f"name={show(name)} needs store=, the file or database to keep the study in.")
        yield Study(space, **settings)
        return
    with Study.open(store, "study" if name is None else name, space=space, **settings) as study:
        yield study


def _evaluate(study: Study, options: Options, trial: Trial) -> None:
    try:
        value = options.f(study.space.argument(trial.params))
    except options.failing:
        study.tell(trial, failed=True)
        return
    try:
        number = as_measurement(value, f"what f returned for trial {trial.number}")
    except InvalidInput:
        if Exception not in options.failing:
            raise
        number = None
    try:
        study.tell(trial, number, failed=number is None)
    except Exception as error:  # of the store: what was paid for is not lost
        error.add_note(f"f returned {show(value)} for trial {trial.number}, which could not be stored; tell it later.")
        raise


def _give_up(study: Study, trial: Trial | None, reason: str) -> bool:
    """Release the trial that was running; whether there was one."""
    with contextlib.suppress(RegretlessError):  # it has ended, or the store is the trouble
        return trial is not None and study.release(trial, reason).status == "lost"
    return False


def _attach(study: Study, error: BaseException, gave_up: bool) -> None:
    """Hand the study over with the error."""
    lost = "The trial in which this happened was given up and does not count as failed. " if gave_up else ""
    stored = study.name is not None
    kept = f"in error.study and in the store, as {study.name!r}" if stored else "in error.study"
    again = "start again, or call " if stored else ""
    with contextlib.suppress(Exception):  # a class of exceptions may have no room for it
        error.study = study  # type: ignore[attr-defined]
        error.add_note(
            f"regretless: {lost}Evaluations that are kept: {evaluations(study)}, {kept}. "
            f"To go on: {again}error.study.optimize(f, ...)."
        )
