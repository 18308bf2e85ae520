r"""Two points, noise variance 1: a constant confidence parameter gives linear regret, a random one does not.

.. math:: f \sim N\Big(0, \begin{pmatrix} 1 & \rho \\ \rho & 0.99 \end{pmatrix}\Big), \qquad
          x_t = \arg\max_x \mu_{t-1}(x) + c_t\, \sigma_{t-1}(x)

With c constant the better point may be unlucky once and then never be tried again. The theorem and its constants:
:mod:`regretless.theory.constant_beta`.
"""

import numpy as np

from regretless.arrays import Floats
from regretless.confidence import ShiftedExponential
from regretless.confidence.schedules import value_at
from regretless.paper.jobs import Columns, Unit
from regretless.rng import Purpose, stream
from regretless.theory import two_point_covariance

__all__ = ["regret_on_two_points"]


def regret_on_two_points(unit: Unit) -> Columns:
    """One row per run: the cumulative regret at the checkpoints, in columns called by their T.

    ``problem`` is ``rho=...``, ``method`` is ``c=...`` for GP-UCB with that constant, or ``irgp-ucb``.
    """
    s = unit.settings
    K = two_point_covariance(float(unit.problem.removeprefix("rho=")))
    constant = None if unit.method == "irgp-ucb" else float(unit.method.removeprefix("c="))
    world = stream(unit.stream_seed(), 0, Purpose.PROBLEM)
    found = _simulate(K, constant, s["block"], s["checkpoints"], world, stream(unit.stream_seed(), 0, Purpose.RULE))
    return {"run": np.arange(s["block"], dtype=np.float64), **{str(T): found[T] for T in s["checkpoints"]}}


def _simulate(
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
