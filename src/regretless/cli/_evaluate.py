"""One evaluation: a program whose last line is the value, or a Python function in a process of its own.

Several outcomes are results by name: what a function returns as a dict, and a program prints as a JSON object in its
last line or as lines ``name=value``.
"""

import contextlib
import io
import json
import math
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import IO, Any, Literal, Protocol, cast

from regretless.cli._command import Command, check_program, words
from regretless.errors import InvalidInput, RegretlessError
from regretless.spaces.files import is_number
from regretless.study.flight import WorkerDied
from regretless.study.processes import GRACE, KEPT, Program, Programs, Tail

__all__ = ["BrokenOff", "Evaluate", "Function", "NoValue", "Outcome", "Remote", "Run"]

#: What a shell and others say of a program that may not be run, or is not there.
_NOT_RUN = (126, 127)
#: A worker finds what we find, wherever that was found.
_WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from regretless.cli._caller import main; main(*sys.argv[2:])"
)
#: Seconds after which it is seen that a process has died whose pipe stays open.
_LOOK = 0.25


@dataclass(frozen=True, slots=True)
class Outcome:
    """A value, or why there is none.

    ``"failed"``: the point has none, as it took too long or the value is not finite. ``"error"``: the program or the
    function broke off; whether the point is to blame the user says. ``"died"``: so did the process of a function, which
    is tried again. ``"unusable"``: nothing can be evaluated at all.
    """

    value: Any  # a number; several outcomes by name, NaN where one failed; replicates are a list
    kind: Literal["told", "failed", "error", "died", "unusable"] = "told"
    why: str = ""

    def result(self) -> Any:
        """The value, or an exception that says why there is none, as the worker loop takes it."""
        if self.value is None:
            kinds = {"failed": NoValue, "error": BrokenOff, "died": WorkerDied}
            raise kinds.get(self.kind, RegretlessError)(self.why)
        return self.value


class NoValue(RegretlessError):
    """The point has no value: it took too long, or the value is not finite."""


class BrokenOff(RegretlessError):
    """The program or the function broke off."""


class Evaluate(Protocol):
    """Evaluates one point; safe to call from several threads."""

    def check(self) -> None:
        """Refuse what could not be evaluated anywhere, before anything is evaluated."""

    def __call__(self, params: Mapping[str, Any]) -> Outcome:
        """The outcome there."""

    def stop(self) -> None:
        """End everything that runs, for good."""


