"""What a user says about a file that the file does not say itself."""

from dataclasses import dataclass

from regretless.errors import InvalidInput
from regretless.spaces.scalars import pasteable, show

__all__ = ["Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read where it does not say so itself.

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
    at_prompt
        Whether messages advise options of a command, to be pasted, or arguments in Python.
    """

    id: str | None = None
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    decimal: str | None = None
    worksheet: str | None = None
    at_prompt: bool = False

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise InvalidInput(f"decimal must be '.' or ',', or None to look at the file, got {show(self.decimal)}.")

    def advice(self, option: str, value: str) -> str:
        """An option and its value as the reader of a message would write them.

        >>> Reading(at_prompt=True).advice("ignore", "my notes"), Reading().advice("ignore", "my notes")
        ("--ignore 'my notes'", "Table.from_csv(..., ignore='my notes')")
        """
        if not self.at_prompt:
            return f"Table.from_csv(..., {option}={value!r})"
        return f'--{option} "{value}"' if value in (",", ".") else pasteable([f"--{option}", value])

    def option(self, name: str) -> str:
        """The name of an option alone."""
        return f"--{name}" if self.at_prompt else name
