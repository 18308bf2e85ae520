"""The command line: one file per command, each with a click command named ``command``.

Exit codes: 0 done; 1 it could not be done; 2 what was typed or handed in cannot be used; 3 the stop rule is met.
"""

import importlib
import io
import os
import pkgutil
import sys

import click

from regretless._version import __version__
from regretless.errors import InvalidInput, RegretlessError, UnknownTrial

__all__ = ["main"]


class _Unusable(click.ClickException):
    """What was typed or handed in cannot be used."""

    exit_code = 2


class _Commands(click.Group):
    """The files of this folder are the commands; one is imported when it is called or listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        names = (module.name for module in pkgutil.iter_modules(__path__))
        return sorted(name.rstrip("_").replace("_", "-") for name in names if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        stem = cmd_name.replace("-", "_")
        found = {module.name.rstrip("_"): module.name for module in pkgutil.iter_modules(__path__)}[stem]
        command: click.Command = importlib.import_module(f"{__name__}.{found}").command
        return command

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
