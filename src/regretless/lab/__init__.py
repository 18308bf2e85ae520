"""A study at the bench: its status, explanations of suggestions, and results as they are typed and kept."""

from regretless.lab.aims import Aims
from regretless.lab.explanation import Explanation, Pick, explain
from regretless.lab.lab import Lab
from regretless.lab.sensitivity import importance
from regretless.lab.status import StudyStatus, status_of

__all__ = [
    "Aims",
    "Explanation",
    "Lab",
    "Pick",
    "StudyStatus",
    "explain",
    "importance",
    "status_of",
]
