r"""How much can still be gained where the hyperparameters are not known: bounds averaged over equally likely settings.

Given the setting h each bound of `regretless.theory.certificate` holds, and the law of h given the data is what the
settings are drawn from. So for the mixture

.. math:: E[f(x^*) - f(\hat x) \mid D] \le E_h \min(\text{tail sum}_h, \text{tree}_h)

for every candidate x-hat: here the one with the largest mean of the mixture, or one that is named. A common threshold u
for all settings would give a larger bound, since the best u may differ from setting to setting.

Where the model sees low values compressed, c(f) with a knee k and a bend b (see `regretless.gp.outcome_transform`), the
user's regret is that of c(f) but for what c lifts the recommendation: f <= c(f) everywhere, and

.. math:: f(x^*) - f(\hat x) \le c(f(x^*)) - c(f(\hat x)) + g(c(f(\hat x))), \qquad
          g(c) = (c - k) - b \sinh((c - k)/b) \text{ for } c < k,\; 0 \text{ above}

so that E g is added for each setting: `lifted`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from regretless.arrays import Floats
from regretless.gp import PointMoments, TablePosterior
from regretless.theory.certificate import BestProbability, Certificate, SimulatedRegret, remaining_regret

__all__ = [
    "AveragedCertificate",
    "Knee",
    "averaged_regret",
    "care_after",
    "careful_mean",
    "lifted",
    "mixture_quantile",
    "share_unsure",
]

#: How many standard deviations over the settings are added to their mean; with one objective after `_CAREFUL` points,
#: and more after fewer, up to `_MOST` of them.
CARE = 1.0
_CAREFUL = 40
_MOST = 2.0
#: Candidates that are drawn jointly at the most, in each setting.
_JOINTLY = 256
#: Nodes of an integral, and how far it goes, in standard deviations.
_NODES = 96
_FAR = 9.0
_HALVINGS = 50


@dataclass(frozen=True, slots=True)
class Knee:
    """Where values are compressed below, and how much, in the model's units."""

    at: float
    bend: float

    def expand(self, z: Floats) -> Floats:
        """Values in the user's units, but for shift and scale."""
        beyond = np.minimum(z - self.at, 0.0) / self.bend
        return np.where(z < self.at, self.at + self.bend * np.sinh(beyond), z)


@dataclass(frozen=True, slots=True)
class AveragedCertificate(Certificate):
    """A certificate averaged over settings: ``each`` has the bound under every one of them.

    ``mean`` and ``sd`` are those of the mixture.
    """

    each: tuple[float, ...] = ()

    @property
    def unsure(self) -> float:
        """The share of the bound that comes from not knowing the model: see `share_unsure`."""
        return share_unsure(self.bound, self.each)


def share_unsure(bound: float, each: Sequence[float]) -> float:
    """By which share the bound is above that of the median setting: half of the possible models promise less than that.

    What lies above comes from the others, which the data do not rule out.

    >>> share_unsure(2.0, [1.0, 1.0, 4.0])
    0.5
    """
    return max(0.0, 1.0 - float(np.median(each)) / bound) if bound > 0.0 else 0.0


def careful_mean(each: Floats, care: float = CARE) -> float:
    """The mean over the settings, and a margin for what no setting knows: ``care`` standard deviations over them."""
    return float(each.mean() + care * each.std())


def care_after(n: int) -> float:
    """How many standard deviations are added with n points measured: the fewer points, the less do the settings know.

    Shift, scale and knee come from the same few values, and points that were chosen are no sample (ADR 93).

    >>> [care_after(n) for n in (10, 40, 80)]
    [2.0, 1.0, 0.5]
    """
    return min(CARE * _CAREFUL / n, _MOST)


