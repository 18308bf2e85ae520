"""The worker process of a slot: it receives a function and its arguments, and sends back the result.

It is run as a file and imports nothing from this package, so it starts quickly. Output of the function goes to stderr.
If the driver has died, the process kills itself and its whole group: nobody is left to take the result.
"""

import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from typing import IO, Any

HEAD = struct.Struct("!Q")


def main() -> None:
    """Answer each frame with one, until there are no more. The first says where modules are found."""
    requests, answers = _take_over_the_pipes()
    inbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    waiting = threading.Semaphore(0)  # one for each request that is not answered yet
    threading.Thread(target=_receive, args=(requests, inbox, waiting), daemon=True).start()
    function: Callable[..., Any] | None = None
    while (frame := inbox.get()) is not None:
        kind, content = pickle.loads(frame)
        answer: tuple[str, Any] = ("ready", None)
        try:
            if kind == "path":
                sys.path[:] = content
            elif kind == "function":
                function = pickle.loads(content)
            else:
                assert function is not None
                arguments, named = pickle.loads(content)
                answer = ("value", function(*arguments, **named))
        except BaseException as error:
            answer = ("error", _noted(error))
        _send(answers, answer)
        waiting.acquire()


def _receive(requests: IO[bytes], inbox: "queue.SimpleQueue[bytes | None]", waiting: threading.Semaphore) -> None:
    while (frame := _read(requests)) is not None:
        waiting.release()
        inbox.put(frame)
    if waiting.acquire(blocking=False):  # in the middle of an evaluation
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)
    inbox.put(None)


def _read(stream: IO[bytes]) -> bytes | None:
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (size,) = HEAD.unpack(head)
    frame = stream.read(size)
    return frame if len(frame) == size else None


def _send(answers: IO[bytes], answer: tuple[str, Any]) -> None:
    try:
        frame = pickle.dumps(answer)
        pickle.loads(frame)  # an exception may be sent and not be made again
    except Exception as error:
        kind, content = answer
        what = "what f raised" if kind == "error" else "what f returned"
        plain = RuntimeError(f"{what} cannot be sent back ({type(error).__name__}: {error}): {content!r:.500}")
        frame = pickle.dumps(("error", plain))
    answers.write(HEAD.pack(len(frame)) + frame)
    answers.flush()


def _noted(error: BaseException) -> BaseException:
    """With the place where it was raised, which is lost on the way otherwise."""
    lines = traceback.format_exception(error)
    error.add_note("In the worker process:\n" + "".join(lines).rstrip())
    return error


def _take_over_the_pipes() -> tuple[IO[bytes], IO[bytes]]:
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


if __name__ == "__main__":
    main()
