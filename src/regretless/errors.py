"""One exception tree. Every message says what was wrong, what is allowed and what to do."""

__all__ = [
    "Exhausted",
    "InvalidInput",
    "MissingExtra",
    "NumericalError",
    "RegretlessError",
    "TrialConflict",
    "UnknownTrial",
]


class RegretlessError(Exception):
    """Base of everything regretless raises on purpose."""


class InvalidInput(RegretlessError, ValueError):
    """A value handed in cannot be used. Nothing was changed."""


class UnknownTrial(RegretlessError, KeyError):
    """No trial of that number exists in the study. Nothing was changed."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class TrialConflict(RegretlessError):
    """The trial has already ended otherwise. Nothing was changed."""


class Exhausted(RegretlessError):
    """Every candidate has been tried, and repeats are not allowed."""


class NumericalError(RegretlessError, ArithmeticError):
    """A matrix could not be factorised even with the largest jitter allowed."""


class MissingExtra(RegretlessError, ImportError):
    """An optional package is needed. The message names the extra that installs it."""
