"""``regretless optimize``: a function or a program, from a file that says all about it."""

import click

from regretless.cli._config import read_config
from regretless.cli._loop import LEASE, Loop
from regretless.cli._output import Format, format_option, print_facts, print_json, print_rows, say
from regretless.cli._standing import MET, standing
from regretless.cli._study import about
from regretless.errors import InvalidInput
from regretless.report.text import pairs
from regretless.study import Study, Trial
from regretless.study.progress import progress_bar

__all__ = ["command"]


@click.command(
    epilog="Example: regretless optimize tune.toml",
    short_help="Optimise a Python function or a shell command.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@format_option
def command(file: str, format: Format) -> None:
    r"""Optimise what FILE, in TOML, describes. Started again, it goes on where it was.

    \b
    command = "./simulate --rate {rate} --mode {mode}"   # its last line is the value
    # python = "model:loss"                              # or a function of a dict
    objective = "loss"
    direction = "minimize"
    budget = 40             # evaluations in all
    workers = 2             # at once
    stop = "1%"             # or when so little regret is left,
    patience = 5            # by so many certificates in a row
    [space]
    rate = { low = 1e-5, high = 0.1, log = true }
    layers = { low = 1, high = 6 }
    mode = ["fast", "exact"]
    """
    config = read_config(file)
    said = about(file=None, row_name="row", batch=config.workers, stop=config.stop, dialect=None)
    with Study.open(
        config.study,
        config.name,
        space=config.space,
        direction=config.direction,
        objective=config.objective,
        seed=config.seed,
        about=said,
        lease=LEASE,
    ) as study:
        before = len(study)
        if before:
            say(f"Going on with {config.study}: {before} trials so far.")
        with progress_bar(config.budget, show=None) as advance:

            def report(trial: Trial, why: str) -> None:
                advance(study.best.value if study.best is not None else None)
                if why:
                    say(f"Trial {trial.number} failed ({pairs(trial.params)}): {why}")

            try:
                Loop(config, study, report).run()
            except KeyboardInterrupt:
                say(f"Interrupted. What was finished is in {config.study}; start again to go on.")
                raise SystemExit(130) from None
        if study.best is None:
            raise InvalidInput("every evaluation failed: there is nothing to recommend.")
        view = standing(study, config.stop)
        if format == "json":
            print_json({"study": config.study, **view.record()})
        elif format == "csv":
            print_rows(["what", "says"], [{"what": what, "says": says} for what, says in view.facts()], format)
        else:
            print_facts(view.facts())
    if view.met:
        raise SystemExit(MET)
