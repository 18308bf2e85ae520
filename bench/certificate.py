"""``python -m bench certificate``: how right the certificate is with fitted hyperparameters, f being no GP sample.

The default study runs on finite candidate sets, where the true regret of the recommendation is known: test functions on
a fresh Latin hypercube for each seed, GP sample paths as a control, and the materials tables if ``REGRETLESS_DATA`` is
set. From the eighth observation on every certificate is recorded beside the truth. Needs no peers. Everything is
measured in per cent of the range of f over the candidates, so problems can be averaged.

The bound is on an expectation: a single regret above it is allowed, a mean above the mean bound is not. A mean counts
as *dishonest* when it is above by more than two standard errors over the runs.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Shown
from scipy.stats import qmc

from bench import store
from bench.page import markdown, put
from regretless import Regret, Study
from regretless.gp import Kernel, Surrogate
from regretless.problems import by_name, gp_sample, load, table_names
from regretless.problems.measurements import FOLDER_VARIABLE
from regretless.spaces import Table

__all__ = ["EPS", "HEED", "PROBLEMS", "STAGES", "Stage", "Stop", "follow", "main", "stages_of", "stop_of", "write_page"]

Floats = npt.NDArray[np.float64]

#: Observations at which bound and truth are compared; accuracies of the stopping rule, in per cent of the range.
STAGES = (10, 20, 40, 80)
EPS = (5.0, 1.0)
FIRST = 8  # observations before which the trust light says nothing
#: Noise variance as a share of the variance of f over the candidates.
NOISE = {"small": 1e-4, "moderate": 1e-2}
PAGE = store.ROOT / "docs" / "explanation" / "certificate-evidence.md"

#: Test function, dimension if it can be chosen, candidates.
_FUNCTIONS: dict[str, tuple[str, int | None, int]] = {
    "holder-table": ("holder-table", None, 600),
    "cross-in-tray": ("cross-in-tray", None, 600),
    "branin": ("branin", None, 600),
    "griewank-2": ("griewank", 2, 600),
    "hartmann3": ("hartmann3", None, 600),
    "styblinski-tang-3": ("styblinski-tang", 3, 600),
    "ackley-4": ("ackley", 4, 600),
    "levy-4": ("levy", 4, 600),
}
#: Control: sample paths of the default's own kernel, hyperparameters fitted all the same.
_CONTROL = "gp-sample-3"
PROBLEMS = (_CONTROL, *_FUNCTIONS, *table_names())

#: When a study stops: at so many small bounds in a row, the last under one of these lights. "Regret" is what the
#: package does; "at once" and "light" are there to see what patience and light are worth.
HEED: dict[str, tuple[int, frozenset[str]]] = {
    "at once": (1, frozenset({"green", "amber", "red"})),
    "light": (1, frozenset({"green", "amber"})),
    "Regret": (Regret(1.0).patience, frozenset({"green", "amber"})),
}


@dataclass(frozen=True)
class Stage:
    """Bound and truth after ``t`` observations: means over the runs, and the standard error of their difference."""

    t: int
    bound: float
    regret: float
    se: float

    @property
    def dishonest(self) -> bool:
        """Whether the mean regret is above the mean bound by more than two standard errors."""
        return self.regret - self.bound > 2.0 * self.se


@dataclass(frozen=True)
class Stop:
    """Stopping at the first bound of at most ``eps``: how many runs did, when, and with which regret."""

    eps: float
    heed: str
    share: float
    t: float
    regret: float
    se: float

    @property
    def dishonest(self) -> bool:
        """Whether the mean regret at the stop is above eps by more than two standard errors."""
        return self.regret - self.eps > 2.0 * self.se


def main(arguments: list[str]) -> int:
    """Run the studies, print the tables, write them down."""
    options = _options(arguments)
    console = Console(width=200)
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    raw = folder / "raw" / "certificate.json"
    if options.report:
        if not raw.exists():
            console.print("Nothing is complete yet.")
            return 1
        stored = json.loads(raw.read_text())
    else:
        stored = measure(options, console)
        store.write_json(raw, stored)
    runs = {(entry["problem"], entry["noise"]): entry["runs"] for entry in stored["records"]}
    rows, together = {key: summary(some) for key, some in runs.items()}, pooled(runs)
    console.print(_grid(_STAGE_TITLE, _STAGE_HEADS, [(", ".join(k), *_stage_cells(r)) for k, r in rows.items()]))
    console.print(_grid(_STOP_TITLE, _STOP_HEADS, [(", ".join(k), *_stop_cells(r)) for k, r in rows.items()]))
    console.print(_grid("all problems of a kind", _STAGE_HEADS, [(k, *_stage_cells(r)) for k, r in together.items()]))
    console.print(_grid("all problems of a kind", _STOP_HEADS, [(k, *_stop_cells(r)) for k, r in together.items()]))
    content = {key: value for key, value in stored.items() if key != "records"} | {
        "noise": NOISE,
        "unit": "per cent of the range of f over the candidates",
        "rows": [{"problem": name, "noise": noise, **_plain(row)} for (name, noise), row in rows.items()],
        "together": {kind: _plain(row) for kind, row in together.items()},
    }
    store.write_json(folder / "certificate.json", content)
    console.print(f"{folder / 'certificate.json'}", highlight=False, soft_wrap=True)
    if options.docs:
        write_page(rows, together, stored["manifest"], PAGE)
        console.print(f"{PAGE}", highlight=False, soft_wrap=True)
    return 0


def measure(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run every study; the records with where they came from."""
    names = options.only or [name for name in PROBLEMS if name not in table_names() or os.environ.get(FOLDER_VARIABLE)]
    if not options.only and len(names) < len(PROBLEMS):
        console.print(f"{FOLDER_VARIABLE} is not set: the materials tables are left out.")
    seeds, length = (2, 20) if options.quick else (options.seeds, max(STAGES))
    known = {"manifest": store.manifest(), "source": _source()}  # now: the sources may change while the studies run
    works = [(name, noise, seed, length) for seed in range(seeds) for name in names for noise in NOISE]
    found = _run_all(works, options.jobs, console)
    records = [
        {"problem": name, "noise": noise, "runs": [found[name, noise, seed, length] for seed in range(seeds)]}
        for name in names
        for noise in NOISE
    ]
    return {**known, "seeds": seeds, "length": length, "records": records}


