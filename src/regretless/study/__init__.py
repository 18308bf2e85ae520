"""Studies: the only stateful object, with its trials, its events, its stores, and the loop that runs it."""

from regretless.optimizer import (
    Certificate,
    Certified,
    Composite,
    CompositeRegret,
    FeasibleRegret,
    Fidelity,
    FrontRegret,
    Goal,
    HypervolumeLeft,
    LevelSet,
    Misclassified,
    Network,
    Outcome,
    RegionLoss,
    Regret,
    RobustRegret,
    Target,
)
from regretless.study.journal import Event, Journal, MemoryStore, Store
from regretless.study.replays import Replayed, replay
from regretless.study.result import Result
from regretless.study.run import maximize, minimize
from regretless.study.study import Study
from regretless.study.trial import Recommendation, Region, Trial

__all__ = [
    "Certificate",
    "Certified",
    "Composite",
    "CompositeRegret",
    "Event",
    "FeasibleRegret",
    "Fidelity",
    "FrontRegret",
    "Goal",
    "HypervolumeLeft",
    "Journal",
    "LevelSet",
    "MemoryStore",
    "Misclassified",
    "Network",
    "Outcome",
    "Recommendation",
    "Region",
    "RegionLoss",
    "Regret",
    "Replayed",
    "Result",
    "RobustRegret",
    "Store",
    "Study",
    "Target",
    "Trial",
    "maximize",
    "minimize",
    "replay",
]
