"""A study as people work with it: where it stands, what is expected and why, results as they are typed and kept."""

from regretless.lab.aims import Aims
from regretless.lab.explanation import Explanation, Pick, explain
from regretless.lab.lab import Lab
from regretless.lab.main_effects import Effect, effects
from regretless.lab.sensitivity import importance
from regretless.lab.status import StudyStatus, status_of

__all__ = [
    "Aims",
    "Effect",
    "Explanation",
    "Lab",
    "Pick",
    "StudyStatus",
    "effects",
    "explain",
    "importance",
    "status_of",
]
