r"""Text in files: what a spreadsheet would run is made harmless, and every text comes back as it was.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@``, and some drop what is invisible before it. Such
a cell gets an apostrophe in front. Readers strip blanks around a cell, so one that ends in a blank stands between
apostrophes. A text that looks as if it had been treated so is treated once more: every step can be undone.
"""

import re

from regretless.spaces.files.cells import is_number

__all__ = ["escaped", "is_formula", "neutralised", "restored", "unescaped"]

_SIGNS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b")  # wide and small signs count in some locales
# Letters and marks that show nothing; blanks and control and format characters are known by what Python calls them.
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_ENDS_QUOTED = re.compile(r"\s'+\Z")
_HEX = re.compile("_x([0-9A-Fa-f]{4})_")
_NOT_XML = re.compile("_(?=x[0-9A-Fa-f]{4})|[\x00-\x08\x0b-\x1f\ufffe\uffff]")


def is_formula(text: str) -> bool:
    r"""Whether a spreadsheet might run the text: its first character is a sign, or something that cannot be seen.

    >>> is_formula("=1+2"), is_formula("\u00a0=1"), is_formula("-5"), is_formula("water")
    (True, True, False, False)
    """
    first = text[:1]
    return _is_invisible(first) or (first in _SIGNS and not (is_number(text, ".") or is_number(text, ",")))


def neutralised(text: str) -> str:
    r"""Text as it is written to a CSV file. Numbers stay as they are.

    >>> neutralised('=HYPERLINK("x")'), neutralised("-5"), neutralised("ethanol"), neutralised("ends in a blank ")
    ('\'=HYPERLINK("x")', '-5', 'ethanol', "'ends in a blank '")
    """
    front = _needs_front(text)
    looks_quoted = (front or text.startswith("'")) and _ENDS_QUOTED.search(text) is not None
    if text[-1:].isspace() or looks_quoted:
        return f"'{text}'"
    return f"'{text}" if front else text


def restored(cell: str) -> str:
    """What `neutralised` was given; blanks around the cell do not matter.

    >>> restored(neutralised("=1+2")), restored(neutralised("'=1+2")), restored("'tis"), restored("6 '")
    ('=1+2', "'=1+2", "'tis", "6 '")
    """
    cell = cell.strip()
    if not cell.startswith("'"):
        return cell
    if _ENDS_QUOTED.search(cell):
        return cell[1:-1]
    return cell[1:] if _needs_front(cell) else cell


def escaped(text: str) -> str:
    r"""Text as XML can hold it in a workbook: characters that it cannot are written by their number, as Excel does.

    >>> escaped("a\rb"), unescaped(escaped("a\rb")) == "a\rb"
    ('a_x000D_b', True)
    """
    return _NOT_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def unescaped(text: str) -> str:
    """What `escaped` was given, also where Excel wrote it."""
    return _HEX.sub(lambda found: chr(int(found[1], 16)), text)


def _needs_front(text: str) -> bool:
    """Whether the text begins, after any apostrophes, like a formula; or there is nothing else in it."""
    bare = text.lstrip("'")
    return not bare or is_formula(bare)


def _is_invisible(character: str) -> bool:
    return character.isspace() or not character.isprintable() or _FILLERS.match(character) is not None
