"""Scopes: lists of possible experiments made from a short description, with their size known before they are built.

A description is TOML: under ``[factors]`` each factor is a list of values or a grid with a step, and every
``[[mixture]]`` is a group of parts that sum to a total.
"""

import itertools
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from regretless.arrays import as_whole
from regretless.errors import InvalidInput
from regretless.spaces.scalars import Scalar, did_you_mean, listed, show

__all__ = ["Mixture", "Scope", "read_scope"]

_MAX_UNITS = 100_000
_ALLOWED = 'Write a list of values such as [20, 40, 60] or ["water", "ethanol"], or { from = 20, to = 100, step = 5 }.'


@dataclass(frozen=True, slots=True)
class Mixture:
    r"""Parts on a grid that sum to a total, at most ``at_most`` of them non-zero.

    .. math:: \Big|\{x\}\Big| = \sum_{j=1}^{k} \binom{m}{j} \binom{u - 1}{j - 1}, \qquad u = \text{total} / \text{step}

    >>> Mixture(("a", "b", "c"), units=4, step=Decimal("0.25"), at_most=2).size
    12
    """

    parts: tuple[str, ...]
    units: int  # the total, in steps
    step: Decimal
    at_most: int

    @property
    def size(self) -> int:
        """The number of mixtures."""
        m, u = len(self.parts), self.units
        return sum(math.comb(m, j) * math.comb(u - 1, j - 1) for j in range(1, min(self.at_most, m) + 1))

    def rows(self) -> Iterator[tuple[Scalar, ...]]:
        """Each mixture; the amount of the first part rises last."""
        for amounts in _compositions(len(self.parts), self.units, self.at_most):
            yield tuple(_plain(amount * self.step) for amount in amounts)


