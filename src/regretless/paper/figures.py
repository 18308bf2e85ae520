"""The figures, in the paper's arrangement: one panel per problem, mean with standard error, regret on a log scale."""

from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.arrays import Floats
from regretless.paper.methods import Method, as_methods
from regretless.paper.results import (
    Results,
    arms_tail,
    beyond_curves,
    bound_curves,
    conditional_curves,
    figure_curves,
    race_curves,
    two_point_curves,
)
from regretless.paper.simulations import STOPPING
from regretless.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILLION, load, new_figure, ticks, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["beyond", "bounds", "confidence", "races", "stopping", "synthetic", "two_points"]

#: Methods that differ in their confidence parameter or threshold alone; they share a panel.
_BOUNDS = ("irgp-ucb", "gp-ucb", "rgp-ucb", "pims", "ats", "est")

_TITLES = {
    "gp-sample": "GP samples, d = 3",
    "holder-table": "Holder table, d = 2",
    "cross-in-tray": "Cross-in-tray, d = 2",
    "ackley-d4": "Ackley, d = 4",
    "perovskite": "Perovskite, N = 94",
    "p3ht": "P3HT/CNT, N = 178",
    "agnp": "AgNP, N = 164",
    "autoam": "AutoAM, N = 100",
    "crossed-barrel": "Crossed barrel, N = 600",
    "line": "line, ℓ = 0.1, σ² = 0.01",
    "square": "square, ℓ = 0.2, σ² = 0.1",
    "square-fine": "square, ℓ = 0.1, σ² = 1e−4",
}


def confidence(results: Results) -> "dict[str, Figure]":
    """Confidence parameters against t: the theory's on a table, the heuristic ones on boxes."""
    figure, axes = new_figure(len(results.problems), (4.4 * len(results.problems), 3.9))
    for ax, problem in zip(axes, results.problems, strict=True):
        kind, _, size = problem.partition("-")
        for method in results.racing(problem):
            run = results.runs(problem, method.key)[0]
            _line(ax, method, run["t"], run["mean"])
            ax.fill_between(run["t"], run["lower"], run["upper"], color=method.colour, alpha=0.18, linewidth=0)
        ax.set_title(f"theory, N = {int(size):,}" if kind == "table" else f"heuristic, d = {size}", fontsize=10)
        ax.set_xlabel("iteration t")
        ax.set_ylabel("confidence parameter, squared")
        if kind == "box":
            ax.set_xscale("log")
    _finish(figure, axes)
    return {"confidence": figure}


def synthetic(results: Results) -> "dict[str, Figure]":
    """Simple regret on the left as in the paper, cumulative regret, which the theory is about, on the right."""
    return {"synthetic": _races(results, [(results.problems[0], "simple"), (results.problems[0], "cumulative")])}


def races(results: Results) -> "dict[str, Figure]":
    """Simple regret, one column of panels per problem."""
    return {results.settings.experiment: _races(results, [(problem, "simple") for problem in results.problems])}


def _races(results: Results, columns: list[tuple[str, str]]) -> "Figure":
    """A column per problem and kind of regret; a row per family of methods, so that no panel has more than six."""
    rows = _families(results.methods)
    width, height = max(3.4, 6.0 / len(columns)) * len(columns), 3.2 * len(rows) + 0.8
    figure: Figure
    figure, grid = load("matplotlib.pyplot").subplots(
        len(rows), len(columns), figsize=(width, height), layout="constrained", squeeze=False, sharey="col"
    )
    for axes, methods in zip(grid, rows, strict=True):
        for ax, (problem, what) in zip(axes, columns, strict=True):
            _race(ax, results, problem, what, methods)
            ax.set_ylabel(f"{what} regret" if ax is axes[0] or what != columns[0][1] else "")
    _finish(figure, list(grid.flat))
    return figure


