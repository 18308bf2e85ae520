r"""What lies beyond the paper's theorems: smaller laws, high probability without growth, and where growth is needed.

Four problems. ``grid``: rules on functions of a known GP, their regret beside their bounds. ``two-arms``: the tail of
the regret when the law of zeta does not grow. ``gaps``: a continuous domain on which the paper's key lemma cannot hold
with a law that does not grow. ``figure-1``: the parameters of the paper's first figure, on its table, with those of the
tight law and of ATS beside them.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from regretless.arrays import Floats
from regretless.confidence import AnytimeBand, GammaLaw, Schedule, ShiftedExponential, TightUnion, random_threshold
from regretless.gp import Kernel
from regretless.paper.jobs import Columns, Unit
from regretless.paper.simulations import Roots, checkpoints, play, play_two_points
from regretless.problems import grid
from regretless.rng import Purpose, stream
from regretless.theory import gp_ucb_beta, information_gain

__all__ = ["beyond_unit"]

_Maker: TypeAlias = Callable[[Unit, int, np.random.Generator], Roots]


def beyond_unit(unit: Unit) -> Columns:
    """The part that the unit's problem names."""
    parts = {"grid": _on_grid, "two-arms": _on_two_arms, "gaps": _on_gaps, "figure-1": _of_figure}
    return parts[unit.problem](unit)


# Rules on a grid ---------------------------------------------------------------------------------------------------


def _on_grid(unit: Unit) -> Columns:
    """Sums over a block of runs, so that blocks add up; ``outside``: runs in which f ever left its band."""
    s = unit.settings
    X = grid(np.linspace(0.0, 1.0, s["levels"]), 2)
    kernel, at = Kernel("rbf", np.full(2, s["lengthscale"]), 1.0), checkpoints(s["horizon"])
    if unit.method == "gain":
        gain = information_gain(kernel, X, s["horizon"], noise_var=s["noise_var"])
        return {"t": at.astype(np.float64), "upper": gain.upper[at]}
    rule, world = (stream(unit.stream_seed(), 0, purpose) for purpose in (Purpose.RULE, Purpose.PROBLEM))
    roots = _ROOTS[unit.method](unit, len(X), rule)
    found = play(kernel, X, s["noise_var"], roots, world, T=s["horizon"], runs=s["block"])
    cumulative = np.cumsum(found.regret, axis=0)[at - 1]
    return {
        "t": at.astype(np.float64),
        "runs": np.full(len(at), float(s["block"])),
        "sum": cumulative.sum(axis=1),
        "squares": (cumulative**2).sum(axis=1),
        "zeta": (found.root**2)[at - 1].mean(axis=1),
        "outside": np.full(len(at), float(found.outside.sum())),
    }


def _paper(unit: Unit, N: int, rng: np.random.Generator) -> Roots:
    law, runs = ShiftedExponential.for_table(N), unit.settings["block"]
    shift = law.mean(1) - 2.0
    return lambda *_: np.sqrt(shift + rng.exponential(2.0, (runs, 1)))  # zeta ~ s + Exp(rate 1/2)


def _tight(unit: Unit, N: int, rng: np.random.Generator) -> Roots:
    law, runs = TightUnion(N), unit.settings["block"]
    return lambda t, *_: np.sqrt([[law.draw(t, rng)] for _ in range(runs)])


def _ats(unit: Unit, N: int, rng: np.random.Generator) -> Roots:  # noqa: ARG001
    """ATS takes the point whose upper bound is the first to reach a random threshold: UCB with a root of its own."""

    def roots(t: int, mean: Floats, sd: Floats) -> Floats:  # noqa: ARG001
        u = [random_threshold(m, s, 1.0 - rng.random()) for m, s in zip(mean, sd, strict=True)]
        reach = (np.array(u)[:, None] - mean) / np.maximum(sd, 1e-12)
        least: Floats = np.maximum(reach.min(axis=1, keepdims=True), 0.0)
        return least

    return roots


def _anytime(unit: Unit, N: int, rng: np.random.Generator) -> Roots:  # noqa: ARG001
    band = AnytimeBand(unit.settings["delta"])
    return lambda _t, _mean, sd: np.sqrt(band.zeta(np.maximum(sd * sd, 1e-14), N))


def _growing(unit: Unit, N: int, rng: np.random.Generator) -> Roots:  # noqa: ARG001
    delta = unit.settings["delta"]
    return lambda t, mean, _sd: np.full((len(mean), 1), math.sqrt(gp_ucb_beta(t, n_candidates=N, delta=delta)))


_ROOTS: dict[str, _Maker] = {
    "irgp-ucb": _paper,
    "tight": _tight,
    "ats": _ats,
    "anytime": _anytime,
    "gp-ucb": _growing,
}


