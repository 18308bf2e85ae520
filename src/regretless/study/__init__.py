"""Studies: the only stateful object, its trials, and the loop around it."""

from regretless.study.certificate import Regret, RemainingRegret
from regretless.study.run import Result, maximize, minimize
from regretless.study.study import Study
from regretless.study.trial import Recommendation, Trial

__all__ = ["Recommendation", "Regret", "RemainingRegret", "Result", "Study", "Trial", "maximize", "minimize"]
