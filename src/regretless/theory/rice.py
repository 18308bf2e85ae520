r"""The maximum of a smooth function on an interval, without a grid: Rice's bound.

A path that exceeds u somewhere on [0, 1] either starts above u or crosses it upwards, so

.. math:: P\Big(\max_{[0,1]} f > u\Big) \le S(u) = \bar\Phi\Big(\frac{u - \mu(0)}{\sigma(0)}\Big)
          + \int_0^1 \frac{1}{\sigma}\, \phi\Big(\frac{u - \mu}{\sigma}\Big)\, E\big[f'(x)^+ \mid f(x) = u\big]\, dx

which replaces the sum over candidates of :func:`regretless.confidence.tail_sum`. It needs a kernel whose paths have a
derivative: every family here has one.
"""

import math
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats, as_finite_float
from regretless.confidence.normal import psi, tail
from regretless.errors import InvalidInput
from regretless.gp import Posterior

__all__ = ["expected_maximum_on_interval", "upcrossing_tail"]

#: Panels of the integral over x per length scale, with 8 Gauss points each, and the least number of panels.
_PANELS_PER_LENGTHSCALE, _LEAST_PANELS = 4.0, 32


@dataclass(frozen=True, slots=True)
class _Path:
    """f and f' along the interval, given the data: quadrature weights and the moments at its nodes."""

    weights: Floats
    mean: Floats
    sd: Floats
    slope_mean: Floats  # of f'
    slope_var: Floats
    cov: Floats  # of f and f'
    start: tuple[float, float]  # mean and sd of f(0)

    def tail(self, u: Floats) -> Floats:
        """S(u) for each level, at most 1."""
        z = (u[:, None] - self.mean) / self.sd
        # f' given f = u: regression on f.
        given = self.slope_mean + self.cov / self.sd * z
        s = np.sqrt(np.maximum(self.slope_var - (self.cov / self.sd) ** 2, 1e-300))
        density = np.exp(-0.5 * z * z) / (math.sqrt(2.0 * math.pi) * self.sd)
        crossings = (density * s * psi(-given / s)) @ self.weights
        first: Floats = tail((u - self.start[0]) / self.start[1])
        return np.minimum(1.0, first + crossings)


def upcrossing_tail(belief: Posterior, u: float) -> float:
    """Bound on the probability that f exceeds ``u`` anywhere on the encoded interval [0, 1], given the data.

    >>> from regretless.gp import Kernel, posterior
    >>> X, y = np.array([[0.1], [0.35], [0.6], [0.9]]), np.array([0.2, 1.0, -0.3, 0.4])
    >>> belief = posterior(Kernel("rbf", np.array([0.2]), 1.0), noise_var=0.01, X=X, y=y)
    >>> round(upcrossing_tail(belief, 1.5), 6)
    0.020711
    """
    return float(_path(belief).tail(np.array([as_finite_float(u, "u")]))[0])


def expected_maximum_on_interval(belief: Posterior) -> float:
    r"""Upper bound on the expected maximum of f on the encoded interval [0, 1], given the data.

    .. math:: E\big[\max f\big] \le \min_u\; u + \int_u^\infty S(v)\, dv

    The minimum is where S falls to 1. Less the mean of what is recommended it is a certificate without candidates.

    >>> from regretless.gp import Kernel, posterior
    >>> X, y = np.array([[0.1], [0.35], [0.6], [0.9]]), np.array([0.2, 1.0, -0.3, 0.4])
    >>> belief = posterior(Kernel("rbf", np.array([0.2]), 1.0), noise_var=0.01, X=X, y=y)
    >>> round(expected_maximum_on_interval(belief), 3)
    1.122
    """
    path = _path(belief)
    low, high = float(path.mean.max() - 4.0 * path.sd.max()), float((path.mean + 10.0 * path.sd).max())
    # S, capped at 1, is integrated from far below, where it is 1: u + int_u^inf min(S, 1) is the minimum over u.
    levels, weights = _quadrature(low, high, 64)
    return low + float(path.tail(levels) @ weights)


def _path(belief: Posterior) -> _Path:
    kernel = belief.kernel
    if belief.X.shape[1] != 1 or any(kernel.categorical):
        raise InvalidInput("Rice's bound is for one real parameter; for more use remaining_regret on candidates.")
    scale = float(kernel.lengthscale[0])
    x, weights = _quadrature(0.0, 1.0, max(_LEAST_PANELS, math.ceil(_PANELS_PER_LENGTHSCALE / scale)))
    points = x[:, None]
    mean, sd = belief.mean_sd(points)
    K, slope = kernel.with_slope(points, belief.X)
    dK = slope * (points - belief.X.T) * (2.0 / scale**2)  # dk(x, X_i)/dx
    V, dV = belief.factor.half_solve(K.T), belief.factor.half_solve(dK.T)  # (n, m): L^-1 K_Xx and its derivative
    _, at_zero = kernel.of_squared_distance(np.zeros(1))
    prior_slope_var = -2.0 * float(at_zero[0]) / scale**2  # -d^2 k / dx^2 at 0
    first_mean, first_sd = belief.mean_sd(np.zeros((1, 1)))
    return _Path(
        weights,
        mean,
        sd,
        dK @ belief.weights,
        np.maximum(prior_slope_var - np.einsum("ij,ij->j", dV, dV), 0.0),
        -np.einsum("ij,ij->j", V, dV),  # the prior covariance of f(x) and f'(x) is 0
        (float(first_mean[0]), float(first_sd[0])),
    )


def _quadrature(low: float, high: float, panels: int) -> tuple[Floats, Floats]:
    """Composite Gauss-Legendre nodes and weights."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(low, high, panels + 1)
    half = 0.5 * np.diff(edges)
    middle = edges[:-1] + half
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()
