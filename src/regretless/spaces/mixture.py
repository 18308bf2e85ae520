"""Amounts that sum to a total: recipes, alloys, portfolios."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import as_positive, as_whole
from regretless.errors import InvalidInput
from regretless.spaces.floats import Float
from regretless.spaces.levels import Fixed
from regretless.spaces.scalars import as_number, show

__all__ = ["Mixture"]

_MOST_SUPPORTS = 200  # are listed, of more a sample is used
_TOLERANCE = 1e-9  # of the sizes of the amounts, as for every constraint


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Mixture:
    """Components that sum to ``total``, at most ``at_most`` of them present; each is a parameter of its own name.

    Parameters
    ----------
    components
        Name to (smallest, largest) amount, none below 0; or a list of names, each from 0 to the total.
    total
        What the amounts sum to.
    at_most
        How many components may be present (above 0). With it every component may be absent, and a smallest amount
        above 0 holds for those that are present. Without it all smallest amounts hold.
    step
        Amounts are multiples of this, counted from the smallest amount (with ``at_most`` from 0).

    Examples
    --------
    >>> Mixture({"A": (0, 1), "B": (0, 0.5), "C": (0, 1)}, at_most=2).names
    ('A', 'B', 'C')
    """

    names: tuple[str, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    total: float
    at_most: int | None
    step: float | None

    def __init__(
        self,
        components: Mapping[str, Any] | Sequence[str],
        total: float = 1.0,
        at_most: int | None = None,
        step: float | None = None,
    ) -> None:
        total = as_positive(total, "total")
        pairs = _pairs(components, total)
        if at_most is not None:
            at_most = as_whole(at_most, "at_most", least=1, most=len(pairs), hint="It counts the components present.")
        fields = {
            "names": tuple(name for name, _, _ in pairs),
            "lows": tuple(low for _, low, _ in pairs),
            "highs": tuple(high for _, _, high in pairs),
            "total": total,
            "at_most": at_most,
            "step": None if step is None else as_positive(step, "step"),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def dimensions(self) -> dict[str, Float | Fixed]:
        """Each component as a parameter."""
        parts: dict[str, Float | Fixed] = {}
        for name, low, high in zip(self.names, self.lows, self.highs, strict=True):
            least = low if self.at_most is None else 0.0
            try:
                parts[name] = Fixed(least) if least == high else Float(least, high, step=self.step)
            except InvalidInput as error:
                raise InvalidInput(f"component {name!r}: {error}") from None
        return parts

    def supports(self) -> list[tuple[int, ...]] | None:
        """The maximal sets of components that may be present; None if there are too many."""
        d = len(self.names)
        if self.at_most is None:
            return [tuple(range(d))]
        sizes = [self.at_most] if not any(self.lows) else list(range(1, self.at_most + 1))
        if sum(math.comb(d, size) for size in sizes) > _MOST_SUPPORTS:
            return None
        found = [support for size in sizes for support in itertools.combinations(range(d), size)]
        return [support for support in found if self.reaches(support)]

    def draw_support(self, rng: np.random.Generator) -> tuple[int, ...]:
        """A random set of components that may be present, of which the total can be made where one was found."""
        d, most = len(self.names), self.at_most or len(self.names)
        support: tuple[int, ...] = ()
        for _ in range(100):
            size = most if not any(self.lows) else int(rng.integers(1, most + 1))
            support = tuple(sorted(rng.choice(d, size, replace=False).tolist()))
            if self.reaches(support):
                break
        return support

    def reaches(self, support: tuple[int, ...]) -> bool:
        """Whether amounts of these components can sum to the total."""
        slack = _TOLERANCE * self.total
        least, most = sum(self.lows[i] for i in support), sum(self.highs[i] for i in support)
        return least <= self.total + slack and most >= self.total - slack

    def support_of(self, amounts: Sequence[float]) -> tuple[int, ...]:
        """The set of components present, filled up with absent ones that may be next to nothing."""
        if self.at_most is None:
            return tuple(range(len(self.names)))
        ranked = sorted(range(len(amounts)), key=lambda i: -amounts[i])
        present = [i for i in ranked if amounts[i] > 0.0][: self.at_most]
        spare = [i for i in ranked if i not in present and self.lows[i] == 0.0]
        return tuple(sorted(present + spare[: self.at_most - len(present)]))

    def holds(self, values: Mapping[str, Any], rows: Any) -> npt.NDArray[np.bool_]:  # noqa: ARG002 - as for atoms
        """Which rows of values are such a mixture."""
        amounts = np.stack(np.broadcast_arrays(*(np.asarray(values[name], dtype=np.float64) for name in self.names)))
        slack = _TOLERANCE * (self.total + sum(self.highs))
        good = np.abs(amounts.sum(axis=0) - self.total) <= slack
        if self.at_most is not None:
            good &= (amounts > 0.0).sum(axis=0) <= self.at_most
            low = np.array(self.lows).reshape((-1,) + (1,) * (amounts.ndim - 1))
            good &= ((amounts == 0.0) | (amounts >= low - _TOLERANCE * self.total)).all(axis=0)
        return np.asarray(good, dtype=np.bool_)

    def __str__(self) -> str:
        most = "" if self.at_most is None else f", at most {self.at_most} of them"
        return f"the mixture {' + '.join(self.names)} = {self.total:g}{most}"

    def __repr__(self) -> str:
        parts = {n: (low, high) for n, low, high in zip(self.names, self.lows, self.highs, strict=True)}
        more = "".join(f", {k}={v!r}" for k in ("at_most", "step") if (v := getattr(self, k)) is not None)
        return f"Mixture({parts!r}, total={self.total!r}{more})"


def _pairs(components: Any, total: float) -> list[tuple[str, float, float]]:
    if isinstance(components, Iterable) and not isinstance(components, Mapping | str | set | frozenset):
        components = dict.fromkeys(components, (0.0, total))
    if not isinstance(components, Mapping) or len(components) < 2:
        raise InvalidInput(
            f"a mixture needs two components or more, such as {{'A': (0, 1), 'B': (0, 0.5)}}, got {show(components)}."
        )
    pairs = []
    for name, bounds in components.items():
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"names of components must be non-empty text, got {show(name)}.")
        if not isinstance(bounds, tuple | list) or len(bounds) != 2:
            raise InvalidInput(f"component {name!r} needs (smallest, largest) amount, got {show(bounds)}.")
        low, high = as_number(bounds[0], f"component {name!r}: low"), as_number(bounds[1], f"component {name!r}: high")
        if low < 0.0 or low > high:
            raise InvalidInput(f"component {name!r} needs 0 <= smallest <= largest amount, got {low!r} and {high!r}.")
        if low > total:
            raise InvalidInput(f"component {name!r}: its smallest amount {low!r} is above the total of {total!r}.")
        pairs.append((name, low, min(high, total)))
    return pairs
