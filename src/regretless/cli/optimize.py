"""``regretless optimize``: a function or a program, from a file that says all about it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeAlias

import click

from regretless.cli._config import Config, read_config
from regretless.cli._evaluate import BrokenOff
from regretless.cli._output import MET, Format, format_option, print_status, say
from regretless.cli._study import trust_option, trusted
from regretless.errors import InvalidInput, RegretlessError, StudyConflict
from regretless.integrations.dask import connected
from regretless.lab.lab import kept_stop, lab_metadata
from regretless.lab.status import status_of
from regretless.lab.text import pairs
from regretless.study import Study, Trial
from regretless.study.executors import hired
from regretless.study.flight import Workers
from regretless.study.options import Options
from regretless.study.processes import interrupted_by_signals
from regretless.study.progress import progress_bar
from regretless.study.result import evaluations
from regretless.study.workers import LEASE, End, Loop

__all__ = ["command"]

F: TypeAlias = Callable[[Any], Any]


@click.command(
    epilog="Example: regretless optimize tune.toml",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--workers", type=click.IntRange(min=1), help="Evaluations at a time, in place of what FILE says.")
@click.option("--dask", metavar="ADDRESS", help="Evaluate on the Dask cluster whose scheduler is there.")
@trust_option
@format_option
def command(file: str, workers: int | None, dask: str | None, format: Format) -> None:
    """Optimise what FILE, in TOML, describes. Started again, it goes on where it was.

    \b
    command = ["./simulate", "--rate={rate}", "{layers}", "{mode}"]
                            # the last line it prints is the value
    # python = "model:loss" # or a function of a dict
    objective = "loss"
    direction = "minimize"
    range = [0, inf]        # what it cannot leave
    budget = 40             # evaluations in all
    workers = 2             # at once
    timeout = 600           # seconds for one evaluation
    stop = "1%"             # or when so little regret is left,
    patience = 5            # by so many certificates in a row
    [space]
    rate = { low = 1e-5, high = 0.1, log = true }
    layers = { low = 1, high = 6 }
    mode = ["fast", "exact"]

    Several outcomes are returned by name, as a dict or as lines name=value (or one line of JSON):

    \b
    objectives = { speed = "maximize", cost = "minimize" }
    constraints = ["memory <= 8"]

    So are the outputs of stages that go into later ones; the objective is the last:

    \b
    objective = "strength"
    stages = { grain = ["hours"], strength = ["grain", "heat"] }
    """  # noqa: D301
    config = read_config(file)
    if workers is not None:
        config = replace(config, workers=workers)
    with interrupted_by_signals():
        try:
            with _crew(config) if dask is None else _cluster(config, dask, workers) as (f, crew):
                met = _run(file, config, f, crew, format)
        except KeyboardInterrupt:
            say(f"Interrupted. What was finished is in {config.study}; start again to go on.")
            raise SystemExit(130) from None
    if met:
        raise SystemExit(MET)


@contextmanager
def _crew(config: Config) -> Iterator[tuple[F, Workers]]:
    """What is evaluated, and who does it: threads, each of which waits for a program or the process of a function.

    What could not be evaluated anywhere is refused, before anything is created or asked for.
    """
    evaluate, pool = config.evaluate(), ThreadPoolExecutor(config.workers)
    try:
        evaluate.check()
        yield lambda params: evaluate(params).result(), Workers(pool, config.workers, apart=True, abort=evaluate.stop)
    finally:
        evaluate.stop()
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _cluster(config: Config, address: str, count: int | None) -> Iterator[tuple[F, Workers]]:
    """The same on a Dask cluster, whose workers have this package and the folder of the file."""
    remote = config.remote()
    with connected(address) as client, hired(remote, count, client) as workers:
        workers.executor.submit(remote.check).result()
        yield remote, workers


@contextmanager
def _in_words_of(file: str) -> Iterator[None]:
    """What to do when the file was changed and the study was made of what it said before."""
    try:
        yield
    except StudyConflict as error:
        what = str(error).partition(" Open it without")[0]
        raise StudyConflict(
            f'{what} Write in {file} what it said, or begin another study with study = "NAME.study.db". To add rows '
            "to its table, use extend first."
        ) from error


def _run(file: str, config: Config, f: F, workers: Workers, format: Format) -> bool:
    """Run and print; whether the stop rule is met."""
    said = lab_metadata(
        file=None, row_name=config.row_name, batch=config.workers, stop=config.stop, dialect=config.dialect
    )
    with (
        _in_words_of(file),
        Study.open(
            config.study,
            config.name,
            space=config.space,
            **config.aims.settings(),
            seed=config.seed,
            metadata=said,
            lease=LEASE,
            trust=trusted(),
        ) as study,
    ):
        if len(study):
            say(f"Going on with {config.study}: {len(study)} trials so far.")
        if kept_stop(study) != config.stop:
            say("This run goes by the stop rule of the file; status and report by the one the study was made with.")
        _finish(_work(study, config.options(f), workers), study, config)
        if not any(trial.status == "told" for trial in study.trials):
            raise InvalidInput("every evaluation failed: there is nothing to recommend.")
        row_name = study.metadata.get("row_name", "row")
        view = status_of(study, config.stop, row_name, option=f'stop = "1%" in {file}')
        print_status(view, format, about={"study": config.study}, head=[("Study", f"{study.name} ({config.study})")])
        return view.met


def _work(study: Study, options: Options, workers: Workers) -> End:
    """The worker loop, and what is said while it runs."""

    def report(trial: Trial, why: str) -> None:
        if why:
            say(f"Trial {trial.number} has no value ({pairs(trial.params)}): {why}")

    with progress_bar(options.total(study), show=None, workers=workers.count) as progress:
        try:
            return Loop(study, options, workers, report, progress, progress.say).run()
        except RegretlessError as error:
            for note in getattr(error, "__notes__", ()):
                say(note)
            raise


def _finish(end: End, study: Study, config: Config) -> None:
    """Say what there is to say about the end of a run, or raise what ended it."""
    if end.reason == "interrupted":
        raise KeyboardInterrupt
    if end.trial is not None:
        fail = ' With on_error = "fail" such a trial counts as failed.' if isinstance(end.error, BrokenOff) else ""
        raise RegretlessError(
            f"trial {end.trial.number} ended the run: {end.why}. It was released and does not count as failed; all "
            f"others are kept. Start again to go on.{fail}"
        ) from end.error
    if end.reason == "hopeless":
        raise RegretlessError(
            f"the first {end.failed} evaluations failed, the last with: {end.why}. Their trials were released and do "
            "not count. Mend what is run, and start again."
        )
    if end.reason == "exhausted":
        done = f"{evaluations(study)} of {config.budget} evaluations"
        say(f"Nothing is left to try after {done}: every candidate was tried, runs elsewhere or is excluded.")
