"""Named random streams: a generator is a function of (seed, trial, purpose), so nothing of one is ever saved."""

import secrets
from enum import IntEnum

import numpy as np

from regretless.arrays import as_whole

__all__ = ["Purpose", "check_seed", "fresh_seed", "stream"]


class Purpose(IntEnum):
    """What a stream is for. The numbers are part of every stored study: never renumber."""

    DESIGN = 0  # the initial design
    RULE = 1  # zeta, sample paths, uniforms: whatever the rule draws before its score
    CANDIDATES = 2  # where the search starts
    FIT = 3  # restarts of the hyperparameter fit
    PROBLEM = 4  # functions and noise of test problems
    CERTIFICATE = 5  # points that stand for a continuous space, joint draws
    CAUTION = 6  # starts of the fit of the cautious model


def fresh_seed() -> int:
    """A seed for those who gave none; it is recorded, so the run can still be repeated."""
    return secrets.randbits(63)


def check_seed(seed: int | None) -> int:
    """The seed as a non-negative ``int``; ``None`` asks for a fresh one."""
    if seed is None:
        return fresh_seed()
    return as_whole(seed, "seed", hint="Leave it out, or pass None, for a fresh one.")


def stream(seed: int, trial: int, purpose: Purpose) -> np.random.Generator:
    """The generator of one trial and one purpose.

    >>> a, b = stream(7, 3, Purpose.RULE), stream(7, 3, Purpose.RULE)
    >>> a.random() == b.random()
    True
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(trial, int(purpose)))))
