"""One mutant against its tests: a fork of a process that has imported what is slow to import, in a copy of the tree."""

import importlib
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from .operators import Mutant

TREE = ("src", "tests", "docs", "conftest.py", "pyproject.toml", "README.md", "bench", "tools", "examples", "packaging")
Verdict = Literal["killed", "timeout", "survived", "no test"]
_IMPORTED = (
    "alembic.command",
    "hypothesis.extra.numpy",
    "pytest",
    "scipy.integrate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.spatial",
    "scipy.special",
    "scipy.stats",
    "sqlalchemy",
)
#: What pytest ends with if there was no test, and the fork if pytest itself failed.
_NONE_FOUND, _FAILED = 5, 99
_PLAIN = ("-x", "-q", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin", "--no-header")
#: Of a loop without end: seconds of CPU beyond three times what the tests should take; of one that only waits.
CPU, CLOCK = 30.0, 600.0


def copied(root: Path, to: Path) -> Path:
    """A copy of the tree, compiled, in which mutants are tried."""
    for name in TREE:
        if (root / name).is_dir():
            shutil.copytree(root / name, to / name, ignore=shutil.ignore_patterns("_build", "results"))
        elif (root / name).exists():
            shutil.copy(root / name, to / name)
    return to


def warm() -> None:
    """Import what the tests import and what is never changed: every fork then has it. So without plugins of pytest."""
    for name in _IMPORTED:
        importlib.import_module(name)
    sys.dont_write_bytecode = True
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
    os.environ.update(PYTHONDONTWRITEBYTECODE="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", MPLBACKEND="Agg", **threads)


class Chosen:
    """A plugin of pytest that keeps the chosen tests, in their order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.order = {test: place for place, test in enumerate(tests)}
        self.failed = ""

    def _place(self, item: Any) -> int | None:
        path = item.nodeid.partition("::")[0]
        if path.startswith("src/"):  # the examples of one docstring build on each other
            return next((place for test, place in self.order.items() if test.startswith(path)), None)
        return self.order.get(item.nodeid)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Those chosen only, the most promising first."""
        placed = [(place, item) for item in items if (place := self._place(item)) is not None]
        items[:] = [item for _, item in sorted(placed, key=lambda pair: pair[0])]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Which test it was."""
        if report.failed:
            self.failed = report.nodeid


def tried(mutant: Mutant, tests: Sequence[str], tree: Path, *, seconds: float) -> tuple[Verdict, str, float]:
    """What became of a mutant, the test that killed it, and CPU seconds; ``seconds`` is what the tests should take."""
    if not tests:
        return "no test", "", 0.0
    path = tree / mutant.module
    source, times = path.read_text(encoding="utf-8"), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    before = _spent()
    path.write_text(mutant.applied(source), encoding="utf-8")
    try:
        status, said = _forked(tests, tree, limit=CPU + 3.0 * seconds)
    finally:
        path.write_text(source, encoding="utf-8")
        os.utime(path, ns=times)  # so that what was compiled before counts again
    cpu = _spent() - before
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed", said, cpu
    code = os.WEXITSTATUS(status)  # 0: all passed; 1: one failed; others: what is imported fails
    if code == _NONE_FOUND:
        raise RuntimeError(f"none of {len(tests)} tests was found again, such as {tests[0]}")
    return "killed" if code else "survived", said, cpu


def alive(module: str, tests: Sequence[str], tree: Path) -> None:
    """Refuse to go on where tests fail without any mistake: all mutants would be killed."""
    nothing = Mutant(module, "nothing", 1, 0, 0, "", ())
    verdict, by, _ = tried(nothing, tests, tree, seconds=60.0)
    if verdict != "survived":
        raise RuntimeError(f"{by or tests[0]} fails in a copy of the tree as it is: {verdict}")


def _spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _forked(tests: Sequence[str], tree: Path, *, limit: float) -> tuple[int, str]:
    """The status of a fork that runs the tests, and the test that failed."""
    note = tree / "killed-by"
    note.unlink(missing_ok=True)
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        _run(tests, tree, limit, note)
    waited = 0.0
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status, note.read_text(encoding="utf-8") if note.exists() else ""
        if waited > CLOCK:
            os.killpg(pid, signal.SIGKILL)
            waited = -CLOCK
        time.sleep(0.05)
        waited += 0.05


def _run(tests: Sequence[str], tree: Path, limit: float, note: Path) -> None:
    """In the fork: the tests, and out."""
    import pytest

    code = _FAILED
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
        os.chdir(tree)
        sys.path[:0] = [str(tree / "src"), str(tree)]
        os.environ["PYTHONPATH"] = f"{tree / 'src'}:{tree}"
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        chosen = Chosen(tests)
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        code = int(pytest.main([*_PLAIN, *files], plugins=[chosen]))
        note.write_text(chosen.failed, encoding="utf-8")
    finally:
        os._exit(code)
