"""Optuna's distributions as parameters of a space, and its values as ours."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial

from regretless.errors import InvalidInput
from regretless.integrations.choices import Choices
from regretless.spaces import Dimension, Fixed, Float, Int

__all__ = ["Codec", "common", "groups_of", "newest"]


@dataclass(frozen=True, slots=True)
class Codec:
    """One parameter on both sides."""

    distribution: BaseDistribution
    dimension: Dimension
    choices: Choices | None = None

    @classmethod
    def of(cls, distribution: BaseDistribution) -> "Codec | None":
        """None where our spaces cannot hold it: bounds too close or too large for float64 to tell numbers apart."""
        try:
            if isinstance(distribution, CategoricalDistribution):
                choices = Choices.of(  # of equal ones, such as 1 and True, Optuna knows the first
                    choice
                    for i, choice in enumerate(distribution.choices)
                    if distribution.to_internal_repr(choice) == i
                )
                return cls(distribution, choices.dimension, choices)
            if distribution.single():
                return cls(distribution, Fixed(distribution.low))  # type: ignore[attr-defined]
            return cls(distribution, _ordered(distribution))
        except InvalidInput:
            return None

    def inward(self, value: Any) -> Any:
        """A value of Optuna's as the space has it."""
        if self.choices is None:
            return value
        return self.choices.label(self.distribution.to_external_repr(self.distribution.to_internal_repr(value)))

    def outward(self, value: Any) -> Any:
        """A value of the space as Optuna has it: plain, within the bounds and on the grid."""
        if self.choices is not None:
            return self.choices.value(value)
        d = self.distribution
        assert isinstance(d, FloatDistribution | IntDistribution)
        if d.step is not None and not d.log and not isinstance(self.dimension, Fixed):  # our grid may be the finer one
            value = value if d._contains(value) else d.low + round((value - d.low) / d.step) * d.step
        value = min(max(value, d.low), d.high)
        return int(value) if isinstance(d, IntDistribution) else float(value)


def _ordered(distribution: BaseDistribution) -> Dimension:
    if isinstance(distribution, IntDistribution):
        step = None if distribution.step == 1 else distribution.step
        return Int(distribution.low, distribution.high, log=distribution.log, step=step)
    assert isinstance(distribution, FloatDistribution)
    low, high, log = distribution.low, distribution.high, distribution.log
    try:
        return Float(low, high, log=log, step=distribution.step)
    except InvalidInput:  # too many steps to number them: the outward value is rounded
        return Float(low, high, log=log)


def newest(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """Every parameter of some trials with its newest distribution: ranges may change from trial to trial."""
    found: dict[str, BaseDistribution] = {}
    for trial in trials:
        found |= trial.distributions
    return found


def common(trials: Iterable[FrozenTrial]) -> set[str]:
    """The parameters that all of these trials have."""
    names = [set(trial.distributions) for trial in trials]
    return set.intersection(*names) if names else set()


def groups_of(names: Iterable[str], trials: Iterable[FrozenTrial]) -> list[list[str]]:
    """Parameters that occur together or not at all in these trials; those of no trial are one group, too.

    With one group nothing is conditional.
    """
    kinds = {frozenset(trial.distributions) for trial in trials}
    groups: dict[frozenset[frozenset[str]], list[str]] = {}
    for name in sorted(names):
        groups.setdefault(frozenset(kind for kind in kinds if name in kind), []).append(name)
    return sorted(groups.values())
