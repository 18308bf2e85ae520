"""Membership of codes in a constrained product space, and their parameters."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.spaces.conditions import Activity
from regretless.spaces.constraints.atoms import Numeric, Test
from regretless.spaces.constraints.constraint import Bound
from regretless.spaces.constraints.listing import listed_codes
from regretless.spaces.constraints.scales import Scale, scale_of
from regretless.spaces.mixture import Mixture
from regretless.spaces.scalars import Scalar

__all__ = ["Bools", "Membership", "is_function"]

#: Points of a finite space that are looked at to list those that may be tried.
_LOOKED_AT = 1_000_000

Bools = npt.NDArray[np.bool_]


class Membership:
    """Conditions, mixtures and constraints on the columns of a product space."""

    def __init__(
        self,
        parts: Mapping[str, Any],
        columns: Sequence[str],
        activity: Activity,
        bounds: Sequence[Bound],
        mixtures: Sequence[Mixture],
    ) -> None:
        self.parts, self.columns, self.activity = dict(parts), tuple(columns), activity
        self.bounds, self.mixtures = tuple(bounds), tuple(mixtures)
        self.varying = [parts[name] for name in columns]
        self.scales: list[Scale | None] = [scale_of(part) for part in self.varying]
        self._at = {name: j for j, name in enumerate(columns)}
        self._fixed: dict[str, Scalar] = {n: p.values()[0] for n, p in parts.items() if n not in self._at}

    @property
    def limited(self) -> bool:
        """Whether there is more than conditions: constraints or mixtures."""
        return bool(self.bounds or self.mixtures)

    @property
    def frozen(self) -> dict[str, float]:
        """The codes of inactive parameters."""
        return dict(zip(self.columns, self.activity.frozen, strict=True))

    def holds(self, X: Floats, *, decoded: bool = False) -> Bools:
        """Which rows of admissible codes are feasible; ``decoded``: after rounding to decimals."""
        if not self.limited:
            return np.ones(len(X), dtype=np.bool_)
        active = self.activity.at(X)
        by_name = {name: active[:, j] for j, name in enumerate(self.columns)}
        values = self._decoded(X) if decoded else self.values(X)
        good = np.ones(len(X), dtype=np.bool_)
        for mixture in self.mixtures:
            good &= mixture.holds(values, list)
        for bound in self.bounds:
            if not is_function(bound):
                good &= bound.holds(values, by_name, list, len(X))
        if any(map(is_function, self.bounds)):  # the dearest last, for those only that are left
            left = np.flatnonzero(good)
            rows = [self.params(x) for x in X[left]]
            for bound in filter(is_function, self.bounds):
                good[left] &= bound.holds({}, {}, lambda: rows, len(left))
        return good

    def violated(self, params: Mapping[str, Scalar]) -> list[str]:
        """What these parameters violate, in the user's words. Inactive parameters are absent."""
        values = {name: np.array([value], dtype=object if isinstance(value, str | bool | None) else np.float64)
                  for name, value in params.items()}  # fmt: skip
        found = [str(mixture) for mixture in self.mixtures if not mixture.holds(values, list).all()]
        said = [bound for bound in self.bounds if all(name in params for name in bound.names)]
        missed = [bound for bound in said if not bound.holds(values, {}, lambda: [dict(params)], 1)[0]]
        return found + [str(bound.source) for bound in missed]

    def values(self, X: Floats) -> dict[str, Any]:
        """The values of codes by name, real ones not yet rounded to decimals."""
        values: dict[str, Any] = {name: _filled(value, len(X)) for name, value in self._fixed.items()}
        for j, (name, part, scale) in enumerate(zip(self.columns, self.varying, self.scales, strict=True)):
            if scale is not None:
                values[name] = scale.low + scale.w(X[:, j]) * scale.width
            else:
                levels = np.array([*part.values(), None], dtype=object)
                values[name] = levels[
                    np.rint(X[:, j] * (1 if part.n_levels else max(part.size - 1, 1))).astype(np.intp)
                ]
        return values

    def _decoded(self, X: Floats) -> dict[str, Any]:
        values: dict[str, Any] = {name: _filled(value, len(X)) for name, value in self._fixed.items()}
        for j, (name, part) in enumerate(zip(self.columns, self.varying, strict=True)):
            kind = np.float64 if self.scales[j] is not None else object
            values[name] = np.array([part.decode(code) for code in X[:, j].tolist()] + [None], dtype=object)[:-1]
            values[name] = values[name].astype(kind)
        return values

    def params(self, x: Floats) -> dict[str, Scalar]:
        """The parameters of admissible codes as they are, active ones only."""
        active = self.activity.at(x[None, :])[0]
        found = dict(self._fixed)
        for j, (name, part) in enumerate(zip(self.columns, self.varying, strict=True)):
            if active[j]:
                found[name] = part.decode(float(x[j]))
        return {name: found[name] for name in self.parts if name in found}

    def canonical(self, X: Floats) -> Floats:
        """The admissible codes of each column nearest to these, inactive ones frozen."""
        X = X.copy()
        for j, part in enumerate(self.varying):
            X[:, j] = part.snap(X[:, j])
        return self.activity.settled(X)

    @cached_property
    def listing(self) -> Floats | None:
        """The codes of all points of a finite space, where they can be listed."""
        if any(part.size is None for part in self.varying):
            return None
        low = np.array([scale.low if scale is not None else 0.0 for scale in self.scales])
        high = np.array([scale.high if scale is not None else 0.0 for scale in self.scales])
        numbers = [
            None if scale is None or part.size > _LOOKED_AT else np.array(part.values(), dtype=np.float64)
            for scale, part in zip(self.scales, self.varying, strict=True)
        ]
        X = listed_codes(self.varying, self.activity, self._rows(), (low, high), numbers, _LOOKED_AT)
        if X is None:
            return None
        return X[self.holds(X)]

    def _rows(self) -> list[tuple[Floats, float, float]]:
        """Linear constraints that always hold, in values: (a, least, most)."""
        conditional = {column for column, _ in self.activity.rules}
        atoms = [bound.alternatives[0] for bound in self.bounds if len(bound.alternatives) == 1]
        rows = []
        for atom in (atom for some in atoms for atom in some):
            if isinstance(atom, Numeric) and atom.coefficients is not None and atom.op != "!=":
                a, constant = np.zeros(len(self.columns)), atom.constant
                for name, c in zip(atom.names, atom.coefficients, strict=True):
                    if name in self._at:
                        a[self._at[name]] = c
                    else:
                        constant += c * float(self._fixed[name])  # type: ignore[arg-type]
                if not conditional & set(np.flatnonzero(a).tolist()):
                    most = 2.0 * atom.tolerance - constant
                    rows.append((a, -constant - 2.0 * atom.tolerance if atom.op == "==" else -math.inf, most))
        for mixture in self.mixtures:
            a = np.array([1.0 if name in mixture.names else 0.0 for name in self.columns])
            amounts = (float(value or 0.0) for name, value in self._fixed.items() if name in mixture.names)
            left = mixture.total - sum(amounts)
            slack = 2e-9 * (mixture.total + sum(mixture.highs))
            rows.append((a, left - slack, left + slack))
        return rows


def is_function(bound: Any) -> bool:
    """Whether a constraint is a function of the user's."""
    return isinstance(bound, Bound) and any(isinstance(atom, Test) for atoms in bound.alternatives for atom in atoms)


def _filled(value: Scalar, count: int) -> Any:
    return np.full(count, value, dtype=object if isinstance(value, str | bool | None) else np.float64)
