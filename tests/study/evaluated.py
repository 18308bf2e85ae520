"""Functions that processes import: as ``tests.study.evaluated``, which they find where a test's own module is not."""

import os
import signal
import time
from pathlib import Path


def bowl(x):
    """Has its maximum, 0, at (0.3, 1)."""
    return -((x[0] - 0.3) ** 2) - (x[1] - 1.0) ** 2


def slow_bowl(x):
    """Takes long enough to be killed at."""
    time.sleep(0.05)
    return bowl(x)


def distance(argument):
    numbers = argument.values() if isinstance(argument, dict) else argument
    return -sum((v - 0.3) ** 2 for v in numbers if isinstance(v, float | int))


def picky(x):
    if x[0] > 0.5:
        raise ValueError("too hot")
    return bowl(x)


def suicidal(x):
    """Kills its process once."""
    try:
        Path(os.environ["REGRETLESS_TEST_MARK"]).mkdir()
    except FileExistsError:
        return bowl(x)
    return os.kill(os.getpid(), signal.SIGKILL)
