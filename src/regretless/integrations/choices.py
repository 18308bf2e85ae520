"""Choices of any kind under labels that a space can hold: `None` beside text, 1 beside True, tuples, estimators."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from regretless.arrays import show
from regretless.errors import InvalidInput
from regretless.spaces import Categorical
from regretless.spaces.scalars import Scalar, as_level, plain

__all__ = ["Choices"]


@dataclass(frozen=True, slots=True)
class Choices:
    """Values to choose from, each with a label. Values that a `Categorical` takes are their own labels.

    >>> Choices.of(["a", None]).labels
    ('a', None)
    >>> layers = Choices.of([(100,), (50, 50)])
    >>> layers.labels, layers.value("(50, 50)"), layers.label((100,))
    (('(100,)', '(50, 50)'), (50, 50), '(100,)')
    >>> Choices.of([1, True]).labels
    ('1', 'True')
    """

    values: tuple[Any, ...]
    labels: tuple[Scalar, ...]

    @classmethod
    def of(cls, values: Iterable[Any]) -> "Choices":
        """Choices from their values, in this order."""
        found = tuple(values)
        try:
            labels = tuple(as_level(value, "a choice") for value in found)
            distinct = len(set(labels)) == len(labels)
        except InvalidInput:  # not scalars
            distinct = False
        return cls(found, labels if distinct else _as_text(found))

    @property
    def dimension(self) -> Categorical:
        """The parameter over the labels."""
        return Categorical(self.labels)

    def value(self, label: Scalar) -> Any:
        """What a label stands for."""
        return self.values[self.labels.index(label)]

    def label(self, value: Any) -> Scalar:
        """The label of a value: the one that is this object, or else is equal to it and of its type."""
        same = [i for i, known in enumerate(self.values) if known is value]
        same = same or [i for i, known in enumerate(self.values) if _equal(known, value)]
        if not same:
            raise InvalidInput(f"{show(value)} is none of the choices {', '.join(map(show, self.labels))}.")
        return self.labels[same[0]]


def _equal(known: Any, value: Any) -> bool:
    known, value = plain(known), plain(value)
    try:
        return type(known) is type(value) and bool(known == value)
    except ValueError:  # arrays compare entry by entry
        return False


def _as_text(values: tuple[Any, ...]) -> tuple[Scalar, ...]:
    """How the values show themselves, on one line; those that look alike are numbered."""
    labels: list[str] = []
    for value in values:
        text = " ".join(repr(plain(value)).split())
        count = sum(label == text or label.startswith(f"{text} #") for label in labels)
        labels.append(f"{text} #{count + 1}" if count else text)
    return tuple(labels)
