"""Ctrl-C, counted: once to end a run in order, twice to break it off."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["Interrupts"]


class _Wake(BaseException):
    """Raised in the middle of waiting, where nothing is half done."""


class Interrupts:
    """How often Ctrl-C was pressed while `counted`. It breaks in only where the program waits.

    So no store is left in the middle of writing. Whoever presses it a third time gets a KeyboardInterrupt at once,
    unless the run is being broken off by then.
    """

    def __init__(self) -> None:
        self.count = 0
        self.breaking_off = False
        self._waiting = False

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Take over Ctrl-C. Elsewhere than in the main thread, and where it is ignored, it is left as it is."""
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
