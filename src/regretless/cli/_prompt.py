"""What people type at a prompt, read without a guess."""

import math
from collections.abc import Sequence
from typing import Any

from regretless.errors import InvalidInput
from regretless.sheets import Value
from regretless.spaces import Mixed, Table
from regretless.spaces.files import is_number
from regretless.spaces.scalars import did_you_mean, listed

__all__ = ["typed_number", "typed_params", "typed_results", "typed_trial"]


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


def typed_results(words: Sequence[str], outcomes: Sequence[str], decimal: str = ".") -> dict[str, Value]:
    """Results as they are typed: ``81.2`` of the only outcome, or ``yield=81.2 impurity=failed``.

    >>> typed_results(["81.2"], ["yield"])
    {'yield': 81.2}
    >>> typed_results(["yield=81.2", "impurity=failed"], ["yield", "impurity"])
    {'yield': 81.2, 'impurity': 'failed'}
    """
    found: dict[str, Value] = {}
    for word in words:
        name = next((each for each in outcomes if word.startswith(f"{each}=")), None)
        if name is None and (len(outcomes) > 1 or len(words) > 1):
            raise InvalidInput(
                f"{word!r}: write each result with its name, such as {outcomes[-1]}=0.3 or {outcomes[-1]}=failed; "
                f"there are {listed(outcomes)}.{did_you_mean(word.partition('=')[0], outcomes)}"
            )
        name, text = (outcomes[0], word) if name is None else (name, word[len(name) + 1 :])
        if name in found:
            raise InvalidInput(f"{name} is given twice. A trial has one result of it.")
        found[name] = "failed" if text.casefold() == "failed" else typed_number(text, name, decimal)
    return found


def typed_trial(text: str) -> int:
    """The number of a trial."""
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise InvalidInput(
            f"{text!r} is neither the number of a trial nor a file. Write: record 17 81.2, or record FILE."
        )
    return int(text)


def typed_params(settings: tuple[str, ...], space: Table | Mixed, decimal: str = ".") -> dict[str, Any]:
    """What ``--set NAME=VALUE`` says, each value of the kind its factor has."""
    params: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or name not in space.names:
            raise InvalidInput(f"--set {setting!r}: write NAME=VALUE with a NAME of {', '.join(space.names)}.")
        params[name] = _value(text, name, space, decimal)
    return params


def _value(text: str, name: str, space: Table | Mixed, decimal: str) -> Any:
    choices = space.examples(name)
    if all(isinstance(choice, str) for choice in choices):
        return text
    for choice in choices:  # a choice that is spelled just so, such as True
        if str(choice) == text:
            return choice
    number = typed_number(text, name, decimal)
    return int(number) if number.is_integer() and not {".", ","} & set(text) else number
