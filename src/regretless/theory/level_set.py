r"""Level sets {f >= h}: how much of a classification by the posterior mean is wrong, exactly, and how fast that falls.

A candidate is taken to be above the level where its mean is. Its loss is |f - h| if that is wrong, and 0 if it is
right. Given the data, with d = |mean - h|,

.. math:: P(\text{wrong}) = \bar\Phi(d/\sigma), \qquad E[\text{loss}] = \sigma\, \psi(d/\sigma)
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_finite_float, as_vector, as_whole
from regretless.confidence import certified_threshold, expected_excess
from regretless.confidence.normal import psi, tail
from regretless.errors import InvalidInput
from regretless.theory.conditions import variance_sum

__all__ = ["Misclassification", "expected_level_set_loss", "misclassification"]


@dataclass(frozen=True, slots=True)
class Misclassification:
    """What a classification of all candidates by their means gets wrong, under the model.

    ``wrong`` and ``loss`` are exact for each candidate; ``worst_loss`` bounds the expected loss of the worst one.
    """

    wrong: Floats  # probability that it is on the other side
    loss: Floats  # expected loss
    worst_loss: float

    @property
    def expected_wrong(self) -> float:
        """Expected number of candidates on the wrong side."""
        return float(self.wrong.sum())

    @property
    def all_right(self) -> float:
        """Lower bound on the probability that every candidate is on the right side."""
        return max(0.0, 1.0 - self.expected_wrong)


def misclassification(
    mean: npt.ArrayLike, sd: npt.ArrayLike, *, level: float, above: npt.ArrayLike | None = None
) -> Misclassification:
    r"""The certificates of a level set, from the posterior's moments on all candidates.

    .. math:: E\big[\max_x \text{loss}(x)\big] \le \min_{u \ge 0}\; u + \sum_x \sigma_x\,
              \psi\Big(\frac{u + |\mu_x - h|}{\sigma_x}\Big)

    The loss of x exceeds u where f(x) lies beyond h by more than u: a normal tail at u + d, so that the worst loss is
    the maximum of candidates with means -d, cut off at 0. A known candidate is right.

    ``above`` says which candidates are taken to be above; None goes by the means. On the other side of its mean d is
    negative, and the formulas stay.

    >>> found = misclassification([0.2, 0.55, 1.3, 0.49], [0.5, 0.1, 0.4, 0.02], level=0.5)
    >>> round(found.expected_wrong, 6), round(found.worst_loss, 6)
    (0.914078, 0.111468)
    """
    mean, sd = as_vector(mean, "mean"), as_vector(sd, "sd")
    if len(mean) != len(sd) or not len(mean) or (sd < 0.0).any():
        raise InvalidInput(f"mean and sd must be as long and sd >= 0, got {len(mean)} means and {len(sd)} sds.")
    away = np.abs(mean - as_finite_float(level, "level"))
    if above is not None:
        away = np.where(np.asarray(above, dtype=np.bool_) == (mean >= level), away, -away)
    unknown = sd > 0.0
    wrong, loss = (away < 0.0).astype(np.float64), np.maximum(-away, 0.0)  # where it is known
    z = away[unknown] / sd[unknown]
    wrong[unknown], loss[unknown] = tail(z), sd[unknown] * psi(z)
    certain = float(loss[~unknown].max(initial=0.0))
    if not unknown.any():
        return Misclassification(wrong, loss, certain)
    u = max(certain, certified_threshold(-away[unknown], sd[unknown])[0])  # the best u; any u >= certain is valid
    return Misclassification(wrong, loss, u + expected_excess(u, -away[unknown], sd[unknown]))


def expected_level_set_loss(
    T: int, *, info_gain: float, noise_var: float, signal_var: float = 1.0, mean_zeta: float = 2.0
) -> float:
    r"""Random straddle: bound on the expected mean loss, summed over T steps, for any weights of the candidates.

    .. math:: \sum_{t \le T} E \sum_x w(x)\, \text{loss}_t(x) \le \sqrt{E[\zeta]\, C_1 \gamma_T T}, \qquad
              x_t = \arg\max_x \sqrt{\zeta_t}\, \sigma(x) - |\mu(x) - h|

    zeta (squared) has a law whose E[(sqrt(zeta) z - d)^+] is at least that of a normal variable: chi-square with two
    degrees of freedom, mean 2, is the one to use (Inatsu et al. 2024). No number of candidates enters: the bound
    holds on continuous spaces, and nothing grows.

    >>> round(expected_level_set_loss(60, info_gain=28.4, noise_var=0.1), 3)
    53.315
    """
    T = as_whole(T, "T", least=1)
    return math.sqrt(mean_zeta * variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var) * T)
