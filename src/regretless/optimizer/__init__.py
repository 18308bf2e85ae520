"""Algorithm 1 as pure steps on frozen data: task and history in, suggestion out. Adapters build on it."""

from regretless.optimizer.assessment import (
    assess,
    certificate_of,
    left_out_of,
    measurement_of,
    recommended,
    recommended_elsewhere,
)
from regretless.optimizer.average import Averaged, averaged, seconds_of
from regretless.optimizer.certificate import Certificate, Certified
from regretless.optimizer.composed import CompositeRegret
from regretless.optimizer.composite import Composite, Target, function_name
from regretless.optimizer.context import Codes, Context
from regretless.optimizer.excursions import Excursion, excursion
from regretless.optimizer.expectation import expect, expect_measurement
from regretless.optimizer.feasible import FeasibleRegret
from regretless.optimizer.fidelity import Fidelity, as_fidelity
from regretless.optimizer.front import Front, FrontRegret
from regretless.optimizer.goal import Asked, Goal, as_goal
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
    source_from_data,
    source_to_data,
    without_last,
)
from regretless.optimizer.joint import composite_moments, expected_at, searched_at
from regretless.optimizer.limits import Given, Limits, as_limits
from regretless.optimizer.model import Fitted, believe, doubt, outdated
from regretless.optimizer.network import Network, as_composite
from regretless.optimizer.outcomes import (
    Direction,
    Outcome,
    Sense,
    as_constraints,
    as_fallback,
    as_outcomes,
    as_reference,
    inferred_reference,
)
from regretless.optimizer.proof import Proof, certify
from regretless.optimizer.recommendation import Choice, predict, recommend
from regretless.optimizer.region import Classified, LevelSet, RegionLoss, classify, everywhere
from regretless.optimizer.robust import RobustRegret
from regretless.optimizer.rules import as_any_rule
from regretless.optimizer.scene import reference_of
from regretless.optimizer.sources import source_of
from regretless.optimizer.state import State, believed, doubted, kept
from regretless.optimizer.stopping import HypervolumeLeft, Misclassified, Regret, StopRule, check_stop
from regretless.optimizer.suggestion import Suggestion, suggest
from regretless.optimizer.task import Preset, Task, as_task, chosen_params, params_of, with_table
from regretless.optimizer.trust import footing

__all__ = [
    "FAILED",
    "PENDING",
    "TOLD",
    "Asked",
    "Averaged",
    "Certificate",
    "Certified",
    "Choice",
    "Classified",
    "Codes",
    "Composite",
    "CompositeRegret",
    "Context",
    "Direction",
    "Excursion",
    "FeasibleRegret",
    "Fidelity",
    "Fit",
    "Fitted",
    "Front",
    "FrontRegret",
    "Given",
    "Goal",
    "History",
    "HypervolumeLeft",
    "LevelSet",
    "Limits",
    "Misclassified",
    "Network",
    "Outcome",
    "Points",
    "Preset",
    "Proof",
    "RegionLoss",
    "Regret",
    "RobustRegret",
    "Row",
    "Sense",
    "Series",
    "State",
    "StopRule",
    "Suggestion",
    "Target",
    "Task",
    "as_any_rule",
    "as_composite",
    "as_constraints",
    "as_fallback",
    "as_fidelity",
    "as_goal",
    "as_limits",
    "as_outcomes",
    "as_reference",
    "as_task",
    "assess",
    "averaged",
    "believe",
    "believed",
    "certificate_of",
    "certify",
    "check_stop",
    "chosen_params",
    "classify",
    "composite_moments",
    "doubt",
    "doubted",
    "everywhere",
    "excursion",
    "expect",
    "expect_measurement",
    "expected_at",
    "fit_from_data",
    "fit_to_data",
    "footing",
    "function_name",
    "history_of",
    "hyperparameters_to_data",
    "inferred_reference",
    "kept",
    "left_out_of",
    "measurement_of",
    "outdated",
    "params_of",
    "predict",
    "recommend",
    "recommended",
    "recommended_elsewhere",
    "reference_of",
    "searched_at",
    "seconds_of",
    "source_from_data",
    "source_of",
    "source_to_data",
    "suggest",
    "with_table",
    "without_last",
]
