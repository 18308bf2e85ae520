"""Names that have changed: the old one works for one more minor version, and a warning names the new one."""

import warnings
from typing import Any

__all__ = ["RenamedWord", "renamed_property", "warn_renamed"]


def warn_renamed(old: str, new: str, *, level: int = 2) -> None:
    """Warn that a name has changed; ``level`` frames up is the user's code."""
    warnings.warn(
        f"{old} is deprecated: it is called {new} now. The old name will be removed in the next minor version.",
        DeprecationWarning,
        stacklevel=level + 1,
    )


def renamed_property(old: str, new: str) -> Any:
    """An attribute under its old name, to be read only."""

    def read(self: Any) -> Any:
        warn_renamed(f"{type(self).__name__}.{old}", f"{type(self).__name__}.{new}")
        return getattr(self, new)

    return property(read, doc=f"Deprecated: the old name of `{new}`.")


class RenamedWord(str):
    """A word to compare with. It equals its old form too, with a warning: no comparison turns false in silence.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     RenamedWord("released", "lost") == "lost"
    True
    >>> print(caught[0].message)
    'lost' is deprecated: it is called 'released' now. The old name will be removed in the next minor version.
    """

    __slots__ = ("_old",)
    _old: str

    def __new__(cls, word: str, old: str) -> "RenamedWord":
        """The word that counts, and what it was before."""
        made = super().__new__(cls, word)
        made._old = old
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # what copying needs
        return str(self), self._old

    def __eq__(self, other: object) -> bool:
        if str.__eq__(self._old, other) is True:
            warn_renamed(repr(self._old), repr(str(self)))
            return True
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__
