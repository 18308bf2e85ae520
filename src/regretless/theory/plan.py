r"""Before the first experiment: how many will be needed? Once as a guarantee, once by simulation."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, show
from regretless.confidence import ShiftedExponential, certified_threshold
from regretless.confidence.schedules import check_positive, check_whole
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, prior_factor, table_posterior
from regretless.linalg import single_thread
from regretless.rng import Purpose, check_seed, stream
from regretless.theory.bounds import expected_regret_table, simple_regret
from regretless.theory.certificate import remaining_regret
from regretless.theory.information_gain import InformationGain, information_gain
from regretless.theory.runs import run_ucb

__all__ = ["Plan", "Simulation", "plan", "simulate"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Guaranteed number of evaluations, and the bound it was read from.

    ``bound[t]`` bounds the expected regret of the recommendation after t evaluations; ``bound[0]`` is what holds
    without any. ``needed`` is the smallest t at which the bound is at most ``eps``, None if there is none up to the
    last t. ``informative_from`` is the first t at which the bound says more than ``bound[0]``. ``message`` says it in a
    sentence.
    """

    eps: float
    needed: int | None
    informative_from: int | None
    bound: Floats
    info_gain: InformationGain
    message: str


@dataclass(frozen=True, slots=True)
class Simulation:
    """Evaluations that runs on functions drawn from the model took, infinity where ``limit`` of them were not enough.

    ``certified``: until the certificate was at most ``eps``. ``reached``: until the recommendation's true regret first
    was. ``regret``: the true regret where the certificate stopped, or after the last evaluation.
    """

    eps: float
    limit: int
    certified: Floats
    reached: Floats
    regret: Floats

    def quantile(self, p: float) -> tuple[float, float]:
        """Evaluations that suffice in a share ``p`` of the functions: by certificate, and by true regret."""
        if not 0.0 < p <= 1.0:
            raise InvalidInput(f"p must lie in (0, 1], got {show(p)}. For nine functions of ten give 0.9.")
        place = math.ceil(p * len(self.certified) - 1e-9) - 1
        return float(np.sort(self.certified)[place]), float(np.sort(self.reached)[place])


def plan(X: npt.ArrayLike, kernel: Kernel, noise_var: float, eps: float, *, max_T: int = 200) -> Plan:
    r"""Smallest T that IRGP-UCB is guaranteed to need on this table, from the table's own information gain.

    .. math:: T = \min\{T : \mathrm{BCR}_T/T \le \varepsilon\}, \qquad \mathrm{BCR}_T = \sqrt{C_1 \gamma_T T (s + 2)}

    A guarantee for the average function of the model: typical runs need several times fewer, which :func:`simulate`
    shows. While every point evaluated is news (little noise, T below the number of independent points) the bound grows
    like T and says nothing; ``message`` then says that.

    >>> line = np.linspace(0.0, 1.0, 20)[:, None]
    >>> plan(line, Kernel("rbf", np.array([0.3]), 1.0), noise_var=0.1, eps=0.5, max_T=600).needed
    329
    >>> plan(line, Kernel("rbf", np.array([0.01]), 1.0), noise_var=1e-4, eps=0.5, max_T=20).message[:44]
    'The bound says nothing up to 20 evaluations:'
    """
    eps, max_T = check_positive(eps, "eps"), check_whole(max_T, "max_T")
    gain = information_gain(kernel, X, max_T, noise_var=noise_var)
    n = _count(X)
    bound = np.empty(max_T + 1)
    # Without data all means are 0, and the best of n is above any of them by no more than this.
    bound[0] = certified_threshold(np.zeros(n), np.full(n, math.sqrt(kernel.signal_var)))[1]
    for T in range(1, max_T + 1):
        regret = expected_regret_table(
            T, n_candidates=n, info_gain=float(gain.upper[T]), noise_var=noise_var, signal_var=kernel.signal_var
        )
        bound[T] = simple_regret(regret, T)
    needed = _first(bound <= eps)
    informative = _first(bound[1:] < bound[0])
    informative_from = None if informative is None else informative + 1
    return Plan(eps, needed, informative_from, bound, gain, _message(eps, needed, informative_from, bound, n))


