"""Stop rules."""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from regretless.arrays import as_whole, show
from regretless.errors import InvalidInput
from regretless.optimizer.certificate import Certified
from regretless.optimizer.front import FrontRegret
from regretless.optimizer.region import RegionLoss

__all__ = ["HypervolumeLeft", "Misclassified", "Regret", "StopRule", "check_stop"]


@dataclass(frozen=True, slots=True)
class Regret:
    """Stop when the expected regret that is left is certified to be small.

    Parameters
    ----------
    eps
        In the units of the objective: ``Regret(0.5)``.
    relative
        As a share of the size of the recommended value: ``Regret(relative=0.01)``.
    patience
        So many certificates in a row must be small enough, the last told values left out one after the other. A fitted
        model may be too sure of itself for a moment; it seldom stays so while new values come in.

    With several objectives ``relative`` is the additive epsilon in widths of the recommended front.

    One of the first two is given. `Study.should_stop` applies the rule, for Python and for every command. A study never
    stops on a certificate that its own data speak against (red light), nor before there are enough data to tell.

    >>> Regret(0.5)
    Regret(eps=0.5, relative=None, patience=5)
    """

    eps: float | None = None
    relative: float | None = None
    patience: int = 5

    def __post_init__(self) -> None:
        _check(self.eps, self.relative, self.patience, "Regret", "the units of the objective")

    def threshold(self, left: Certified) -> float:
        """The bound at which to stop, in the units of the objective, where ``left`` is the certificate now."""
        if isinstance(left, FrontRegret):
            if self.relative is None:
                raise InvalidInput(
                    "several objectives have no common unit: stop by Regret(relative=0.05), in widths of the front, "
                    "or by HypervolumeLeft."
                )
            return self.relative
        if isinstance(left, RegionLoss):
            raise InvalidInput("a level set has no regret: stop by Misclassified(2), so many candidates.")
        return self.eps if self.eps is not None else (self.relative or 0.0) * left.size

    def measure(self, left: Certified) -> float:
        """What must not be above the threshold."""
        return left.bound


@dataclass(frozen=True, slots=True)
class HypervolumeLeft:
    """Stop when the hypervolume that the recommended Pareto set misses is certified to be small.

    ``eps`` is in the product of the units of the objectives, ``relative`` a share of the hypervolume that the
    recommended set is expected to have; one of them is given. ``patience`` as for `Regret`.

    >>> HypervolumeLeft(relative=0.02)
    HypervolumeLeft(eps=None, relative=0.02, patience=5)
    """

    eps: float | None = None
    relative: float | None = None
    patience: int = 5

    def __post_init__(self) -> None:
        _check(self.eps, self.relative, self.patience, "HypervolumeLeft", "the units of the hypervolume")

    def threshold(self, left: Certified) -> float:
        """The hypervolume left at which to stop, where ``left`` is the certificate now."""
        front = _front(left)
        return self.eps if self.eps is not None else (self.relative or 0.0) * front.hypervolume

    def measure(self, left: Certified) -> float:
        """What must not be above the threshold."""
        return _front(left).hypervolume_left


@dataclass(frozen=True, slots=True)
class Misclassified:
    """Stop when few candidates of a level set are expected on the wrong side.

    ``eps`` is their number, for lists of candidates; ``relative`` a share of all candidates, or of the space. One of
    them is given. ``patience`` as for `Regret`.

    >>> Misclassified(2)
    Misclassified(eps=2, relative=None, patience=5)
    """

    eps: float | None = None
    relative: float | None = None
    patience: int = 5

    def __post_init__(self) -> None:
        _check(self.eps, self.relative, self.patience, "Misclassified", "candidates")

    def threshold(self, left: Certified) -> float:
        """What must not be exceeded, a number of candidates or a share, where ``left`` is the certificate now."""
        found = _region(left)
        if self.eps is not None and not found.exact:
            raise InvalidInput("this space is no list of candidates to be counted: Misclassified(relative=0.01).")
        return self.eps if self.eps is not None else self.relative or 0.0

    def measure(self, left: Certified) -> float:
        """What must not be above the threshold."""
        return _region(left).wrong if self.eps is not None else _region(left).share


#: A stop rule.
StopRule: TypeAlias = Regret | HypervolumeLeft | Misclassified


def _front(left: Certified) -> FrontRegret:
    if not isinstance(left, FrontRegret):
        raise InvalidInput("HypervolumeLeft is for several objectives; with one, stop by Regret.")
    return left


def _region(left: Certified) -> RegionLoss:
    if not isinstance(left, RegionLoss):
        raise InvalidInput("Misclassified is for goal=LevelSet(...); else stop by Regret.")
    return left


def _check(eps: Any, relative: Any, patience: Any, name: str, units: str) -> None:
    given = [value for value in (eps, relative) if value is not None]
    if len(given) != 1:
        raise InvalidInput(f"{name} needs either eps, in {units}, or relative=.")
    if isinstance(given[0], bool) or not isinstance(given[0], int | float) or not 0.0 < given[0] < math.inf:
        raise InvalidInput(f"{name} needs a positive finite number, got {show(given[0])}.")
    as_whole(patience, "patience", least=1)


def check_stop(when: object) -> None:
    """Refuse what is no rule for stopping."""
    if not isinstance(when, Regret | HypervolumeLeft | Misclassified):
        raise InvalidInput(
            f"stop_when must be a Regret, such as Regret(0.5), a HypervolumeLeft or Misclassified, got {show(when)}."
        )