def _families(methods: tuple[Method, ...]) -> list[tuple[Method, ...]]:
    """Confidence bounds and thresholds, then all others, each beside IRGP-UCB; one family of up to six."""
    if len(methods) <= 6:
        return [methods]
    bounds = tuple(method for method in methods if method.key in _BOUNDS)
    return [bounds, tuple(method for method in methods if method.key == "irgp-ucb" or method.key not in _BOUNDS)]


def _race(ax: "Axes", results: Results, problem: str, what: str, methods: tuple[Method, ...]) -> None:
    curves = race_curves(results, problem, what)
    for method in (method for method in results.racing(problem) if method in methods):
        curve = curves[method.key]
        # IRGP-UCB is drawn last, over the others.
        above = {"zorder": 4, "linewidth": 2.4} if method.key == "irgp-ucb" else {}
        mean, error = _positive(curve.mean), np.nan_to_num(curve.error)
        _line(ax, method, curve.t, mean, **above)
        if what == "simple" and curve.mean[-1] == 0.0:  # every run has found the optimum
            last = int(np.flatnonzero(curve.mean > 0.0)[-1])
            ax.plot(curve.t[last], mean[last], "o", color=method.colour, markersize=4)
        low = np.maximum(mean - error, 0.2 * mean)  # a log scale has no room for zero
        ax.fill_between(curve.t, low, mean + error, color=method.colour, alpha=0.13, linewidth=0)
    ax.set_yscale("log")
    ax.set_xlabel("iteration t")
    more = results.settings.more_runs.get(problem)
    ax.set_title(_TITLES.get(problem, problem) + (f", {more} runs" if more else ""), fontsize=10)
    ax.set_xlim(0, curves[results.racing(problem)[0].key].t[-1])
    ax.xaxis.set_major_locator(ticks(whole=True))


def two_points(results: Results) -> "dict[str, Figure]":
    """Cumulative regret on two points, on log-log scales: a straight line of slope one is linear regret."""
    count = len(results.problems)
    figure, axes = new_figure(count, (4.8 * count, 4.2))
    shades = dict(zip(("c=0.5", "c=1", "c=2", "c=3"), ("#08306B", BLUE, "#56B4E9", "#9ECAE1"), strict=True))
    for ax, problem in zip(axes, results.problems, strict=True):
        for key, curve in two_point_curves(results, problem).items():
            own = key == "irgp-ucb"
            label = "IRGP-UCB" if own else f"GP-UCB, constant {key.replace('=', ' = ')}"
            ax.errorbar(
                curve.t,
                _positive(curve.mean),
                curve.error,
                color=VERMILLION if own else shades.get(key, GREY),
                linewidth=2.2 if own else 1.5,
                label=label,
                capsize=2,
            )
        ax.set(xscale="log", yscale="log", xlabel="T")
        ax.set_title(f"two points, ρ = {problem.removeprefix('rho=')}", fontsize=10)
    axes[0].set_ylabel("mean cumulative regret")
    _finish(figure, axes, columns=5)
    return {"linear-regret": figure}


