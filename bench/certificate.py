"""``python -m bench certificate``: how right the certificate is where hyperparameters are not known.

The default study runs where the true regret of the recommendation is known: test functions on a fresh Latin hypercube
for each seed, and on their boxes; GP sample paths as a control; a table of 525 rows with much noise; and the materials
tables if ``REGRETLESS_DATA`` is set. From the eighth observation on every fourth certificate is recorded beside the
truth. Needs no peers. Everything is measured in per cent of the range of f over the candidates, so problems can be
averaged. Beside it, how many values the intervals of `predict` and of a suggestion hold that should hold 95 %.

The bound is on an expectation: a single regret above it is allowed, a mean above the mean bound is not. A mean counts
as *dishonest* when it is above by more than two standard errors over the runs.
"""

import argparse
import hashlib
import json
import math
import multiprocessing
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
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
STAGES = (12, 20, 40, 80)
EPS = (5.0, 1.0)
FIRST = 8  # observations before which the trust light says nothing
EVERY = 4  # observations between two certificates
#: Seeds on which nothing was chosen.
FIRST_SEED = 200
#: Observations at which intervals are held against the truth, and how many suggestions from there on.
INTERVALS = (8, 25)
SUGGESTIONS = 4
LEVEL, REACH = 0.95, 1.959963984540054
#: Noise variance as a share of the variance of f over the candidates.
NOISE = {"small": 1e-4, "moderate": 1e-2}
PAGE = store.ROOT / "docs" / "explanation" / "certificate-evidence.md"

#: Test function, dimension if it can be chosen, candidates.
_FUNCTIONS: dict[str, tuple[str, int | None, int]] = {
    "holder-table": ("holder-table", None, 600),
    "cross-in-tray": ("cross-in-tray", None, 600),
    "hartmann3": ("hartmann3", None, 600),
    "styblinski-tang-3": ("styblinski-tang", 3, 600),
    "ackley-4": ("ackley", 4, 600),
    "levy-4": ("levy", 4, 600),
}
#: The same on their boxes; the range is that over this many points.
_BOXES: dict[str, tuple[str, int | None]] = {
    "branin-box": ("branin", None),
    "hartmann3-box": ("hartmann3", None),
    "styblinski-tang-3-box": ("styblinski-tang", 3),
}
_IN_BOX = 4000
#: Control: sample paths of the default's own kernel, hyperparameters unknown all the same.
_CONTROL = "gp-sample-3"
#: A table of 7 x 5 x 5 x 3 experiments; noise has a standard deviation of 3 % of the range.
_NOISY = "noisy-525"
PROBLEMS = (_CONTROL, *_FUNCTIONS, *_BOXES, _NOISY, *table_names())

