"""The command line: one file per command, each with a click command named ``command``.

Exit codes: 0 done; 1 it could not be done; 2 what was typed or handed in cannot be used; 3 the stop rule is met.
"""

import importlib
import io
import keyword
import os
import sys

import click

from regretless._version import __version__
from regretless.errors import InvalidInput, RegretlessError, UnknownTrial

__all__ = ["main"]


class _Unusable(click.ClickException):
    """What was typed or handed in cannot be used."""

    exit_code = 2


#: Every command with its line of help, in the order of `regretless --help`, which therefore imports none of them.
SECTIONS: dict[str, dict[str, str]] = {
    "With a file, keeping nothing": {
        "next": "Print the next rows of a file to run.",
        "audit": "How much regret is left in a table, or in a study of another program.",
        "plan": "How many experiments a scope will need.",
        "generate": "Make a list of possible experiments: products, grids, mixtures.",
    },
    "With a study that lasts": {
        "init": "Make a study of the experiments in a spreadsheet.",
        "suggest": "Suggest the next experiments.",
        "record": "Record results: the file of a round, or one trial.",
        "ran": "Record an experiment that was not the suggested one.",
        "status": "Where the study stands, and whether to stop.",
        "report": "Write a report: one HTML file that needs no connection.",
        "serve": "Open the page for the people who do the experiments.",
    },
    "Corrections": {
        "amend": "Correct a result that was recorded.",
        "exclude": "Never suggest some rows, or do not use some results.",
        "include": "Undo exclude.",
        "release": "Release pending experiments that will not be run.",
        "extend": "Add further experiments to the table of a study.",
    },
    "Files and the record": {
        "import": "Add results of another file.",
        "export": "Write every trial, or the whole record, to a file.",
        "replay": "Compute every suggestion again from the record, and compare.",
    },
    "Functions and research": {
        "optimize": "Optimise a program or a Python function.",
        "paper": "Run the paper's experiments again, and judge its claims.",
        "data": "Tables of materials experiments: which there are, and where.",
    },
}


class _Commands(click.Group):
    """The files of this folder are the commands; one is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [name for section in SECTIONS.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        stem = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command: click.Command = importlib.import_module(f"{__name__}.{stem}").command
        command.short_help = dict(pair for section in SECTIONS.values() for pair in section.items())[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()), col_max=10)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if not _names_a_study(error):
                raise
            hint = "A study is named by an option: --study PLACE."
            raise click.UsageError(f"{error.message}. {hint}", ctx=error.ctx) from error
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except (RegretlessError, OSError) as error:  # the user's to mend: a sentence, not a traceback
            usage = isinstance(error, InvalidInput | UnknownTrial)
            raise (_Unusable if usage else click.ClickException)(_sentence(error)) from error
        except MemoryError as error:
            raise click.ClickException("there is not enough memory for this. Nothing was changed.") from error
        except Exception as error:
            if os.environ.get("REGRETLESS_DEBUG"):
                raise
            raise click.ClickException(
                f"unexpected {type(error).__name__}: {error}. This is a mistake of ours, not yours: please report it, "
                "with what is shown after REGRETLESS_DEBUG=1 is set."
            ) from error


@click.group("regretless", cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="regretless")
def main() -> None:
    """Find the best of what you can try in the fewest tries, and know how much regret is left.

    With a CSV file of possible experiments: `next` prints the rows to run and keeps nothing. For a study that lasts:
    `init`, then `suggest`, `record` and `status` in turns.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no sign for ± shows another, and goes on
            stream.reconfigure(errors="replace")


def _names_a_study(error: click.UsageError) -> bool:
    """Whether somebody gave a command about a study one argument too many: its file, as other programs have it."""
    takes_study = error.ctx is not None and any(param.name == "where" for param in error.ctx.command.params)
    return takes_study and "unexpected extra argument" in error.message


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return str(error)