# Two arms ----------------------------------------------------------------------------------------------------------


def _on_two_arms(unit: Unit) -> Columns:
    """Cumulative regret of IRGP-UCB at the last step, one row per run; prior N(0, 1) each, noise variance 1."""
    s = unit.settings
    rule, world = (stream(unit.stream_seed(), 0, purpose) for purpose in (Purpose.RULE, Purpose.PROBLEM))
    found = play_two_points(np.eye(2), None, s["arms_block"], [s["arms_horizon"]], world, rule)
    return {"regret": found[s["arms_horizon"]]}


# Gaps of a Brownian motion -------------------------------------------------------------------------------------------


def _on_gaps(unit: Unit) -> Columns:
    r"""Brownian motion on [0, 1] whose zeros at i/t are known: t bridges between them, each with the same largest sd.

    .. math:: \frac{E f^*}{\max \sigma} = E \sqrt{\max_{i \le t} 2 E_i}, \qquad
              \frac{E \max_x \mathrm{ucb}}{\max \sigma} = E \sqrt\zeta

    since the supremum of a bridge of length h exceeds u with probability exp(-2 u^2 / h), and its sd is sqrt(h) / 2 at
    most. ``simulated`` draws the suprema; ``truth`` integrates their law; ``fixed`` and ``growing`` are the right-hand
    side with s = 2 log(1000 / 2) and with s = 2 log t.
    """
    s = unit.settings
    t = np.unique(np.geomspace(1.0, s["gaps"], 25).round())
    rng = stream(unit.stream_seed(), 0, Purpose.PROBLEM)
    drawn = [np.sqrt(2.0 * _largest_exponential(int(k), s["gap_draws"], rng)) for k in t]
    return {
        "t": t,
        "truth": np.array([_mean_root_of_largest(k) for k in t]),
        "simulated": np.array([draws.mean() for draws in drawn]),
        "error": np.array([draws.std(ddof=1) / math.sqrt(len(draws)) for draws in drawn]),
        "fixed": np.full(len(t), ShiftedExponential.for_table(1000).mean_sqrt(1)),
        "growing": np.array([ShiftedExponential(2.0 * math.log(k)).mean_sqrt(1) for k in t]),
    }


def _largest_exponential(k: int, draws: int, rng: np.random.Generator) -> Floats:
    """The largest of k standard exponential variables, by its quantile function -log(1 - U^(1/k))."""
    largest: Floats = -np.log(-np.expm1(np.log(1.0 - rng.random(draws)) / k))
    return largest


def _mean_root_of_largest(k: float) -> float:
    r""":math:`E \sqrt{\max_{i \le k} 2 E_i} = \int_0^\infty 1 - (1 - e^{-c^2/2})^k \, dc`."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    high = math.sqrt(2.0 * (math.log(k) + 40.0))
    c = 0.5 * high * (nodes + 1.0)
    return float(0.5 * high * weights @ -np.expm1(k * np.log1p(-np.exp(-0.5 * c * c))))


# The paper's first figure --------------------------------------------------------------------------------------------


def _of_figure(unit: Unit) -> Columns:
    """Mean and central 95 % interval of zeta by t on the paper's table; of ATS what each run of a block needed.

    The table is {0, 0.1, ..., 0.9}^3 with an RBF kernel of length scale 0.1 and noise variance 1e-4. ATS has no law:
    its parameter is that of the upper bound which leads to the same point.
    """
    s = unit.settings
    X, t = grid(np.arange(s["figure_levels"]) / 10.0, 3), np.arange(1, s["figure_horizon"] + 1)
    if unit.method == "ats":
        rule, world = (stream(unit.stream_seed(), 0, purpose) for purpose in (Purpose.RULE, Purpose.PROBLEM))
        kernel, block = Kernel("rbf", np.full(3, 0.1), 1.0), s["figure_block"]
        found = play(kernel, X, 1e-4, _ats(unit, len(X), rule), world, T=len(t), runs=block)
        return {"t": t.astype(np.float64), **{f"run {r}": found.root[:, r] ** 2 for r in range(block)}}
    law = TightUnion(len(X)) if unit.method == "tight" else _TABLE_LAWS[unit.method].for_table(len(X))
    interval = np.array([law.interval(int(k), 0.95) for k in t])
    mean = np.array([law.mean(int(k)) for k in t])
    return {"t": t.astype(np.float64), "mean": mean, "lower": interval[:, 0], "upper": interval[:, 1]}


_TABLE_LAWS: dict[str, type[ShiftedExponential | Schedule | GammaLaw]] = {
    "irgp-ucb": ShiftedExponential,
    "gp-ucb": Schedule,
    "rgp-ucb": GammaLaw,
}
