"""Rules: how the next point is chosen. Each draws what is random, then scores points by a deterministic formula."""

import difflib
from collections.abc import Iterable

from regretless.acquisition.base import Formula, MomentScore, Rule, Score, View
from regretless.acquisition.bounding_boxes import BoundingBoxes
from regretless.acquisition.cascade import Cascade, Stage
from regretless.acquisition.composite import CompositeTS, Quantile
from regretless.acquisition.constrained import ConstrainedEI, Optimistic, Penalised
from regretless.acquisition.ei import EI
from regretless.acquisition.entropy import JES, MES
from regretless.acquisition.hypervolume import EHVI, HVI
from regretless.acquisition.objectives import Chebyshev
from regretless.acquisition.outputs import (
    JointFormula,
    JointMomentScore,
    JointRule,
    JointScore,
    JointUCB,
    Outer,
    Outputs,
)
from regretless.acquisition.robust import RobustScore, RobustUCB
from regretless.acquisition.straddle import RandomStraddle
from regretless.acquisition.thompson import TS
from regretless.acquisition.threshold import ATS, EST, PIMS, ATSc
from regretless.acquisition.trust_region import TrustRegion
from regretless.acquisition.ucb import GPUCB, IRGPUCB, RGPUCB, UCB
from regretless.arrays import show
from regretless.errors import InvalidInput

__all__ = [
    "ATS",
    "BOX_RULES",
    "COMPOSITE_RULES",
    "EHVI",
    "EI",
    "EST",
    "GPUCB",
    "HVI",
    "IRGPUCB",
    "JES",
    "JOINT_RULES",
    "LEVEL_RULES",
    "MES",
    "PIMS",
    "RGPUCB",
    "ROBUST_RULES",
    "RULES",
    "TS",
    "UCB",
    "ATSc",
    "BoundingBoxes",
    "Cascade",
    "Chebyshev",
    "CompositeTS",
    "ConstrainedEI",
    "Formula",
    "JointFormula",
    "JointMomentScore",
    "JointRule",
    "JointScore",
    "JointUCB",
    "MomentScore",
    "Optimistic",
    "Outer",
    "Outputs",
    "Penalised",
    "Quantile",
    "RandomStraddle",
    "RobustScore",
    "RobustUCB",
    "Rule",
    "Score",
    "Stage",
    "TrustRegion",
    "View",
    "as_joint_rule",
    "as_rule",
]

#: Every rule by its name.
RULES: dict[str, type[Rule]] = {
    rule.name: rule for rule in (IRGPUCB, GPUCB, RGPUCB, EI, TS, PIMS, MES, JES, ATS, ATSc, EST)
}

#: Every rule for spaces with real parameters alone by its name.
BOX_RULES: dict[str, type[Rule]] = {TrustRegion.name: TrustRegion}

#: Every rule for level sets by its name.
LEVEL_RULES: dict[str, type[Rule]] = {RandomStraddle.name: RandomStraddle}

#: Every rule for robust decisions by its name.
ROBUST_RULES: dict[str, type[Rule]] = {RobustUCB.name: RobustUCB}

#: Every rule for composite objectives by its name.
COMPOSITE_RULES: dict[str, type[JointRule]] = {rule.name: rule for rule in (Quantile, CompositeTS)}

#: Every rule for several outcomes by its name.
JOINT_RULES: dict[str, type[JointRule]] = {
    rule.name: rule for rule in (Optimistic, Penalised, ConstrainedEI, Chebyshev, HVI, EHVI, BoundingBoxes)
}


def as_rule(rule: str | Rule) -> Rule:
    """A rule from its name, with its default settings, or the rule itself.

    >>> as_rule("irgp-ucb")
    IRGPUCB(setting='auto', excursions=True, additive=True)
    """
    if isinstance(rule, Rule):
        return rule
    named = RULES | BOX_RULES
    if isinstance(rule, str) and rule.lower() in named:
        return named[rule.lower()]()
    raise _unknown(rule, "a Rule", named)


def as_joint_rule(rule: str | JointRule) -> JointRule:
    """A rule for several outcomes from its name, with its default settings, or the rule itself.

    >>> as_joint_rule("chebyshev")
    Chebyshev(law=None)
    """
    if isinstance(rule, JointRule):
        return rule
    if isinstance(rule, str) and rule.lower() in JOINT_RULES:
        return JOINT_RULES[rule.lower()]()
    raise _unknown(rule, "a JointRule", JOINT_RULES)


def _unknown(rule: object, kind: str, names: Iterable[str]) -> InvalidInput:
    close = difflib.get_close_matches(show(rule).lower(), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return InvalidInput(f"rule must be {kind} or one of {', '.join(names)}; got {show(rule)}.{hint}")