# One run ------------------------------------------------------------------------------------------------------------


def candidates(name: str, seed: int) -> tuple[Any, Floats]:
    """The candidates as a space, and the values of f there without noise."""
    rng = np.random.default_rng([20230, seed])
    if name == _CONTROL:
        X = qmc.LatinHypercube(3, rng=rng).random(600)
        problem = gp_sample(X, Kernel("matern52", np.full(3, 0.3), 1.0), rng, jitter=1e-8)
        return X, problem.evaluate(X)
    if name in _FUNCTIONS:
        function, dim, n = _FUNCTIONS[name]
        box = by_name(function, dim)
        low, high = np.array([(side.low, side.high) for side in box.space.dimensions.values()]).T
        X = low + (high - low) * qmc.LatinHypercube(len(low), rng=rng).random(n)
        return X, box.evaluate(X)
    table = load(name)
    assert isinstance(table.space, Table)
    return table.space, np.array([table(table.space.params(i)) for i in range(table.space.n_candidates)])


def follow(name: str, noise: str, seed: int, length: int, surrogate: Surrogate | None = None) -> dict[str, list[Any]]:
    """One study of ``length`` trials: every certificate from the eighth observation on, and the truth beside it."""
    space, f = candidates(name, seed)
    percent = 100.0 / float(np.ptp(f))
    rng = np.random.default_rng([20231, seed])
    noise_sd = float(np.sqrt(NOISE[noise]) * f.std())
    study = Study(space, surrogate=surrogate, seed=seed)
    row_of = {row: i for i, row in enumerate(study.space.ids)}  # type: ignore[union-attr]
    record: dict[str, list[Any]] = {key: [] for key in ("t", "bound", "regret", "light", "rms", "noise_var")}
    record |= {f"exceeds {eps:g}": [] for eps in EPS}
    for t in range(length + 1):
        trial = study.ask()  # first, so that one fit serves both; a pending trial plays no part in the certificate
        if t >= FIRST:
            left = [study.certificate(eps / percent) for eps in EPS]
            record["t"].append(t)
            record["bound"].append(percent * left[0].bound)
            record["regret"].append(percent * float(f.max() - f[row_of[left[0].row]]))
            record["light"].append(left[0].trust.light)
            record["rms"].append(left[0].trust.rms)
            record["noise_var"].append((trial.hyperparameters or {}).get("noise_var"))
            for eps, one in zip(EPS, left, strict=True):
                record[f"exceeds {eps:g}"].append(one.exceeds)
        study.tell(trial, float(f[row_of[trial.row]] + noise_sd * rng.standard_normal()))
    return record


