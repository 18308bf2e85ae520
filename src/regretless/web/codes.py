"""Which HTTP status an error is."""

from regretless.errors import (
    Exhausted,
    InvalidInput,
    RegretlessError,
    StoreError,
    StudyConflict,
    TrialConflict,
    UnknownStudy,
    UnknownTrial,
)

__all__ = ["status_of_error"]


def status_of_error(error: RegretlessError) -> int:
    """The HTTP status of an error: whose it is to mend."""
    if isinstance(error, UnknownStudy | UnknownTrial):
        return 404
    if isinstance(error, TrialConflict | StudyConflict | Exhausted):
        return 409
    if isinstance(error, StoreError):
        return 503
    return 422 if isinstance(error, InvalidInput) else 400
