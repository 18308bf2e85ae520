"""Algorithm 1 as pure steps on frozen data: setup and history in, suggestion out."""

from regretless.optimizer.beliefs import State, in_units
from regretless.optimizer.certify import Proof, certify
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
    "Proof",
    "Setup",
    "State",
    "Suggestion",
    "certify",
    "in_units",
    "predict",
    "recommend",
    "setup",
    "suggest",
]
