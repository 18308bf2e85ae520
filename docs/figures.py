"""Draws the figures of the documentation into docs/_static: `python docs/figures.py`, some minutes.

Everything is computed here, from fixed seeds; no number of a figure is written by hand.
"""

import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from regretless import Certificate, Expectation, Fidelity, LevelSet, Study, Surrogate, WorstCase, maximize
from regretless.confidence import GammaLaw, Schedule, ShiftedExponential
from regretless.gp import Kernel
from regretless.optimizer import Direction
from regretless.paper.methods import as_methods
from regretless.plots import plot_certificate, plot_front, plot_hypervolume, plot_posterior, plot_region, plot_regret
from regretless.plots.canvas import BLACK, BLUE, GREEN, GREY, VERMILLION
from regretless.problems import by_name, gp_sample, grid
from regretless.theory import plan, simulate

STATIC = Path(__file__).parent / "_static"

#: Functions over which certificates are averaged: few of them make up most of the mean regret late in a run.
FUNCTIONS = 120


def axes(size: tuple[float, float] = (6.4, 4.0)) -> Axes:
    _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#E6E6E6", linewidth=0.8)
    ax.set_axisbelow(True)
    return ax


def title(ax: Axes, text: str, *, rows: int = 0) -> None:
    """Above the panel and the rows of its legend."""
    ax.set_title(text, fontsize=11, pad=8 + 17 * rows)


def save(ax: Axes, name: str) -> None:
    path = STATIC / f"{name}.png"
    ax.figure.savefig(path, dpi=150, metadata={"Software": None})
    plt.close("all")
    print(path.name)


def certified_run(number: int) -> tuple[list[Certificate], list[float]]:
    """60 evaluations of a function drawn from the model on 400 candidates: each certificate, and the true regret."""
    kernel = Kernel("matern52", np.array([0.2, 0.2]), 1.0)
    rng = np.random.default_rng([4, number])
    problem = gp_sample(grid(np.linspace(0.0, 1.0, 20), dim=2), kernel, rng, noise_var=0.01)
    observe = problem.noisy(rng)
    model = Surrogate.known("matern52", 0.2, signal_var=1.0, noise_var=0.01)
    study, looks = Study(problem.space, surrogate=model, seed=number), []
    for _ in range(60):
        trial = study.ask()
        study.tell(trial, observe(trial.params))
        looks.append(study.certificate())
    return looks, [problem.regret(problem(look.params)) for look in looks]


def certificate() -> None:
    """Left the first function, right the mean of all: the bound after each evaluation, and the truth."""
    runs = [certified_run(number) for number in range(FUNCTIONS)]
    _, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2), layout="constrained")
    plot_certificate(*runs[0], left)
    title(left, "One function", rows=2)
    promised(right, runs)
    title(right, f"Mean of {FUNCTIONS} functions", rows=2)
    save(left, "certificate")
    overview(runs)


def promised(ax: Axes, runs: list[tuple[list[Certificate], list[float]]]) -> None:
    """Certified bound and true regret, on average over functions."""
    t = np.arange(1, 61)
    bounds = np.array([[look.bound for look in looks] for looks, _ in runs])
    regrets = np.array([regret for _, regret in runs])
    for values, colour, line, label in (
        (bounds, BLUE, "-", "certified bound"),
        (regrets, BLACK, "--", "true regret"),
    ):
        mean, se = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(runs))
        ax.fill_between(t, np.maximum(mean - 2 * se, 1e-4), mean + 2 * se, color=colour, alpha=0.15, linewidth=0)
        ax.plot(t, mean, color=colour, linestyle=line, linewidth=1.8, label=label)
    ax.set(xlabel="evaluation", ylabel="regret left (mean ± 2 standard errors)", yscale="log", ylim=(1e-3, 4.0))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#E6E6E6", linewidth=0.8)
    ax.legend(frameon=False, fontsize=9, loc="upper right")


