"""One exception tree. Every message says what was wrong, what is allowed and what to do."""

__all__ = [
    "Exhausted",
    "InvalidInput",
    "MissingExtra",
    "NumericalError",
    "RegretlessError",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "StoreTooNew",
    "StoreUnreachable",
    "StudyConflict",
    "TrialConflict",
    "UnknownStudy",
    "UnknownTrial",
    "UntrustedCode",
    "WorkersLost",
]


class RegretlessError(Exception):
    """Base of everything regretless raises on purpose."""


class InvalidInput(RegretlessError, ValueError):
    """An argument cannot be used. Nothing was changed."""


class UnknownTrial(RegretlessError, KeyError):
    """No trial of that number exists in the study. Nothing was changed."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class TrialConflict(RegretlessError):
    """The trial has already ended otherwise. Nothing was changed."""


class Exhausted(RegretlessError):
    """Every candidate has been tried, and repeats are not allowed."""


class NumericalError(RegretlessError, ArithmeticError):
    """A matrix could not be factorised even with the largest jitter allowed, or a result is not a finite number."""


class WorkersLost(RegretlessError):
    """Workers that read the rows of a huge table were lost repeatedly. Nothing was changed."""


class MissingExtra(RegretlessError, ImportError):
    """An optional package is needed. The message names the extra that installs it."""


class UnknownStudy(RegretlessError, KeyError):
    """No study of that name is in the store. Nothing was changed."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class StudyConflict(RegretlessError):
    """The stored study has another space or other settings than were given. Nothing was changed."""


class UntrustedCode(RegretlessError):
    """The stored study names foreign code that is not trusted. Nothing was imported."""


class StoreError(RegretlessError):
    """A store could not do what was asked; its content is unchanged."""


class StoreBusy(StoreError):
    """Others held the store for longer than the time to wait. Nothing was changed; trying again may help."""


class StoreUnreachable(StoreError):
    """The file cannot be opened or the server does not answer."""


class StoreReadOnly(StoreError):
    """The store may be read but not written. Nothing was changed."""


class StoreFull(StoreError):
    """There is no room to write. Nothing was changed."""


class StoreDamaged(StoreError):
    """The store is damaged, or is not a store. Nothing was changed."""


class StoreTooNew(StoreError):
    """The store was written by a newer version, which this one cannot read. Nothing was changed."""
