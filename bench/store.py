"""Results that know where they came from: one JSON file for each unit of work, used only while its identity holds.

The *identity* of a unit is everything that decides its result: the settings of the work and of the peer, the versions
of the packages behind the peer, for our own rules a hash of the source, and for timings the processor. A finished unit
whose identity is today's is kept; any other is run again. The *manifest* records the rest: commit, date, load.
"""

import ast
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bench.adapters import OURS, PEERS

__all__ = [
    "RESULTS",
    "THREADS",
    "Unit",
    "UnitFailed",
    "available",
    "execute",
    "keep",
    "load",
    "manifest",
    "run",
    "version",
    "write_json",
]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
_SOURCE = ROOT / "src" / "regretless"

#: Every process of a benchmark computes on one thread; SMAC repeats only if strings hash the same.
THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


class UnitFailed(Exception):
    """A worker ended without a result; the message is the end of what it wrote."""


@dataclass(frozen=True, eq=False)
class Unit:
    """One piece of work: a task of `bench.worker` for one peer and one seed."""

    folder: str  # below results/, "quick/" in front for quick runs
    work: str
    peer: str
    seed: int
    task: str
    arguments: Mapping[str, Any]
    timing: bool = False  # whether the result depends on the machine

    @property
    def path(self) -> Path:
        """Where the result is kept."""
        return RESULTS / self.folder / self.work / self.peer / f"{self.seed}.json"

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the result."""
        peer = PEERS[self.peer]
        identity = {
            "task": self.task,
            "arguments": dict(self.arguments),
            "seed": self.seed,
            "peer": {"module": peer.module, **peer.settings},
            "versions": {name: versions(peer.venv)[name] for name in peer.packages},
        }
        if self.peer in OURS or self.timing:  # a peer's time counts beside our own in the same minute
            identity["source"] = source_hash()
        if peer.hosted and "regretless" in peer.packages:  # our code, with what stands between us and the host
            identity |= {"source": source_hash(), "adapter": adapter_hash(peer.module)}
        if self.timing:
            identity["cpu"] = cpu_model()
        return json.loads(json.dumps(identity))


def available(peer: str) -> bool:
    """Whether the peer is installed."""
    found = versions(PEERS[peer].venv)
    return all(found.get(name) is not None for name in PEERS[peer].packages)


def load(unit: Unit) -> dict[str, Any] | None:
    """The stored result, if there is one and its identity is today's.

    A peer that is not installed here has no versions today; what it did stands with the versions it was done with.
    """
    if (stored := _stored(unit)) is None:
        return None
    today = unit.identity
    if not available(unit.peer):
        today["versions"] = stored["identity"]["versions"]
    return stored["result"] if stored["identity"] == today else None


def version(unit: Unit) -> str | None:
    """Of the peer itself, as the stored result has it."""
    stored = _stored(unit)
    return None if stored is None else stored["identity"]["versions"][PEERS[unit.peer].packages[0]]


def _stored(unit: Unit) -> dict[str, Any] | None:
    try:
        return json.loads(unit.path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def run(unit: Unit, *, timeout: float | None = None) -> dict[str, Any]:
    """Run the unit in a process of its own and keep the result."""
    result = execute(unit, timeout=timeout)
    keep(unit, result)
    return result


def execute(unit: Unit, *, timeout: float | None = None) -> dict[str, Any]:
    """Run the unit in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        out = Path(folder) / "result.json"
        spec = {"task": unit.task, "arguments": {**unit.arguments, "peer": unit.peer, "seed": unit.seed}}
        try:
            done = subprocess.run(
                [str(interpreter(PEERS[unit.peer].venv)), "-m", "bench.worker", str(out)],
                input=json.dumps(spec),
                cwd=ROOT,
                env={**os.environ, **THREADS},
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise UnitFailed(f"no result after {timeout:.0f} s") from None
        if done.returncode != 0 or not out.exists():
            raise UnitFailed((done.stderr or done.stdout).strip()[-2000:] or f"exit code {done.returncode}")
        result: dict[str, Any] = json.loads(out.read_text())
    if unit.peer in OURS and source_hash.__wrapped__() != source_hash():
        raise UnitFailed("the source was changed since the benchmark began; start it again")
    return result


def keep(unit: Unit, result: dict[str, Any]) -> None:
    """Store a result with the unit's identity and today's manifest."""
    write_json(unit.path, {"identity": unit.identity, "manifest": manifest(), "result": result})


def write_json(path: Path, content: Any) -> None:
    """Write all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(json.dumps(content, indent=1) + "\n")
    part.replace(path)


def manifest() -> dict[str, Any]:
    """Where and when."""
    return {
        "commit": _git("rev-parse", "HEAD"),
        "uncommitted_changes": bool(_git("status", "--porcelain", "--", "src", "bench")),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "threads": 1,
        "python": platform.python_version(),
        "system": platform.platform(),
    }


@cache
def versions(venv: str) -> dict[str, str | None]:
    """Versions of every peer's packages in an environment, None for what it does not have."""
    names = sorted({name for peer in PEERS.values() for name in peer.packages})
    python = interpreter(venv)
    if not python.exists():
        return dict.fromkeys(names)
    code = (
        "import importlib.metadata as m, json, sys\n"
        "have = {d.metadata['Name'].lower().replace('_', '-'): d.version for d in m.distributions()}\n"
        "print(json.dumps({n: have.get(n.lower()) for n in sys.argv[1:]}))"
    )
    found = subprocess.run([str(python), "-c", code, *names], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def interpreter(venv: str) -> Path:
    """The Python of an environment; the benchmark's own is the one that runs now."""
    return Path(sys.executable) if venv == ".venv-bench" else ROOT / venv / "bin" / "python"


@cache
def source_hash() -> str:
    """Hash of the code that decides our suggestions: everything from `arrays` up to `study`, without its prose."""
    parts = ("acquisition", "confidence", "gp", "optimizer", "search", "spaces", "study")
    files = [path for part in parts for path in (_SOURCE / part).rglob("*.py")]
    return _hash([*files, *(_SOURCE / name for name in ("arrays.py", "linalg.py", "pareto.py", "rng.py"))])


@cache
def adapter_hash(module: str) -> str:
    """Hash of the code that stands between us and the host that a module of the adapters or `bench.tuning` uses."""
    folder = _SOURCE / "integrations" / {"optuna": "optuna", "tuning": "sklearn"}[module]
    return _hash([*folder.rglob("*.py"), _SOURCE / "integrations" / "choices.py"])


def _hash(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(
            str(path.relative_to(_SOURCE)).encode() + b"\0" + _without_prose(path.read_text()).encode() + b"\0"
        )
    return digest.hexdigest()


def _without_prose(source: str) -> str:
    """The code without comments and docstrings: a better sentence voids no measurement."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.unparse(tree)


@cache
def cpu_model() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