#: When a study stops: at so many small bounds in a row, the last under one of these lights. "Regret" is what the
#: package does, as far as every fourth certificate says: two of them span its five. "at once" and "light" are there
#: to see what patience and light are worth.
HEED: dict[str, tuple[int, frozenset[str]]] = {
    "at once": (1, frozenset({"green", "amber", "red"})),
    "light": (1, frozenset({"green", "amber"})),
    "Regret": (-(-Regret(1.0).patience // EVERY), frozenset({"green", "amber"})),
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
    console.print(_grid("beside the bound", _BESIDE_HEADS, [(k, *_beside_cells(r)) for k, r in together.items()]))
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
    chosen = range(options.first, options.first + seeds)
    works = [(name, noise, seed, length) for seed in chosen for name in names for noise in _noises(name)]
    found = _run_all(works, options.jobs, console)
    records = [
        {"problem": name, "noise": noise, "runs": [found[name, noise, seed, length] for seed in chosen]}
        for name in names
        for noise in _noises(name)
    ]
    return {**known, "first": options.first, "seeds": seeds, "length": length, "records": records}


def _noises(name: str) -> tuple[str, ...]:
    return ("much",) if name == _NOISY else tuple(NOISE)


# One run ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Truth:
    """A space, f on it, its largest value, its range and spread over the candidates, and rows to predict at."""

    space: Any
    f: Callable[[Mapping[str, Any]], float]
    best: float
    values: Floats
    some: list[dict[str, Any]]

    @property
    def percent(self) -> float:
        """What one unit of f is in per cent of its range."""
        return 100.0 / float(np.ptp(self.values))


def truth_of(name: str, seed: int) -> Truth:
    """What is optimised, with the truth."""
    rng = np.random.default_rng([20230, seed])
    if name in _BOXES:
        box = by_name(*_BOXES[name])
        X = _lhs(box, _IN_BOX, rng)
        names = list(box.space.dimensions)
        some = [dict(zip(names, x.tolist(), strict=True)) for x in X[:_SOME]]
        return Truth(box.space, lambda params: float(box(params)), box.optimum, box.evaluate(X), some)
    space, f = candidates(name, seed)
    study_space = space if isinstance(space, Table) else Table(space)
    index = {tuple(study_space.params(i).items()): i for i in range(len(f))}
    rows = rng.choice(len(f), min(_SOME, len(f)), replace=False)
    some = [dict(study_space.params(int(i))) for i in rows]
    return Truth(study_space, lambda params: float(f[index[tuple(params.items())]]), float(f.max()), f, some)


#: Rows at which predictions are held against the truth.
_SOME = 150


def candidates(name: str, seed: int) -> tuple[Any, Floats]:
    """The candidates as a space, and the values of f there without noise."""
    rng = np.random.default_rng([20230, seed])
    if name == _CONTROL:
        X = qmc.LatinHypercube(3, rng=rng).random(600)
        problem = gp_sample(X, Kernel("matern52", np.full(3, 0.3), 1.0), rng, jitter=1e-8)
        return X, problem.evaluate(X)
    if name == _NOISY:
        rows = [
            {"temperature": t, "time": h, "loading": c, "solvent": s}
            for t in range(30, 100, 10)
            for h in (1, 2, 4, 8, 16)
            for c in (1.0, 2.0, 3.0, 4.0, 5.0)
            for s in ("water", "ethanol", "toluene")
        ]
        return Table(rows), np.array([_yield(row, seed) for row in rows])
    if name in _FUNCTIONS:
        function, dim, n = _FUNCTIONS[name]
        box = by_name(function, dim)
        X = _lhs(box, n, rng)
        return X, box.evaluate(X)
    table = load(name)
    assert isinstance(table.space, Table)
    return table.space, np.array([table(table.space.params(i)) for i in range(table.space.n_candidates)])


def _lhs(box: Any, n: int, rng: np.random.Generator) -> Floats:
    low, high = np.array([(side.low, side.high) for side in box.space.dimensions.values()]).T
    X: Floats = low + (high - low) * qmc.LatinHypercube(len(low), rng=rng).random(n)
    return X


def _yield(row: Mapping[str, Any], seed: int) -> float:
    """A smooth yield with its best temperature, time and loading in each solvent; another one for each seed."""
    rng = np.random.default_rng([20232, seed])
    solvents = {
        name: (rng.uniform(45, 85), rng.uniform(1.0, 3.0), rng.uniform(2, 4), rng.uniform(45, 75)) for name in "wet"
    }
    warm, long, much, top = solvents[row["solvent"][0]]
    t, h, c = (row["temperature"] - warm) / 25.0, (math.log2(row["time"]) - long) / 1.8, (row["loading"] - much) / 2.0
    return float(top * math.exp(-0.5 * (t * t + h * h + c * c + 0.6 * t * h)) + 5.0 * c)


def follow(name: str, noise: str, seed: int, length: int, surrogate: Surrogate | None = None) -> dict[str, Any]:
    """One study of ``length`` trials: every fourth certificate from the eighth observation on, and the truth beside it.

    ``held`` says how many of the values were inside the intervals: of predictions after so many observations, and of
    the next few suggestions.
    """
    truth = truth_of(name, seed)
    percent = truth.percent
    rng = np.random.default_rng([20231, seed])
    sd = 0.03 * float(np.ptp(truth.values)) if noise == "much" else float(np.sqrt(NOISE[noise]) * truth.values.std())
    study = Study(truth.space, surrogate=surrogate, seed=seed)
    names = ("t", "bound", "regret", "light", "simulated", "best", "unsure", "distinct")
    record: dict[str, Any] = {key: [] for key in (*names, f"exceeds {EPS[0]:g}")}
    held: dict[str, list[float]] = {f"{what} {n}": [] for what in ("predict", "suggest") for n in INTERVALS}
    seen: set[tuple[Any, ...]] = set()
    for t in range(length + 1):
        trial = study.ask()  # first, so that one fit serves both; a pending trial plays no part in the certificate
        if t >= FIRST and (t - FIRST) % EVERY == 0:
            first = study.certificate(EPS[0] / percent)
            record["t"].append(t)
            record["bound"].append(percent * first.bound)
            record["regret"].append(percent * (truth.best - truth.f(first.params)))
            record["light"].append(first.trust.light)
            record["simulated"].append(percent * first.simulated.estimate)
            record["best"].append(first.best.estimate)
            record["unsure"].append(first.unsure)
            record["distinct"].append(len(seen))
            record[f"exceeds {EPS[0]:g}"].append(first.exceeds)
        value = truth.f(trial.params) + sd * rng.standard_normal()
        for n in INTERVALS:
            if t == n:
                mean, spread = study.predict(truth.some)
                f = np.array([truth.f(params) for params in truth.some])
                open_ = np.array([tuple(params.values()) not in seen for params in truth.some])
                held[f"predict {n}"].append(float(np.mean((np.abs(f - mean) <= REACH * spread)[open_])))
            if n <= t < n + SUGGESTIONS and trial.source == "rule":
                _, low, high = study.predict_measurement([trial.params], share=LEVEL)
                held[f"suggest {n}"].append(float(low[0] <= value <= high[0]))
        seen.add(tuple(trial.params.values()))
        study.tell(trial, float(value))
    return {**record, "held": held}


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
        "exceeds": {f"{EPS[0]:g}": _exceeds(runs, EPS[0])},
        "held": _held(runs),
        "simulated": {str(t): _mean_at(runs, "simulated", t) for t in STAGES},
        "best": {str(t): _mean_at(runs, "best", t) for t in STAGES},
        "unsure": {str(t): _mean_at(runs, "unsure", t) for t in STAGES},
    }


def _held(runs: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """The share of values inside the intervals, each run counted once."""
    found: dict[str, float | None] = {}
    for name in runs[0].get("held", {}):
        shares = [float(np.mean(run["held"][name])) for run in runs if run["held"][name]]
        found[name] = float(np.mean(shares)) if shares else None
    return found


def _mean_at(runs: Sequence[Mapping[str, Any]], name: str, t: int) -> float | None:
    values = [run[name][run["t"].index(t)] for run in runs if name in run and t in run["t"]]
    return float(np.mean(values)) if values else None


def stages_of(runs: Sequence[Mapping[str, Any]]) -> list[Stage]:
    """Mean bound and mean regret at every stage that the runs have reached.

    >>> stages_of([{"t": [12], "bound": [3.0], "regret": [1.0]}, {"t": [12], "bound": [1.0], "regret": [1.0]}])
    [Stage(t=12, bound=2.0, regret=1.0, se=1.0)]
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
        kind = "tables"
        if name in (_CONTROL, _NOISY):
            kind = "control" if name == _CONTROL else "525 rows"
        elif name in _FUNCTIONS or name in _BOXES:
            kind = "functions" if name in _FUNCTIONS else "boxes"
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


def _beside_cells(row: Mapping[str, Any]) -> Iterable[str]:
    """Simulated regret, probability to be best and share from not knowing the model at two stages; and intervals."""
    for t in ("40", "80"):
        numbers = [row[name][t] for name in ("simulated", "best", "unsure")]
        yield "" if None in numbers else f"{numbers[0]:.2f} / {numbers[1]:.2f} / {100.0 * numbers[2]:.0f} %"
    for what in ("predict", "suggest"):
        shares = [row["held"].get(f"{what} {n}") for n in INTERVALS]
        yield " / ".join("-" if share is None else f"{100.0 * share:.0f}" for share in shares)


def _stop_cell(stop: Stop) -> str:
    if not stop.share:
        return "-"
    se = "" if np.isnan(stop.se) else f"±{stop.se:.2f}"
    return f"{stop.t:.0f} ({100.0 * stop.share:.0f} %): {stop.regret:.2f}{se}{' !' if stop.dishonest else ''}"


_STAGE_HEADS = (*(f"t = {t}" for t in STAGES), "above", "G A R %")
_BESIDE_HEADS = (
    "simulated / best / unsure, t = 40",
    "t = 80",
    *(f"95 % of {what}, n = {' / '.join(map(str, INTERVALS))}" for what in ("predict", "suggest")),
)
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
        (_BESIDE_HEADS, {name: list(_beside_cells(row)) for name, row in named.items()}),
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
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="the first seed")
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
