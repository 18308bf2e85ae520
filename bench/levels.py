"""``python -m bench levels``: which candidates reach a level, by random straddle and by the rules that people use.

All rules choose from the same posterior, that of the study, with hyperparameters fitted and everything else as the
defaults are: what differs is the score. They have the same start and the same noise. After every fifth evaluation all
candidates are classified as `Study.region` does, and the share on the wrong side is counted. Compared is its mean over
these looks, which was named before anything was run; beside it stand the share at the last one and the F1 score.
"""

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.special import ndtr
from scipy.stats import norm

from bench import page, store
from bench.adapters import Floats
from bench.figures import draw_wrong
from bench.regret import print_in_full
from bench.statistics import holm, mean_ranks, paired_p
from regretless import LevelSet, RandomStraddle, Rule, Study
from regretless import Table as Candidates
from regretless.acquisition import MomentScore, View
from regretless.gp import Kernel
from regretless.problems import by_name, gp_sample, grid, load, missing

__all__ = ["PROBLEMS", "RULES", "Feasibility", "Lse", "MaximumSd", "Problem", "Straddle", "main", "measure"]

PAGE = store.ROOT / "docs" / "howto" / "level-sets.md"
START, LAST, EVERY = 6, 40, 5
_SEEDS = 20


@dataclass(frozen=True)
class Score:
    """``sqrt(beta) * sd - |mean - level|``; LSE calls it the ambiguity of an interval."""

    root: float
    level: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        return self.root * sd - np.abs(mean - self.level)


@dataclass(frozen=True)
class Straddle(Rule):
    """Bryan et al. (2005): the straddle with 1.96."""

    name: ClassVar[str] = "straddle"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is drawn."""
        return MomentScore(view.posterior, Score(1.96, view.level))


@dataclass(frozen=True)
class Lse(Rule):
    """Gotovos et al. (2013): the largest ambiguity, beta_t = 2 log(N pi^2 t^2 / (6 delta)), delta = 0.05.

    Intervals are not intersected over time: those of earlier hyperparameters do not hold under later ones.
    """

    name: ClassVar[str] = "lse"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is drawn."""
        beta = 2.0 * np.log(len(view.X) * np.pi**2 * t**2 / (6.0 * 0.05))
        return MomentScore(view.posterior, Score(np.sqrt(beta), view.level))


@dataclass(frozen=True)
class Feasible:
    """E max(0, eps - |f - level|) with eps = sd (Bichon), or E max(0, eps^2 - (f - level)^2) (Ranjan)."""

    level: float
    delta: int

    def value(self, mean: Floats, sd: Floats) -> Floats:
        known = sd <= 0.0
        s = np.where(known, 1.0, sd)
        t = (mean - self.level) / s
        if self.delta == 1:
            part = ndtr(t + 1.0) - ndtr(t - 1.0) - t * (2.0 * ndtr(t) - ndtr(t + 1.0) - ndtr(t - 1.0))
            score = s * (part - (2.0 * norm.pdf(t) - norm.pdf(t + 1.0) - norm.pdf(t - 1.0)))
        else:
            inside = ndtr(t + 1.0) - ndtr(t - 1.0)
            ends = (t + 1.0) * norm.pdf(t + 1.0) - (t - 1.0) * norm.pdf(t - 1.0)
            score = s**2 * (inside - (t**2 + 1.0) * inside + ends - 2.0 * t * (norm.pdf(t + 1.0) - norm.pdf(t - 1.0)))
        return np.where(known, 0.0, score)


@dataclass(frozen=True)
class Feasibility(Rule):
    """Expected feasibility, as trieste's `ExpectedFeasibility` with alpha 1: delta 1 is Bichon's, 2 Ranjan's."""

    name: ClassVar[str] = "expected-feasibility"
    delta: int = 1

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is drawn."""
        return MomentScore(view.posterior, Feasible(view.level, self.delta))


class Spread:
    """The sd alone."""

    @staticmethod
    def value(mean: Floats, sd: Floats) -> Floats:  # noqa: ARG004
        return sd


@dataclass(frozen=True)
class MaximumSd(Rule):
    """Where least is known, whatever the level."""

    name: ClassVar[str] = "maximum-sd"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is drawn."""
        return MomentScore(view.posterior, Spread())


#: By label, the package's own first.
RULES: dict[str, Rule] = {
    "random straddle (ours)": RandomStraddle(),
    "straddle 1.96": Straddle(),
    "LSE": Lse(),
    "expected feasibility (Bichon)": Feasibility(1),
    "expected feasibility (Ranjan)": Feasibility(2),
    "maximum sd": MaximumSd(),
}


