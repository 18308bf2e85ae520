"""Regretless finds the best of what you can try in the fewest tries, and says how much regret is left."""

from regretless._version import __version__
from regretless.acquisition import (
    ATS,
    EI,
    EST,
    GPUCB,
    IRGPUCB,
    JES,
    MES,
    PIMS,
    RGPUCB,
    TS,
    ATSc,
    Rule,
)
from regretless.errors import Exhausted, InvalidInput, RegretlessError, TrialConflict, UnknownTrial
from regretless.gp import Surrogate
from regretless.spaces import Box, Categorical, Fixed, Float, Int, Mixed, Ordinal, Table
from regretless.study import Recommendation, Regret, RemainingRegret, Result, Study, Trial, maximize, minimize

__all__ = [
    "ATS",
    "EI",
    "EST",
    "GPUCB",
    "IRGPUCB",
    "JES",
    "MES",
    "PIMS",
    "RGPUCB",
    "TS",
    "ATSc",
    "Box",
    "Categorical",
    "Exhausted",
    "Fixed",
    "Float",
    "Int",
    "InvalidInput",
    "Mixed",
    "Ordinal",
    "Recommendation",
    "Regret",
    "RegretlessError",
    "RemainingRegret",
    "Result",
    "Rule",
    "Study",
    "Surrogate",
    "Table",
    "Trial",
    "TrialConflict",
    "UnknownTrial",
    "__version__",
    "maximize",
    "minimize",
]
