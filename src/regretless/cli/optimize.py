"""``regretless optimize``: a function or a program, from a file that says all about it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import click

from regretless.cli._config import Config, read_config
from regretless.cli._evaluate import Evaluate
from regretless.cli._loop import LEASE, Loop, interrupted_by_signals
from regretless.cli._output import Format, format_option, print_facts, print_json, print_rows, say
from regretless.cli._standing import MET, standing
from regretless.cli._study import about, kept_stop, trust_option, trusted
from regretless.errors import InvalidInput, StudyConflict
from regretless.report.text import pairs
from regretless.study import Study, Trial
from regretless.study.progress import progress_bar
from regretless.study.result import evaluations

__all__ = ["command"]


@click.command(
    epilog="Example: regretless optimize tune.toml",
    short_help="Optimise a program or a Python function.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@trust_option
@format_option
def command(file: str, format: Format) -> None:
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
    """  # noqa: D301
    config = read_config(file)
    evaluate = config.evaluate()
    with interrupted_by_signals():
        try:
            evaluate.check()  # before anything is created or asked for
            met = _run(file, config, evaluate, format)
        except KeyboardInterrupt:
            say(f"Interrupted. What was finished is in {config.study}; start again to go on.")
            raise SystemExit(130) from None
        finally:
            evaluate.stop()
    if met:
        raise SystemExit(MET)


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


def _run(file: str, config: Config, evaluate: Evaluate, format: Format) -> bool:
    """Run and print; whether the stop rule is met."""
    said = about(file=None, row_name=config.row_name, batch=config.workers, stop=config.stop, dialect=config.dialect)
    with (
        _in_words_of(file),
        Study.open(
            config.study,
            config.name,
            space=config.space,
            direction=config.direction,
            objective=config.objective,
            limits=config.limits,
            seed=config.seed,
            about=said,
            lease=LEASE,
            trust=trusted(),
        ) as study,
    ):
        if len(study):
            say(f"Going on with {config.study}: {len(study)} trials so far.")
        if kept_stop(study) != config.stop:
            say("This run goes by the stop rule of the file; status and report by the one the study was made with.")
        with progress_bar(max(config.budget - evaluations(study), 0), show=None) as advance:

            def report(trial: Trial, why: str) -> None:
                advance(study.best.value if study.best is not None else None)
                if why:
                    say(f"Trial {trial.number} has no value ({pairs(trial.params)}): {why}")

            loop = Loop(config, study, evaluate, report)
            loop.run()
        if loop.exhausted:
            done = f"{evaluations(study)} of {config.budget} evaluations"
            say(f"Nothing is left to try after {done}: every candidate was tried, runs elsewhere or is excluded.")
        if study.best is None:
            raise InvalidInput("every evaluation failed: there is nothing to recommend.")
        view = replace(
            standing(study, config.stop, study.about.get("row_name", "row")), option=f'stop = "1%" in {file}'
        )
        if format == "json":
            print_json({"study": config.study, **view.record()})
        elif format == "csv":
            print_rows(["what", "says"], [{"what": what, "says": says} for what, says in view.facts()], format)
        else:
            print_facts([("Study", f"{study.name} ({config.study})"), *view.facts()])
        return view.met
