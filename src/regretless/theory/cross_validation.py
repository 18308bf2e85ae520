r"""Is the model to be trusted: each observation predicted from all the others, and a traffic light made of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import gammainc, gammaincc

from regretless.arrays import Floats
from regretless.confidence.normal import tail
from regretless.confidence.schedules import check_delta
from regretless.errors import InvalidInput
from regretless.gp import Posterior

__all__ = ["Calibration", "LeaveOneOut", "Light", "averaged_calibration", "calibration", "leave_one_out"]

Light = Literal["green", "amber", "red", "too few data"]

#: Fewer observations than this tell nothing about calibration.
ENOUGH = 8


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """Prediction of each observation y_i (noise included) from the others: mean, sd, standardised error.

    ``correlation`` is the correlation matrix of the standardised errors under the model.
    """

    mean: Floats
    sd: Floats
    residual: Floats
    correlation: Floats


@dataclass(frozen=True, slots=True)
class Calibration:
    """The trust light and what it was made of.

    ``overconfident`` is the p-value of errors larger than the model's sd, ``outlier`` that of the largest single error,
    ``underconfident`` that of errors smaller than the sd: no danger to a bound, only to the budget. ``rms`` is the root
    mean square standardised error, 1 in expectation, and ``largest`` the largest in size.
    """

    light: Light
    rms: float
    overconfident: float
    outlier: float
    underconfident: float
    amber: float
    red: float
    message: str
    largest: float = 1.0


def leave_one_out(posterior: Posterior) -> LeaveOneOut:
    r"""Leave-one-out predictions in closed form, O(n^3) for all of them (Rasmussen and Williams 2006, 5.10 to 5.12).

    .. math:: \mu_{-i} = y_i - \frac{[K^{-1}(y - m)]_i}{[K^{-1}]_{ii}}, \qquad
              \sigma_{-i}^2 = \frac{1}{[K^{-1}]_{ii}}, \qquad K = K_{XX} + \sigma^2 I

    The hyperparameters are not fitted again. One observation is predicted from the prior. Observations of an earlier
    study help to predict, and are not predicted themselves.

    >>> from regretless.gp import Kernel, posterior
    >>> data = posterior(Kernel("rbf", np.array([0.3]), 2.0), noise_var=0.5, X=np.array([[0.4]]), y=np.array([1.0]))
    >>> loo = leave_one_out(data)
    >>> loo.mean.round(9).tolist(), loo.sd.round(3).tolist(), loo.residual.round(3).tolist()
    ([0.0], [1.581], [0.632])
    """
    own = slice(posterior.n_source, None)
    y, weights = posterior.y[own], posterior.weights[own]
    if not len(y):
        raise InvalidInput("leave-one-out needs one observation at least, got none.")
    precision = posterior.factor.inverse()[own, own]
    diagonal = precision.diagonal()
    sd = 1.0 / np.sqrt(diagonal)
    return LeaveOneOut(
        mean=y - weights / diagonal,
        sd=sd,
        residual=weights * sd,
        correlation=precision * sd * sd[:, None],
    )


def calibration(posterior: Posterior, *, amber: float = 0.05, red: float = 0.001) -> Calibration:
    r"""Trust light: whether the model predicts held-out observations within its own error bars.

    .. math:: \sum_i z_i^2 \approx \frac{n}{\nu} \chi^2_\nu, \qquad \nu = n^2 / \lVert C \rVert_F^2

    z are the standardised leave-one-out errors, C their correlation under the model: the sum has mean n and variance
    ``2 |C|^2`` exactly, and the scaled chi-square law with these two moments. The largest error is judged by its tail
    times n, whatever the correlation. p = twice the smaller p-value, at most 1: below ``red`` the light is red, below
    ``amber`` amber. A right model is not green with probability ``amber``; with hyperparameters fitted to the same data
    less often, so green is weak evidence and red is strong. Under eight observations: "too few data".

    >>> from regretless.gp import Kernel, posterior
    >>> X = np.linspace(0.0, 1.0, 12)[:, None]
    >>> model = Kernel("rbf", np.array([0.3]), 1.0)
    >>> calibration(posterior(model, noise_var=0.01, X=X, y=np.sin(6.0 * X[:, 0]))).light
    'green'
    >>> calibration(posterior(model, noise_var=0.01, X=X, y=np.sin(80.0 * X[:, 0]))).light
    'red'
    """
    if check_delta(red) > check_delta(amber):
        raise InvalidInput(f"red must be at most amber, got red={red!r} and amber={amber!r}.")
    n = len(posterior) - posterior.n_source
    if n < ENOUGH:
        message = f"Too few data ({n}): from {ENOUGH} observations on the model can be checked against them."
        return Calibration("too few data", 1.0, 1.0, 1.0, 1.0, amber, red, message)
    loo = leave_one_out(posterior)
    total = float(loo.residual @ loo.residual)
    degrees = n * n / float(np.sum(loo.correlation**2))
    scaled = 0.5 * total * degrees / n
    over, under = float(gammaincc(0.5 * degrees, scaled)), float(gammainc(0.5 * degrees, scaled))
    largest = float(np.abs(loo.residual).max())
    outlier = min(1.0, 2.0 * n * float(tail(largest)))
    return _judged(math.sqrt(total / n), largest, over, outlier, under, amber, red)


def averaged_calibration(found: Sequence[Calibration]) -> Calibration:
    """The trust light of equally likely models: p-values and errors are averaged (Gelman, Meng and Stern 1996).

    >>> from regretless.gp import Kernel, posterior
    >>> X = np.linspace(0.0, 1.0, 12)[:, None]
    >>> rough, smooth = (Kernel("rbf", np.array([scale]), 1.0) for scale in (0.03, 0.3))
    >>> both = [calibration(posterior(k, noise_var=0.01, X=X, y=np.sin(80.0 * X[:, 0]))) for k in (rough, smooth)]
    >>> [each.light for each in both], averaged_calibration(both).light
    (['green', 'red'], 'green')
    """
    first = found[0]
    if len(found) == 1 or first.light == "too few data":
        return first
    names = ("rms", "largest", "overconfident", "outlier", "underconfident")
    rms, largest, over, outlier, under = (float(np.mean([getattr(each, name) for each in found])) for name in names)
    return _judged(rms, largest, over, outlier, under, first.amber, first.red)


def _judged(
    rms: float, largest: float, over: float, outlier: float, under: float, amber: float, red: float
) -> Calibration:
    p = min(1.0, 2.0 * min(over, outlier))
    light: Light = "red" if p < red else "amber" if p < amber else "green"
    message = _message(light, rms, largest, under, amber)
    return Calibration(light, rms, over, outlier, under, amber, red, message, largest)


def _message(light: Light, rms: float, largest: float, under: float, amber: float) -> str:
    errors = f"left-out observations miss their prediction by {rms:.2g} sd (root mean square), at worst {largest:.2g}"
    if light == "red":
        return f"Do not trust the certificates: {errors}. The model is too sure of itself."
    if light == "amber":
        return f"Take the certificates with care: {errors}, more than chance explains easily."
    if under < 0.5 * amber:
        return f"No over-confidence found: {errors}. The model is more careful than it need be."
    return f"No over-confidence found: {errors}."
