"""``python -m bench floor``: where the time of one suggestion goes, beside what the machine itself needs for its core.

The floor is what no exact implementation gets around: one factorisation of the n x n covariance matrix where
hyperparameters are fitted (each evaluation of the likelihood has one), one pass over the n x N matrix on a table. Both
are measured in the same run. CPU time.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.linalg.lapack import dpotrf

from bench import page, store
from bench.adapters import Floats
from bench.tasks import latin_hypercube
from regretless import Study
from regretless import Table as Candidates
from regretless.linalg import single_thread
from regretless.problems import by_name

__all__ = ["CASES", "Case", "Profile", "main"]

PAGE = page.BENCHMARKS.with_name("performance.md")

#: Stages of one suggestion: what they are called, and the function (module, name) whose time it is.
_STAGES = (
    ("fit of the hyperparameters", "regretless.optimizer.model", "_fit"),
    ("posterior: built or extended", "regretless.optimizer.suggestion", "with_search"),
    ("candidates and their moments", "regretless.optimizer.suggestion", "scene_of"),
    ("ascents", "regretless.search.product", "climb_in"),
    ("argmax over the table", "regretless.search.domain", "search_table"),
)
_REST = "the rest"


@dataclass(frozen=True)
class Case:
    """A study with ``n`` observations whose next suggestions are looked at."""

    title: str
    n: int
    dim: int
    rows: int | None = None  # a table of so many rows; None: a box
    suggestions: int | None = None  # None: one cycle of fits


@dataclass
class Profile:
    """Seconds by stage, each without the stages inside it."""

    seconds: dict[str, float] = field(default_factory=dict)
    _inside: list[float] = field(default_factory=list)

    def timed(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its time added to ``label``."""

        def call(*args: Any, **kwargs: Any) -> Any:
            self._inside.append(0.0)
            begin = process_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = process_time() - begin
                self.seconds[label] = self.seconds.get(label, 0.0) + spent - self._inside.pop()
                if self._inside:
                    self._inside[-1] += spent

        return call


CASES = (
    Case("n = 50, Holder table", 50, 2),
    Case("n = 500, Ackley d = 6", 500, 6),
    Case("n = 200, table of 1,000,000 x 5, between fits", 200, 5, rows=1_000_000, suggestions=7),
)


def main(arguments: list[str]) -> int:
    """Measure, print, and with --docs write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench floor", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--docs", action="store_true", help="put the tables into the docs")
    options = parser.parse_args(arguments)
    console = Console()
    sections = []
    with single_thread():
        for case in CASES:
            heads, lines = _lines(case)
            table = Table(*heads, title=case.title, title_justify="left")
            for line in lines:
                table.add_row(*line)
            console.print(table)
            sections.append(f"## {case.title}\n\n{page.markdown(heads, lines)}")
    if options.docs:
        page.put(PAGE, "floor", "\n\n".join([page.measured(store.manifest()), *sections]))
    return 0


def _lines(case: Case) -> tuple[list[str], list[list[str]]]:
    """One line a stage, then the sum, the floor and our ratio to it."""
    profile, count = follow(case)
    per = {label: seconds / count for label, seconds in profile.seconds.items()}
    total = sum(per.values())
    lines = [[label, f"{1e3 * per[label]:.2f} ms", f"{100 * per[label] / total:.0f} %"] for label in _order(per)]
    name, floor = floor_of(case)
    lines += [["together", f"{1e3 * total:.2f} ms", "100 %"]]
    lines += [[f"floor: {name}", f"{1e3 * floor:.3g} ms", f"ours is {total / floor:.3g}×"]]
    return ["one tell + ask", "time", "share"], lines


def _order(per: dict[str, float]) -> list[str]:
    known = [label for label, *_ in _STAGES if label in per]
    return [*known, *(label for label in per if label not in known)]


def follow(case: Case, seed: int = 0) -> tuple[Profile, int]:
    """Profile of the next suggestions, and how many those are."""
    study, observe = _study(case, seed)
    count = case.suggestions or max(1, case.n // 8)
    profile = Profile()
    trial = study.ask()
    with _watched(profile):
        step = profile.timed(_REST, lambda at: (study.tell(at, observe(at)), study.ask())[1])
        for _ in range(count):
            trial = step(trial)
    return profile, count


def floor_of(case: Case, repeats: int = 15) -> tuple[str, float]:
    """The part of the work that cannot be avoided: its name, and its median seconds on this machine."""
    if case.rows is not None:
        matrix, weights = np.full((case.n, case.rows), 0.5), np.full(case.n, 0.5)
        gigabytes = matrix.nbytes / 1e9
        seconds = _median(lambda: weights @ matrix, repeats)
        return f"one pass over the {gigabytes:.1f} GB of the n × N matrix, {gigabytes / seconds:.0f} GB/s", seconds
    X = np.random.default_rng(0).random((case.n, case.dim))
    K = np.asfortranarray(np.exp(-np.abs(X[:, None] - X).sum(axis=2)) + np.eye(case.n))
    seconds = _median(lambda: dpotrf(K, lower=1), repeats)
    return f"one Cholesky factorisation, {case.n**3 / 3.0 / seconds / 1e9:.1f} Gflop/s", seconds


def _median(work: Callable[[], Any], repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        begin = process_time()
        work()
        seconds.append(process_time() - begin)
    return float(np.median(seconds))


def _study(case: Case, seed: int) -> tuple[Study, Callable[[Any], float]]:
    """A study that holds ``n`` observations."""
    noise = np.random.default_rng([seed, 1])
    if case.rows is None:
        problem = by_name("holder-table" if case.dim == 2 else "ackley", None if case.dim == 2 else case.dim)
        bounds = np.array([(side.low, side.high) for side in problem.space.dimensions.values()])
        f: Callable[[Floats], float] = problem.noisy(noise, 1e-4)
        study = Study([tuple(side) for side in bounds.tolist()], n_initial=0, seed=seed)
        for x in latin_hypercube(bounds, case.n, seed):
            study.add(x, f(x))
        return study, lambda trial: f(study.space.argument(trial.params))
    X = np.random.default_rng([seed, 2]).random((case.rows, case.dim))

    def measure(row: int) -> float:
        return float(np.sin(6.0 * X[row]).sum() + noise.normal(0.0, 0.01))

    study = Study(Candidates(X, repeats="never"), n_initial=0, seed=seed)
    for row in np.random.default_rng([seed, 0]).choice(case.rows, case.n, replace=False).tolist():
        study.add(row=row, value=measure(row))
    return study, lambda trial: measure(int(trial.row))


@contextmanager
def _watched(profile: Profile) -> Iterator[None]:
    """While it lasts, the functions of the stages are timed."""
    before: list[tuple[Any, str, Any]] = []
    try:
        for label, module_name, name in _STAGES:
            import_module(module_name)
            module = sys.modules[module_name]  # a package may have a function of the module's name
            before.append((module, name, getattr(module, name)))
            setattr(module, name, profile.timed(label, getattr(module, name)))
        yield
    finally:
        for module, name, function in before:
            setattr(module, name, function)