def _run_all(
    works: Sequence[tuple[str, str, int, int]], jobs: int, console: Console
) -> dict[tuple[str, str, int, int], dict[str, list[Any]]]:
    os.environ.update(store.THREADS)  # the workers are started anew and read it
    found = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        Progress(*columns, console=console, transient=True) as bar,
        ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        task = bar.add_task("studies", total=len(works))
        running = {pool.submit(follow, *work): work for work in works}
        try:
            for future in as_completed(running):
                found[running[future]] = future.result()
                bar.advance(task)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


# Many runs ----------------------------------------------------------------------------------------------------------


def summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Everything that is reported about the runs of one problem."""
    above = np.mean([np.greater(run["regret"], run["bound"]).mean() for run in runs])
    lights = [light for run in runs for light in run["light"]]
    return {
        "stages": stages_of(runs),
        "above": float(above),
        "lights": {light: lights.count(light) / len(lights) for light in ("green", "amber", "red")},
        "stops": [stop_of(runs, eps, heed) for eps in EPS for heed in HEED],
        "exceeds": {f"{eps:g}": _exceeds(runs, eps) for eps in EPS},
    }


def stages_of(runs: Sequence[Mapping[str, Any]]) -> list[Stage]:
    """Mean bound and mean regret at every stage that the runs have reached.

    >>> stages_of([{"t": [10], "bound": [3.0], "regret": [1.0]}, {"t": [10], "bound": [1.0], "regret": [1.0]}])
    [Stage(t=10, bound=2.0, regret=1.0, se=1.0)]
    """
    stages = []
    for t in STAGES:
        if all(t in run["t"] for run in runs):
            bound, regret = (np.array([run[key][run["t"].index(t)] for run in runs]) for key in ("bound", "regret"))
            stages.append(Stage(t, float(bound.mean()), float(regret.mean()), _se(regret - bound)))
    return stages


def stop_of(runs: Sequence[Mapping[str, Any]], eps: float, heed: str) -> Stop:
    """What comes of stopping at bounds of at most ``eps`` by one of the rules of `HEED`.

    >>> stop_of([{"t": [8, 9], "bound": [1.0, 1.0], "regret": [7.0, 0.0], "light": ["red", "green"]}], 1.0, "light")
    Stop(eps=1.0, heed='light', share=1.0, t=9.0, regret=0.0, se=nan)
    """
    patience, lights = HEED[heed]
    times, regrets = [], []
    for run in runs:
        in_a_row = 0
        for t, bound, regret, light in zip(run["t"], run["bound"], run["regret"], run["light"], strict=True):
            in_a_row = in_a_row + 1 if bound <= eps else 0
            if in_a_row >= patience and light in lights:
                times.append(t)
                regrets.append(regret)
                break
    if not times:
        return Stop(eps, heed, 0.0, np.nan, np.nan, np.nan)
    return Stop(eps, heed, len(times) / len(runs), float(np.mean(times)), float(np.mean(regrets)), _se(regrets))


def pooled(runs: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    """The same over all problems of a kind, each run counted once."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for (name, noise), some in runs.items():
        kind = "control" if name == _CONTROL else "functions" if name in _FUNCTIONS else "tables"
        kinds.setdefault(f"{kind}, {noise} noise", []).extend(some)
    return {kind: summary(some) for kind, some in kinds.items()}


