"""Worker processes: each evaluates one thing at a time, is known by its pid, and can be killed and replaced.

A pool that gives work to any free process cannot tell which one to kill at a time limit, and loses all its work with
one process. Here each slot starts its process when it is first needed, and again after it died.
"""

import importlib
import os
import pickle
import queue
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import IO, Any, cast

from regretless.errors import InvalidInput
from regretless.study._slot import HEAD
from regretless.study.flight import WorkerDied
from regretless.study.processes import GRACE, Program, Programs

__all__ = ["Slots", "packed"]

#: One thread per process: with as many processes as cores, more would compete. Set in the environment of new
#: processes, since the function may load such a library only when it is called.
_ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)
_CHILD = str(Path(__file__).with_name("_slot.py"))


@dataclass(eq=False, slots=True)
class _Job:
    function: bytes
    arguments: bytes
    slot: "_Slot | None" = None  # that works on it
    killed: bool = False


@dataclass(slots=True)
class Slots(Executor):
    """An executor of ``count`` processes, each pinned to one thread of BLAS and OpenMP.

    >>> with Slots(2) as slots:
    ...     slots.submit(pow, 2, 10).result()
    1024
    """

    count: int
    _threads: ThreadPoolExecutor = field(init=False)  # each waits for a process
    _programs: Programs = field(default_factory=Programs)
    _free: "queue.LifoQueue[_Slot]" = field(default_factory=queue.LifoQueue)
    _jobs: dict[Future[Any], _Job] = field(default_factory=dict)
    _packed: tuple[Callable[..., Any], bytes] | None = None

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(self.count)

    def check(self, fn: Callable[..., Any]) -> None:
        """Refuse a function that cannot be sent to a process or used there."""
        function, slot = self._pack(fn), self._slot()
        try:
            slot.load(function)
        except BaseException:
            self._end(slot)
            raise
        self._free.put(slot)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn`` in a process that is free. Its future raises `WorkerDied` if the process ends before."""
        job = _Job(self._pack(fn), pickle.dumps((args, kwargs)))
        future = self._threads.submit(self._do, job)
        self._jobs[future] = job
        future.add_done_callback(self._jobs.pop)
        return future

    def kill(self, futures: Sequence[Future[Any]]) -> None:
        """Kill the processes that work on these futures; new ones are started when needed."""
        for future in futures:
            future.cancel()
            if (job := self._jobs.get(future)) is not None:
                job.killed = True
        while left := [future for future in futures if not future.done()]:  # again: a process may only just be starting
            slots = [job.slot for future in left if (job := self._jobs.get(future)) is not None]
            self._programs.end(*(slot.program for slot in slots if slot is not None))
            wait(left, timeout=0.05)

    def stop(self) -> None:
        """Kill all processes permanently."""
        self._programs.stop()

    def pids(self) -> list[int]:
        """The pids of busy processes."""
        return [job.slot.program.child.pid for job in list(self._jobs.values()) if job.slot is not None]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes: idle ones now, busy ones when they are done, or at once if ``wait`` is false."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        idle = []
        with suppress(queue.Empty):
            while True:
                idle.append(self._free.get_nowait())
        for slot in idle:
            slot.dismiss()
        if len(idle) == len(self._programs):  # else somebody is in a hurry
            deadline = monotonic() + GRACE
            for slot in idle:
                with suppress(subprocess.TimeoutExpired):
                    slot.program.child.wait(max(0.0, deadline - monotonic()))
        self._programs.stop()
        for slot in idle:
            slot.close()

    def _end(self, slot: "_Slot") -> None:
        self._programs.end(slot.program)
        slot.close()

    def _pack(self, fn: Callable[..., Any]) -> bytes:
        if self._packed is None or self._packed[0] is not fn:
            self._packed = fn, packed(fn)
        return self._packed[1]

    def _do(self, job: _Job) -> Any:
        job.slot = slot = self._slot()
        try:
            slot.load(job.function)
            kind, content = slot.answer("call", job.arguments)
            if job.killed:  # a program that f was waiting for died first: what f makes of that is no result
                raise WorkerDied("the process was killed")
        except BaseException:
            job.slot = None
            self._end(slot)
            raise
        job.slot = None
        self._free.put(slot)
        if kind == "error":
            raise content
        return content

    def _slot(self) -> "_Slot":
        with suppress(queue.Empty):
            while True:
                slot = self._free.get_nowait()
                if slot.program.child.poll() is None:
                    return slot
                self._end(slot)
        words = [sys.executable, "-P", _CHILD]
        program = self._programs.start(words, variables=_ONE_THREAD, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if program is None:
            raise WorkerDied("the run was stopped")
        slot = _Slot(program)
        try:
            slot.answer("path", sys.path)
        except BaseException:
            self._end(slot)
            raise
        return slot


class _Slot:
    """A process that answers one frame per request: see `regretless.study._slot`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._requests = cast(IO[bytes], program.child.stdin)
        self._answers = cast(IO[bytes], program.child.stdout)
        self._function: bytes | None = None

    def load(self, function: bytes) -> None:
        """Load the function."""
        if self._function is function:
            return
        kind, content = self.answer("function", function)
        if kind == "error":
            why = f"{type(content).__name__}: {content}"
            raise InvalidInput(f"f cannot be used in a worker process: {why}.") from content
        self._function = function

    def answer(self, kind: str, content: Any) -> tuple[str, Any]:
        """Send a request and wait for the answer."""
        frame = pickle.dumps((kind, content))
        try:
            _write(self._requests, HEAD.pack(len(frame)) + frame)
            self._until_readable()
            (size,) = HEAD.unpack(_read(self._answers, HEAD.size))
            answer: tuple[str, Any] = pickle.loads(_read(self._answers, size))
        except (OSError, EOFError):  # the pipe is closed
            raise WorkerDied(self._ended()) from None
        return answer

    def dismiss(self) -> None:
        """Ask the process to end."""
        with suppress(OSError):
            self._requests.close()

    def close(self) -> None:
        """Close its pipes, after its end."""
        self.dismiss()
        self._answers.close()

    def _until_readable(self) -> None:
        """Wait for the pipe or for the end of the process: a child process may keep the pipe open forever."""
        if not hasattr(os, "pidfd_open"):
            return
        try:
            process = os.pidfd_open(self.program.child.pid)
        except OSError:  # it is gone: what it wrote can be read
            return
        try:
            poll = select.poll()
            poll.register(self._answers, select.POLLIN)
            poll.register(process, select.POLLIN)
            ready = [number for number, _ in poll.poll()]
        finally:
            os.close(process)
        if self._answers.fileno() not in ready:
            raise EOFError

    def _ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self.program.child.wait(GRACE)
        code = self.program.child.returncode
        if code is None:
            return "the process does not answer"
        return f"the process ended with exit code {code}" if code >= 0 else f"the process was killed by signal {-code}"