@dataclass(frozen=True, slots=True)
class Scope:
    """The product of lists of values and of mixtures, in the order of the description."""

    factors: Mapping[str, tuple[Scalar, ...]]
    mixtures: tuple[Mixture, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return (*self.factors, *(part for mixture in self.mixtures for part in mixture.parts))

    @property
    def size(self) -> int:
        """The number of rows, known without building them."""
        return math.prod([*map(len, self.factors.values()), *(mixture.size for mixture in self.mixtures)])

    def sizes(self) -> dict[str, int]:
        """How many values each factor and each mixture has: the size is their product."""
        mixtures = {" + ".join(mixture.parts): mixture.size for mixture in self.mixtures}
        return {**{name: len(values) for name, values in self.factors.items()}, **mixtures}

    def rows(self) -> Iterator[dict[str, Scalar]]:
        """Each row; the last factor changes fastest."""
        singles = [[(value,) for value in values] for values in self.factors.values()]
        for parts in itertools.product(*singles, *(list(mixture.rows()) for mixture in self.mixtures)):
            yield dict(zip(self.names, itertools.chain.from_iterable(parts), strict=True))


def read_scope(path: str | Path) -> Scope:
    """The scope that a TOML file describes; numbers are read as they are written, so a step of 0.1 is a tenth."""
    try:
        with Path(path).open("rb") as stream:
            text = tomllib.load(stream, parse_float=Decimal)
    except (OSError, ValueError) as error:  # TOML errors and bad UTF-8 are ValueErrors
        raise InvalidInput(f"{path} cannot be read as TOML: {error}.") from error
    try:
        return _scope(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


def _scope(text: Mapping[str, Any]) -> Scope:
    _check_keys(text, ("factors", "mixture"), "the file")
    factors, mixtures = text.get("factors", {}), text.get("mixture", [])
    if not isinstance(factors, dict) or not isinstance(mixtures, list) or not (factors or mixtures):
        raise InvalidInput(f"a scope needs factors under [factors], or a [[mixture]]. {_ALLOWED}")
    scope = Scope(
        {name: _values(entry, name) for name, entry in factors.items()}, tuple(_mixture(entry) for entry in mixtures)
    )
    twice = [name for name in scope.names if scope.names.count(name) > 1]
    if twice:
        raise InvalidInput(f"{twice[0]!r} is named twice. Every factor and every part needs a name of its own.")
    return scope


def _values(entry: Any, name: str) -> tuple[Scalar, ...]:
    if isinstance(entry, dict):
        return _grid(entry, name)
    if not isinstance(entry, list):
        entry = [entry]
    if not entry or not all(isinstance(value, str | int | Decimal) for value in entry):
        raise InvalidInput(f"factor {name!r} cannot be read from {show(entry)}. {_ALLOWED}")
    if not all(Decimal(value).is_finite() for value in entry if not isinstance(value, str)):
        raise InvalidInput(f"factor {name!r} holds a number that is not finite: {show(entry)}.")
    kinds = {"text" if isinstance(value, str) else "bool" if isinstance(value, bool) else "number" for value in entry}
    if len(kinds) > 1:
        raise InvalidInput(f"factor {name!r} mixes {' and '.join(sorted(kinds))}. Use one kind of value.")
    if len(set(entry)) != len(entry):
        raise InvalidInput(f"factor {name!r} lists a value twice: {show(entry)}.")
    return tuple(_plain(value) for value in entry)


def _grid(entry: Mapping[str, Any], name: str) -> tuple[Scalar, ...]:
    _check_keys(entry, ("from", "to", "step"), f"factor {name!r}")
    low, high, step = (_decimal(entry.get(key), f"factor {name!r}: {key}") for key in ("from", "to", "step"))
    if step <= 0 or high < low:
        raise InvalidInput(f"factor {name!r}: needs from <= to and a positive step, got {low} to {high} by {step}.")
    what = f"factor {name!r}: from {low} to {high} is not a whole number of steps of {step}"
    count = _whole((high - low) / step, what)
    return tuple(_plain(low + i * step) for i in range(count + 1))


def _mixture(entry: Any) -> Mixture:
    if not isinstance(entry, dict):
        raise InvalidInput('a mixture is written as [[mixture]] with parts = ["a", "b"] and step = 0.1.')
    _check_keys(entry, ("parts", "step", "total", "at_most"), "a mixture")
    parts = entry.get("parts")
    if not isinstance(parts, list) or len(parts) < 2 or not all(isinstance(part, str) and part for part in parts):
        raise InvalidInput(f'a mixture needs two parts or more, such as parts = ["a", "b"]; got {show(parts)}.')
    total = _decimal(entry.get("total", 1), "a mixture's total")
    step = _decimal(entry.get("step"), "a mixture's step")
    if step <= 0 or total <= 0:
        raise InvalidInput(f"a mixture needs a positive step and total, got step {step} and total {total}.")
    units = _whole(total / step, f"a mixture's total of {total} is not a whole number of steps of {step}")
    at_most = as_whole(entry.get("at_most", len(parts)), "at_most", least=1, hint="It counts the non-zero parts.")
    return Mixture(tuple(parts), units, step, at_most)


def _compositions(parts: int, units: int, at_most: int) -> Iterator[tuple[int, ...]]:
    """All ways to put ``units`` into ``parts`` places with at most ``at_most`` non-zero."""
    if parts == 1:
        if units == 0 or at_most > 0:
            yield (units,)
        return
    for first in range(units + 1 if at_most > 0 else 1):
        for rest in _compositions(parts - 1, units - first, at_most - (first > 0)):
            yield (first, *rest)


def _check_keys(entry: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in entry:
        if key not in known:
            raise InvalidInput(f"{what}: unknown key {key!r}; known are {listed(known)}.{did_you_mean(key, known)}")


def _decimal(value: Any, what: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
        raise InvalidInput(f"{what} must be a number, got {show(value)}. {_ALLOWED}")
    return Decimal(value)


def _whole(ratio: Decimal, otherwise: str) -> int:
    if ratio != ratio.to_integral_value():
        raise InvalidInput(f"{otherwise}.")
    if ratio > _MAX_UNITS:
        raise InvalidInput(f"{ratio} steps are more than {_MAX_UNITS}. Take larger steps.")
    return int(ratio)


def _plain(value: Any) -> Scalar:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and abs(value) < 2**53 else float(value)
    scalar: Scalar = value
    return scalar