@dataclass(frozen=True)
class Problem:
    """Candidates, their true values, the level, and the standard deviation of the noise."""

    X: Floats
    f: Floats
    goal: LevelSet
    noise_sd: float

    @property
    def inside(self) -> Floats:
        """Which candidates reach the level."""
        return self.f >= self.goal.level if self.goal.below is None else self.f <= self.goal.level


def _sample(lengthscale: float, seed: int) -> Problem:
    kernel = Kernel("matern52", np.full(2, lengthscale), 1.0)
    X = grid(np.linspace(0.0, 1.0, 20), dim=2)
    found = gp_sample(X, kernel, np.random.default_rng([seed, 2]))
    return Problem(X, found.evaluate(X), LevelSet(above=0.5), 0.1)


def _function(name: str, goal: LevelSet, seed: int) -> Problem:  # noqa: ARG001
    problem = by_name(name)
    sides = [np.linspace(side.low, side.high, 50) for side in problem.space.dimensions.values()]
    X = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    f = -problem.evaluate(X)
    return Problem(X, f, goal, 0.01 * float(np.ptp(f)))


def _sinusoid(seed: int) -> Problem:  # noqa: ARG001
    """Bryan et al. (2005): sin 10x + cos 4y - cos 3xy on [0, 1] x [0, 2], where it is at least 1."""
    X = np.stack(np.meshgrid(np.linspace(0.0, 1.0, 50), np.linspace(0.0, 2.0, 50), indexing="ij"), axis=-1)
    X = X.reshape(-1, 2)
    x, y = X.T
    f = np.sin(10.0 * x) + np.cos(4.0 * y) - np.cos(3.0 * x * y)
    return Problem(X, f, LevelSet(above=1.0), 0.01 * float(np.ptp(f)))


def _measured(name: str, seed: int) -> Problem:  # noqa: ARG001
    """The best fifth of a table of measurements."""
    table = load(name)
    rows = [list(table.space.params(i).values()) for i in range(table.space.n_candidates)]
    X = np.array(rows, dtype=np.float64)
    f = table.evaluate(X)
    return Problem(X, f, LevelSet(above=float(np.quantile(f, 0.8))), 0.0)


#: By name; the seed decides the sample paths.
PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "GP sample, l = 0.2": partial(_sample, 0.2),
    "GP sample, l = 0.4": partial(_sample, 0.4),
    "Branin >= 80": partial(_function, "branin", LevelSet(above=80.0)),
    "Himmelblau <= 100": partial(_function, "himmelblau", LevelSet(below=100.0)),
    "sinusoid >= 1": _sinusoid,
    "crossed barrel, best fifth": partial(_measured, "crossed-barrel"),
    "AutoAM, best fifth": partial(_measured, "autoam"),
}


def measure(name: str, rule: str, seed: int) -> dict[str, Any]:
    """One run: share on the wrong side and F1 score after each look."""
    problem = PROBLEMS[name](seed)
    noise = problem.noise_sd * np.random.default_rng([seed, 1]).standard_normal(LAST)
    start = np.random.default_rng([seed, 0]).choice(len(problem.X), START, replace=False)
    study = Study(Candidates(problem.X), goal=problem.goal, rule=RULES[rule], seed=seed, n_initial=START)
    for t, row in enumerate(start.tolist()):
        study.add(row=row, value=float(problem.f[row] + noise[t]))
    wrong, score = [], []
    for t in range(START, LAST):
        trial = study.ask()
        study.tell(trial, float(problem.f[trial.row] + noise[t]))
        if (t + 1) % EVERY == 0:
            found, truth = study.region().inside, problem.inside
            wrong.append(float(np.mean(found != truth)))
            hits = int(np.count_nonzero(found & truth))
            score.append(2.0 * hits / max(int(found.sum() + truth.sum()), 1))
    return {"problem": name, "rule": rule, "seed": seed, "wrong": wrong, "f1": score}