def packed(fn: Callable[..., Any]) -> bytes:
    """Pickle a function for another process; refused with advice if that is impossible."""
    cloudpickle = _cloudpickle()
    try:
        content: bytes = (cloudpickle or pickle).dumps(fn)
    except Exception as error:
        hint = _NEEDS_CLOUDPICKLE if cloudpickle is None else "Give the worker a function that makes what it needs."
        raise InvalidInput(
            f"f cannot be sent to another process: {type(error).__name__}: {error}. {hint} Or evaluate in threads: "
            "executor=ThreadPoolExecutor(8)."
        ) from error
    if cloudpickle is None and b"__main__" in content:
        raise InvalidInput(
            f"f is defined in the program that runs, where a worker process does not find it. {_NEEDS_CLOUDPICKLE}"
        )
    return content


_NEEDS_CLOUDPICKLE = (
    "Install cloudpickle, which sends such functions (pip install 'regretless[workers]'), or define f at the top level "
    "of a module that can be imported."
)


def _cloudpickle() -> ModuleType | None:
    for name in ("cloudpickle", "joblib.externals.cloudpickle"):
        with suppress(ImportError):
            return importlib.import_module(name)
    return None


def _read(stream: IO[bytes], size: int) -> bytes:
    """Read this many bytes from an unbuffered pipe."""
    parts = []
    while size:
        part = stream.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(stream: IO[bytes], content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[stream.write(view) :]
