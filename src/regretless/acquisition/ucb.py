r"""Upper confidence bounds: GP-UCB, RGP-UCB and IRGP-UCB are one formula with three laws of zeta.

.. math:: x_t = \arg\max_x \; \mu_{t-1}(x) + \sqrt{\zeta_t}\, \sigma_{t-1}(x), \qquad \zeta_t \sim \text{law}(t)
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from regretless.acquisition.anytime import AnytimeBound
from regretless.acquisition.base import MomentScore, Rule, View
from regretless.acquisition.ei import EI
from regretless.arrays import Floats, show
from regretless.confidence import AnytimeBand, GammaLaw, Interleaved, Law, Schedule, ShiftedExponential, TightUnion
from regretless.confidence.schedules import EVERY
from regretless.errors import InvalidInput
from regretless.gp.blocks import Envelopes

__all__ = ["GPUCB", "IRGPUCB", "RGPUCB", "UCB", "Setting"]

Setting = Literal["auto", "paper", "theory", "heuristic"]

#: The default's shift at every fourth step on a box, where there is no theorem without constants of the kernel. Chosen
#: on benchmarks, as the period was (ADR 22).
BOX_SHIFT = 4.0
#: The first of so many steps is no excursion, the second one goes for the expected improvement, the last for an upper
#: bound with the shift of a box (ADR 55).
EXCURSIONS = 3


@dataclass(frozen=True, slots=True)
class UpperBound:
    """``mean + root * sd`` with ``root`` = sqrt(zeta)."""

    root: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The upper bound."""
        bound: Floats = self.root * sd
        bound += mean
        return bound

    def slopes(self, mean: Floats, sd: Floats) -> tuple[float, float]:  # noqa: ARG002
        """One, and the root."""
        return 1.0, self.root

    def stale(self, envelopes: Envelopes, growth: Floats) -> Floats:
        """``mean + sqrt(zeta + |u|^2) sd`` of moments that lack the innovations u, see `regretless.gp.blocks`."""
        return envelopes.at(np.sqrt(self.root * self.root + growth))

    def upper(self, mean: Floats, sd: Floats, growth: Floats) -> Floats:
        """The same for single rows."""
        bound: Floats = growth + self.root * self.root
        np.sqrt(bound, out=bound)
        bound *= sd
        bound += mean
        return bound


@dataclass(frozen=True, slots=True)
class UCB(Rule):
    """Argmax of ``mean + sqrt(zeta) * sd``; a subclass names the family of laws that zeta (squared) comes from."""

    family: ClassVar[type[ShiftedExponential] | type[GammaLaw] | type[Schedule]]
    # "tight": IRGP-UCB alone; "anytime" and its band: GP-UCB alone.
    setting: Setting | Law | Literal["tight", "anytime"] | AnytimeBand = "auto"

    def __post_init__(self) -> None:
        if self.setting not in get_args(Setting) and not hasattr(self.setting, "draw"):
            raise InvalidInput(
                f"{self.name}: setting must be one of {', '.join(map(repr, get_args(Setting)))} or a law of zeta, "
                f"got {show(self.setting)}."
            )

    def check(self, n_candidates: int | None, dim: int) -> None:
        """Raise `InvalidInput` where there is no such rule for a table of so many candidates, or for a box (None)."""
        self.law(n_candidates, dim)

    @property
    def blockwise(self) -> bool:
        """Where one zeta counts for all rows."""
        return not isinstance(self.setting, AnytimeBand) and self.setting != "anytime"

    def law(self, n_candidates: int | None, dim: int) -> Law:
        """Law of zeta for a table of ``n_candidates``, or for a box (None) of ``dim`` encoded columns."""
        if isinstance(self.setting, AnytimeBand) or self.setting == "anytime":
            raise InvalidInput(f"{self.name}: the anytime parameter differs from candidate to candidate: it is no law.")
        if not isinstance(self.setting, str):
            return self.setting
        if self.setting == "theory" and n_candidates is None:
            # Its constants depend on the kernel's derivatives; they are unknown and never guessed.
            raise InvalidInput(
                f"{self.name}: on a continuous space the theory's law needs constants of the kernel; "
                "pass a law, such as ShiftedExponential.for_box(...), or use setting='heuristic'."
            )
        if self.setting == "auto":
            return self._default(n_candidates, dim)
        return self._of_paper(None if self.setting == "heuristic" else n_candidates, dim)

    def _of_paper(self, n_candidates: int | None, dim: int) -> Law:
        """The theorem's on a table, the heuristic of the experiments elsewhere."""
        return self.family.heuristic(dim) if n_candidates is None else self.family.for_table(n_candidates)

    def _default(self, n_candidates: int | None, dim: int) -> Law:
        return self._of_paper(n_candidates, dim)

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:
        """One draw of zeta a suggestion."""
        zeta = float(self.law(view.n_candidates, view.dim).draw(t, rng))
        if not 0.0 <= zeta < math.inf:
            raise InvalidInput(f"{self.name}: a law must draw a finite zeta >= 0, got {zeta} from {self.setting!r}.")
        return MomentScore(view.posterior, UpperBound(math.sqrt(zeta)), {"zeta": zeta})


