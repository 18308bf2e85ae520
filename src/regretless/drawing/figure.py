"""A figure, its caption, and the table behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from regretless.drawing.svg import Drawing

__all__ = ["Figure"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One message: a drawing, a title, how to read it, and what it was drawn from."""

    title: str
    caption: str
    drawing: Drawing
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def _repr_html_(self) -> str:
        return self.drawing.markup
