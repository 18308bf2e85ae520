"""Algorithm 1 as pure steps on frozen data: task and history in, suggestion out. What adapters stand on."""

from regretless.optimizer.assess import assess, certificate_of, measurement_of
from regretless.optimizer.certificate import Regret, RemainingRegret, check_stop
from regretless.optimizer.certify import Proof, certify
from regretless.optimizer.history import (
    FAILED,
    PENDING,
    TOLD,
    Fit,
    History,
    Points,
    Row,
    Series,
    fit_from_data,
    fit_to_data,
    history_of,
    hyperparameters_to_data,
    without_last,
)
from regretless.optimizer.limits import Given, Limits, as_limits
from regretless.optimizer.model import Fitted, believe, doubt, outdated
from regretless.optimizer.recommend import Choice, predict, predict_measurement, recommend
from regretless.optimizer.state import State, believed, doubted, kept
from regretless.optimizer.suggest import Suggestion, suggest
from regretless.optimizer.task import Direction, Outcome, Preset, Task, as_task, params_of, with_table

__all__ = [
    "FAILED",
    "PENDING",
    "TOLD",
    "Choice",
    "Direction",
    "Fit",
    "Fitted",
    "Given",
    "History",
    "Limits",
    "Outcome",
    "Points",
    "Preset",
    "Proof",
    "Regret",
    "RemainingRegret",
    "Row",
    "Series",
    "State",
    "Suggestion",
    "Task",
    "as_limits",
    "as_task",
    "assess",
    "believe",
    "believed",
    "certificate_of",
    "certify",
    "check_stop",
    "doubt",
    "doubted",
    "fit_from_data",
    "fit_to_data",
    "history_of",
    "hyperparameters_to_data",
    "kept",
    "measurement_of",
    "outdated",
    "params_of",
    "predict",
    "predict_measurement",
    "recommend",
    "suggest",
    "with_table",
    "without_last",
]
