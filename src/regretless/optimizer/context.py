"""A parameter of trials that is not part of the searched space, such as a fidelity or an environment.

The space, its candidates and everything that is asked about them stay as they are. A trial has one more number (or
several) beside the codes of its point: history, model inputs, params and events carry it.
"""

from typing import Any, Protocol, TypeAlias

from regretless.spaces.scalars import Scalar

__all__ = ["Codes", "Context"]

#: The numbers behind the codes of a point; none where there is no context, or where it has one value only.
Codes: TypeAlias = tuple[float, ...]


class Context(Protocol):
    """Such a parameter: its name, its values, and their codes."""

    @property
    def name(self) -> str:
        """What it is called in the params of a trial."""
        ...

    @property
    def width(self) -> int:
        """The number of its codes: 0 if it has only one value, so that there is nothing to model."""
        ...

    @property
    def usual(self) -> Scalar:
        """The default value in results and recommendations; None if there is none.

        Where there is none, what is recommended does not name one either.
        """
        ...

    @property
    def examples(self) -> tuple[Scalar, ...]:
        """Example values, which show their kind."""
        ...

    def encode(self, value: Any) -> Codes:
        """The codes of a value; one that it cannot have is refused."""
        ...

    def decode(self, codes: Codes) -> Scalar:
        """The value of codes; of none, the only value."""
        ...
