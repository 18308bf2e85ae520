"""Studies: the only stateful object, its trials, its events, where they are kept, and the loop around it."""

from regretless.optimizer import Regret, RemainingRegret
from regretless.study.events import Event
from regretless.study.journal import Journal, MemoryStore, Store
from regretless.study.replay import Replayed, replay
from regretless.study.result import Result
from regretless.study.run import maximize, minimize
from regretless.study.study import Study
from regretless.study.trial import Recommendation, Trial

__all__ = [
    "Event",
    "Journal",
    "MemoryStore",
    "Recommendation",
    "Regret",
    "RemainingRegret",
    "Replayed",
    "Result",
    "Store",
    "Study",
    "Trial",
    "maximize",
    "minimize",
    "replay",
]