def simulate(
    X: npt.ArrayLike,
    kernel: Kernel,
    noise_var: float,
    eps: float,
    *,
    n_functions: int = 100,
    max_T: int = 200,
    seed: int = 0,
) -> Simulation:
    r"""Evaluations IRGP-UCB takes on functions drawn from the model, ending by certificate and by true regret.

    .. math:: f \sim N(0, K_{XX}), \qquad \tau = \min\{t : \text{certificate}_t \le \varepsilon\}

    Starts without data. Function i uses the streams (seed, i), so more functions extend the same experiment.

    >>> line = np.linspace(0.0, 1.0, 20)[:, None]
    >>> runs = simulate(line, Kernel("rbf", np.array([0.3]), 1.0), 0.1, 0.5, n_functions=20, max_T=100)
    >>> certified, reached = runs.quantile(0.5)
    >>> reached <= certified < 20
    True
    """
    eps, max_T, n_functions = (
        check_positive(eps, "eps"),
        check_whole(max_T, "max_T"),
        check_whole(n_functions, "n_functions"),
    )
    noise, seed = check_positive(noise_var, "noise_var"), check_seed(seed)
    rows = as_matrix(X, "X")
    law = ShiftedExponential.for_table(_count(X))
    certified, reached, regret = np.full(n_functions, np.inf), np.full(n_functions, np.inf), np.empty(n_functions)
    with single_thread():
        factor = prior_factor(kernel, rows)
        none = posterior(kernel, noise_var=noise, X=np.empty((0, rows.shape[1])), y=np.empty(0))
        start = table_posterior(none, rows)
        for i in range(n_functions):
            problem = stream(seed, i, Purpose.PROBLEM)
            f = factor.L @ problem.standard_normal(len(rows))  # ~ N(0, K)
            for step in run_ucb(start.branch(), law, f, rule=stream(seed, i, Purpose.RULE), noise=problem):
                certificate = remaining_regret(step.after)
                gap = float(f.max() - f[certificate.index])
                if gap <= eps:
                    reached[i] = min(reached[i], step.t)
                if certified[i] == np.inf:
                    regret[i] = gap
                    if certificate.bound <= eps:
                        certified[i] = step.t
                if step.t == max_T or max(certified[i], reached[i]) < np.inf:
                    break
    return Simulation(eps, max_T, certified, reached, regret)


def _count(X: npt.ArrayLike) -> int:
    """Distinct candidates: repeated rows are one, and the theorems count them once."""
    return len(np.unique(np.asarray(X, dtype=np.float64), axis=0))


def _first(holds: npt.NDArray[np.bool_]) -> int | None:
    return int(holds.argmax()) if holds.any() else None


def _message(eps: float, needed: int | None, informative_from: int | None, bound: Floats, n: int) -> str:
    last = len(bound) - 1
    if needed == 0:
        return f"No evaluation is needed: the best of {n} candidates is expected to be within {eps:.3g} of any of them."
    if needed is not None:
        return (
            f"After {needed} evaluations the recommendation is expected to be within {eps:.3g} of "
            f"the best of {n} candidates. This is a guarantee; typical runs need fewer."
        )
    if informative_from is None:
        return (
            f"The bound says nothing up to {last} evaluations: it is {bound[last]:.3g} there, and {bound[0]:.3g} holds "
            "without any evaluation. With this little noise, or this many independent candidates, each evaluation is "
            "still news. Simulate instead."
        )
    return (
        f"{last} evaluations are not enough for a guarantee: the bound is {bound[last]:.3g} there, not {eps:.3g}. "
        f"It says more than no evaluation at all ({bound[0]:.3g}) from {informative_from} evaluations on. "
        "Simulate to see what is typical."
    )