def main(arguments: list[str]) -> int:
    """Run everything, or read what was run; print the table, draw the figure."""
    options = _options(arguments)
    console = Console()
    raw = store.RESULTS / ("quick" if options.quick else "raw") / "levels.json"
    if options.report:
        stored = json.loads(raw.read_text())
    else:
        stored = {"manifest": store.manifest(), "source": store.source_hash(), "runs": _run(options, console)}
        store.write_json(raw, stored)
    curves = _curves(stored["runs"])
    heads, lines = _table(curves)
    shown = Table(*heads, title="share of the candidates on the wrong side", title_justify="left")
    for line in lines:
        shown.add_row(*line)
    print_in_full(console, shown)
    figure = raw.with_name("levels.png")
    at = list(range(EVERY * -(-(START + 1) // EVERY), LAST + 1, EVERY))
    draw_wrong(_shares(curves, "wrong"), at, figure)
    if options.docs and not options.quick:
        seeds = len(next(iter(next(iter(curves.values())).values()))["wrong"])
        text = page.measured(stored["manifest"]).replace(", one thread", f", {seeds} seeds, one thread")
        drawn = page.show_figure(figure, "Share of candidates on the wrong side by evaluation, one panel per problem")
        page.put(PAGE, "levels", f"{text}\n\n{page.markdown(heads, lines)}\n\n{drawn}")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench levels", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=_SEEDS, help="how many seeds")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--quick", action="store_true", help="one seed and two problems, to see that it runs")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--docs", action="store_true", help="write table and figure into the documentation")
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace, console: Console) -> list[dict[str, Any]]:
    problems = list(PROBLEMS)
    if missing(("crossed-barrel", "autoam")):
        console.print("Without the tables of measurements: REGRETLESS_DATA names no folder that has them.")
        problems = [name for name in problems if "fifth" not in name]
    seeds = 1 if options.quick else options.seeds
    units = [
        (name, rule, seed)
        for seed in range(seeds)
        for name in (problems[:2] if options.quick else problems)
        for rule in RULES
    ]
    os.environ.update(store.THREADS)  # the workers are started after this and read it
    with ProcessPoolExecutor(options.jobs) as pool:
        return list(pool.map(_unit, units, chunksize=4))


def _unit(unit: tuple[str, str, int]) -> dict[str, Any]:
    return measure(*unit)


Curves = dict[str, dict[str, dict[str, Floats]]]


def _curves(runs: Sequence[Mapping[str, Any]]) -> Curves:
    """``[problem][rule]["wrong" or "f1"]`` is (seeds, looks)."""
    found: dict[str, dict[str, dict[str, list[Any]]]] = {}
    for run in runs:
        by_rule = found.setdefault(run["problem"], {}).setdefault(run["rule"], {"wrong": [], "f1": []})
        by_rule["wrong"].append(run["wrong"])
        by_rule["f1"].append(run["f1"])
    return {
        problem: {rule: {what: np.array(rows) for what, rows in each.items()} for rule, each in by_rule.items()}
        for problem, by_rule in found.items()
    }


def _shares(curves: Curves, what: str) -> dict[str, dict[str, Floats]]:
    return {problem: {rule: each[what] for rule, each in by_rule.items()} for problem, by_rule in curves.items()}


def _table(curves: Curves) -> tuple[list[str], list[list[str]]]:
    """One line per rule: mean share wrong, in per cent, on each problem, then over all; a star where ours is apart."""
    wrong = _shares(curves, "wrong")
    means = {problem: {rule: runs.mean(axis=1).tolist() for rule, runs in by.items()} for problem, by in wrong.items()}
    last = {problem: {rule: runs[:, -1].tolist() for rule, runs in by.items()} for problem, by in wrong.items()}
    apart, ranks = _apart(means), mean_ranks(means)
    lines = []
    for rule in RULES:
        cells = [
            f"{100.0 * np.mean(by[rule]):.2f}{apart.get((problem, rule), '')}" if rule in by else ""
            for problem, by in means.items()
        ]
        f1 = np.mean([each[rule]["f1"][:, -1].mean() for each in curves.values()])
        end = 100.0 * np.mean([np.mean(by[rule]) for by in last.values()])
        whole = 100.0 * np.mean([np.mean(by[rule]) for by in means.values()])
        lines.append([rule, *cells, f"{whole:.2f}", f"{end:.2f}", f"{f1:.3f}", f"{ranks[rule]:.2f}"])
    return ["% wrong, mean over looks", *means, "all", f"at {LAST}", f"F1 at {LAST}", "mean rank"], lines


def _apart(means: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[tuple[str, str], str]:
    """A mark where a rule differs from ours: Wilcoxon on logarithms, Holm over all comparisons, level 0.05."""
    ours = next(iter(RULES))
    pairs = [(problem, rule) for problem, by in means.items() for rule in by if rule != ours]
    p = holm([_p(means[problem][ours], means[problem][rule]) for problem, rule in pairs])
    marks = {}
    for (problem, rule), q in zip(pairs, p, strict=True):
        if q <= 0.05:
            marks[problem, rule] = " +" if np.mean(means[problem][rule]) < np.mean(means[problem][ours]) else " −"
    return marks


def _p(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return paired_p(np.add(ours, 1e-4).tolist(), np.add(theirs, 1e-4).tolist())  # one candidate of 10,000, for log 0
