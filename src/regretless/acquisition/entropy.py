"""Entropy search: max-value (MES) and joint (JES, lower bound), both averaged over sampled maxima."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from regretless.acquisition.base import MomentScore, Rule, View
from regretless.acquisition.paths import Maxima, draw_sample
from regretless.arrays import Floats
from regretless.confidence.normal import inverse_mills_lower, mills, psi_ratio, tail, truncated_variance
from regretless.gp import Posterior
from regretless.gp.regression import VAR_FLOOR

__all__ = ["JES", "MES"]

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
#: Beyond this z log Phi(z) is too small for a difference of numbers of the size of z^2.
_CANCELS = 4.0
#: Numbers worked on at a time.
_ENTRIES = 1 << 15
#: Below this z, which hardly ever occurs, formulas of r = phi/Phi that cancel are replaced by their slow twins.
_FAR = -30.0


def _parts(N: int, samples: int) -> list[slice]:
    """Candidates in parts, so that a matrix of samples by candidates stays in the cache."""
    width = max(1, _ENTRIES // samples)
    return [slice(begin, begin + width) for begin in range(0, N, width)]


def _log_lower(z: Floats, r: Floats) -> Floats:
    """``log Phi(z)``, which is ``log phi(z) - log r(z)``; where that cancels, as log(1 - q) = -q - q^2/2 - q^3/3."""
    log_lower: Floats = -0.5 * z * z
    log_lower -= _LOG_SQRT_2PI
    beyond = z > _CANCELS
    log_lower -= np.log(r, out=np.zeros_like(r), where=~beyond)
    q = tail(z[beyond])  # below 4e-5: the fourth term is less than a last digit of the first
    log_lower[beyond] = -q * (1.0 + q * (0.5 + q / 3.0))
    return log_lower


def _lift(z: Floats, r: Floats) -> Floats:
    """``z + r(z)``, about -1/z far below 0: there w = -z and r = 1/M(w), so it is (1 - w M(w)) / M(w)."""
    lift: Floats = z + r
    far = z < _FAR
    if far.any():
        lift[far] = psi_ratio(-z[far]) / mills(-z[far])
    return lift


@dataclass(frozen=True, slots=True)
class MaxValueEntropy:
    r"""Information about the maximum, given samples of it (Wang and Jegelka 2017, eq. 6).

    .. math:: \frac1S \sum_s \frac{z_s\, \phi(z_s)}{2 \Phi(z_s)} - \log\Phi(z_s), \qquad z_s = (y^*_s - \mu)/\sigma
    """

    maxima: Floats

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The information in nats."""
        total = np.empty_like(mean)
        for part in _parts(len(mean), len(self.maxima)):
            z = (self.maxima[:, None] - mean[part]) / sd[part]
            r = inverse_mills_lower(z)
            information = 0.5 * z * r - _log_lower(z, r)
            far = z < _FAR
            if far.any():  # both terms grow like z^2, their difference like log(-z)
                w, M = -z[far], mills(-z[far])
                information[far] = _LOG_SQRT_2PI - np.log(M) - 0.5 * w * psi_ratio(w) / M
            total[part] = information.mean(axis=0)
        return total

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """With r = phi/Phi and r' = -r (z + r): d/dz = -(r/2) (1 + z (z + r))."""
        by_mean, by_sd = np.empty_like(mean), np.empty_like(mean)
        for part in _parts(len(mean), len(self.maxima)):
            z = (self.maxima[:, None] - mean[part]) / sd[part]
            r = inverse_mills_lower(z)
            lift = _lift(z, r)
            rest = 1.0 + z * lift
            far = z < _FAR
            if far.any():
                rest[far] = truncated_variance(z[far]) + lift[far] ** 2  # the same, as a sum
            by_z = -0.5 * r * rest
            by_mean[part] = -by_z.mean(axis=0) / sd[part]
            by_sd[part] = -(by_z * z).mean(axis=0) / sd[part]
        return by_mean, by_sd


