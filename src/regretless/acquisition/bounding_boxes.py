r"""The candidate whose bounding box reaches furthest beyond the Pareto set of the means; for tables.

With lower and upper bounds L, U = mean -+ c sd and X-hat the Pareto set of the means, which is what is recommended:

.. math:: a(x) = \min_{\hat x \in \hat X} \max_k \big(U_k(x) - L_k(\hat x)\big)^+

The candidate of the largest a, or the point of X-hat whose means are not below its means, is evaluated, whichever has
the larger sd. :func:`regretless.theory.epsilon_of_boxes` bounds the mean additive epsilon of X-hat.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn

import numpy as np

from regretless.acquisition.outputs import JointUCB, Outputs
from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.pareto import front_rows

__all__ = ["BoundingBoxes", "reach"]

_ENTRIES = 1 << 21  # numbers worked on at once


def reach(upper: Floats, lower: Floats) -> Floats:
    r"""How far each row of ``upper`` lies beyond all rows of ``lower``, :math:`\min_h \max_k (U_k - L_{hk})^+`, (N,).

    >>> reach(np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[0.5, 1.0], [2.0, 1.5]])).tolist()
    [0.5, 0.0]
    """
    beyond = np.empty(len(upper))
    width = max(1, _ENTRIES // max(1, lower.size))
    for begin in range(0, len(upper), width):
        part = slice(begin, begin + width)
        beyond[part] = (upper[part, None, :] - lower).max(axis=2).min(axis=1)
    return np.maximum(beyond, 0.0)


@dataclass(frozen=True, slots=True)
class TableScore:
    """Scores of the candidates of a table, and of nothing else."""

    values: Floats
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, outputs: Outputs) -> Floats:  # noqa: ARG002
        """The score of every candidate."""
        return self.values

    def at(self, X: Floats) -> NoReturn:
        """Refused."""
        raise InvalidInput(f"bounding boxes score the {len(self.values)} candidates of a table, not {len(X)} points.")

    def value_and_gradient(self, X: Floats) -> NoReturn:
        """Refused."""
        self.at(X)

    @property
    def edges(self) -> None:
        """None."""
        return


@dataclass(frozen=True, slots=True)
class BoundingBoxes(JointUCB):
    """The bounding box that reaches furthest beyond the Pareto set of the means, on tables without constraints.

    A relative of epsilon-PAL (Zuluaga et al. 2016) with one random multiplier, and of the rule of Inatsu et al. (2024).
    The boxes of different steps are not intersected: with a fresh zeta they do not hold together. Its theorem needs K
    events per candidate and the theorem's shift at every step, which is the default. The record has ``gap``, the
    largest a(x).
    """

    name: ClassVar[str] = "boxes"

    def period(self, outputs: Outputs) -> int:  # noqa: ARG002
        """Every step has the shift."""
        return 1

    def events_each(self, outputs: Outputs) -> int:
        """One per objective."""
        return outputs.n_objectives

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> TableScore:
        """One draw of zeta."""
        if outputs.n_candidates is None or outputs.n_constraints:
            raise InvalidInput("boxes: for tables without constraints only. Elsewhere use 'chebyshev' or 'hvi'.")
        zeta = self.draw_zeta(outputs, t, rng)
        mean, sd = outputs.mean, outputs.sd
        if outputs.n_objectives == 1:  # the furthest box is that of the largest upper bound
            return TableScore(math.sqrt(zeta) * sd[:, 0] + mean[:, 0], {"zeta": zeta})
        half = math.sqrt(zeta) * sd
        rows = front_rows(mean)
        beyond = reach(mean + half, (mean - half)[rows])
        far = int(beyond.argmax())
        above = rows[(mean[rows] >= mean[far]).all(axis=1)]
        near = int(above[sd[above].max(axis=1).argmax()])
        chosen = far if sd[far].max() >= sd[near].max() else near
        values = beyond.copy()
        values[chosen] = 2.0 * float(beyond.max()) + 1.0
        return TableScore(values, {"zeta": zeta, "gap": float(beyond.max())})
