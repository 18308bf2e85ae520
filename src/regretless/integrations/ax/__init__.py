"""Regretless inside Ax: a generation node, a stopping strategy, both of which Ax can store, and the import of a file.

`from_ax` reads files and needs no Ax; the others import it.
"""

from typing import TYPE_CHECKING, Any

from regretless.errors import MissingExtra
from regretless.integrations.ax.importing import from_ax

if TYPE_CHECKING:
    from regretless.integrations.ax.node import RegretlessNode
    from regretless.integrations.ax.stopping import StopByRegret

__all__ = ["RegretlessNode", "StopByRegret", "from_ax"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from regretless.integrations.ax import node, stopping, storage
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ax":
            raise
        raise MissingExtra("this needs Ax; install it with: pip install 'regretless[ax]'") from error
    storage.register()
    return node.RegretlessNode if name == "RegretlessNode" else stopping.StopByRegret
