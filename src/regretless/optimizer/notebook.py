"""Notebook representations: drawn by a higher layer, which is imported by name when a notebook asks.

The study and its parts do not import what draws them; `regretless.drawing.notebook` does the drawing. Nothing of it is
imported until a notebook wants to show something.
"""

from importlib import import_module
from typing import Any

__all__ = ["Shown"]

_DRAWN_BY = "regretless.drawing.notebook"


class Shown:
    """Shown in notebooks as a fragment of HTML without script; ``repr`` stays as it is."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: Any = import_module(_DRAWN_BY).html_of
        return str(html(self))