def bounds(results: Results) -> "dict[str, Figure]":
    """BCR beside its bound; conditional regret beside both forms of U; how often the sums of zeta are too large."""
    count = len(results.problems)
    first, axes = new_figure(count, (4.6 * count, 4.2))
    for ax, problem in zip(axes, results.problems, strict=True):
        curve = bound_curves(results, problem)
        ax.plot(curve["t"], curve["bound"], color=BLACK, linewidth=1.6, label="bound of the theorem")
        ax.plot(curve["t"], curve["step"], color=GREY, linestyle="--", linewidth=1.5, label="before Cauchy–Schwarz")
        look: dict[str, Any] = {"color": VERMILLION, "linewidth": 2.2, "label": "IRGP-UCB, measured"}
        ax.errorbar(curve["t"], _positive(curve["regret"]), curve["error"], **look)
        ax.set(xscale="log", yscale="log", xlabel="T")
        ax.set_title(_TITLES.get(problem, problem), fontsize=10)
    axes[0].set_ylabel("expected cumulative regret")
    _finish(first, axes)
    second, (left, right) = new_figure(2, (10.0, 4.2))
    found = conditional_curves(results)
    for number, row in enumerate(found["regret"]):
        left.plot(
            found["t"], row, color=VERMILLION, alpha=0.5, linewidth=1.0, label=None if number else "one ζ sequence"
        )
    left.plot(found["t"], found["printed"], color=BLACK, linestyle="--", linewidth=1.6, label="U as printed")
    left.plot(found["t"], found["corrected"], color=BLUE, linewidth=1.6, label="U corrected")
    left.set(xscale="log", yscale="log", xlabel="T", ylabel="expected regret given ζ")
    zeta, delta = results.runs("square", "zeta")[0], results.settings.numbers["delta"]
    right.plot(
        zeta["t"], zeta["printed"], color=BLACK, linestyle="--", linewidth=1.6, label="printed, T degrees of freedom"
    )
    right.plot(zeta["t"], zeta["corrected"], color=BLUE, linewidth=1.8, label="corrected, 2T")
    right.axhline(delta, color=GREY, linewidth=1.0, linestyle=":", label=f"δ = {delta:g}")
    right.set(xlabel="T", ylabel="share of sequences that broke the bound", ylim=(-0.02, 1.02))
    for ax in (left, right):
        tidy(ax, grid=True)
    return {"bounds": first, "bounds-conditional": second}