class Run:
    """Runs a command with the parameters filled in; its last line that is not empty is the value.

    Where there are several ``outcomes``, that line is a JSON object, or its last lines say ``name=value`` of each.
    """

    def __init__(
        self,
        command: Command,
        names: Sequence[str],
        folder: Path,
        timeout: float | None,
        outcomes: Sequence[str] = (),
    ) -> None:
        self._outcomes = outcomes
        self._command = command
        self._names = names
        self._folder = folder
        self._timeout = timeout
        self._programs = Programs()

    def check(self) -> None:
        """Refuse a program that cannot be run."""
        check_program(self._command, self._names, self._folder)

    def __call__(self, params: Mapping[str, Any]) -> Outcome:
        """Run it. What it leaves running when it ends, or when its time is up, is ended too."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        try:
            program = self._programs.start(words(self._command, params), cwd=self._folder, **pipes)
        except (OSError, ValueError) as error:  # ValueError: a value with a null character
            return Outcome(None, "unusable", f"the program could not be started: {error}")
        if program is None:
            return _STOPPED
        child = program.child
        assert child.stdout is not None
        assert child.stderr is not None
        out, err = Tail(child.stdout), Tail(child.stderr)
        try:
            code = child.wait(self._timeout)
        except subprocess.TimeoutExpired:
            return _too_long(self._timeout)
        finally:
            self._programs.end(program)
        return _read(code, out, err, self._outcomes)

    def stop(self) -> None:
        """End what is running."""
        self._programs.stop()


class Function:
    """Calls ``module:function`` with the parameters as a dict, in processes that can be ended and replaced."""

    def __init__(self, target: str, folder: Path, timeout: float | None) -> None:
        self._words = [sys.executable, "-P", "-c", _WORKER, json.dumps(sys.path), target, str(folder.resolve())]
        self._target = target
        self._timeout = timeout
        self._programs = Programs()
        self._free: queue.SimpleQueue[_Worker] = queue.SimpleQueue()

    def check(self) -> None:
        """Refuse a module that cannot be imported, or has no such function."""
        worker = self._start()
        if isinstance(worker, Outcome):
            raise InvalidInput(worker.why)
        self._free.put(worker)

    def __call__(self, params: Mapping[str, Any]) -> Outcome:
        """Call it, in a process that is free or else a new one."""
        worker = self._worker()
        if isinstance(worker, Outcome):
            return worker
        try:
            answer = worker.ask(params, self._timeout)
        except TimeoutError:
            self._programs.end(worker.program)
            return _too_long(self._timeout)
        if answer is None:
            self._programs.end(worker.program)
            return Outcome(None, "died", f"the process of the function died ({_ended(worker.program)})")
        self._free.put(worker)
        if "error" in answer:
            return Outcome(None, "error", answer["error"])
        value = _with_nan(answer["value"])
        return Outcome(value) if value is not None else Outcome(None, "failed", "the value is not finite")

    def stop(self) -> None:
        """End all processes: those without work by themselves, so that what they registered for their end is done."""
        idle = []
        with contextlib.suppress(queue.Empty):
            while True:
                idle.append(self._free.get_nowait())
        for worker in idle:
            worker.dismiss()
        if len(idle) == len(self._programs):  # else somebody is in a hurry
            deadline = monotonic() + GRACE
            for worker in idle:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    worker.program.child.wait(max(0.0, deadline - monotonic()))
        self._programs.stop()

    def _worker(self) -> "_Worker | Outcome":
        with contextlib.suppress(queue.Empty):
            while True:
                worker = self._free.get_nowait()
                if worker.program.child.poll() is None:
                    return worker
                self._programs.end(worker.program)
        return self._start()

    def _start(self) -> "_Worker | Outcome":
        try:
            program = self._programs.start(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            return Outcome(None, "unusable", f"Python could not be started: {error}")
        if program is None:
            return _STOPPED
        worker = _Worker(program)
        answer = worker.answer(None)
        if answer is not None and answer["unusable"] is None:
            return worker
        self._programs.end(program)
        why = f"the process died ({_ended(program)})" if answer is None else answer["unusable"]
        return Outcome(None, "unusable", f"{self._target} cannot be called: {why}")


@dataclass(frozen=True, slots=True)
class Remote:
    """An evaluation on other machines. It is sent there, and makes what evaluates once in each process."""

    make: Callable[..., Evaluate]
    arguments: tuple[Any, ...]

    def check(self) -> None:
        """Refuse what could not be evaluated there."""
        _made(self).check()

    def __call__(self, params: Mapping[str, Any]) -> Any:
        """The value there."""
        return _made(self)(params).result()


@cache
def _made(remote: Remote) -> Evaluate:
    return remote.make(*remote.arguments)


class _Worker:
    """A process that answers line for line: see `regretless.cli._caller`."""

    def __init__(self, program: Program) -> None:
        assert program.child.stdin is not None
        assert program.child.stdout is not None
        self.program = program
        self._requests = program.child.stdin
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        answers = io.BufferedReader(cast(io.RawIOBase, program.child.stdout))
        threading.Thread(target=self._read, args=(answers,), daemon=True).start()

    def ask(self, params: Mapping[str, Any], timeout: float | None) -> dict[str, Any] | None:
        """The answer, None if the process died; raises TimeoutError."""
        try:
            self._requests.write(json.dumps(dict(params)).encode() + b"\n")
        except OSError:
            return None
        return self.answer(timeout)

    def dismiss(self) -> None:
        """There is no more work."""
        with contextlib.suppress(OSError):
            self._requests.close()

    def answer(self, timeout: float | None) -> dict[str, Any] | None:
        """The next answer, None if the process died; raises TimeoutError."""
        deadline = math.inf if timeout is None else monotonic() + timeout
        while True:
            dead = self.program.child.poll() is not None
            with contextlib.suppress(queue.Empty):
                line = self._answers.get(timeout=max(0.0, min(_LOOK, deadline - monotonic())))
                answer: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
                return answer
            if dead:  # and somebody it started keeps the pipe open
                return None
            if monotonic() >= deadline:
                raise TimeoutError

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._answers.put(line)
        self._answers.put(b"")


_STOPPED = Outcome(None, "unusable", "the run was stopped")


def _too_long(timeout: float | None) -> Outcome:
    return Outcome(None, "failed", f"no result after {timeout:g} seconds")


def _ended(program: Program) -> str:
    code = program.child.returncode
    if code is None:
        return "it does not answer"
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _with_nan(value: Any) -> Any:
    """What failed among several outcomes or replicates is null in JSON, and NaN for a study."""
    if isinstance(value, dict):
        return {name: math.nan if each is None else _with_nan(each) for name, each in value.items()}
    return [math.nan if each is None else each for each in value] if isinstance(value, list) else value


def _read(code: int, out: Tail, err: Tail, outcomes: Sequence[str] = ()) -> Outcome:
    text, said = out.text(), err.text().strip().splitlines()
    if code != 0:
        why = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
        kind: Literal["error", "unusable"] = "unusable" if code in _NOT_RUN else "error"
        return Outcome(None, kind, why + (f": {said[-1]:.200}" if said else ""))
    lines = text.rstrip().splitlines()
    last = lines[-1].strip() if lines else ""
    if out.cut and len(lines) <= 1:  # its beginning is not kept
        return Outcome(None, "error", f"the last line is longer than {KEPT} bytes")
    if len(outcomes) > 1:
        return _by_name(lines, last, outcomes)
    if not is_number(last, ".") and last.lower().lstrip("+-") not in ("nan", "inf", "infinity"):
        return Outcome(None, "error", f"the last line is not a number: {last[:80]!r}")
    number = float(last)
    return Outcome(number) if math.isfinite(number) else Outcome(None, "failed", f"the value is {number}")


def _by_name(lines: Sequence[str], last: str, outcomes: Sequence[str]) -> Outcome:
    """Several outcomes: the last line as a JSON object, or the last line ``name=value`` of each."""
    try:
        said = json.loads(last) if last.startswith("{") else _assignments(lines, outcomes)
        values = {name: _as_float(said[name]) for name in outcomes}
    except KeyError as error:
        return Outcome(None, "error", f"it printed no {error}: {_HOW.format(outcomes[0], outcomes[1])}")
    except (ValueError, TypeError) as error:
        return Outcome(None, "error", f"its results cannot be read ({error}): {_HOW.format(outcomes[0], outcomes[1])}")
    if not any(math.isfinite(value) for value in values.values()):
        return Outcome(None, "failed", "no value is finite")
    return Outcome(values)


_HOW = 'print a line per outcome, such as {0}=81.2, or a JSON object as the last line, {{"{0}": 81.2, "{1}": 0.3}}'


def _assignments(lines: Sequence[str], outcomes: Sequence[str]) -> dict[str, str]:
    found = {}
    for line in lines:
        name, equals, value = line.strip().rpartition("=")
        if equals and name.strip() in outcomes:
            found[name.strip()] = value.strip()
    return found


def _as_float(said: Any) -> float:
    """A number, as JSON or as text; null is a result that failed."""
    if said is None:
        return math.nan
    if isinstance(said, bool) or not isinstance(said, int | float | str):
        raise ValueError(f"{said!r} is not a number")
    return float(said)
