"""Programs that run for an evaluation: ended with everything they started; only the end of their output is kept.

A program runs in its own session with a mark in its environment. Its session, its process group, all processes with
the mark and all descendants of these belong to it, so neither a background job nor ``setsid`` escapes. This is read
from ``/proc``; on systems without it only the process group is ended.
"""

import contextlib
import os
import secrets
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

__all__ = ["GRACE", "KEPT", "MARK", "Program", "Programs", "Tail", "interrupted_by_signals"]

#: The environment variable that marks the processes of one program. A process started without it may survive.
MARK = "REGRETLESS_EVALUATION"
#: Seconds between SIGTERM and SIGKILL.
GRACE = 1.0
#: Bytes of output that are kept.
KEPT = 64 * 1024
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way to end a process
#: Seconds after which a process that even SIGKILL does not end, or a pipe that never closes, is not waited for.
_LAST = 0.5
_INTERRUPTS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Tail:
    """The last bytes of a stream, which a thread reads until it ends."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._bytes = bytearray()
        self._count = 0
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := stream.read(KEPT):
                self._count += len(chunk)
                self._bytes += chunk
                del self._bytes[:-KEPT]

    @property
    def cut(self) -> bool:
        """Whether the output was longer than what is kept."""
        return self._count > KEPT

    def text(self) -> str:
        """The text read until the stream ended, or so far if some process keeps it open."""
        self._thread.join(_LAST)
        return bytes(self._bytes).decode(errors="replace")


class Program:
    """A running program and everything it has started."""

    def __init__(self, words: Sequence[str], variables: Mapping[str, str] | None = None, **more: Any) -> None:
        mark = secrets.token_hex(8)
        self._mark = f"{MARK}={mark}".encode()
        environment = {**os.environ, **(variables or {}), MARK: mark}
        self.child: subprocess.Popen[bytes] = subprocess.Popen(
            words, bufsize=0, start_new_session=True, env=environment, **more
        )

    def signal(self, number: int) -> bool:
        """Send a signal to all its processes (0 sends none); returns whether any were left."""
        self.child.poll()
        if not hasattr(os, "killpg"):  # no groups and no signals: the program alone is ended
            if number and self.child.returncode is None:
                self.child.kill()
            return self.child.returncode is None
        if not Path("/proc/self/stat").exists():
            try:
                os.killpg(self.child.pid, number)
            except (ProcessLookupError, PermissionError):
                return False
            return True
        found = _belonging(self.child.pid, self._mark)
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        return bool(found)


class Programs:
    """The programs that run now. After `stop` none is started any more."""

    def __init__(self) -> None:
        self._running: set[Program] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __len__(self) -> int:
        return len(self._running)

    def start(self, words: Sequence[str], **more: Any) -> Program | None:
        """Start a program; None once all were stopped. Raises OSError where it cannot be run."""
        with self._lock:
            if self._stopped:
                return None
            program = Program(words, **more)
            self._running.add(program)
            return program

    def end(self, *programs: Program) -> None:
        """End those that still run."""
        _end(programs)
        with self._lock:
            self._running.difference_update(programs)

    def stop(self) -> None:
        """End all of them, for good."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        _end(running)


def _end(programs: Sequence[Program]) -> None:
    """SIGTERM, and after a grace period SIGKILL."""
    left = [program for program in programs if program.signal(signal.SIGTERM)]
    deadline = monotonic() + GRACE
    while left and monotonic() < deadline:
        sleep(0.02)
        left = [program for program in left if program.signal(0)]
    deadline = monotonic() + _LAST
    while left and monotonic() < deadline:  # again and again: what is being killed may be starting others
        left = [program for program in left if program.signal(_KILL)]
        sleep(0.005)
    for program in programs:
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.child.wait(_LAST)
        if program.child.stdin is not None:
            with contextlib.suppress(OSError):
                program.child.stdin.close()


def _belonging(leader: int, mark: bytes) -> set[int]:
    """The living processes of a session or group, those that carry the mark, and the descendants of all these."""
    found: set[int] = set()
    parents: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            stat = Path(entry.path, "stat").read_bytes()
        except OSError:  # it has ended
            continue
        state, *numbers = stat[stat.rindex(b")") + 2 :].split()[:4]  # the name in brackets may hold anything
        if state in b"ZX":  # dead
            continue
        pid = int(entry.name)
        parent, group, session = map(int, numbers)
        parents[pid] = parent
        if leader in (pid, group, session) or _carries(entry.path, mark):
            found.add(pid)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _carries(folder: str, mark: bytes) -> bool:
    try:
        return mark in Path(folder, "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is not ours
        return False


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """SIGTERM and a closed terminal end a run as Ctrl-C does; an ignored signal stays ignored.

    The first one counts. What comes after it is ignored: ending what runs takes two seconds at most, and is not to be
    left half done.
    """
    if threading.current_thread() is not threading.main_thread():  # only it may set handlers
        yield
        return
    found = {number: signal.getsignal(number) for number in _INTERRUPTS}
    ours = {number: handler for number, handler in found.items() if handler is not signal.SIG_IGN}

    def interrupt(*_: object) -> None:
        for number in ours:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
