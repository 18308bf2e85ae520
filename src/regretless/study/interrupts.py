"""Ctrl-C, counted: once ends a run in order, twice aborts it."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["Interrupts"]


class _Wake(BaseException):
    """Raised during a wait, where no work is half done."""


class Interrupts:
    """How often Ctrl-C was pressed while `counted`. It interrupts the program only while it waits.

    So no write to a store is cut short. A third Ctrl-C raises KeyboardInterrupt at once, unless the run is being
    aborted already.
    """

    def __init__(self) -> None:
        self.count = 0
        self.breaking_off = False
        self._waiting = False

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Handle Ctrl-C. Outside the main thread, or where it is ignored, nothing changes."""
        foreign = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)  # None: not set by Python
        if foreign or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def wait(self, wait: Callable[[], None], *, seen: int) -> None:
        """Wait; Ctrl-C ends it, also one that nobody has ``seen`` yet."""
        try:
            self._waiting = True
            if self.count == seen:
                wait()
            self._waiting = False
        except _Wake:
            pass
        except BaseException:
            self._waiting = False
            raise

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self._waiting:
            self._waiting = False
            raise _Wake
        if self.count > 2 and not self.breaking_off:
            raise KeyboardInterrupt