@dataclass(frozen=True, slots=True)
class IRGPUCB(UCB):
    """IRGP-UCB: zeta = s + Exp(rate 1/2), fresh at each step (Takeno et al. 2023); by default with exploiting steps.

    Nothing is left for the user to tune. On a table of N candidates the theorem's s = 2 log(N/2) does not grow with t;
    the default has it at every fourth step. That period, and the shift on boxes, were chosen on benchmarks (ADR 22).
    ``setting`` chooses the shift s; a law may be given instead.

    - ``"theory"``: s = 2 log(N/2) on a table of N candidates. The theorem is about the argmax over all of them, so a
      study with this setting repeats rows unless told otherwise.
    - ``"tight"``: the smallest law with the same theorem on a table, ``TightUnion(N)``; rows are repeated as with
      ``"theory"``.
    - ``"heuristic"``: s = d/2, the paper's choice on boxes.
    - ``"paper"``: the first on tables, the second elsewhere.
    - ``"auto"``, the default, IRGP-UCB with exploiting steps in between: s = 0, but at every fourth step the theorem's
      on a table, and 4 elsewhere. On a table the recommendation then has the theorem's guarantee at T/4 evaluations,
      the cumulative regret keeps its order, and the steps in between find good points sooner. On boxes it is a
      heuristic.

    ``excursions``, on by default with ``"auto"`` alone: in a box two of three steps go by a second model that keeps to
    the scale of the whole space (`Surrogate.survey`), alternately to the largest expected improvement and the largest
    upper bound with s = 4, unless the values look like one hill (ADR 55). They leave local maxima in which the first
    model would be trapped.

    ``additive``, on with ``excursions``: where a sum of functions of one column each explains the results clearly
    better than the second model does, excursions go to the upper bound per column instead (ADR 90), even if there is
    only one hill.

    >>> IRGPUCB("theory").law(n_candidates=1000, dim=3).mean(t=1).__round__(6)
    14.429216
    >>> IRGPUCB("tight").law(n_candidates=1000, dim=3).mean(t=1).__round__(6)
    11.405091
    >>> [IRGPUCB().law(n_candidates=1000, dim=3).mean(t).__round__(2) for t in (1, 2, 3, 4)]
    [2.0, 2.0, 2.0, 14.43]
    """

    name: ClassVar[str] = "irgp-ucb"
    family: ClassVar[type[ShiftedExponential]] = ShiftedExponential
    excursions: bool | None = None
    additive: bool | None = None

    def __post_init__(self) -> None:
        if self.setting != "tight":
            UCB.__post_init__(self)
        if self.excursions is None:
            object.__setattr__(self, "excursions", self.setting == "auto")
        if self.additive is None:
            object.__setattr__(self, "additive", self.excursions)
        if self.additive and not self.excursions:
            raise InvalidInput(f"{self.name}: additive=True is about excursions; leave it out, or allow excursions.")

    def law(self, n_candidates: int | None, dim: int) -> Law:
        """As for `UCB`; the tight law is that of a table."""
        if self.setting != "tight":
            return UCB.law(self, n_candidates, dim)
        if n_candidates is None:
            raise InvalidInput(
                f"{self.name}: the tight law is for a list of candidates; a continuous space has no number of them. "
                "Use 'heuristic', or pass a law, such as TightUnion(1000)."
            )
        return TightUnion(n_candidates)

    def excursion(self, t: int) -> Rule | None:
        """The rule of step t if it is an excursion, where the values call for one; None otherwise.

        >>> [getattr(IRGPUCB().excursion(t), "name", None) for t in (1, 2, 3, 4)]
        [None, 'ei', 'irgp-ucb', None]
        """
        if not self.excursions or t % EXCURSIONS == 1:
            return None
        if self.setting != "auto":
            return self
        return replace(self, setting=ShiftedExponential(BOX_SHIFT)) if t % EXCURSIONS == 0 else EI()

    def by_columns(self, t: int) -> "IRGPUCB":
        """The rule of step t, an excursion, where columns are looked at one by one: s = 0 and s = 4 in turns.

        >>> [IRGPUCB().by_columns(t).law(None, dim=2).mean(t) for t in (2, 3, 5)]
        [2.0, 6.0, 2.0]
        """
        if self.setting != "auto":
            return self
        return replace(self, setting=ShiftedExponential(BOX_SHIFT if t % EXCURSIONS == 0 else 0.0))

    def _default(self, n_candidates: int | None, dim: int) -> Law:  # noqa: ARG002
        if n_candidates is None:
            return ShiftedExponential(Interleaved(BOX_SHIFT, EVERY))
        return ShiftedExponential.for_table(n_candidates, every=EVERY)