def _exceeds(runs: Sequence[Mapping[str, Any]], eps: float) -> dict[str, float]:
    """Mean promised probability of a regret above eps, and the share of certificates where it was."""
    promised = np.mean([np.mean(run[f"exceeds {eps:g}"]) for run in runs])
    happened = np.mean([np.mean(np.greater(run["regret"], eps)) for run in runs])
    return {"promised": float(promised), "happened": float(happened)}


def _se(values: Any) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


# Showing it ---------------------------------------------------------------------------------------------------------


def _stage_cells(row: Mapping[str, Any]) -> Iterable[str]:
    by_t = {stage.t: stage for stage in row["stages"]}
    for t in STAGES:
        s = by_t.get(t)
        yield "" if s is None else f"{s.bound:.2f} / {s.regret:.2f}{' !' if s.dishonest else ''}"
    yield f"{100.0 * row['above']:.0f} %"
    yield " ".join(f"{100.0 * row['lights'][light]:.0f}" for light in ("green", "amber", "red"))


def _stop_cell(stop: Stop) -> str:
    if not stop.share:
        return "-"
    se = "" if np.isnan(stop.se) else f"±{stop.se:.2f}"
    return f"{stop.t:.0f} ({100.0 * stop.share:.0f} %): {stop.regret:.2f}{se}{' !' if stop.dishonest else ''}"


_STAGE_HEADS = (*(f"t = {t}" for t in STAGES), "above", "G A R %")
_STOP_HEADS = tuple(f"{eps:g} %, {heed}" for eps in EPS for heed in HEED)
_STAGE_TITLE = (
    "mean bound / mean regret, per cent of the range; '!': dishonest; above: share of regrets above the bound"
)
_STOP_TITLE = (
    "stopping: mean time (share stopped): mean regret at the stop ± se; lights that do not stop: none, red, amber"
)


def _stop_cells(row: Mapping[str, Any]) -> Iterable[str]:
    return (_stop_cell(stop) for stop in row["stops"])


def _grid(title: str, heads: Iterable[str], lines: Iterable[Sequence[str]]) -> Shown:
    table = Shown(title=title, title_justify="left")
    table.add_column("problem, noise", no_wrap=True)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    return table


def write_page(
    rows: Mapping[tuple[str, str], Mapping[str, Any]],
    together: Mapping[str, Mapping[str, Any]],
    manifest: Mapping[str, Any],
    page: Path,
) -> None:
    """Put the tables between the marks of the docs page; the text around them is written by hand."""
    lines = [f"Measured {manifest['date'][:10]}, commit {manifest['commit'][:10]}."]
    named = {f"*{kind}*": row for kind, row in together.items()}
    named |= {", ".join(key): row for key, row in rows.items()}
    for heads, cells in (
        (_STAGE_HEADS, {name: list(_stage_cells(row)) for name, row in named.items()}),
        (_STOP_HEADS, {name: list(_stop_cells(row)) for name, row in named.items()}),
    ):
        lines += ["", markdown(["problem, noise", *heads], [[name, *line] for name, line in cells.items()])]
    put(page, "certificate", "\n".join(lines))


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    stages, stops = ([{**asdict(e), "dishonest": e.dishonest} for e in row[key]] for key in ("stages", "stops"))
    return {**row, "stages": stages, "stops": stops}


def _source() -> dict[str, str]:
    """Hashes of the code: what chooses the points, and what makes the certificate."""
    digest = hashlib.sha256()
    for path in sorted((store.ROOT / "src" / "regretless" / "theory").glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return {"study": store.source_hash(), "theory": digest.hexdigest()}


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench certificate", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two seeds, 20 trials: to see that everything works")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="processes at a time")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each problem")
    parser.add_argument("--only", metavar="A,B", type=lambda text: text.split(","), help=f"of: {', '.join(PROBLEMS)}")
    parser.add_argument("--report", action="store_true", help="run nothing, show the last run again")
    parser.add_argument("--docs", action="store_true", help="put the tables into the docs page")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.only or () if name not in PROBLEMS]
    if unknown:
        parser.error(f"{', '.join(unknown)}: none of {', '.join(PROBLEMS)}")
    if options.jobs < 1 or options.seeds < 1:
        parser.error("--jobs and --seeds must be at least 1")
    return options
