"""A Dask cluster by the address of its scheduler, for the commands; in Python pass a client as ``executor=``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from regretless.errors import MissingExtra, RegretlessError

__all__ = ["connected"]

#: Seconds to wait for the scheduler.
_PATIENCE = 30


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster whose scheduler is there; the cluster stays as it is."""
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("--dask needs distributed; install it with: pip install 'regretless[dask]'") from error
    try:
        client = Client(address, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise RegretlessError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        yield client