def stopping(results: Results) -> "dict[str, Figure]":
    """What each rule thinks is left beside the true regret, on average over functions."""
    figure, (ax,) = new_figure(1, (7.0, 4.6))
    runs = results.runs("gp-sample", "irgp-ucb")
    colours = dict(zip(STOPPING, (GREEN, BLUE, ORANGE, GREY), strict=True))
    for name, colour in {**colours, "regret": BLACK}.items():
        found = np.array([run[name] for run in runs])
        label = STOPPING.get(name, "true regret of the recommendation")
        dash = "-" if name in ("regret", "certificate") else "--"
        ax.plot(runs[0]["t"], _positive(found.mean(axis=0)), color=colour, linestyle=dash, linewidth=2.0, label=label)
    ax.set(yscale="log", xlabel="evaluation", ylabel="regret left (mean over functions)")
    ax.set_ylim(bottom=1e-3)
    tidy(ax, grid=True)
    ax.legend(frameon=False, fontsize=9, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return {"stopping": figure}


def beyond(results: Results) -> "dict[str, Figure]":
    """Regret and confidence parameter of each rule; the tail on two arms; the lemma on gaps."""
    first, (left, right) = new_figure(2, (10.0, 4.4))
    curves = beyond_curves(results)
    for method in results.methods:
        curve = curves[method.key]
        _line(left, method, curve["t"], _positive(curve["regret"]), linewidth=2.0)
        left.plot(curve["t"], curve["bound"], color=method.colour, linestyle=":", linewidth=1.2)
        _line(right, method, curve["t"], curve["zeta"], linewidth=2.0)
    left.set(xscale="log", yscale="log", xlabel="T", ylabel="mean cumulative regret (dotted: its bound)")
    left.set_title("49 candidates, known GP" if results.settings.numbers["levels"] == 7 else "known GP", fontsize=10)
    right.set(xscale="log", xlabel="iteration t", ylabel="confidence parameter at x_t, squared (mean)")
    right.set_title("what each rule needs", fontsize=10)
    _finish(first, [left, right])
    second, (arms, gaps) = new_figure(2, (10.0, 4.2))
    tail = arms_tail(results)
    arms.plot(tail["r"], tail["share"], "o-", color=VERMILLION, linewidth=2.0, label="IRGP-UCB, share of runs above r")
    rare = np.flatnonzero(tail["share"] <= 0.5)[:2]  # an exponential tail through the first two of these
    if len(rare) == 2:
        r, (near, far) = np.linspace(tail["r"][rare[0]], tail["r"][-1], 50), np.log(tail["share"][rare])
        falls = near + (far - near) * (r - tail["r"][rare[0]]) / np.diff(tail["r"][rare])
        arms.plot(r, np.exp(falls), color=GREY, linestyle="--", label="an exponential tail")
    arms.set(xscale="log", yscale="log", xlabel="r", ylabel="P(cumulative regret > r)")
    arms.set_ylim(bottom=1e-6)
    arms.set_title(f"two arms, T = {results.settings.numbers['arms_horizon']:,}", fontsize=10)
    found = results.runs("gaps", "gaps")[0]
    gaps.plot(found["t"], found["truth"], color=BLACK, linewidth=2.0, label="E f* / max sd")
    gaps.plot(found["t"], found["fixed"], color=VERMILLION, linestyle="--", label="E √ζ, law of 1,000 candidates")
    gaps.plot(found["t"], found["growing"], color=GREEN, label="E √ζ, shift 2 log t")
    gaps.set(xscale="log", xlabel="gaps between zeros of a Brownian motion", ylabel="in units of the largest sd")
    gaps.set_title("the key lemma on a continuous domain", fontsize=10)
    for ax in (arms, gaps):
        tidy(ax, grid=True)
        ax.legend(frameon=False, fontsize=9)
    return {"beyond": first, "beyond-figure-1": _figure_one(results), "beyond-limits": second}


def _figure_one(results: Results) -> "Figure":
    """The paper's first figure, with the tight law and ATS: means, and where 95 % of the draws lie at the end."""
    curves = figure_curves(results)
    figure: Figure
    figure, (ax, right) = load("matplotlib.pyplot").subplots(
        1, 2, figsize=(10.0, 4.2), layout="constrained", width_ratios=(3.0, 1.4), sharey=True
    )
    methods = as_methods(["rgp-ucb", "gp-ucb", "irgp-ucb", "tight", "ats"], own=False)
    for place, method in enumerate(methods):
        curve = curves[method.key]
        _line(ax, method, curve["t"], curve["mean"], linewidth=2.0)
        right.vlines(place, curve["lower"][-1], curve["upper"][-1], color=method.colour, linewidth=7, alpha=0.35)
        right.plot(place, curve["mean"][-1], "D", color=method.colour, markersize=5)
    ax.set(xlabel="iteration t", ylabel="confidence parameter, squared (mean)", ylim=(0.0, None))
    ax.set_title(f"N = {results.settings.numbers['figure_levels'] ** 3:,}, as in the paper's first figure", fontsize=10)
    right.set_title(f"at t = {results.settings.numbers['figure_horizon']}: mean and 95 % of draws", fontsize=10)
    right.set_xticks(range(len(methods)), [""] * len(methods))
    _finish(figure, [ax])
    right.spines[["top", "right"]].set_visible(False)
    right.grid(visible=True, axis="y", color="#E6E6E6", linewidth=0.8)
    right.set_axisbelow(True)
    return figure


def _line(ax: "Axes", method: Method, t: Floats, y: Floats, **more: Any) -> None:
    look = {"linewidth": 1.6, **more}
    ax.plot(t, y, color=method.colour, linestyle=method.dash, label=method.label, **look)


def _positive(values: Floats) -> Floats:
    """Zero has no place on a log scale: the line ends where the optimum was found in every run."""
    return np.where(values > 0.0, values, np.nan)


def _finish(figure: "Figure", axes: "list[Axes]", *, columns: int = 10) -> None:
    """One legend for all panels, below them."""
    entries: dict[str, Any] = {}
    for ax in axes:
        tidy(ax, grid=True)
        handles, labels = ax.get_legend_handles_labels()
        entries.update(zip(labels, handles, strict=True))
        legend = ax.get_legend()
        if legend is not None:
            legend.remove()
    narrow = min(columns, 5 if len(axes) < 3 else 10, len(entries))
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=narrow, frameon=False, fontsize=9)
