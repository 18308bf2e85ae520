r"""The certificate as a stopping rule, beside the lemma's bound and the gap of confidence bounds others use.

IRGP-UCB runs on a function of the GP; after every evaluation each rule says how much regret it thinks is left. The gap
is :math:`\max_X \mathrm{UCB} - \max_{\text{observed}} \mathrm{LCB}` with :math:`\beta_t = 2\log(n t^2 \pi^2/(6\delta))`
and delta = 0.1, as Makarova et al. (2022) propose: with n the number of candidates it is a bound; Optuna puts the
number of dimensions for n and divides by five.
"""

import math

import numpy as np

from regretless.confidence import ShiftedExponential
from regretless.gp import TablePosterior
from regretless.paper.jobs import Columns, Unit
from regretless.paper.lattice import lattice
from regretless.rng import Purpose, stream
from regretless.theory import remaining_regret, run_ucb

__all__ = ["STOPPING", "stopping_run"]

#: The stopping rules by the column that holds what each thinks is left.
STOPPING = {
    "certificate": "certificate",
    "lemma": "bound of the paper's lemma",
    "gap_fifth": "UCB − LCB, β/5 (Optuna)",
    "gap": "UCB − LCB, valid β",
}


def stopping_run(unit: Unit) -> Columns:
    """One run: the true regret of the recommendation after each evaluation, and what each rule thinks is left."""
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
