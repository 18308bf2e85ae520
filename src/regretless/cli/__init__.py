"""The command line: one file a command, each with a click command named ``command``."""

import importlib
import pkgutil

import click

from regretless._version import __version__
from regretless.errors import RegretlessError

__all__ = ["main"]


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
        except RegretlessError as error:  # the user's to mend: a sentence, not a traceback
            raise click.ClickException(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="regretless")
def main() -> None:
    """Find the best of what you can try in the fewest tries, and know how much regret is left."""
