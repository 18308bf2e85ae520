"""The races of methods: on GP samples, on test functions, on tables of measurements.

A unit gives one row for each evaluation: ``t`` (0 for the initial points, then 1, 2, ...), ``regret`` (how far the true
value there is below the optimum) and ``zeta`` (what was drawn, where something was).
"""

from dataclasses import replace

import numpy as np

from regretless.acquisition import Rule
from regretless.arrays import Floats
from regretless.gp import Surrogate
from regretless.paper.jobs import Columns, Unit
from regretless.paper.lattice import Lattice, lattice
from regretless.paper.methods import rule_of
from regretless.problems import Problem, by_name, load
from regretless.rng import Purpose, stream
from regretless.study import Study

__all__ = ["race_on_function", "race_on_gp_sample", "race_on_table"]


def race_on_gp_sample(unit: Unit) -> Columns:
    """One method on one function of the GP, hyperparameters known. Functions and initial designs are crossed."""
    s = unit.settings
    width = s["spacing"] * (s["levels"] - 1)  # of the domain; the unit cube has 1
    grid = lattice(s["levels"], s["dim"], s["lengthscale"] / width, s["noise_var"])
    function, design = divmod(unit.seed, s["designs"])
    f = grid.draw(stream(unit.stream_seed("function", function), 0, Purpose.PROBLEM))
    first = stream(unit.stream_seed("design", design), 0, Purpose.DESIGN)
    initial = first.choice(len(grid.X), s["initial"], replace=False)
    chosen, zeta = _run(grid, rule_of(unit), f, initial, s["evaluations"], unit.stream_seed())
    return _columns(f.max() - f[chosen], s["initial"], zeta)


def _run(
    grid: Lattice, rule: Rule, f: Floats, initial: np.ndarray, evaluations: int, seed: int
) -> tuple[np.ndarray, Floats]:
    """Numbers of the points evaluated, initial ones first, and zeta.

    The same draws and the same steps as a `Study` of this seed makes, without what a study does besides; noise and
    kernel values are shared by all methods.
    """
    n0 = len(initial)
    noise = np.sqrt(grid.noise_var) * stream(seed, 0, Purpose.PROBLEM).standard_normal(n0 + evaluations)
    observed = np.empty(n0 + evaluations, dtype=np.intp)
    observed[:n0] = initial
    y = f[initial] + noise[:n0]
    best, zeta = float(y.max()), np.full(evaluations, np.nan)
    table = grid.posterior(initial, y)
    for t in range(1, evaluations + 1):
        n = n0 + t - 1
        view = grid.view(table, observed[:n], best)
        score = rule.draw(view, t, stream(seed, n, Purpose.RULE))
        index = int(np.argmax(score.on(view)))
        value = float(f[index] + noise[n])
        best, observed[n] = max(best, value), index
        zeta[t - 1] = score.record.get("zeta", np.nan)
        table = table.condition_at(index, value)
    return observed, zeta


def race_on_function(unit: Unit) -> Columns:
    """One method on one test function; the 2^d initial points are drawn at random, the model is fitted."""
    s = unit.settings
    name, _, dim = unit.problem.partition("-d")
    problem = by_name(name, int(dim)) if dim else by_name(name)
    study = _study(unit, problem, s["observed_var"][unit.problem])
    observe = problem.noisy(stream(study.seed, 0, Purpose.PROBLEM), s["noise_var"])
    return _ask_and_tell(study, problem, observe, s["evaluations"][unit.problem])


def race_on_table(unit: Unit) -> Columns:
    """One method on one table of measurements; the initial rows are drawn at random, the model is fitted each time."""
    s = unit.settings
    problem = load(unit.problem)
    values = np.array([problem(row) for row in problem.space.listed()])
    study = _study(unit, problem, float(values.var()))
    limit = min(s["evaluations"], len(values) - s["initial"]) if s["repeats"] == "never" else s["evaluations"]
    return _ask_and_tell(study, problem, problem, limit)


def _study(unit: Unit, problem: Problem, observed_var: float) -> Study:
    """A study with the paper's preset.

    The noise variance is in the units of the values, whose variance is about ``observed_var``; the model's is of
    standardised values.
    """
    s = unit.settings
    surrogate = replace(
        Surrogate.paper(),
        refit_every=s["refit_every"],
        restarts=s["restarts"],
        lengthscale_bounds=tuple(s["lengthscale_bounds"]),
        noise_var=s["noise_var"] / observed_var,
    )
    return Study(
        problem.space,
        preset="paper",
        rule=rule_of(unit),
        surrogate=surrogate,
        repeats=s["repeats"],
        n_initial=s.get("initial"),
        seed=unit.stream_seed(),
    )


def _ask_and_tell(study: Study, problem: Problem, observe: object, evaluations: int) -> Columns:
    assert callable(observe)
    ruled = 0
    while ruled < evaluations:
        trial = study.ask()
        ruled += trial.source != "design"
        study.tell(trial, observe(trial.params))
    initial = len(study) - evaluations
    regret = np.array([problem.regret(problem(trial.params)) for trial in study.trials])
    zeta = np.array([np.nan if trial.zeta is None else trial.zeta for trial in study.trials[initial:]])
    # An optimum known to 15 digits may be passed by the last of them.
    return _columns(np.maximum(regret, 0.0), initial, zeta)


def _columns(regret: Floats, initial: int, zeta: Floats) -> Columns:
    t = np.concatenate([np.zeros(initial), np.arange(1.0, len(regret) - initial + 1)])
    return {"t": t, "regret": regret, "zeta": np.concatenate([np.full(initial, np.nan), zeta])}
