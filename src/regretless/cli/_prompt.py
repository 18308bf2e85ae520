"""What people type at a prompt, read without a guess."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from regretless.errors import InvalidInput
from regretless.lab.typed import typed_number, typed_value
from regretless.sheets import Measurement, Value
from regretless.spaces.scalars import did_you_mean, listed
from regretless.study import Study

__all__ = ["error_option", "typed_params", "typed_results", "typed_trial"]

Command = TypeVar("Command", bound=Callable[..., Any])


def error_option(command: Command) -> Command:
    """``--sd``, handed on as ``errors``."""
    option = click.option(
        "--sd",
        "errors",
        multiple=True,
        metavar="SD | NAME=SD",
        help="The known standard deviation of each number. Repeatable where several outcomes are measured.",
    )
    return option(command)


def typed_results(
    words: Sequence[str], outcomes: Sequence[str], decimal: str = ".", errors: Sequence[str] = ()
) -> dict[str, Value]:
    """Results as they are typed: ``81.2`` of the only outcome, or ``yield=81.2 impurity=failed``.

    Several numbers of one outcome are replicates. ``errors`` are known standard deviations, typed in the same way.

    >>> typed_results(["81.2"], ["yield"])
    {'yield': 81.2}
    >>> typed_results(["yield=81.2", "impurity=failed"], ["yield", "impurity"])
    {'yield': 81.2, 'impurity': 'failed'}
    >>> typed_results(["80.1", "81.3"], ["yield"], errors=["0.4"])
    {'yield': Measurement(numbers=(80.1, 81.3), sd=0.4)}
    """
    found: dict[str, list[str]] = {}
    for word in words:
        example = f"{outcomes[-1]}=0.3 or {outcomes[-1]}=failed"
        name, text = _named(word, outcomes, f"write each result with its name, such as {example}")
        found.setdefault(name, []).append(text)
    known = _typed_errors(errors, list(found), decimal)
    return {name: _result(texts, name, decimal, known.get(name)) for name, texts in found.items()}


def _named(word: str, outcomes: Sequence[str], otherwise: str) -> tuple[str, str]:
    """A word as the outcome it is about, and the rest."""
    name = next((each for each in outcomes if word.startswith(f"{each}=")), None)
    if name is not None:
        return name, word[len(name) + 1 :]
    if len(outcomes) > 1 or "=" in word:
        there = f"there are {listed(outcomes)}" if len(outcomes) > 1 else f"there is {outcomes[0]!r} only"
        raise InvalidInput(f"{word!r}: {otherwise}; {there}.{did_you_mean(word.partition('=')[0], outcomes)}")
    return outcomes[0], word


def _result(texts: Sequence[str], name: str, decimal: str, sd: float | None) -> Value:
    """What was typed of one outcome."""
    if "failed" in (text.casefold() for text in texts):
        if len(texts) > 1 or sd is not None:
            raise InvalidInput(f"{name} cannot both fail and have a number. Leave out what was lost.")
        return "failed"
    numbers = tuple(typed_number(text, name, decimal) for text in texts)
    return numbers[0] if len(numbers) == 1 and sd is None else Measurement(numbers, sd)


def _typed_errors(words: Sequence[str], outcomes: Sequence[str], decimal: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for word in words:
        if not outcomes:
            raise InvalidInput("--sd is the standard deviation of a result: give the result too.")
        name, text = _named(word, outcomes, f"write --sd {outcomes[0]}=0.4, with the name of a result that is given")
        if name in found:
            raise InvalidInput(f"--sd of {name} is given twice.")
        found[name] = typed_number(text, f"--sd of {name}", decimal)
        if found[name] <= 0.0:
            raise InvalidInput(f"--sd of {name} must be positive, got {text}. Leave it out if it is not known.")
    return found


def typed_trial(text: str) -> int:
    """The number of a trial."""
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise InvalidInput(
            f"{text!r} is neither the number of a trial nor a file. Write: record 17 81.2, or record FILE."
        )
    return int(text)


def typed_params(settings: tuple[str, ...], study: Study, decimal: str = ".") -> dict[str, Any]:
    """What ``--set NAME=VALUE`` says, each value of the kind its factor has."""
    params: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or name not in study.parameters:
            raise InvalidInput(f"--set {setting!r}: write NAME=VALUE with a NAME of {', '.join(study.parameters)}.")
        params[name] = typed_value(text, name, study, decimal)
    return params