def averaged_regret(
    settings: Sequence[PointMoments | TablePosterior],
    *,
    index: int | None = None,
    among: npt.NDArray[np.bool_] | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
    knee: Knee | None = None,
    eps: float | None = None,
    draws: int = 0,
    rng: np.random.Generator | None = None,
) -> AveragedCertificate:
    """Certificate of candidate ``index`` under equally likely settings; None: of the largest mean of the mixture.

    The other parameters are those of `remaining_regret`. All numbers are in the model's units, above the knee.

    >>> from regretless.gp import Kernel, posterior
    >>> X = np.linspace(0.0, 1.0, 11)[:, None]
    >>> kernels = [Kernel("rbf", np.array([scale]), 1.0) for scale in (0.2, 0.5)]
    >>> both = [posterior(k, noise_var=1e-4, X=X[5:6], y=np.array([1.5])).on(X) for k in kernels]
    >>> [round(bound, 3) for bound in averaged_regret(both).each]
    [0.349, 0.302]
    """
    means = np.array([each.mean for each in settings])
    if index is None:
        mixture = means.mean(axis=0)
        counted = np.arange(len(mixture)) if among is None else np.flatnonzero(among)
        index = int(counted[mixture[counted].argmax()])
    H = len(settings)
    parts = [draws // H + (h < draws % H) for h in range(H)]
    found = [
        remaining_regret(
            each,
            index=index,
            among=among,
            limits=limits,
            eps=eps,
            draws=part,
            rng=rng,
            jointly=_JOINTLY,
            restore=None if knee is None else knee.expand,
        )
        for each, part in zip(settings, parts, strict=True)
    ]
    lift, below = np.zeros(H), np.zeros(H)
    if knee is not None and found[0].n_candidates > 1:  # one candidate alone leaves no regret
        lift = np.array([lifted(float(m), c.sd, knee, limits[0]) for m, c in zip(means[:, index], found, strict=True)])
        below = np.array([_below(float(m), c.sd, knee) for m, c in zip(means[:, index], found, strict=True)])
    each = np.array([c.bound for c in found]) + lift
    exceeds = None
    if eps is not None:
        exceeds = float(np.minimum(np.array([c.exceeds for c in found], dtype=np.float64) + below, 1.0).mean())
    points = len(np.unique(settings[0].posterior.X, axis=0))
    here, mean = means[:, index], float((np.array([c.mean for c in found]) - lift).mean())
    return AveragedCertificate(
        index=index,
        mean=mean,
        sd=math.sqrt(float(np.mean([c.sd**2 for c in found])) + float(here.var())),
        n_candidates=found[0].n_candidates,
        bound=min(
            careful_mean(each, care_after(points)), max(limits[1] - mean, 0.0)
        ),  # no margin leads beyond the limit
        tail_sum=float((np.array([c.tail_sum for c in found]) + lift).mean()),
        pairwise=float((np.array([c.pairwise for c in found]) + lift).mean()),
        tree=float((np.array([c.tree for c in found]) + lift).mean()),
        lemma=float((np.array([c.lemma for c in found]) + lift).mean()),
        eps=None if eps is None else float(eps),
        exceeds=exceeds,
        best=_best([c.best for c in found if c.best is not None]),
        simulated=_regret([c.simulated for c in found if c.simulated is not None]),
        each=tuple(each.tolist()),
    )


def lifted(mean: float, sd: float, knee: Knee, lower: float = -math.inf) -> float:
    r"""``E g(max(c, L))`` for c ~ N(mean, sd^2): what compression lifts the recommendation, in the model's units.

    Gauss and Legendre's rule below the knee, where the integrand is smooth; 0 far above.

    >>> lifted(5.0, 0.1, Knee(0.0, 1.0)), round(lifted(-1.0, 1e-9, Knee(0.0, 1.0)), 6)
    (0.0, 0.175201)
    """
    if sd <= 0.0 or (mean - knee.at) > _FAR * sd:
        return max(float(mean - knee.expand(np.array(max(mean, lower)))), 0.0) if mean < knee.at else 0.0
    least = max(lower, min(knee.at, mean) - _FAR * sd - sd * sd / knee.bend)
    top = min(knee.at, mean + _FAR * sd)
    with np.errstate(over="ignore"):
        tail = 0.0
        if lower > -math.inf and lower < knee.at:
            tail = float(ndtr((lower - mean) / sd)) * float(lower - knee.expand(np.array(lower)))
        if top <= least:
            return max(tail, 0.0)
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        c = least + 0.5 * (top - least) * (nodes + 1.0)
        density = np.exp(-0.5 * ((c - mean) / sd) ** 2) / (sd * math.sqrt(2.0 * math.pi))
        g = c - knee.expand(c)
        return max(tail + 0.5 * (top - least) * float(weights @ np.where(density > 0.0, g * density, 0.0)), 0.0)


def _below(mean: float, sd: float, knee: Knee) -> float:
    """The probability to be below the knee."""
    return float(ndtr((knee.at - mean) / sd)) if sd > 0.0 else float(mean < knee.at)


def mixture_quantile(p: float, mean: Floats, sd: Floats) -> Floats:
    r"""The p-quantile of each of m mixtures of H normal laws, given as (H, m): by bisection.

    >>> mixture_quantile(0.975, np.array([[0.0], [0.0]]), np.array([[1.0], [1.0]])).round(4).tolist()
    [1.96]
    """
    ends = mean + float(ndtri(p)) * sd
    low, high = ends.min(axis=0), ends.max(axis=0)
    if len(mean) == 1:
        return np.asarray(low)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        z = np.where(middle >= mean, np.inf, -np.inf)
        np.divide(middle - mean, sd, out=z, where=sd > 0.0)
        under = ndtr(z).mean(axis=0) < p
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return np.asarray(0.5 * (low + high))


def _best(found: Sequence[BestProbability]) -> BestProbability | None:
    if not found:
        return None
    draws = sum(each.draws for each in found)
    wins = sum(each.estimate * each.draws for each in found)
    smoothed = (wins + 1.0) / (draws + 2.0)
    return BestProbability(
        wins / draws,
        math.sqrt(smoothed * (1.0 - smoothed) / draws),
        draws,
        max(each.drawn for each in found),
        sum(each.left_out * each.draws for each in found) / draws,
    )


def _regret(found: Sequence[SimulatedRegret]) -> SimulatedRegret | None:
    """The error is that over the settings: another sample of them would have given another mean."""
    if len(found) < 2:
        return found[0] if found else None
    draws = [each.draws for each in found]
    estimates = [each.estimate for each in found]
    se = float(np.std(estimates, ddof=1)) / math.sqrt(len(found))
    return SimulatedRegret(float(np.average(estimates, weights=draws)), se, sum(draws))
