"""Reading the entries of a mapping that describes a space."""

from collections.abc import Callable, Mapping
from typing import Any

from regretless.errors import InvalidInput
from regretless.spaces.dimensions import Dimension, as_dimension
from regretless.spaces.mixture import Mixture
from regretless.spaces.scalars import show

__all__ = ["read_entries"]


def read_entries(entries: Mapping[Any, Any], reader: Callable[[Any], Dimension]) -> dict[str, Dimension]:
    """Read every entry; errors name the parameter; mixtures are read by component."""
    if not entries:
        raise InvalidInput("a space needs at least one parameter, got none.")
    parts: dict[str, Dimension] = {}
    for name, entry in entries.items():
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"names of parameters must be non-empty text, got {show(name)}.")
        try:
            if isinstance(entry, Mixture) and reader is as_dimension:
                found: Mapping[str, Dimension] = entry.dimensions()
            else:
                found = {str(name): reader(entry)}
        except InvalidInput as error:
            raise InvalidInput(f"parameter {name!r}: {error}") from None
        for key, part in found.items():
            if key in parts:
                raise InvalidInput(f"two parameters are called {key!r}. Rename one, or the component of a mixture.")
            parts[key] = part
    return parts
