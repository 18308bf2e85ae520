"""Options for reading a file that the file itself leaves open."""

import json
from dataclasses import dataclass
from typing import Literal

from regretless.errors import InvalidInput
from regretless.spaces.scalars import pasteable, show

__all__ = ["Reading"]


#: What options are called on the page.
_ON_PAGE = {"ignore": "leave out", "categorical": "names", "id": "names of the rows", "decimal": "decimal mark"}


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a file where its content leaves that open.

    Attributes
    ----------
    id
        The column that names the rows; else they are called by their line, as a spreadsheet numbers it.
    ignore
        Columns to leave out; their cells may be empty.
    categorical
        Columns whose numbers are only names; they stay the text they are.
    decimal
        The decimal mark, ``"."`` or ``","``, where the file leaves a doubt.
    worksheet
        The worksheet of an Excel workbook with several.
    asked_in
        Where the user says so: in Python, at the prompt of a command, in a TOML file or on the page. Messages advise
        options in the same way.
    """

    id: str | None = None
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    decimal: str | None = None
    worksheet: str | None = None
    asked_in: Literal["python", "prompt", "toml", "page"] = "python"

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise InvalidInput(f"decimal must be '.' or ',', or None to look at the file, got {show(self.decimal)}.")

    def advice(self, option: str, value: str) -> str:
        """An option and its value as the reader of a message would write them.

        >>> Reading().advice("ignore", "my notes"), Reading(asked_in="toml").advice("ignore", "my notes")
        ("Table.from_csv(..., ignore='my notes')", 'table = { file = ..., ignore = "my notes" }')
        """
        if self.asked_in == "python":
            return f"Table.from_csv(..., {option}={value!r})"
        if self.asked_in == "toml":
            return f"table = {{ file = ..., {option} = {json.dumps(value, ensure_ascii=False)} }}"
        if self.asked_in == "page":
            return f"the choice {_ON_PAGE.get(option, option)!r} for {value!r}"
        return f'--{option} "{value}"' if value in (",", ".") else pasteable([f"--{option}", value])

    def option(self, name: str) -> str:
        """The name of an option alone."""
        return f"--{name}" if self.asked_in == "prompt" else name
