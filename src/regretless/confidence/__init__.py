"""Laws of zeta_t (squared: ``mean + sqrt(zeta) * sd``), stable normal tails, and the law that bounds the maximum."""

from regretless.confidence.anytime import AnytimeBand
from regretless.confidence.laws import GammaLaw, Law, Schedule, ShiftedExponential, TightUnion
from regretless.confidence.maximum import (
    certified_threshold,
    expected_excess,
    random_threshold,
    smallest_multiplier,
    tail_sum,
    tail_sum_bound,
)
from regretless.confidence.schedules import (
    BoxShift,
    HighProbabilityShift,
    Interleaved,
    LogGrowth,
    OfTime,
    TableBeta,
    TableShape,
    expected_lipschitz_bound,
    expected_lipschitz_bound_printed,
)

__all__ = [
    "AnytimeBand",
    "BoxShift",
    "GammaLaw",
    "HighProbabilityShift",
    "Interleaved",
    "Law",
    "LogGrowth",
    "OfTime",
    "Schedule",
    "ShiftedExponential",
    "TableBeta",
    "TableShape",
    "TightUnion",
    "certified_threshold",
    "expected_excess",
    "expected_lipschitz_bound",
    "expected_lipschitz_bound_printed",
    "random_threshold",
    "smallest_multiplier",
    "tail_sum",
    "tail_sum_bound",
]
