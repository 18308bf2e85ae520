r"""Before the first experiment: how many will be needed? Once as a guarantee, once by simulation.

Both speak for one law and say which: that of the default rule, IRGP-UCB with the theorem's law at every fourth step and
exploiting steps in between, or with ``every=1`` the theorem's at every step, as ``IRGPUCB("theory")`` has it.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from regretless.arrays import Floats, as_matrix, as_positive, as_whole, show
from regretless.confidence import ShiftedExponential
from regretless.confidence.schedules import EVERY
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, prior_factor, table_posterior
from regretless.linalg import single_thread
from regretless.rng import Purpose, check_seed, stream
from regretless.spaces import NOISE_FREE, Repeats, check_repeats
from regretless.theory.certificate import remaining_regret
from regretless.theory.information import InformationGain, information_gain, is_huge
from regretless.theory.interleaved import simple_regret_interleaved
from regretless.theory.runs import run_ucb

__all__ = ["Plan", "Simulation", "plan", "simulate"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Guaranteed number of evaluations, the law it holds for, and the bound it was read from.

    ``bound[t]`` bounds the expected regret of the recommendation after t evaluations; ``bound[0]`` is what holds
    without any, and until the first step with the theorem's law. ``needed`` is the smallest t at which the bound is at
    most ``eps``, None if there is none up to the last t. ``informative_from`` is the first t at which the bound says
    more than ``bound[0]``. ``info_gain`` is that of the steps with the theorem's law, one of every ``every``. ``law``
    names the law; ``message`` says it all in a few sentences.
    """

    eps: float
    every: int
    law: str
    needed: int | None
    informative_from: int | None
    bound: Floats
    info_gain: InformationGain
    message: str


@dataclass(frozen=True, slots=True)
class Simulation:
    """Evaluations that runs on functions drawn from the model took, infinity where ``limit`` of them were not enough.

    ``law`` names the law of the runs. ``certified``: until the certificate was at most ``eps``. ``reached``: until the
    recommendation's true regret first was. ``regret``: the true regret where the certificate stopped, or after the last
    evaluation.
    """

    eps: float
    limit: int
    every: int
    law: str
    certified: Floats
    reached: Floats
    regret: Floats

    def quantile(self, p: float) -> tuple[float, float]:
        """Evaluations that suffice in a share ``p`` of the functions: by certificate, and by true regret."""
        if not 0.0 < p <= 1.0:
            raise InvalidInput(f"p must lie in (0, 1], got {show(p)}. For nine functions of ten give 0.9.")
        place = math.ceil(p * len(self.certified) - 1e-9) - 1
        return float(np.sort(self.certified)[place]), float(np.sort(self.reached)[place])


