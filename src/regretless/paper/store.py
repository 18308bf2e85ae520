"""Results that know where they came from.

Each experiment has a folder named after the *identity* of its results: the numbers of its settings, the versions of
NumPy and SciPy, and a hash of the code below this package. What was computed otherwise lies in another folder and is
never mixed in, never overwritten. Files are written under another name and renamed, so a file that exists is whole.
"""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import regretless
from regretless._version import __version__
from regretless.paper.jobs import Columns, Unit, from_csv
from regretless.paper.settings import Settings

__all__ = ["Store", "code_hash", "write_bytes", "write_text"]

#: Parts of the package that do not decide what a unit computes.
_BESIDE = ("cli", "integrations", "plots", "report", "testing", "web", "sheets", "__main__.py", "_version.py")
_DRAWN = ("claims", "figures", "race_claims", "report", "reproduce", "results", "runner", "theory_claims")


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of one experiment's results."""

    folder: Path
    identity: Mapping[str, Any]

    @classmethod
    def open(cls, out: Path, settings: Settings) -> "Store":
        """The store of these settings below ``out``; nothing is written yet."""
        identity = {
            "experiment": settings.experiment,
            "numbers": dict(settings.numbers),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "code": code_hash(),
        }
        mark = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:10]
        return cls(out / "results" / f"{settings.experiment}-{mark}", identity)

    def path(self, unit: Unit) -> Path:
        """Where the unit's numbers are."""
        return self.folder / f"{unit.key}.csv"

    def has(self, unit: Unit) -> bool:
        """Whether the unit is done."""
        return self.path(unit).exists()

    def read(self, unit: Unit) -> Columns:
        """The unit's numbers."""
        return from_csv(self.path(unit).read_text(encoding="utf-8"))

    def write(self, unit: Unit, text: str, seconds: float) -> None:
        """Keep the unit's numbers, and note the CPU seconds they took."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "seconds.csv").open("a", encoding="utf-8") as log:
            log.write(f"{unit.key},{seconds:.4f}\n")
        write_text(self.path(unit), text)

    def seconds(self, units: list[Unit]) -> float:
        """CPU seconds that these units took, as far as noted; the last note of a unit counts."""
        log = self.folder / "seconds.csv"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        noted = dict(line.rsplit(",", 1) for line in lines if line.count(",") == 1)
        return sum(float(noted.get(unit.key, 0.0)) for unit in units)

    def write_manifest(self, settings: Settings, units: list[Unit]) -> dict[str, Any]:
        """Say beside the results what they are: identity, settings, commit, versions, time."""
        content = {
            "identity": dict(self.identity),
            "settings": {
                "quick": settings.quick,
                "methods": sorted({unit.method for unit in units}),
                "problems": sorted({unit.problem for unit in units}),
                "runs": settings.runs,
                "more runs": dict(settings.more_runs),
                "seed": settings.numbers["seed"],
                "left open by the paper": list(settings.open),
            },
            "units": len(units),
            "finished": sum(map(self.has, units)),
            "core_seconds": round(self.seconds(units), 1),
            "commit": _commit(),
            "regretless": __version__,
            "python": platform.python_version(),
            "system": platform.platform(),
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_text(self.folder / "manifest.json", json.dumps(content, indent=1) + "\n")
        return content

    def matches(self) -> bool:
        """Whether the manifest beside the results has today's identity."""
        try:
            stored = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):
            return False
        return bool(stored.get("identity") == json.loads(json.dumps(self.identity)))


def write_text(path: Path, text: str) -> None:
    """Write all of it or nothing."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)


@cache
def code_hash() -> str:
    """Hash of every module that decides what a unit computes."""
    root = Path(regretless.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root)
        if place.parts[0] in _BESIDE or (place.parts[0] == "paper" and place.stem in _DRAWN):
            continue
        digest.update(place.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _commit() -> str | None:
    """The commit of the source tree this package runs from, with a mark if it was changed since; None elsewhere."""
    root = Path(regretless.__file__).parent

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True, timeout=10)
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip()

    commit = git("rev-parse", "HEAD")
    # Installed into someone else's repository, the commit would be theirs.
    if not commit or git("ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    return f"{commit} with changes" if git("status", "--porcelain", "--", ".") else commit