def overview(certified: list[tuple[list[Certificate], list[float]]]) -> None:
    """What it does and why to believe it: a typical run, 20 runs beside random search, and the certificate."""
    problem, seeds = by_name("holder-table"), range(20)
    results = [maximize(problem, problem.space, n_trials=60, seed=seed, progress=False) for seed in seeds]
    values = np.array([[trial.value for trial in result.history] for result in results], dtype=np.float64)
    regret = problem.optimum - np.maximum.accumulate(values, axis=1)
    typical = int(np.argsort(regret[:, -1])[len(regret) // 2])
    rng = np.random.default_rng(0)
    points = rng.uniform(-10.0, 10.0, size=(200, 60, 2))
    names = problem.space.names
    drawn = np.array([[problem(dict(zip(names, x, strict=True))) for x in run] for run in points.tolist()])
    at_random = problem.optimum - np.maximum.accumulate(drawn, axis=1)
    _, axes = plt.subplots(1, 3, figsize=(13.4, 4.3), layout="constrained", width_ratios=(1.3, 1.0, 1.0))
    plot_posterior(results[typical], axes[0])
    title(axes[0], "A typical run, 60 evaluations", rows=1)
    t = np.arange(1, 61)
    for curves, colour, line, label in (
        (at_random, GREY, "--", "random search"),
        (regret, VERMILLION, "-", "Regretless"),
    ):
        low, middle, high = np.quantile(curves, (0.25, 0.5, 0.75), axis=0)
        axes[1].fill_between(t, low, high, color=colour, alpha=0.2, linewidth=0)
        axes[1].plot(t, middle, color=colour, linestyle=line, linewidth=2.0, label=label)
    axes[1].set(xlabel="evaluation", ylabel="simple regret (median and middle half)", yscale="log")
    axes[1].spines[["top", "right"]].set_visible(False)
    axes[1].grid(color="#E6E6E6", linewidth=0.8)
    axes[1].legend(frameon=False, fontsize=9, loc="lower left")
    title(axes[1], "20 runs beside random search", rows=1)
    promised(axes[2], certified)
    title(axes[2], "When to stop: bound on the regret", rows=1)
    print(f"overview: the typical run is of seed {typical}; largest regret at the end {regret[:, -1].max():.4f}")
    save(axes[0], "overview")


def bound() -> None:
    """What is guaranteed after T evaluations, beside what functions drawn from the model need."""
    X, kernel = np.linspace(0.0, 1.0, 50)[:, None], Kernel("matern52", np.array([0.3]), 1.0)
    eps, noise_var, last = 0.5, 0.1, 3200
    promised = plan(X, kernel, noise_var, eps, max_T=last)
    theorem = plan(X, kernel, noise_var, eps, every=1, max_T=800)
    runs = simulate(X, kernel, noise_var, eps, n_functions=200, max_T=last)
    assert promised.needed is not None
    T = np.arange(1, last + 1)
    ax = axes()
    first = promised.every  # the first step with the theorem's law
    ax.loglog(T[first - 1 :], promised.bound[first:], color=BLUE, linewidth=2.0, label="default law: at most")
    ax.loglog(T[:800], theorem.bound[1:], color=BLUE, linewidth=1.2, linestyle="-.", label="theorem's law: at most")
    ax.axhline(promised.bound[0], color=GREY, linewidth=1.2, linestyle="--", label="holds without any evaluation")
    ax.axhline(eps, color=BLACK, linewidth=1.0, linestyle=":")
    ax.text(1.05, eps * 0.97, f"eps = {eps:g}", va="top", fontsize=9)
    for needed, colour, marker, label in (
        (promised.needed, BLUE, "o", f"guaranteed: {promised.needed}"),
        (runs.quantile(0.9)[0], GREEN, "D", f"certificate, 9 of 10 functions: {runs.quantile(0.9)[0]:.0f}"),
        (runs.quantile(0.9)[1], VERMILLION, "s", f"true regret, 9 of 10 functions: {runs.quantile(0.9)[1]:.0f}"),
    ):
        ax.plot(needed, eps, marker=marker, color=colour, markersize=8, linestyle="none", label=label)
    ax.set(xlabel="evaluations T", ylabel="expected regret of the recommendation", xlim=(1, last))
    ax.set_yticks([0.5, 1.0, 2.0, 3.0], ["0.5", "1", "2", "3"])
    ax.set_yticks([], minor=True)
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    ax.legend(frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0.0, 0.1))
    title(ax, "What is guaranteed, and what runs need")
    save(ax, "bound")


def laws() -> None:
    """The confidence parameter of three rules on 1000 candidates, by step, in the colours of the paper's page."""
    N, t = 1000, np.arange(1, 201)
    ax = axes()
    laws = (GammaLaw.for_table(N), Schedule.for_table(N), ShiftedExponential.for_table(N))
    for method, law in zip(as_methods(["rgp-ucb", "gp-ucb", "irgp-ucb"], own=False), laws, strict=True):
        if not isinstance(law, Schedule):
            band = np.array([law.interval(int(i), 0.9) for i in t])
            ax.fill_between(t, band[:, 0], band[:, 1], color=method.colour, alpha=0.15, linewidth=0)
        mean = [law.mean(int(i)) for i in t]
        ax.plot(t, mean, color=method.colour, linestyle=method.dash, linewidth=2.0, label=method.label)
    ax.set(xlabel="step t", ylabel="zeta (squared multiplier of sd)", xlim=(1, 200), ylim=(0, None))
    ax.set_title("1,000 candidates: IRGP-UCB's parameter does not grow", fontsize=11)
    ax.legend(
        frameon=False,
        fontsize=9,
        loc="lower center",
        ncols=3,
        title="line: mean; band: 90 % of the draws",
        title_fontsize=9,
    )
    save(ax, "laws")


def constraint() -> None:
    """Yield under a bound on the impurity, in a box: progress, and the model of the constraint."""
    rng = np.random.default_rng(2)
    study = Study({"T": (20.0, 100.0)}, objective="yield [%]", constraints={"impurity": ("<=", 0.4)}, seed=3)
    for _ in range(16):
        trial = study.ask()
        T = trial.params["T"]
        gained = 80.0 * np.exp(-(((T - 90.0) / 35.0) ** 2)) + rng.standard_normal()
        study.tell(trial, {"yield [%]": gained, "impurity": (T / 120.0) ** 2 + 0.05 + 0.02 * rng.standard_normal()})
    _, (left, right) = plt.subplots(1, 2, figsize=(10.8, 4.2), layout="constrained")
    plot_regret(study, ax=left)
    plot_posterior(study, right, outcome="impurity")
    right.set_xlabel("T [°C]")
    title(left, "The best feasible yield so far", rows=2)
    title(right, "The model of the impurity", rows=3)
    save(left, "constraint")


def front() -> None:
    """Yield against cost on a table, with noise: the front, and the hypervolume by evaluation."""
    rng = np.random.default_rng(1)
    table = [{"T": T, "excess": e / 10} for T in range(20, 101, 5) for e in range(10, 31, 2)]
    objectives: dict[str, Direction] = {"yield [%]": "maximize", "cost [EUR]": "minimize"}
    study = Study(table, objectives=objectives, reference={"yield [%]": 0.0, "cost [EUR]": 12.0}, seed=1)
    for _ in range(20):
        trial = study.ask()
        T, excess = trial.params["T"], trial.params["excess"]
        gained = 90.0 * (1.0 - np.exp(-excess * T / 60.0)) + 1.5 * rng.standard_normal()
        spent = 1.5 * excess**1.5 + T / 25.0 + 0.1 * rng.standard_normal()
        study.tell(trial, {"yield [%]": gained, "cost [EUR]": spent})
    _, (left, right) = plt.subplots(1, 2, figsize=(10.8, 4.2), layout="constrained")
    plot_front(study, left)
    plot_hypervolume(study, right)
    title(left, "What to choose from", rows=1)
    title(right, "Hypervolume by evaluation", rows=1)
    save(left, "front")


def noise() -> None:
    """Six results, of which one is odd: taken as good as the others, and with a large known sd."""
    x, y = np.linspace(0.0, 1.0, 6), np.array([0.1, 0.5, 0.9, 0.2, 0.5, 0.1])
    grid_x = np.linspace(0.0, 1.0, 201)
    ax = axes()
    for colour, line, label, sd in (
        (GREY, "--", "all results alike", None),
        (BLUE, "-", "the fourth told with sd=0.5, the others with sd=0.01", 0.5),
    ):
        study = Study({"x": (0.0, 1.0)}, seed=1)
        for at, value in zip(x.tolist(), y.tolist(), strict=True):
            study.add({"x": at}, value, sd=None if sd is None else sd if at == x[3] else 0.01)
        mean, spread = study.predict([{"x": at} for at in grid_x.tolist()])
        if sd is not None:
            ax.fill_between(grid_x, mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0)
        ax.plot(grid_x, mean, color=colour, linestyle=line, linewidth=1.8, label=label)
    ax.errorbar(x[3], y[3], yerr=0.5, fmt="none", ecolor=VERMILLION, elinewidth=1.2, capsize=3)
    ax.plot(x, y, "o", color=VERMILLION, markersize=6, label="results; the bar is the known sd")
    ax.set(xlabel="x", ylabel="value (line: mean, band: ± sd)", xlim=(-0.02, 1.02))
    ax.legend(frameon=False, fontsize=9, ncols=1, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    title(ax, "A result that is known to be uncertain pulls less", rows=3)
    save(ax, "noise")


def fidelities() -> None:
    """Regret by what was spent: a level below the target at a tenth of its price, 40 functions each."""
    example = runpy.run_path(str(STATIC.parents[1] / "examples" / "fidelities.py"))
    budgets = np.arange(1.0, 12.01, 1.0)
    ax = axes()
    for correlation, levels, colour, line, label in (
        (0.95, False, GREY, ":", "target alone"),
        (0.8, True, GREEN, "--", "with a level of correlation 0.8"),
        (0.95, True, BLUE, "-", "with a level of correlation 0.95"),
    ):
        kernel, seeds = example["kernel_with"](correlation), range(40)
        runs = np.array([example["regrets"](kernel, budgets, np.random.default_rng(i), levels=levels) for i in seeds])
        mean, se = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
        ax.fill_between(budgets, np.maximum(mean - 2 * se, 0.0), mean + 2 * se, color=colour, alpha=0.15, linewidth=0)
        ax.plot(budgets, mean, color=colour, linestyle=line, linewidth=1.8, label=label)
    ax.set(xlabel="spent (the target costs 1, the level 0.1)", ylabel="regret of what is recommended", xlim=(1, 12))
    ax.set_ylim(bottom=0.0)
    ax.legend(title="mean ± 2 standard errors", frameon=False, fontsize=9)
    title(ax, "A cheaper level saves most where it is most alike")
    save(ax, "fidelities")


def level_set() -> None:
    """Which of 450 recipes reach a yield of 80: the region after 25 results, and how many are wrong by result."""
    table = [{"T [°C]": T, "time [h]": h / 2} for T in range(30, 90, 2) for h in range(2, 17)]

    def true(params: dict[str, float]) -> float:
        T, h = params["T [°C]"], params["time [h]"]
        return 95.0 - 0.03 * (T - 64.0) ** 2 - 1.4 * (h - 5.0) ** 2 + 0.12 * (T - 64.0) * (h - 5.0)

    rng, reached = np.random.default_rng(3), np.array([true(row) >= 80.0 for row in table])
    study, looks, wrong = Study(table, objective="yield", goal=LevelSet(above=80.0), seed=2), [], []
    for _ in range(25):
        trial = study.ask()
        study.tell(trial, true(dict(trial.params)) + rng.standard_normal())
        if len(study) >= 4:
            looks.append(study.certificate())
            wrong.append(float(np.count_nonzero(study.region().inside != reached)))
    _, (left, right) = plt.subplots(1, 2, figsize=(11.4, 4.4), layout="constrained", width_ratios=(1.15, 1.0))
    plot_region(study, left)
    plot_certificate(looks, wrong, right, evaluations=range(4, 26))
    save(left, "level-set")


def robust() -> None:
    """The coating of the example: strength by temperature at each humidity, its mean and worst, and what is advised."""
    example = runpy.run_path(str(STATIC.parents[1] / "examples" / "robust.py"))
    humidity, ovens, strength = example["HUMIDITY"], example["OVENS"], example["strength"]
    T = np.array([oven["T"] for oven in ovens])
    f = np.array([[strength({"T": int(t), "humidity": h}) for h in humidity.values] for t in T])
    ax = axes()
    for curve, h in zip(f.T, humidity.values, strict=True):
        ax.plot(T, curve, color="#BBBBBB", linewidth=1.2)
        at = int(curve.argmax())
        ax.annotate(
            f"{h} %",
            (float(T[at]), float(curve[at])),
            (0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=GREY,
        )
    for aim, colour, line, mark, label in (
        (Expectation(), BLUE, "-", "o", "mean over humidity"),
        (WorstCase(), VERMILLION, "--", "s", "worst humidity"),
    ):
        study = Study(ovens, environment=humidity, goal=aim, seed=1)
        study.optimize(strength, 30)
        worth, best = aim.value(f, np.array(humidity.weights)), study.recommend()
        ax.plot(T, worth, color=colour, linestyle=line, linewidth=2.0, label=label)
        at = int(np.flatnonzero(best.params["T"] == T)[0])
        ax.plot(
            T[at],
            worth[at],
            mark,
            color=colour,
            markersize=9,
            markeredgecolor="white",
            label=f"recommended: {T[at]} °C",
        )
    ax.set(xlabel="temperature of the oven [°C]", ylabel="strength [MPa]", ylim=(0.0, 55.0), xlim=(100, 200))
    ax.set_title("The best recipe on a dry day (grey, 20 %) fails on a humid one", fontsize=10, loc="left")
    ax.legend(frameon=False, fontsize=9, loc="lower center")
    save(ax, "robust")


def mesh() -> None:
    """Regret by what was spent, with a coarse mesh and without: ten studies of the borehole each."""
    example = runpy.run_path(str(STATIC.parents[1] / "examples" / "mesh.py"))
    problem, space, flow = example["PROBLEM"], example["SPACE"], example["flow"]
    spent = np.arange(4.0, 24.01, 1.0)
    ax = axes()
    for levels, cost, colour, line, label in (
        (["fine"], [1.0], GREY, ":", "fine mesh alone"),
        (["coarse", "fine"], [0.1, 1.0], BLUE, "-", "with a coarse mesh at a tenth of the cost"),
    ):
        runs = []
        for seed in range(10):
            study = Study(space, fidelity=Fidelity("mesh", levels=levels, cost=cost), seed=seed)
            runs.append([])
            for budget in spent:
                study.optimize(flow, budget=float(budget), progress=False)
                runs[-1].append(problem.target.optimum - flow(dict(study.recommend().params)))
        low, middle, high = np.quantile(runs, [0.25, 0.5, 0.75], axis=0)
        ax.fill_between(spent, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.plot(spent, middle, color=colour, linestyle=line, linewidth=1.8, label=label)
    ax.set(
        xlabel="spent (a trial on the fine mesh costs 1)",
        ylabel="regret of what is recommended [m³ a year]",
        xlim=(spent[0], spent[-1]),
        yscale="log",
    )
    ax.legend(title="median and quartiles of ten studies", frameon=False, fontsize=9)
    save(ax, "mesh")


if __name__ == "__main__":
    certificate()
    bound()
    laws()
    constraint()
    front()
    noise()
    level_set()
    fidelities()
    robust()
    mesh()
