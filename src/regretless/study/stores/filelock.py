"""One asker at a time per machine, by a lock of the operating system, which a dead process cannot keep."""

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["file_turn", "locks_work"]

#: The longest wait for another's suggestion. Going ahead is safe: an outdated suggestion is not stored.
_LONGEST = 20.0


@contextmanager
def file_turn(database: Path, study: int) -> Iterator[None]:
    """Hold the turn of one study in one file; without locks, go ahead."""
    handle = _open(database, study)
    if handle is None:
        yield
        return
    try:
        _wait(handle)
        yield
    finally:
        os.close(handle)  # which releases the lock


def locks_work(folder: Path) -> bool:
    """Whether files in a folder can be locked, tried on a new file; True if that cannot be tried."""
    if sys.platform == "win32":
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
    except OSError:  # not a folder that we can make files in
        return True
    return True


def _open(database: Path, study: int) -> int | None:
    """A lock file of this user in the temporary folder, shared by all processes with this database."""
    if sys.platform == "win32":  # askers do not queue, and compute again when another was faster
        return None
    try:
        stat = database.stat()
        name = f"regretless-{os.getuid()}-{stat.st_dev:x}-{stat.st_ino:x}-{study}.turn"
        return os.open(Path(tempfile.gettempdir()) / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _wait(handle: int) -> None:
    if sys.platform == "win32":
        return
    until, pause = time.monotonic() + _LONGEST, 0.0005
    while time.monotonic() < until:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            time.sleep(random.uniform(0.5, 1.5) * pause)
            pause = min(1.5 * pause, 0.02)
