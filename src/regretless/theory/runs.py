"""Runs on a table whose GP is known, the setting in which the theorems speak."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.confidence import Law
from regretless.gp import TablePosterior

__all__ = ["Step", "run_ucb"]


@dataclass(frozen=True, slots=True)
class Step:
    """Evaluation ``t`` (from 1): the zeta drawn, the candidate chosen, its sd before and the posterior after."""

    t: int
    zeta: float
    index: int
    sd: float
    after: TablePosterior


def run_ucb(
    start: TablePosterior,
    law: Law,
    f: Floats,
    *,
    rule: np.random.Generator,
    noise: np.random.Generator,
    repeats: bool = True,
) -> Iterator[Step]:
    r"""Randomised GP-UCB without end (zeta is squared); take as many steps as needed.

    .. math:: x_t = \arg\max_x \mu_{t-1}(x) + \sqrt{\zeta_t}\, \sigma_{t-1}(x), \qquad
              y_t = f(x_t) + \varepsilon_t, \quad \varepsilon_t \sim N(0, \sigma^2)

    ``f`` holds the true value of every candidate. Ties: the first candidate. With ``repeats=False`` the candidates
    measured in this run are left out of the argmax while there are others, which is not the algorithm of the theorems.

    >>> from regretless.confidence import ShiftedExponential
    >>> from regretless.gp import Kernel, posterior, table_posterior
    >>> none = posterior(Kernel("rbf", np.array([0.2]), 1.0), noise_var=0.01, X=np.empty((0, 1)), y=np.empty(0))
    >>> table = table_posterior(none, np.array([[0.0], [0.5], [1.0]]))
    >>> seeds = {"rule": np.random.default_rng(1), "noise": np.random.default_rng(2)}
    >>> run = run_ucb(table, ShiftedExponential.for_table(3), np.array([0.0, 1.0, 0.0]), **seeds)
    >>> [next(run).index for _ in range(3)]
    [0, 2, 1]
    """
    table, sigma = start, math.sqrt(start.posterior.noise_var)
    measured = np.zeros(len(start.X), dtype=np.bool_)
    t = 0
    while True:
        t += 1
        zeta, sd = law.draw(t, rule), table.sd
        score = table.mean + math.sqrt(zeta) * sd
        index = int(np.argmax(score if repeats or measured.all() else np.where(measured, -np.inf, score)))
        measured[index] = True
        y = float(f[index]) + sigma * float(noise.standard_normal())
        table = table.condition_at(index, y)
        yield Step(t, zeta, index, float(sd[index]), table)
