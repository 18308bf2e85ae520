"""A parameter of trials that the search over the space does not choose: which fidelity, which environment.

The space, its candidates and everything that is asked about them stay as they are. A trial has one more number (or
several) beside the codes of its point: history, model inputs, params and events carry it.
"""

from typing import Any, Protocol, TypeAlias

from regretless.spaces.scalars import Scalar

__all__ = ["Codes", "Context"]

#: The numbers behind the codes of a point; none where there is no context, or where it has one value only.
Codes: TypeAlias = tuple[float, ...]


class Context(Protocol):
    """What is known of such a parameter: its name, its values, and their codes."""

    @property
    def name(self) -> str:
        """What it is called in the params of a trial."""
        ...

    @property
    def width(self) -> int:
        """How many numbers a trial has for it: 0 where it has one value only, so that there is nothing to model."""
        ...

    @property
    def usual(self) -> Scalar:
        """The value that is meant where none is named, in what is told and in what is recommended; None: there is none.

        Where there is none, what is recommended does not name one either.
        """
        ...

    @property
    def examples(self) -> tuple[Scalar, ...]:
        """Some of its values, which show what kind they are."""
        ...

    def encode(self, value: Any) -> Codes:
        """The codes of a value; one that it cannot have is refused."""
        ...

    def decode(self, codes: Codes) -> Scalar:
        """The value of codes; of none, the only value."""
        ...
