"""Leases: who works on a pending trial and until when, by clocks that do not jump.

A lease is measured by the time since the machine started, which cannot be set and which all its processes share.
Processes of different machines compare by the store's clock, which each reads once, when it first needs it, and
advances by its own uptime: setting a clock while a worker runs changes nothing for that worker.
"""

import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Clock", "Lease", "Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of the clocks: the boot of the machine, seconds since then, and seconds by the store's clock."""

    boot: str
    ticks: float
    shared: float


class Clock:
    """The machine's own clock, set once by the store's."""

    def __init__(self, shared_now: float) -> None:
        self._offset = shared_now - _ticks()

    def read(self) -> Reading:
        """Now."""
        ticks = _ticks()
        return Reading(_boot(), ticks, ticks + self._offset)


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's lease on a trial: ``seconds`` from ``since``."""

    seconds: float
    since: Reading

    @classmethod
    def from_data(cls, data: Mapping[str, Any] | None) -> "Lease | None":
        """Decode a stored lease; None if it has no end."""
        return None if data is None else cls(data["seconds"], Reading(**data["since"]))

    def to_data(self) -> dict[str, Any]:
        """For the record."""
        return asdict(self)

    def ended(self, now: Reading) -> bool:
        """Whether the lease has expired."""
        same = now.boot == self.since.boot
        passed = now.ticks - self.since.ticks if same else now.shared - self.since.shared
        return passed >= self.seconds


def _ticks() -> float:
    """Seconds since the machine started, including sleep if the system can tell."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


@cache
def _boot() -> str:
    """An identifier of this boot of the machine; of this process if there is none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return secrets.token_hex(8)
