"""Parameter sets, as every space treats them: names, fixed values, the argument of the user's function."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.spaces.scalars import Scalar, did_you_mean, listed, plain, show

__all__ = [
    "NOISE_FREE",
    "Repeats",
    "as_argument",
    "check_repeats",
    "complete",
    "constraints_shown",
    "repeats_shown",
    "with_repeats",
]

#: Whether a point may be suggested again. ``"all"``: the argmax is over all points, pending ones too, as in the theorem
#: for batches; ``"allow"``: over all that are not pending, as in the theorems for one at a time; ``"auto"``:
#: measured ones are left out where a second measurement tells nothing new; ``"never"``: everything tried is.
Repeats: TypeAlias = Literal["all", "allow", "auto", "never"]
#: With less noise than this share of the signal's variance a second measurement tells nothing new (``"auto"``).
NOISE_FREE = 1e-3
Space = TypeVar("Space")


def check_repeats(repeats: Any) -> Repeats | None:
    """A rule for repeats, None if not given, or an error that lists the allowed ones."""
    if repeats is None:
        return None
    for word in get_args(Repeats):
        if isinstance(repeats, str) and repeats == word:
            return cast(Repeats, word)
    raise InvalidInput(f"repeats must be 'all', 'allow', 'auto' or 'never', got {show(repeats)}.")


def with_repeats(space: Space, repeats: Any) -> Space:
    """The same frozen space under another rule for repeats."""
    twin = copy.copy(space)
    object.__setattr__(twin, "repeats", check_repeats(repeats))
    return twin


def repeats_shown(repeats: Repeats | None) -> str:
    """The rule for repeats as the end of a space's repr; nothing where nothing was said."""
    return "" if repeats is None else f", repeats={repeats!r}"


def constraints_shown(constraints: Sequence[Any]) -> str:
    """The constraints as the end of a space's repr; nothing where there are none."""
    return f", constraints=[{', '.join(map(str, constraints))}]" if constraints else ""


def complete(params: Any, names: tuple[str, ...], fixed: Mapping[str, Scalar], *, unnamed: bool) -> dict[str, Any]:
    """Parameters under exactly the known names, in order; missing fixed ones are filled in.

    >>> complete({"b": 2}, ("a", "b"), {"a": 1}, unnamed=False)
    {'a': 1, 'b': 2}
    """
    if unnamed and isinstance(params, Sequence | np.ndarray) and not isinstance(params, str):
        params = _by_position(params, names)
    if not isinstance(params, Mapping):
        raise InvalidInput(f"params must be a mapping of {listed(names)} to values, got {show(params)}.")
    known = set(names)
    for name in params:
        if name not in known:
            raise InvalidInput(f"unknown parameter {show(name)}; known are {listed(names)}.{did_you_mean(name, names)}")
    given = {**fixed, **params}
    missing = [name for name in names if name not in given]
    if missing:
        raise InvalidInput(f"missing {listed(missing)}. Give a value for each of {listed(names)}.")
    return {name: plain(given[name]) for name in names}


def as_argument(params: dict[str, Scalar], *, unnamed: bool) -> dict[str, Scalar] | Floats:
    """The dict itself, or the values alone as a float64 array where the columns had no names."""
    return np.array(list(params.values()), dtype=np.float64) if unnamed else params


def _by_position(values: Sequence[Any] | np.ndarray[Any, Any], names: tuple[str, ...]) -> dict[str, Any]:
    if np.ndim(np.asarray(values, dtype=object)) != 1 or len(values) != len(names):
        raise InvalidInput(f"params must be {len(names)} numbers, one per column, got {show(values)}.")
    return dict(zip(names, values, strict=True))
