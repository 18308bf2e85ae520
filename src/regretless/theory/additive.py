r"""Sums of independent functions: what T evaluations of the sum can tell, from what they could tell about each part.

.. math:: f = \sum_j f_j, \quad k = \sum_j k_j \quad\Longrightarrow\quad \gamma_T \le \sum_j \gamma_T^{(j)},
    \qquad \sigma_0^2 = \sum_j \sigma_{0,j}^2

Every theorem for IRGP-UCB holds for the sum as it stands, with the standard deviation *of the sum* in the upper bound.
It does not hold where each part has an upper bound of its own (Kandasamy et al. 2015): a constant may belong to this
part or to that, no evaluation of the sum tells which, and the parts' standard deviations do not go to 0.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.theory.information import information_gain_of_matrix

__all__ = ["information_gain_of_sum"]


def information_gain_of_sum(parts: Sequence[npt.ArrayLike], T: int, *, noise_var: float) -> Floats:
    r"""Upper bounds on gamma_0..gamma_T of a sum, from the covariance matrices of its independent parts.

    .. math:: I(y_A; f) \le \sum_j I(y_A; f_j \mid f_{i < j}) \le \sum_j I(y_A; f_j \mid f_{i \ne j})
        = \sum_j I(f_{j,A} + \epsilon; f_j) \le \sum_j \gamma_T^{(j)}

    The second step is that parts are independent, and the third that whoever knows the others sees this one with the
    noise of the sum. Each matrix is that of one part on the points where it can be evaluated: for a function of one
    column, the different values of the column. So the cost is that of the columns, not that of their product.

    >>> column = [[1.0, 0.6, 0.1], [0.6, 1.0, 0.6], [0.1, 0.6, 1.0]]
    >>> information_gain_of_sum([column, column], 3, noise_var=0.1).round(3).tolist()
    [0.0, 2.398, 4.796, 6.434]
    """
    if not len(parts):
        raise InvalidInput("a sum has at least one part: give the covariance matrix of each.")
    upper: Floats = np.sum([information_gain_of_matrix(K, T, noise_var=noise_var).upper for K in parts], axis=0)
    return upper
