"""One evaluation: a Python function, or a shell command whose last line is the value."""

import contextlib
import importlib
import math
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regretless.spaces.files import is_number

__all__ = ["Outcome", "Shell", "call_python"]

#: A value, or why there is none.
Outcome = tuple[float | None, str]


def call_python(target: str, folder: str, params: Mapping[str, Any]) -> Outcome:
    """Call ``module:function`` with the parameters as a dict. An exception is an outcome, not the end of a run."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module, _, name = target.partition(":")
    try:
        value = getattr(importlib.import_module(module), name)(dict(params))
        number = float(value)
    except Exception as error:  # whatever the user's function raises, the trial has failed
        return None, f"{type(error).__name__}: {error}"
    return (number, "") if math.isfinite(number) else (None, f"the value is {number}")


class Shell:
    """Runs a command with its placeholders filled in; the values are quoted, so that none is taken for shell code."""

    def __init__(self, command: str, folder: Path, timeout: float | None) -> None:
        self._command = command
        self._folder = folder
        self._timeout = timeout
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()

    def __call__(self, params: Mapping[str, Any]) -> Outcome:
        """Run it and read the last line that is not empty."""
        line = self._command
        for name, value in params.items():
            line = line.replace(f"{{{name}}}", shlex.quote(str(value)))
        child = subprocess.Popen(
            line,
            shell=True,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        with self._lock:
            self._running.add(child)
        try:
            out, err = child.communicate(timeout=self._timeout)
        except subprocess.TimeoutExpired:
            _end(child)
            child.communicate()
            return None, f"no result after {self._timeout:g} seconds"
        finally:
            with self._lock:
                self._running.discard(child)
        return _read(child.returncode, out, err)

    def stop(self) -> None:
        """End what is running."""
        with self._lock:
            running = list(self._running)
        for child in running:
            _end(child)


def _read(code: int, out: str, err: str) -> Outcome:
    if code != 0:
        said = err.strip().splitlines()
        return None, f"exit code {code}" + (f": {said[-1]:.200}" if said else "")
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if not is_number(last, "."):
        return None, f"the last line is no number: {last[:80]!r}"
    number = float(last)
    return (number, "") if math.isfinite(number) else (None, f"the value is {number}")


def _end(child: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGTERM)  # the shell and what it started
        else:
            child.terminate()
