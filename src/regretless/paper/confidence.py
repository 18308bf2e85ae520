"""The confidence parameters: beta_t of GP-UCB, and the laws of zeta_t of RGP-UCB and IRGP-UCB, against t."""

import numpy as np

from regretless.acquisition import RULES, UCB
from regretless.paper.jobs import Columns, Unit

__all__ = ["confidence_of"]


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
