"""Objectives that are known functions of what is measured: target matching, ratios, any function of outcomes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.arrays import Floats, as_finite_float, as_positive, show
from regretless.errors import InvalidInput

__all__ = ["Composite", "Target", "function_name"]


@dataclass(frozen=True, slots=True)
class Target:
    """How near several outcomes are to what is wanted: minus the sum of ((value - target) / tolerance)^2.

    ``wanted`` maps names of outcomes to targets, or to pairs of a target and a tolerance; the tolerance is 1 by
    default. It can be given as an objective by itself, and is stored without any code.

    >>> Target({"density": 1.2, "hardness": (60, 5)})({"density": np.array(1.2), "hardness": np.array(65.0)}).item()
    -1.0
    """

    wanted: Mapping[str, float | tuple[float, float]]

    def __post_init__(self) -> None:
        if not isinstance(self.wanted, Mapping) or not self.wanted:
            raise InvalidInput(
                f"Target needs outcomes with their targets, such as {{'density': 1.2, 'hardness': (60, 5)}}, "
                f"got {show(self.wanted)}."
            )
        object.__setattr__(self, "wanted", {name: _pair(name, value) for name, value in self.wanted.items()})

    @property
    def of(self) -> tuple[str, ...]:
        """The outcomes."""
        return tuple(self.wanted)

    def __call__(self, values: Mapping[str, Floats]) -> Floats:
        """Minus the squared distance, in tolerances."""
        apart = [((values[name] - target) / width) ** 2 for name, (target, width) in self._pairs()]
        found: Floats = -np.sum(apart, axis=0)
        return found

    def _pairs(self) -> list[tuple[str, tuple[float, float]]]:
        return [(name, pair) for name, pair in self.wanted.items() if isinstance(pair, tuple)]


@dataclass(frozen=True, slots=True)
class Composite:
    """An objective that is a known function of measured outcomes, each of which gets a model of its own.

    Parameters
    ----------
    function
        Maps arrays of values by outcome to an array of the same shape, such as ``lambda y: y["yield"] / y["cost"]``.
        It must be finite for any values, also far from what was measured. A stored study names it by module and name.
    of
        The outcomes that are measured and told by name.
    name
        What the objective is called.
    monotone
        Where it is monotone in every outcome: ``"up"`` or ``"down"`` for each, by name. Then the rule needs no draws.

    Examples
    --------
    >>> ratio = Composite(lambda y: y["yield"] / (1.0 + y["cost"] ** 2), of=["yield", "cost"], name="worth")
    >>> float(ratio({"yield": np.array(3.0), "cost": np.array(1.0)}))
    1.5
    """

    function: Callable[[Mapping[str, Floats]], Any]
    of: Sequence[str]
    name: str = "value"
    monotone: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInput(f"Composite needs a function of outcomes by name, got {show(self.function)}.")
        names = () if isinstance(self.of, str) or not isinstance(self.of, Sequence) else tuple(self.of)
        if not names or len(set(names)) != len(names) or not all(isinstance(name, str) and name for name in names):
            raise InvalidInput(f"of must be a list of different names of outcomes, got {show(self.of)}.")
        if not isinstance(self.name, str) or not self.name or self.name in names:
            raise InvalidInput(
                f"name must be what the objective is called, unlike its outcomes, got {show(self.name)}."
            )
        if self.monotone is not None:
            _check_monotone(self.monotone, names)
            object.__setattr__(self, "monotone", dict(self.monotone))
        object.__setattr__(self, "of", names)

    def __call__(self, values: Mapping[str, Floats]) -> Floats:
        """The objective, checked."""
        shape = np.shape(next(iter(values.values())))
        found: Floats = np.asarray(self.function(values), dtype=np.float64)
        if found.shape != shape:
            raise InvalidInput(
                f"the function of {self.name} must map arrays to an array of the same shape, {shape}, got "
                f"{found.shape}. Use NumPy's functions in the place of those of math."
            )
        if not np.isfinite(found).all():
            raise InvalidInput(
                f"the function of {self.name} must be finite for any values of {', '.join(self.of)}, also far from "
                "what was measured. Guard it, such as by numpy.maximum(cost, 0.1)."
            )
        return found

    @property
    def signs(self) -> Floats | None:
        """1 and -1 for the outcomes in which it rises and falls; None where nothing is said."""
        if self.monotone is None:
            return None
        return np.array([1.0 if self.monotone[name] == "up" else -1.0 for name in self.of])

    def to_data(self) -> dict[str, Any]:
        """As plain JSON: a target by its numbers, a function by its name."""
        what: dict[str, Any] = {"of": list(self.of), "name": self.name, "monotone": self.monotone}
        if isinstance(self.function, Target):
            wanted = {name: list(pair) for name, pair in self.function._pairs()}
            return {"target": wanted, **what}
        return {"function": function_name(self.function), **what}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], resolve: Callable[[str], Callable[..., Any]]) -> "Composite":
        """What was written so; ``resolve`` finds a function by its name."""
        if "target" in data:
            function: Any = Target({name: tuple(pair) for name, pair in data["target"].items()})
        else:
            function = resolve(data["function"])
        return cls(function, data["of"], data["name"], data["monotone"])


def function_name(function: Callable[..., Any]) -> str:
    """Module and name of a function, by which a stored study finds it again."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    if not module or "<" in name:
        raise InvalidInput(
            f"a stored study finds a function by its module and name, and {show(function)} has none. Define it at the "
            "top of a module."
        )
    return f"{module}:{name}"


def _pair(name: Any, value: Any) -> tuple[float, float]:
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"Target needs names of outcomes, got {show(name)}.")
    pair = value if isinstance(value, tuple | list) and len(value) == 2 else (value, 1.0)
    return as_finite_float(pair[0], f"the target of {name}"), as_positive(pair[1], f"the tolerance of {name}")


def _check_monotone(monotone: Any, names: tuple[str, ...]) -> None:
    if not isinstance(monotone, Mapping) or set(monotone) != set(names):
        raise InvalidInput(f"monotone must say 'up' or 'down' for each of {', '.join(names)}, got {show(monotone)}.")
    wrong = [value for value in monotone.values() if value not in ("up", "down")]
    if wrong:
        raise InvalidInput(f"monotone is 'up' or 'down' for each outcome, got {show(wrong[0])}.")
