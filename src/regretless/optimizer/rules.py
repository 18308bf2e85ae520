"""The rule that a name stands for: it depends on what is wanted, and on how many outcomes there are."""

from dataclasses import replace

from regretless.acquisition import (
    BOX_RULES,
    COMPOSITE_RULES,
    EI,
    IRGPUCB,
    JOINT_RULES,
    LEVEL_RULES,
    ROBUST_RULES,
    RULES,
    TS,
    UCB,
    Chebyshev,
    CompositeTS,
    ConstrainedEI,
    JointRule,
    Optimistic,
    Quantile,
    RandomStraddle,
    RobustUCB,
    Rule,
    as_joint_rule,
    as_rule,
)
from regretless.arrays import show
from regretless.confidence import AnytimeBand
from regretless.errors import InvalidInput
from regretless.optimizer.goal import Goal
from regretless.optimizer.network import Network
from regretless.optimizer.outcomes import Outcome

__all__ = ["as_any_rule"]

#: Draws of the quantile rule of a network.
_DRAWS_OF_NETWORK = 512


def as_any_rule(
    rule: "str | Rule | JointRule", outcomes: tuple[Outcome, ...], *, robust: bool = False
) -> Rule | JointRule:
    """A rule for so many outcomes from its name, or itself; ``robust`` where there are environments.

    With several outcomes ``"irgp-ucb"`` stands for the optimistic set or Chebyshev scalarisation with its law, and
    ``"ei"`` for expected improvement under constraints.
    """
    joint = isinstance(rule, JointRule) or (isinstance(rule, str) and rule.lower() in JOINT_RULES)
    if outcomes[0].goal is not None:
        return _goal_rule(rule, outcomes[0].goal)
    if outcomes[0].composite is not None:
        return _composite_rule(rule, network=isinstance(outcomes[0].composite, Network))
    if isinstance(rule, str) and rule.lower() in COMPOSITE_RULES:
        raise InvalidInput(f"{rule} is a rule of composite objectives: give objective=Composite(...) with it.")
    if isinstance(rule, RandomStraddle) or (isinstance(rule, str) and rule.lower() in LEVEL_RULES):
        raise InvalidInput("random-straddle is the rule of level sets: give goal=LevelSet(above=0.5) with it.")
    if robust and len(outcomes) == 1:
        return _robust_rule(rule)
    if isinstance(rule, RobustUCB) or (isinstance(rule, str) and rule.lower() in ROBUST_RULES):
        raise InvalidInput("robust-ucb is the rule of decisions in environments: give environment=Environment(...).")
    if len(outcomes) == 1:
        if joint:
            name = rule if isinstance(rule, str) else rule.name
            raise InvalidInput(f"{name} is a rule for several outcomes; this study has one. Use 'irgp-ucb'.")
        return as_rule(rule)  # type: ignore[arg-type]
    if joint or not isinstance(rule, Rule | str) or (isinstance(rule, str) and rule.lower() not in RULES | BOX_RULES):
        return as_joint_rule(rule)  # type: ignore[arg-type]
    single, several = as_rule(rule), sum(outcome.role == "objective" for outcome in outcomes) > 1
    if isinstance(single, IRGPUCB) and single.setting == "auto":
        return Chebyshev() if several else Optimistic()
    if isinstance(single, UCB) and not isinstance(single.setting, str | AnytimeBand):
        return Chebyshev(law=single.setting) if several else Optimistic(law=single.setting)
    if isinstance(single, EI) and not several:
        return ConstrainedEI()
    raise InvalidInput(
        f"{single.name} is a rule for one outcome; this study has {len(outcomes)}. "
        f"Use one of {', '.join(map(repr, JOINT_RULES))}."
    )


def _goal_rule(rule: "str | Rule | JointRule", goal: Goal) -> Rule:
    """The rule of a goal: ``"irgp-ucb"`` stands for its first, and a rule of one's own is taken as it is."""
    named = {kind.name: kind for kind in goal.rules}
    if rule == IRGPUCB() or (isinstance(rule, str) and rule.lower() == IRGPUCB.name):
        return goal.rules[0]()
    if isinstance(rule, str) and rule.lower() in named:
        return named[rule.lower()]()
    if isinstance(rule, goal.rules):
        return rule
    if (
        isinstance(rule, Rule)
        and type(rule) not in (*RULES.values(), *BOX_RULES.values())
        and not isinstance(rule, UCB)
    ):
        return rule
    name = rule.name if isinstance(rule, Rule | JointRule) else show(rule)
    raise InvalidInput(
        f"{name} looks for an optimum; a {type(goal).__name__} is found by {', '.join(map(repr, named))}."
    )


def _composite_rule(rule: "str | Rule | JointRule", *, network: bool) -> JointRule:
    """The rule of a composite objective: ``"irgp-ucb"`` is the quantile rule, ``"ts"`` samples paths of the parts.

    Of a network a draw at a point costs a solve with each stage, so there are fewer of them.
    """
    quantile = Quantile(draws=_DRAWS_OF_NETWORK) if network else Quantile()
    if isinstance(rule, str) and rule.lower() in COMPOSITE_RULES:
        return quantile if rule.lower() == Quantile.name else COMPOSITE_RULES[rule.lower()]()
    if isinstance(rule, JointRule) and type(rule) not in JOINT_RULES.values():
        return rule
    single = None if isinstance(rule, JointRule) else as_rule(rule) if not isinstance(rule, Rule) else rule
    if isinstance(single, IRGPUCB) and single.setting == "auto":
        return quantile
    if isinstance(single, UCB) and not isinstance(single.setting, str | AnytimeBand):
        return replace(quantile, law=single.setting)
    if isinstance(single, TS):
        return CompositeTS(single.n_features)
    name = rule.name if isinstance(rule, Rule | JointRule) else show(rule)
    raise InvalidInput(f"{name} is no rule of composite objectives; these are {', '.join(map(repr, COMPOSITE_RULES))}.")


def _robust_rule(rule: "str | Rule | JointRule") -> Rule:
    """The rule of decisions in environments: ``"irgp-ucb"`` stands for `RobustUCB`, and a law of UCB is taken over."""
    if isinstance(rule, RobustUCB):
        return rule
    if isinstance(rule, str) and rule.lower() in (*ROBUST_RULES, IRGPUCB.name):
        return RobustUCB()
    if rule == IRGPUCB():
        return RobustUCB()
    if isinstance(rule, UCB) and not isinstance(rule.setting, str | AnytimeBand):
        return RobustUCB(rule.setting)
    name = rule.name if isinstance(rule, Rule | JointRule) else show(rule)
    raise InvalidInput(
        f"{name} knows no environments; decisions are found by {', '.join(map(repr, ROBUST_RULES))}, with any law."
    )
