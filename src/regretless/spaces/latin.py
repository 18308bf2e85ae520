"""Space-filling random designs."""

import numpy as np

from regretless.arrays import Floats

__all__ = ["latin_hypercube"]


def latin_hypercube(m: int, dim: int, rng: np.random.Generator) -> Floats:
    r"""Draw m points in the unit cube, one in each of the m equal strata of every axis.

    .. math:: u_{ij} = (\pi_j(i) + v_{ij}) / m, \qquad v_{ij} \sim U(0, 1)

    with an independent uniform permutation pi_j for each axis [McKay1979]_.

    >>> points = latin_hypercube(4, 2, np.random.default_rng(0))
    >>> np.sort(np.floor(4 * points), axis=0).T
    array([[0., 1., 2., 3.],
           [0., 1., 2., 3.]])
    """
    strata = rng.permuted(np.tile(np.arange(float(m))[:, None], (1, dim)), axis=0)
    points: Floats = (strata + rng.random((m, dim))) / max(m, 1)
    return points
