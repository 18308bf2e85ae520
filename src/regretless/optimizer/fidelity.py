"""Fidelities: cheaper approximations of the target with their costs, as a parameter of trials."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.arrays import Floats, as_finite_float, as_positive, show
from regretless.errors import InvalidInput
from regretless.gp import Discrepancy, LevelDiscrepancy, TruncatedDiscrepancy
from regretless.optimizer.context import Codes
from regretless.spaces.scalars import Scalar, is_number, listed, plain

__all__ = ["Fidelity", "as_fidelity"]

#: Levels of a range between which the choice is made, both ends among them.
_STEPS = 33


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A parameter that says how closely a trial approximates the target, with the cost of a trial at each level.

    Parameters
    ----------
    name
        What it is called in the params of a trial.
    levels
        A list of levels, numbers or words; or a range of numbers, ``(low, high)``, any of which may be bought.
    cost
        What a trial at each level costs, in any unit; for a range at its two ends, in between on a straight line.
    target
        The level that is wanted, the last one where nothing is said; of a range one of its ends. No level may cost
        more.

    >>> mesh = Fidelity("mesh", levels=["coarse", "fine"], cost=[0.1, 1.0])
    >>> mesh.target, mesh.cost_of("coarse")
    ('fine', 0.1)
    >>> Fidelity("epochs", levels=(1, 100), cost=(0.05, 1.0)).cost_of(100)
    1.0
    """

    name: str
    levels: Sequence[Scalar]
    cost: Sequence[float]
    target: Scalar = None
    continuous: bool | None = None  # what follows from ``levels``: a tuple of two numbers is a range

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInput(f"a fidelity needs a name, such as 'mesh', got {show(self.name)}.")
        for part in ("levels", "cost"):
            if isinstance(getattr(self, part), str) or not isinstance(getattr(self, part), Sequence | np.ndarray):
                raise InvalidInput(
                    f"{self.name}: {part} must be a list, or of a range a pair, got {show(self.levels)}."
                )
        levels = tuple(plain(level) for level in self.levels)
        if self.continuous is None:
            numbers = len(levels) == 2 and all(is_number(level) for level in levels)
            object.__setattr__(self, "continuous", isinstance(self.levels, tuple) and numbers)
        _check_levels(self.name, levels)
        cost = tuple(as_positive(each, f"the cost of {self.name}") for each in self.cost)
        if len(cost) != len(levels):
            raise InvalidInput(f"{self.name} has {len(levels)} levels and {len(cost)} costs: give a cost for each.")
        target = levels[-1] if self.target is None else plain(self.target)
        if target not in levels:
            ends = "one of the ends" if self.continuous else "one of the levels"
            raise InvalidInput(f"{self.name}: the target must be {ends}, {listed(levels)}, got {show(target)}.")
        dearer = [level for level, paid in zip(levels, cost, strict=True) if paid > cost[levels.index(target)]]
        if dearer:
            raise InvalidInput(
                f"{self.name}: {show(dearer[0])} costs more than the target {show(target)}, which tells more: leave it "
                "out."
            )
        for part, value in (("levels", levels), ("cost", cost), ("target", target)):
            object.__setattr__(self, part, value)

    @property
    def width(self) -> int:
        """One column, none where the target is the only level."""
        return min(len(self.levels) - 1, 1)

    @property
    def usual(self) -> Scalar:
        """The target."""
        return self.target

    @property
    def examples(self) -> tuple[Scalar, ...]:
        """The levels, or the ends of the range."""
        return tuple(self.levels)

    @property
    def order(self) -> tuple[Scalar, ...]:
        """The levels from the target down, by cost."""
        pairs = zip(self.levels, self.cost, strict=True)
        below = sorted((pair for pair in pairs if pair[0] != self.target), key=lambda pair: -pair[1])
        return (self.target, *(level for level, _ in below))

    @property
    def discrepancy(self) -> Discrepancy | None:
        """Of the levels below the target, to be fitted; None where there are none."""
        if not self.width:
            return None
        return TruncatedDiscrepancy(1.0) if self.continuous else LevelDiscrepancy((1.0,) * (len(self.levels) - 1))

    def encode(self, value: Any) -> Codes:
        """How far below the target a level is: 0 at the target; none where that is the only one."""
        level = plain(value)
        if self.continuous:
            z = self._below(as_finite_float(level, self.name))
            if not 0.0 <= z <= 1.0:
                raise InvalidInput(f"{self.name} goes from {self.levels[0]} to {self.levels[1]}, got {show(level)}.")
            return (z,)
        if isinstance(level, bool) or level not in self.levels:
            raise InvalidInput(f"{self.name} has the levels {listed(self.levels)}, got {show(level)}.")
        return (float(self.order.index(level)),)[: self.width]

    def decode(self, codes: Codes) -> Scalar:
        """The level."""
        if not codes:
            return self.target
        if not self.continuous:
            return self.order[int(codes[0])]
        target, other = self._ends
        value = target + codes[0] * (other - target)
        return round(value) if self._whole else value

    def cost_of(self, value: Any) -> float:
        """What a trial at that level costs."""
        codes = self.encode(value)
        if not codes:
            return float(self.cost[0])
        return float(self._cost(codes[0]))

    def choices(self) -> tuple[Floats, Floats]:
        """Codes and costs of the levels that may be bought, the target first."""
        if not self.continuous:
            z = np.arange(float(len(self.levels)))
        else:
            steps = _STEPS
            if self._whole:
                steps = min(steps, round(abs(self._ends[1] - self._ends[0])) + 1)
            z = np.array(sorted({self.encode(self.decode((z,)))[0] for z in np.linspace(0.0, 1.0, steps)}))
        return z, np.array([self._cost(each) for each in z.tolist()])

    @property
    def _whole(self) -> bool:
        return all(isinstance(level, int) for level in self.levels)

    @property
    def _ends(self) -> tuple[float, float]:
        """Of a range the target, and the other end."""
        target, other = self.order
        return as_finite_float(target, self.name), as_finite_float(other, self.name)

    def _below(self, value: float) -> float:
        target, other = self._ends
        return (value - target) / (other - target) + 0.0

    def _cost(self, z: float) -> float:
        if self.continuous:
            target, other = (self.cost[self.levels.index(level)] for level in self.order)
            return target + z * (other - target)
        return self.cost[self.levels.index(self.order[int(z)])]


def _check_levels(name: str, levels: tuple[Scalar, ...]) -> None:
    usable = all(isinstance(level, str) or is_number(level) for level in levels)
    finite = all(math.isfinite(level) for level in levels if is_number(level))  # type: ignore[arg-type]
    if not levels or not usable or not finite or len(set(levels)) < len(levels):
        raise InvalidInput(f"{name}: levels must be numbers or words, each once, got {show(levels)}.")


def as_fidelity(fidelity: Any) -> Fidelity | None:
    """A fidelity; None is none."""
    if fidelity is None or isinstance(fidelity, Fidelity):
        return fidelity
    raise InvalidInput(
        f"fidelity must be a Fidelity, such as Fidelity('mesh', levels=['coarse', 'fine'], cost=[0.1, 1.0]), got "
        f"{show(fidelity)}."
    )
