"""Algorithm 1 as pure steps on frozen data: setup and history in, suggestion out."""

from regretless.optimizer.beliefs import State
from regretless.optimizer.history import Fit, History, Points
from regretless.optimizer.recommend import Choice, predict, recommend
from regretless.optimizer.setup import Preset, Setup, setup
from regretless.optimizer.suggest import Suggestion, suggest

__all__ = [
    "Choice",
    "Fit",
    "History",
    "Points",
    "Preset",
    "Setup",
    "State",
    "Suggestion",
    "predict",
    "recommend",
    "setup",
    "suggest",
]
