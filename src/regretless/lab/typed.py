"""What people type, read without a guess."""

import math
from typing import Any

from regretless.errors import InvalidInput
from regretless.spaces import Mixed, Table
from regretless.spaces.files import is_number
from regretless.study import Study

__all__ = ["typed_number", "typed_value"]


def typed_number(text: str, what: str, decimal: str = ".") -> float:
    """A finite number with a decimal point, or with a comma where the files of the study are written with commas.

    >>> typed_number("81.2", "yield"), typed_number("81,2", "yield", ",")
    (81.2, 81.2)
    """
    if is_number(text, ",") and "," in text:
        if decimal != ",":
            raise InvalidInput(
                f"{what}: {text!r} holds a comma. Write {text.replace(',', '.')} if that is what it says."
            )
        text = text.replace(",", ".")
    if not is_number(text, "."):
        raise InvalidInput(
            f"{what} must be a plain number such as 81.2, without a unit, got {text!r}. An experiment without a result "
            "is recorded with --failed."
        )
    number = float(text)
    if not math.isfinite(number):
        raise InvalidInput(f"{what}: {text} is too large for a number. Use another unit for it.")
    return number


def typed_value(text: str, name: str, space: Table | Mixed | Study, decimal: str = ".") -> Any:
    """What was typed for a factor, of the kind that factor has.

    >>> typed_value("80", "T", Table([{"T": 20}, {"T": 40}])), typed_value("80", "kit", Table([{"kit": "a"}]))
    (80, '80')
    """
    choices = space.examples(name)
    if all(isinstance(choice, str) for choice in choices):
        return text
    for choice in choices:  # a choice that is spelled just so, such as True
        if str(choice) == text:
            return choice
    number = typed_number(text, name, decimal)
    return int(number) if number.is_integer() and not {".", ","} & set(text) else number
