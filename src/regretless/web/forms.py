"""What people type into forms, read without a guess; a decimal comma is a decimal comma."""

import re
from collections.abc import Mapping
from typing import Any

from regretless.errors import InvalidInput
from regretless.lab.lab import Lab
from regretless.lab.typed import typed_number, typed_value
from regretless.sheets import Measurement, Value
from regretless.spaces.conditions import existing
from regretless.study.registry import check_author

__all__ = ["number_in", "numbers_in", "reason_in", "results_in", "settings_in", "text_in", "who_in", "whole_in"]

#: Between replicates, as in files.
_BETWEEN = re.compile(r"\s*;\s*")
_LONGEST = 2000

Form = Mapping[str, Any]


def text_in(form: Form, name: str) -> str:
    """One line of text; an error where somebody sent something else."""
    value = form.get(name, "")
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise InvalidInput(f"{name} must be text of up to {_LONGEST} characters.")
    return value.strip()


def number_in(text: str, what: str) -> float:
    """A number, with a decimal point or comma.

    >>> number_in("81,2", "yield"), number_in("81.2", "yield")
    (81.2, 81.2)
    """
    return typed_number(text, what, ",")


def numbers_in(text: str, what: str) -> list[float]:
    """Replicates, with semicolons between them.

    >>> numbers_in("80,1; 81,3", "yield")
    [80.1, 81.3]
    """
    return [number_in(part, what) for part in _BETWEEN.split(text)]


def whole_in(form: Form, name: str, *, least: int, most: int, default: int) -> int:
    """A whole number between two others."""
    text = text_in(form, name)
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and least <= int(text) <= most):
        raise InvalidInput(f"{name} must be a whole number from {least} to {most}, got {text!r}.")
    return int(text)


def who_in(form: Form) -> str:
    """A name for the record."""
    return check_author(text_in(form, "name"))


def reason_in(form: Form) -> str:
    """Why something is corrected."""
    reason = text_in(form, "reason")
    if not reason:
        raise InvalidInput("say why, in a few words: it goes on record with the correction.")
    return reason


def results_in(form: Form, lab: Lab, *, prefix: str = "v") -> dict[str, Value]:
    """Results by outcome: ``v0``, ``v1``, ... are numbers or replicates, ``f1`` says that the second one failed.

    ``sd0`` is a known standard deviation. Fields that are empty are results still to come.
    """
    found: dict[str, Value] = {}
    for k, name in enumerate(lab.outcomes):
        text, sd = text_in(form, f"{prefix}{k}"), text_in(form, f"sd{k}")
        failed = text_in(form, f"f{k}") != ""
        if failed and text:
            raise InvalidInput(f"{name} cannot both fail and have a number. Leave out what is wrong.")
        if failed:
            found[name] = "failed"
        elif text:
            numbers = tuple(numbers_in(text, name))
            known = number_in(sd, f"the standard deviation of {name}") if sd else None
            if known is not None and known <= 0.0:
                raise InvalidInput(f"the standard deviation of {name} must be positive, got {sd}.")
            found[name] = numbers[0] if len(numbers) == 1 and known is None else Measurement(numbers, known)
    return found


def settings_in(form: Form, lab: Lab) -> dict[str, Any]:
    """The factors of an experiment: ``p0``, ``p1``, ... in the order of the space; empty ones do not exist."""
    space = lab.study.space
    texts = {name: text_in(form, f"p{k}") for k, name in enumerate(space.names)}
    params = {name: typed_value(text, name, space, ",") for name, text in texts.items() if text}
    there = existing(getattr(space, "dimensions", {}), params)  # the columns of a table exist in every row
    missing = [name for name in space.names if name not in params and (name in there or space.has_rows)]
    missing = [name for name in missing if name not in space.constants]
    if missing:
        raise InvalidInput(f"{missing[0]} is missing: write how it was run.")
    return params
