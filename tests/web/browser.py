"""A bench in a thread of its own, for tests in a real browser."""

import asyncio
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from regretless.web import Bench, Doors, create_app

__all__ = ["chromium", "served"]


def chromium() -> str | None:
    """Where the system's chromium is, if anywhere."""
    return os.environ.get("REGRETLESS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def served(store: Path, **settings: Any) -> Iterator[tuple[str, str]]:
    """The page of a store; its address, and the one with the token."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    doors, bench = Doors.at(port), Bench(store, **settings)
    server = uvicorn.Server(uvicorn.Config(create_app(bench, doors), log_level="critical", access_log=False))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    try:
        address = f"http://127.0.0.1:{port}"
        yield address, f"{address}/?token={doors.token}"
    finally:
        server.should_exit = True
        thread.join(20)
        bench.close()
        listening.close()