class GPUCB(UCB):
    """GP-UCB: a fixed sequence beta_t in place of zeta (Srinivas et al. 2010).

    ``setting``: ``"theory"`` is 2 log(N t^2 / sqrt(2 pi)), for expected regret on tables; ``"heuristic"`` is
    0.2 d log(2t); a law such as ``Schedule.constant(4.0)`` may be given. ``"anytime"`` grows with what is known about a
    candidate instead of with t. On a table its regret bound holds for all T at once with probability 0.9; for another
    probability give ``AnytimeBand(delta)`` (see `regretless.theory.anytime_regret`).

    >>> GPUCB("anytime").band
    AnytimeBand(delta=0.1, rho=0.1)
    """

    __slots__ = ()
    name = "gp-ucb"
    family = Schedule

    def __post_init__(self) -> None:
        if self.band is None:
            super().__post_init__()

    @property
    def band(self) -> AnytimeBand | None:
        """The parameter per candidate, None where beta_t is the same for all of them."""
        if self.setting == "anytime":
            return AnytimeBand()
        return self.setting if isinstance(self.setting, AnytimeBand) else None

    def check(self, n_candidates: int | None, dim: int) -> None:
        """Raise `InvalidInput` where there is no such rule for the space."""
        if self.band is None:
            self.law(n_candidates, dim)
        elif n_candidates is None:
            raise InvalidInput(
                "gp-ucb: the anytime parameter counts the candidates, and a continuous space has no number of them; "
                "use a table, or setting='heuristic'."
            )

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:
        """Nothing is random."""
        if self.band is None:
            return super().draw(view, t, rng)
        self.check(view.n_candidates, view.dim)
        formula = AnytimeBound(self.band, len(view.X), view.posterior.kernel.signal_var)
        return MomentScore(view.posterior, formula, {"delta": self.band.delta})


class RGPUCB(UCB):
    """RGP-UCB: zeta ~ Gamma(kappa_t, 1), the earlier randomised rule, whose mean still grows with t (Berk et al. 2020).

    ``setting``: ``"theory"`` is kappa_t = log(N t^2) / log 1.5 on tables; ``"heuristic"`` is 0.2 d log(2t).
    """

    __slots__ = ()
    name = "rgp-ucb"
    family = GammaLaw