def plan(
    X: npt.ArrayLike,
    kernel: Kernel,
    noise_var: float,
    eps: float,
    *,
    every: int = EVERY,
    repeats: Repeats = "auto",
    max_T: int = 200,
) -> Plan:
    r"""Smallest T that IRGP-UCB is guaranteed to need on this table, from the table's own information gain.

    .. math:: T = \min\Big\{T : \sqrt{C_1 (s + 2)\, \gamma_m/m} \le \varepsilon\Big\}, \qquad
              m = \lfloor T/k \rfloor, \quad k = \text{every}

    k = 4 is the default rule and k = 1 the theorem's, ``IRGPUCB("theory")``: the default needs at most k times as many.
    ``repeats`` is that of the study; where measured candidates are left out, the bound has one more term
    (:func:`simple_regret_interleaved`), and with "never" nothing changes once all are measured.

    A guarantee for the average function of the model: typical runs need several times fewer, which :func:`simulate`
    shows. While every point evaluated is news (little noise, m below the number of independent points) the bound does
    not fall and says nothing; ``message`` then says that.

    ``X`` may be mapped from a file, such as ``Table.from_parquet(...).X``: if it is huge (see `information_gain`), it
    is read block by block, and equal rows are counted each.

    >>> line = np.linspace(0.0, 1.0, 20)[:, None]
    >>> model = {"kernel": Kernel("rbf", np.array([0.3]), 1.0), "noise_var": 0.1}
    >>> plan(line, **model, eps=0.5, every=1, max_T=600).needed, plan(line, **model, eps=0.5, max_T=2000).needed
    (329, 1316)
    >>> plan(line, Kernel("rbf", np.array([0.01]), 1.0), noise_var=1e-4, eps=0.5, max_T=20).message[:44]
    'The bound says nothing up to 20 evaluations:'
    """
    eps, max_T, every = as_positive(eps, "eps"), as_whole(max_T, "max_T", least=1), as_whole(every, "every", least=1)
    left_out, ends = _leaves_out(repeats, noise_var, kernel)
    theorem = max(1, max_T // every)  # steps with the theorem's law
    rows = X if isinstance(X, np.ndarray) and is_huge(X, theorem) else _distinct(X)
    n = len(rows)
    gain = information_gain(kernel, rows, theorem, noise_var=noise_var)
    nothing = _without_data(n, math.sqrt(kernel.signal_var))
    by_m = [
        simple_regret_interleaved(
            m,
            every=1,
            n_candidates=n,
            info_gain=float(gain.upper[m]),
            noise_var=noise_var,
            signal_var=kernel.signal_var,
            repeats=not left_out,
        )
        for m in range(1, len(gain) + 1)
    ]
    T = np.arange(max_T + 1)
    bound = np.array([nothing, *by_m])[(np.minimum(T, n) if ends else T) // every]
    needed, informative, law = _first(bound <= eps), _first(bound < nothing), _law(every, left_out=left_out)
    message = _message(eps, needed, informative, bound, n, every, law)
    return Plan(eps, every, law, needed, informative, bound, gain, message)


def simulate(
    X: npt.ArrayLike,
    kernel: Kernel,
    noise_var: float,
    eps: float,
    *,
    every: int = EVERY,
    repeats: Repeats = "auto",
    n_candidates: int | None = None,
    n_functions: int = 100,
    max_T: int = 200,
    seed: int = 0,
) -> Simulation:
    r"""Evaluations IRGP-UCB takes on functions drawn from the model, ending by certificate and by true regret.

    .. math:: f \sim N(0, K_{XX}), \qquad \tau = \min\{t : \text{certificate}_t \le \varepsilon\}

    The law and ``repeats`` are those of a default study on a table; with ``every=1, repeats="allow"`` they are those of
    the theorem. Where ``X`` is a part that stands for a larger table, ``n_candidates`` is the size of that table, which
    the law counts. Starts without data. Function i uses the streams (seed, i), so more functions extend the same
    experiment.

    >>> line = np.linspace(0.0, 1.0, 20)[:, None]
    >>> runs = simulate(line, Kernel("rbf", np.array([0.3]), 1.0), 0.1, 0.5, n_functions=20, max_T=100)
    >>> certified, reached = runs.quantile(0.5)
    >>> reached <= certified < 20
    True
    >>> runs.law
    "the default law (IRGP-UCB with the theorem's law at every fourth step and exploiting steps in between)"
    """
    eps, max_T, n_functions, every = (
        as_positive(eps, "eps"),
        as_whole(max_T, "max_T", least=1),
        as_whole(n_functions, "n_functions", least=1),
        as_whole(every, "every", least=1),
    )
    noise, seed = as_positive(noise_var, "noise_var"), check_seed(seed)
    left_out, ends = _leaves_out(repeats, noise, kernel)
    rows = _distinct(X)
    N = len(rows) if n_candidates is None else as_whole(n_candidates, "n_candidates", least=1)
    if len(rows) > N:
        raise InvalidInput(f"n_candidates must be at least the {len(rows)} distinct rows of X, got {N}.")
    law, last = ShiftedExponential.for_table(N, every=every), min(max_T, len(rows)) if ends else max_T
    certified, reached, regret = np.full(n_functions, np.inf), np.full(n_functions, np.inf), np.empty(n_functions)
    with single_thread():
        factor = prior_factor(kernel, rows)
        none = posterior(kernel, noise_var=noise, X=np.empty((0, rows.shape[1])), y=np.empty(0))
        start = table_posterior(none, rows)
        for i in range(n_functions):
            problem = stream(seed, i, Purpose.PROBLEM)
            f = factor.L @ problem.standard_normal(len(rows))  # ~ N(0, K)
            rule = stream(seed, i, Purpose.RULE)
            for step in run_ucb(start.branch(), law, f, rule=rule, noise=problem, repeats=not left_out):
                certificate = remaining_regret(step.after)
                gap = float(f.max() - f[certificate.index])
                if gap <= eps:
                    reached[i] = min(reached[i], step.t)
                if certified[i] == np.inf:
                    regret[i] = gap
                    if certificate.bound <= eps:
                        certified[i] = step.t
                if step.t == last or max(certified[i], reached[i]) < np.inf:
                    break
    return Simulation(eps, max_T, every, _law(every, left_out=left_out), certified, reached, regret)


def _distinct(X: npt.ArrayLike) -> Floats:
    """Equal rows are one candidate: the theorems count them once."""
    rows = as_matrix(X, "X")
    _, first = np.unique(rows, axis=0, return_index=True)
    distinct: Floats = rows[np.sort(first)]
    return distinct


def _without_data(n: int, sd: float) -> float:
    r"""How far the best of n is above any of them where all means are 0: the tail-sum bound at its least.

    .. math:: n\, \sigma\, \phi(z), \qquad n\, \Phi(-z) = 1
    """
    z = -float(ndtri(1.0 / n))
    return 0.0 if n == 1 else n * sd * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


def _leaves_out(repeats: Repeats, noise_var: float, kernel: Kernel) -> tuple[bool, bool]:
    """Whether measured candidates are left out of the argmax while there are others, and whether all is over then."""
    word = check_repeats(repeats)
    return word == "never" or (word != "allow" and noise_var < NOISE_FREE * kernel.signal_var), word == "never"


def _law(every: int, *, left_out: bool) -> str:
    word = {2: "second", 3: "third"}.get(every, f"{every}th")
    if every == EVERY:
        law = "the default law (IRGP-UCB with the theorem's law at every fourth step and exploiting steps in between)"
    elif every == 1:
        law = "the theorem's law at every step (IRGP-UCB)"
    else:
        law = f"IRGP-UCB with the theorem's law at every {word} step and exploiting steps in between"
    return law + ", measured candidates left out" if left_out else law


def _first(holds: npt.NDArray[np.bool_]) -> int | None:
    return int(holds.argmax()) if holds.any() else None


def _message(
    eps: float, needed: int | None, informative_from: int | None, bound: Floats, n: int, every: int, law: str
) -> str:
    last = len(bound) - 1
    if needed == 0:
        return f"No evaluation is needed: the best of {n} candidates is expected to be within {eps:.3g} of any of them."
    if needed is not None:
        theorem = f" The theorem's law at every step needs {needed // every}." if every > 1 else ""
        return (
            f"After {needed} evaluations the recommendation is expected to be within {eps:.3g} of the best of {n} "
            f"candidates. This is a guarantee for {law}; typical runs need fewer.{theorem}"
        )
    if informative_from is None:
        return (
            f"The bound says nothing up to {last} evaluations: it is {bound[last]:.3g} there, and {bound[0]:.3g} holds "
            "without any evaluation. With this little noise, or this many independent candidates, each evaluation is "
            f"still news. Simulate instead. The bound is that of {law}."
        )
    return (
        f"{last} evaluations are not enough for a guarantee: the bound is {bound[last]:.3g} there, not {eps:.3g}. "
        f"It says more than no evaluation at all ({bound[0]:.3g}) from {informative_from} evaluations on. "
        f"Simulate to see what is typical. The bound is that of {law}."
    )
