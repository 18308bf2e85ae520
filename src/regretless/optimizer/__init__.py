"""Algorithm 1 as pure steps on frozen data: setup and history in, suggestion out."""

from regretless.optimizer.certify import Proof, certify
from regretless.optimizer.history import Fit, History, Points, without_last
from regretless.optimizer.model import State, believe, doubt, outdated
from regretless.optimizer.recommend import Choice, predict, predict_measurement, recommend
from regretless.optimizer.setup import Preset, Setup, setup, with_table
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
    "believe",
    "certify",
    "doubt",
    "outdated",
    "predict",
    "predict_measurement",
    "recommend",
    "setup",
    "suggest",
    "with_table",
    "without_last",
]
