"""Thompson sampling: the maximiser of one posterior sample path."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from regretless.acquisition.base import Rule, View
from regretless.acquisition.paths import Sample, draw_sample
from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.gp import Paths

__all__ = ["TS"]


@dataclass(frozen=True, slots=True)
class PathScore:
    """The value of one sample path."""

    sample: Sample
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, view: View) -> Floats:  # noqa: ARG002
        """The path on the candidates it was drawn on."""
        return self.sample.values[:, 0]

    def at(self, X: Floats) -> Floats:
        """The path at the rows of X."""
        value: Floats = self._paths(X)[:, 0]
        return value

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The path and its gradient at the rows of X."""
        return self._paths.value_and_gradient(X, np.zeros(len(X), dtype=np.intp))

    @property
    def _paths(self) -> Paths:
        if self.sample.paths is None:
            raise InvalidInput("A path drawn exactly on a table has no values between its candidates.")
        return self.sample.paths


@dataclass(frozen=True, slots=True)
class TS(Rule):
    """Thompson sampling (Russo and Van Roy 2014), with exact draws on tables and random features elsewhere."""

    name: ClassVar[str] = "ts"
    n_features: int = 1000

    def draw(self, view: View, t: int, rng: np.random.Generator) -> PathScore:  # noqa: ARG002
        """One path."""
        return PathScore(draw_sample(view, 1, rng, n_features=self.n_features))
