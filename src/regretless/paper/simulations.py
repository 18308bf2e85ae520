r"""The simulations behind the theory's figures; each function computes one unit of its experiment."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.acquisition import RULES, UCB
from regretless.arrays import Floats
from regretless.confidence import ShiftedExponential
from regretless.confidence.schedules import value_at
from regretless.gp import Kernel, TablePosterior, prior_factor
from regretless.paper.jobs import Columns, Unit
from regretless.paper.lattice import lattice
from regretless.problems import grid
from regretless.rng import Purpose, stream
from regretless.theory import (
    information_gain,
    remaining_regret,
    run_ucb,
    two_point_covariance,
    zeta_sum_as_printed,
    zeta_sum_bound,
)

__all__ = [
    "STOPPING",
    "Played",
    "Roots",
    "bounds_unit",
    "checkpoints",
    "confidence_of",
    "play",
    "play_two_points",
    "regret_on_two_points",
    "stopping_run",
]

#: The stopping rules by the column that holds what each thinks is left.
STOPPING = {
    "certificate": "certificate",
    "lemma": "bound of the paper's lemma",
    "gap_fifth": "UCB − LCB, β/5 (Optuna)",
    "gap": "UCB − LCB, valid β",
}


def confidence_of(unit: Unit) -> Columns:
    """Mean and central 95 % interval of zeta (squared: ``mean + sqrt(zeta) * sd``) for t = 1, 2, ...

    ``problem`` is ``table-N`` for the theory's law on N candidates, or ``box-d`` for the heuristic one in d dimensions.
    """
    kind, _, size = unit.problem.partition("-")
    kind_of_rule = RULES[unit.method]
    assert issubclass(kind_of_rule, UCB)
    rule = kind_of_rule("paper")
    law = rule.law(int(size) if kind == "table" else None, int(size))
    t = np.arange(1, unit.settings["evaluations"][kind] + 1)
    interval = np.array([law.interval(int(k), 0.95) for k in t])
    mean = np.array([law.mean(int(k)) for k in t])
    return {"t": t.astype(np.float64), "mean": mean, "lower": interval[:, 0], "upper": interval[:, 1]}


def regret_on_two_points(unit: Unit) -> Columns:
    r"""Two points, noise variance 1: a constant confidence parameter gives linear regret, a random one does not.

    .. math:: f \sim N\Big(0, \begin{pmatrix} 1 & \rho \\ \rho & 0.99 \end{pmatrix}\Big), \qquad
              x_t = \arg\max_x \mu_{t-1}(x) + c_t\, \sigma_{t-1}(x)

    With c constant the better point may be unlucky once and then never be tried again. The theorem and its constants:
    :mod:`regretless.theory.constant_beta`. One row per run: the cumulative regret at the checkpoints, in columns called
    by their T. ``problem`` is ``rho=...``, ``method`` is ``c=...`` for GP-UCB with that constant, or ``irgp-ucb``.
    """
    s = unit.settings
    K = two_point_covariance(float(unit.problem.removeprefix("rho=")))
    constant = None if unit.method == "irgp-ucb" else float(unit.method.removeprefix("c="))
    world = stream(unit.stream_seed(), 0, Purpose.PROBLEM)
    found = play_two_points(
        K, constant, s["block"], s["checkpoints"], world, stream(unit.stream_seed(), 0, Purpose.RULE)
    )
    return {"run": np.arange(s["block"], dtype=np.float64), **{str(T): found[T] for T in s["checkpoints"]}}


def play_two_points(
    K: Floats,
    constant: float | None,
    runs: int,
    checkpoints: list[int],
    world: np.random.Generator,
    rule: np.random.Generator,
) -> dict[int, Floats]:
    """Cumulative regret of all runs at each checkpoint; posterior means and covariances are updated in closed form."""
    f = world.standard_normal((runs, 2)) @ np.linalg.cholesky(K).T  # ~ N(0, K)
    gap = f.max(axis=1, keepdims=True) - f
    shift = value_at(ShiftedExponential.for_table(2).shift, 1, "shift")
    m0, m1 = np.zeros(runs), np.zeros(runs)
    a, b, c = np.full(runs, K[0, 0]), np.full(runs, K[0, 1]), np.full(runs, K[1, 1])  # covariance [[a, b], [b, c]]
    total, found = np.zeros(runs), {}
    root: Floats | float = 0.0 if constant is None else constant
    for t in range(1, max(checkpoints) + 1):
        if constant is None:
            root = np.sqrt(shift + rule.exponential(2.0, runs))  # zeta ~ s + Exp(rate 1/2), fresh for each run
        first = m0 + root * np.sqrt(a) >= m1 + root * np.sqrt(c)
        total += np.where(first, gap[:, 0], gap[:, 1])
        y = np.where(first, f[:, 0], f[:, 1]) + world.standard_normal(runs)
        k0, k1 = np.where(first, a, b), np.where(first, b, c)  # covariance of the chosen point with both
        scale = np.where(first, a, c) + 1.0
        surprise = (y - np.where(first, m0, m1)) / scale
        m0, m1 = m0 + k0 * surprise, m1 + k1 * surprise
        a, b, c = a - k0 * k0 / scale, b - k0 * k1 / scale, c - k1 * k1 / scale
        if t in checkpoints:
            found[t] = total.copy()
    return found


def bounds_unit(unit: Unit) -> Columns:
    r"""The regret bounds beside what they bound; the part that the unit's method names.

    ``irgp-ucb``: expected cumulative regret over functions, noise and zeta (BCR), with
    :math:`\sum_t \sqrt{\zeta_t}\,\sigma_{t-1}(x_t)`, what remains of the proof before Cauchy and Schwarz.
    ``conditional``: one sequence of zetas per seed, regret averaged over functions and noise. ``zeta``: how often the
    sum of the zetas exceeds what is said to bound it. ``gain``: certified upper bounds on the information gain.
    """
    return {"irgp-ucb": _expected, "conditional": _conditional, "zeta": _zeta_sums, "gain": _gain}[unit.method](unit)


def checkpoints(horizon: int) -> np.ndarray:
    """Ten per decade, from 1 to ``horizon``.

    >>> checkpoints(10).tolist()
    [1, 2, 3, 4, 5, 6, 8, 10]
    """
    count = round(10 * math.log10(horizon)) + 1
    return np.unique(np.geomspace(1.0, horizon, count).round().astype(int))


def _case(unit: Unit) -> tuple[Kernel, Floats, float, int]:
    """Kernel, candidates (100 of them), noise variance and horizon of a problem."""
    case = unit.settings["cases"][unit.problem]
    X = grid(np.linspace(0.0, 1.0, case["levels"]), case["dim"])
    return Kernel("rbf", np.full(case["dim"], case["lengthscale"]), 1.0), X, case["noise_var"], case["horizon"]


def _expected(unit: Unit) -> Columns:
    """Sums over a block of runs, so that blocks add up."""
    kernel, X, noise_var, horizon = _case(unit)
    rule, world = (stream(unit.stream_seed(), 0, purpose) for purpose in (Purpose.RULE, Purpose.PROBLEM))
    runs = unit.settings["block"]
    zeta = _shift(len(X)) + rule.exponential(2.0, (horizon, runs))  # ~ s + Exp(rate 1/2)
    regret, step = _regrets(kernel, X, noise_var, zeta, world)
    at = checkpoints(horizon)
    return {
        "t": at.astype(np.float64),
        "runs": np.full(len(at), float(runs)),
        "sum": regret[at - 1].sum(axis=1),
        "squares": (regret[at - 1] ** 2).sum(axis=1),
        "steps": step[at - 1].sum(axis=1),
    }


def _conditional(unit: Unit) -> Columns:
    """Regret given one sequence of zetas, averaged over functions and noise."""
    kernel, X, noise_var, _ = _case(unit)
    horizon, functions = unit.settings["conditional_horizon"], unit.settings["conditional_functions"]
    rule, world = (stream(unit.stream_seed("conditional", unit.seed), 0, p) for p in (Purpose.RULE, Purpose.PROBLEM))
    zeta = _shift(len(X)) + rule.exponential(2.0, horizon)
    regret, _ = _regrets(kernel, X, noise_var, np.tile(zeta[:, None], (1, functions)), world)
    at = checkpoints(horizon)
    return {
        "t": at.astype(np.float64),
        "regret": regret[at - 1].mean(axis=1),
        "error": regret[at - 1].std(axis=1, ddof=1) / math.sqrt(functions),
        "zeta": np.cumsum(zeta)[at - 1],
    }


def _regrets(
    kernel: Kernel, X: Floats, noise_var: float, zeta: Floats, world: np.random.Generator
) -> tuple[Floats, Floats]:
    """Cumulative regret and summed ``sqrt(zeta) sd``, (T, runs), for zetas that were drawn beforehand."""
    T, runs = zeta.shape
    found = play(kernel, X, noise_var, lambda t, *_: np.sqrt(zeta[t - 1])[:, None], world, T=T, runs=runs)
    return np.cumsum(found.regret, axis=0), np.cumsum(found.step, axis=0)


#: (t, means, sds), each (runs, N) -> the multiplier of the sd: per run, (runs, 1), or per run and candidate, (runs, N).
Roots: TypeAlias = Callable[[int, Floats, Floats], Floats]


@dataclass(frozen=True, slots=True)
class Played:
    """What happened at each step of each run, (T, runs); ``outside``: in which runs f ever left its band, (runs,)."""

    regret: Floats
    step: Floats  # root * sd at the point chosen
    root: Floats  # at the point chosen
    outside: npt.NDArray[np.bool_]


def play(
    kernel: Kernel, X: Floats, noise_var: float, roots: Roots, world: np.random.Generator, *, T: int, runs: int
) -> Played:
    """Upper confidence bounds on functions drawn from the model; all runs at once by updates of their covariances."""
    N, who = len(X), np.arange(runs)
    f = world.standard_normal((runs, N)) @ prior_factor(kernel, X).L.T  # ~ N(0, K)
    gap = f.max(axis=1, keepdims=True) - f
    mean, C = np.zeros((runs, N)), np.broadcast_to(kernel(X, X), (runs, N, N)).copy()
    var = np.ones((runs, N))
    found = Played(np.empty((T, runs)), np.empty((T, runs)), np.empty((T, runs)), np.zeros(runs, dtype=np.bool_))
    for t in range(T):
        sd = np.sqrt(np.maximum(var, 0.0))
        root = roots(t + 1, mean, sd)
        width = root * sd
        x = (mean + width).argmax(axis=1)
        found.regret[t], found.step[t] = gap[who, x], width[who, x]
        found.root[t] = np.broadcast_to(root, width.shape)[who, x]
        found.outside[:] |= (np.abs(f - mean) > width).any(axis=1)
        y = f[who, x] + math.sqrt(noise_var) * world.standard_normal(runs)
        column = C[who, x]
        scale = np.maximum(column[who, x], 0.0) + noise_var
        mean += column * ((y - mean[who, x]) / scale)[:, None]
        unit_column = column / np.sqrt(scale)[:, None]
        for r in range(runs):  # one run's covariance fits the cache
            C[r] -= np.outer(unit_column[r], unit_column[r])
        var -= unit_column**2
    return found


def _zeta_sums(unit: Unit) -> Columns:
    """Share of simulated sequences that have exceeded the printed and the corrected bound on their sum by T."""
    s = unit.settings
    horizon, delta = s["zeta_horizon"], s["delta"]
    law = ShiftedExponential.for_table(1000)
    drawn = stream(unit.stream_seed(), 0, Purpose.RULE).exponential(2.0, (s["zeta_paths"], horizon))
    sums = np.cumsum(_shift(1000) + drawn, axis=1)
    at = np.arange(1, horizon + 1)
    failure = [3.0 * delta / (math.pi * T) ** 2 for T in at]
    printed = np.array([zeta_sum_as_printed(law, int(T), failure=p) for T, p in zip(at, failure, strict=True)])
    corrected = np.array([zeta_sum_bound(law, int(T), failure=p) for T, p in zip(at, failure, strict=True)])
    return {
        "t": at.astype(np.float64),
        "printed": np.maximum.accumulate(sums > printed, axis=1).mean(axis=0),
        "corrected": np.maximum.accumulate(sums > corrected, axis=1).mean(axis=0),
    }


def _shift(n_candidates: int) -> float:
    return value_at(ShiftedExponential.for_table(n_candidates).shift, 1, "shift")


def _gain(unit: Unit) -> Columns:
    kernel, X, noise_var, horizon = _case(unit)
    gain = information_gain(kernel, X, horizon, noise_var=noise_var)
    return {"t": np.arange(1.0, horizon + 1), "upper": gain.upper[1:]}


def stopping_run(unit: Unit) -> Columns:
    r"""The certificate as a stopping rule, beside the lemma's bound and the gap of confidence bounds others use.

    IRGP-UCB runs on a function of the GP; after every evaluation there is the true regret of the recommendation, and
    how much regret each rule thinks is left. The gap is :math:`\max_X \mathrm{UCB} - \max_{\text{observed}}
    \mathrm{LCB}` with :math:`\beta_t = 2\log(n t^2 \pi^2/(6\delta))` and delta = 0.1, as Makarova et al. (2022)
    propose: with n the number of candidates it is a bound; Optuna puts the number of dimensions for n and divides by
    five.
    """
    s = unit.settings
    width = s["spacing"] * (s["levels"] - 1)
    grid = lattice(s["levels"], s["dim"], s["lengthscale"] / width, s["noise_var"])
    world = stream(unit.stream_seed(), 0, Purpose.PROBLEM)
    f = grid.draw(world)
    start = grid.posterior(np.empty(0, dtype=np.intp), np.empty(0))
    law, seen, rows = ShiftedExponential.for_table(len(f)), [], []
    for step in run_ucb(start, law, f, rule=stream(unit.stream_seed(), 0, Purpose.RULE), noise=world):
        seen.append(step.index)
        left = remaining_regret(step.after)
        fifth, valid = (_gap(step.after, seen, step.t, n, share) for n, share in ((s["dim"], 0.2), (len(f), 1.0)))
        rows.append((step.t, f.max() - f[left.index], left.bound, left.lemma, fifth, valid))
        if step.t == s["evaluations"]:
            break
    return dict(zip(("t", "regret", *STOPPING), np.array(rows, dtype=np.float64).T, strict=True))


def _gap(table: TablePosterior, seen: list[int], t: int, n: int, share: float) -> float:
    """Largest upper bound of all minus largest lower bound of those seen, with ``share * beta_t``."""
    root = math.sqrt(share * 2.0 * math.log(n * t**2 * math.pi**2 / (6.0 * 0.1)))
    width = root * table.sd
    return float((table.mean + width).max() - (table.mean - width)[seen].max())
