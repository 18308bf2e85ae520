"""Rules: how the next point is chosen. Each draws what is random, then scores points by a deterministic formula."""

import difflib

from regretless.acquisition.base import Formula, MomentScore, Rule, Score, View
from regretless.acquisition.ei import EI
from regretless.acquisition.entropy import JES, MES
from regretless.acquisition.thompson import TS
from regretless.acquisition.threshold import ATS, EST, PIMS, ATSc
from regretless.acquisition.ucb import GPUCB, IRGPUCB, RGPUCB, UCB
from regretless.arrays import show
from regretless.errors import InvalidInput

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
    "RULES",
    "TS",
    "UCB",
    "ATSc",
    "Formula",
    "MomentScore",
    "Rule",
    "Score",
    "View",
    "as_rule",
]

#: Every rule by its name.
RULES: dict[str, type[Rule]] = {
    rule.name: rule for rule in (IRGPUCB, GPUCB, RGPUCB, EI, TS, PIMS, MES, JES, ATS, ATSc, EST)
}


def as_rule(rule: str | Rule) -> Rule:
    """A rule from its name, with its default settings, or the rule itself.

    >>> as_rule("irgp-ucb")
    IRGPUCB(setting='auto')
    """
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str) and rule.lower() in RULES:
        return RULES[rule.lower()]()
    close = difflib.get_close_matches(show(rule).lower(), RULES, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InvalidInput(f"rule must be a Rule or one of {', '.join(RULES)}; got {show(rule)}.{hint}")