@dataclass(frozen=True, slots=True)
class MES(Rule):
    """Max-value entropy search (Wang and Jegelka 2017); sampled maxima are at least the best value plus 5 noise sd."""

    name: ClassVar[str] = "mes"
    n_samples: int = 10
    n_features: int = 1000

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Maxima of ``n_samples`` paths."""
        maxima = draw_sample(view, self.n_samples, rng, n_features=self.n_features).maxima(view).values
        if len(view.told):
            maxima = np.maximum(maxima, view.best_told + 5.0 * np.sqrt(view.posterior.noise_var))
        return MomentScore(view.posterior, MaxValueEntropy(maxima), {"mean_maximum": float(maxima.mean())})


@dataclass(frozen=True, slots=True)
class JointEntropy:
    r"""Information about maximiser and maximum together, lower bound (Hvarfner et al. 2022; Tu et al. 2022).

    .. math:: \tfrac12\log(\sigma^2 + \sigma_\varepsilon^2) - \frac1S\sum_s \tfrac12\log(v_s + \sigma_\varepsilon^2),
              \qquad
              v_s = s^2 \{1 - b\,r(b) - r(b)^2\}, \quad b = (f^*_s - m)/s

    where m and s are the posterior conditioned, free of noise, on the sample (x*, f*) as well:
    m = mu + c (f* - mu*) / var*, s^2 = sigma^2 - c^2 / var* with c the posterior covariance of x and x*.
    """

    posterior: Posterior
    maxima: Maxima
    mean_star: Floats  # (S,)
    var_star: Floats  # (S,)
    V_star: Floats  # (n, S): L^-1 K_X*
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, view: View) -> Floats:
        """The information of every candidate; on a table each sample costs one covariance column, O(nN)."""
        if view.table is None or self.maxima.indices is None:
            return self.at(view.X)
        mean, sd, C = view.mean, view.sd, view.table.covariances_with(self.maxima.indices)
        log_v = np.empty(len(view.X))
        for part in _parts(len(view.X), len(C)):
            log_v[part] = self._log_v(mean[part], sd[part], C[:, part]).mean(axis=0)
        return 0.5 * (np.log(sd**2 + self.posterior.noise_var) - log_v)

    def at(self, X: Floats) -> Floats:
        """The information at the rows of X."""
        return self.value_and_gradient(X)[0]

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The information and its gradient at the rows of X."""
        post = self.posterior
        K_xX, slope = post.kernel.with_slope(X, post.X)
        K_star, slope_star = post.kernel.with_slope(X, self.maxima.X)
        V = post.factor.half_solve(K_xX.T)
        var = np.maximum(post.kernel.signal_var - np.einsum("ij,ij->j", V, V), VAR_FLOOR * post.kernel.signal_var)
        sd, mean = np.sqrt(var), post.prior_mean + K_xX @ post.weights
        C = K_star.T - self.V_star.T @ V  # (S, m)
        d_mean = post.kernel.gradient(X, post.X, slope * post.weights)
        d_var = -2.0 * post.kernel.gradient(X, post.X, slope * post.factor.half_solve_transposed(V).T)
        pull = post.factor.half_solve_transposed(self.V_star)  # (n, S): (K + noise)^-1 K_X*

        by_mean, by_var, by_c = self._slopes(mean, sd, C)
        S = len(C)
        gradient = d_var * (1.0 / (var + post.noise_var) - by_var.mean(axis=0))[:, None]
        gradient -= d_mean * by_mean.mean(axis=0)[:, None]
        # The gradient of a covariance is linear in its weights: those of all samples are summed before, not after.
        gradient -= post.kernel.gradient(X, self.maxima.X, slope_star * by_c.T) / S
        gradient += post.kernel.gradient(X, post.X, slope * (by_c.T @ pull.T)) / S
        return 0.5 * (np.log(var + post.noise_var) - self._log_v(mean, sd, C).mean(axis=0)), 0.5 * gradient

    # Below, mean and sd are those of m points, and C is their covariance with the sampled maximisers, (S, m).

    def _conditioned(self, mean: Floats, sd: Floats, C: Floats) -> tuple[Floats, Floats]:
        """Mean m and variance s^2 after conditioning on each sample."""
        m = mean + C * ((self.maxima.values - self.mean_star) / self.var_star)[:, None]
        floor = VAR_FLOOR * self.posterior.kernel.signal_var
        return m, np.maximum(sd**2 - C**2 / self.var_star[:, None], floor)

    def _log_v(self, mean: Floats, sd: Floats, C: Floats) -> Floats:
        m, s2 = self._conditioned(mean, sd, C)
        v = s2 * truncated_variance((self.maxima.values[:, None] - m) / np.sqrt(s2))
        log_v: Floats = np.log(v + self.posterior.noise_var)
        return log_v

    def _slopes(self, mean: Floats, sd: Floats, C: Floats) -> tuple[Floats, Floats, Floats]:
        """Derivatives of log(v + noise) with respect to mean, variance and covariance."""
        m, s2 = self._conditioned(mean, sd, C)
        root = np.sqrt(s2)
        b = (self.maxima.values[:, None] - m) / root
        r, q = inverse_mills_lower(b), truncated_variance(b)
        # q' = -r - b r' - 2 r r' with r' = -r (b + r), which is -r (q - (b + r)^2)
        by_b = -r * (q - _lift(b, r) ** 2)
        # At its floor s^2, and with it v, is a constant: beside a sampled maximiser these slopes would be rounding.
        weight = (s2 > VAR_FLOOR * self.posterior.kernel.signal_var) / (s2 * q + self.posterior.noise_var)
        by_m = weight * s2 * by_b * (-1.0 / root)
        by_s2 = weight * (q - 0.5 * b * by_b)  # b falls with s: db/ds2 = -b / (2 s2)
        ratio = ((self.maxima.values - self.mean_star) / self.var_star)[:, None]
        return by_m, by_s2, by_m * ratio - by_s2 * 2.0 * C / self.var_star[:, None]


@dataclass(frozen=True, slots=True)
class JES(Rule):
    """Joint entropy search, lower bound, over ``n_samples`` sampled optima."""

    name: ClassVar[str] = "jes"
    n_samples: int = 10
    n_features: int = 1000

    def draw(self, view: View, t: int, rng: np.random.Generator) -> JointEntropy:  # noqa: ARG002
        """Maximisers and maxima of ``n_samples`` paths."""
        maxima = draw_sample(view, self.n_samples, rng, n_features=self.n_features).maxima(view)
        post = view.posterior
        if view.table is not None and maxima.indices is not None:
            mean_star, sd_star = view.mean[maxima.indices], view.sd[maxima.indices]
            V_star = view.table.columns(maxima.indices)
        else:
            mean_star, sd_star = post.mean_sd(maxima.X)
            V_star = post.factor.half_solve(post.kernel(maxima.X, post.X).T)
        record = {"mean_maximum": float(maxima.values.mean())}
        return JointEntropy(post, maxima, mean_star, sd_star**2, V_star, record)
