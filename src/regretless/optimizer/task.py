"""The task: all constants of a study, its domain, outcomes, rule, model and seed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from regretless.acquisition import (
    IRGPUCB,
    RULES,
    UCB,
    JointRule,
    Rule,
    TrustRegion,
)
from regretless.arrays import as_finite_float, as_whole, show
from regretless.confidence import AnytimeBand
from regretless.errors import InvalidInput
from regretless.gp import Surrogate
from regretless.optimizer.composite import Composite
from regretless.optimizer.context import Codes, Context
from regretless.optimizer.fidelity import Fidelity
from regretless.optimizer.network import Network, Wire, stage_domain, wires_of
from regretless.optimizer.outcomes import Outcome
from regretless.optimizer.rules import as_any_rule
from regretless.risk import Aim, Expectation
from regretless.rng import check_seed
from regretless.search import Design
from regretless.spaces import (
    Domain,
    Environment,
    Mixed,
    Perturbation,
    Place,
    Point,
    Repeats,
    Scenarios,
    Space,
    Table,
    listed_domain,
    scenarios_of,
    with_repeats,
)
from regretless.spaces.scalars import Scalar

__all__ = ["ENUMERATE_UP_TO", "Preset", "Task", "as_task", "chosen_params", "params_of", "with_table"]

#: ``"default"`` is the strongest setting we know, IRGP-UCB with exploiting steps in between; ``"paper"`` is that of
#: Takeno et al., IRGP-UCB as they ran it.
Preset = Literal["default", "paper"]

#: Discrete product spaces up to this size are listed as a table: the argmax is exact and the law is the theorem's.
ENUMERATE_UP_TO = 10_000


@dataclass(frozen=True, slots=True)
class Task:
    """Algorithm 1's constants. ``domain`` is the space as it is searched: a small discrete space becomes a list.

    ``space.repeats`` is one of the words: what the user said, or what follows from the rest.
    """

    space: Space
    domain: Domain
    outcomes: tuple[Outcome, ...]  # objectives first, then constraints
    rule: Rule | JointRule  # the second where there are several outcomes
    surrogate: Surrogate
    n_initial: int
    design: Design
    seed: int
    reference: tuple[float, ...] | None = None  # of several objectives, as maximised; None: inferred from the design
    fallback: float | None = None  # the value available without any trial, as maximised, for certificates
    risk: float = 0.1  # a recommendation violates some constraint with at most this probability
    scenarios: Scenarios | None = None  # where decisions are searched: the environments they are measured in
    aim: Aim | None = None  # and what a decision is worth over them
    context: Context | None = None  # a parameter of trials that the search does not choose
    wires: tuple[Wire | None, ...] = ()  # of a network: what the model of each outcome sees

    @property
    def objective(self) -> Outcome:
        """The first objective."""
        return self.outcomes[0]

    @property
    def objectives(self) -> tuple[Outcome, ...]:
        """The outcomes that are maximised or minimised."""
        return tuple(outcome for outcome in self.outcomes if outcome.role == "objective")

    @property
    def constraints(self) -> tuple[Outcome, ...]:
        """The outcomes that must stay within a bound."""
        return tuple(outcome for outcome in self.outcomes if outcome.role == "constraint")

    def of(self, outcome: int) -> "Task":
        """The task of one outcome alone: what its model depends on.

        Objectives that are compared with a reference point or a level are not compressed, nor those of which the low
        values over environments count; constraints are on both sides of their bound: see `knee`.
        """
        if self.level is not None or not isinstance(self.aim, Expectation | None):
            return replace(self, surrogate=replace(self.surrogate, compress=False))
        if len(self.outcomes) == 1:
            return self
        compared = len(self.objectives) > 1 or self.outcomes[outcome].role in ("constraint", "part")
        surrogate = replace(self.surrogate, compress=False) if compared else self.surrogate
        domain = self.domain if not outcome or not self.wires else stage_domain(self.levels_of(outcome))
        return replace(self, domain=domain, outcomes=self.outcomes[outcome : outcome + 1], surrogate=surrogate)

    def levels_of(self, outcome: int) -> tuple[int, ...]:
        """Of a stage, for each of its inputs the number of its categories, 0 where it is ordered."""
        wire = self.wires[outcome]
        assert wire is not None
        return (*(self.domain.n_levels[j] for j in wire.columns), *(0 for _ in wire.outcomes))

    def promised(self, outcome: int) -> "Task":
        """As `of`, for the belief behind certificates: values that are summed over environments are not compressed."""
        task = self.of(outcome)
        return task if self.scenarios is None else replace(task, surrogate=replace(task.surrogate, compress=False))

    @property
    def level(self) -> float | None:
        """The level of a level set, as maximised: a candidate is in the set where its value is at least that."""
        goal = self.objective.goal
        return None if goal is None else self.objective.inward(goal.level)

    @property
    def composite(self) -> Composite | Network | None:
        """The function that the objective is of the other outcomes, where it is one."""
        return self.objective.composite

    @property
    def network(self) -> Network | None:
        """It, where the other outcomes are stages of a network."""
        return self.composite if isinstance(self.composite, Network) else None

    @property
    def knee(self) -> float | None:
        """The value around which the outcome of a task of one alone is compressed: the bound of a constraint."""
        only = self.outcomes[0]
        return only.threshold if only.role == "constraint" and self.surrogate.standardize else None

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Which encoded columns hold categories."""
        return tuple(levels > 0 for levels in self.domain.n_levels)

    @property
    def context_width(self) -> int:
        """Columns that the context adds to the points of trials."""
        return 0 if self.context is None else self.context.width

    @property
    def fidelity(self) -> Fidelity | None:
        """The fidelity of trials, where there is one with levels below the target."""
        return self.context if isinstance(self.context, Fidelity) and self.context.width else None

    def place(self, params: Any, row: Any = None) -> Place:
        """The place of a measurement, by parameters or by a row's id; with an id they name the context alone.

        A context that is not named has its usual value.
        """
        context = self.context
        if context is None:
            return self.domain.place(params) if row is None else self.domain.place_of_row(row)
        if params is not None and not isinstance(params, Mapping):
            raise InvalidInput(f"params must be a mapping of names to values, {context.name!r} among them.")
        named = {} if params is None else dict(params)
        value = named.pop(context.name, context.usual)
        if value is None:
            raise InvalidInput(f"params must name a value of {context.name!r}, such as {context.examples[0]!r}.")
        if row is not None and named:
            raise InvalidInput(f"beside a row only {context.name!r} is named, got {', '.join(map(repr, named))} too.")
        codes = context.encode(value)
        place = self.domain.place(named) if row is None else self.domain.place_of_row(row)
        whole = {**place.params, context.name: context.decode(codes)}
        return replace(place, params=whole, context=codes[: context.width])

    def argument(self, params: Mapping[str, Any]) -> Any:
        """The argument of the user's function: a dict, or an array if the space has no names."""
        if self.context is None:
            return self.space.argument(params)
        own = {name: value for name, value in params.items() if name != self.context.name}
        return {**dict(self.space.argument(own)), self.context.name: params[self.context.name]}


def as_task(
    space: Space,
    *,
    outcomes: tuple[Outcome, ...] = (Outcome(),),
    preset: Preset = "default",
    rule: str | Rule | JointRule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    design: Design | None = None,
    seed: int | None = None,
    reference: tuple[float, ...] | None = None,
    fallback: float | None = None,
    risk: float = 0.1,
    environment: Environment | Perturbation | None = None,
    aim: Aim | None = None,
    context: Context | None = None,
) -> Task:
    """Check the settings; those that are None come from the preset."""
    if preset not in ("default", "paper"):
        raise InvalidInput(f"preset must be 'default' or 'paper', got {show(preset)}.")
    if surrogate is None:
        surrogate = Surrogate.paper() if preset == "paper" else Surrogate()
    elif not isinstance(surrogate, Surrogate):
        raise InvalidInput(f"surrogate must be a Surrogate, such as Surrogate(kernel='rbf'), got {show(surrogate)}.")
    chosen = _rule(rule, outcomes, preset, robust=environment is not None)
    if space.repeats is None:
        space = with_repeats(space, _repeats(preset, chosen, surrogate))
    scenarios, aim = _scenarios(space, environment, aim, outcomes)
    if scenarios is None:
        domain: Domain = listed_domain(space, ENUMERATE_UP_TO)
    else:
        space, domain = scenarios.space, scenarios.domain
        outcomes = _over_environments(outcomes, scenarios, aim)
    n_initial = _n_initial(domain, preset) if n_initial is None else as_whole(n_initial, "n_initial")
    _check_scales(surrogate, domain)
    wires = _wires(domain, outcomes, surrogate)
    _check_in_file(domain, chosen, outcomes)
    _check_region(domain, chosen, context)
    _check_context(context, domain, chosen, surrogate, outcomes, robust=scenarios is not None)
    if isinstance(context, Fidelity) and context.width and chosen == IRGPUCB() and domain.n_candidates is not None:
        chosen = IRGPUCB("theory")  # the theorem with levels needs the shift at every step
    if isinstance(chosen, UCB):  # a law that does not exist for this space is refused here, not at some later trial
        chosen.check(domain.n_candidates, domain.dim)
    if design is None:
        design = "random" if preset == "paper" else "hypercube"
    elif design not in ("hypercube", "random"):
        raise InvalidInput(f"design must be 'hypercube' or 'random', got {design!r}.")
    if not 0.0 < as_finite_float(risk, "risk") < 1.0:
        raise InvalidInput(f"risk must be a probability between 0 and 1, such as 0.1, got {show(risk)}.")
    seed = check_seed(seed)
    return Task(
        space,
        domain,
        outcomes,
        chosen,
        surrogate,
        n_initial,
        design,
        seed,
        reference,
        fallback,
        risk,
        scenarios,
        aim,
        context,
        wires,
    )


def _wires(domain: Domain, outcomes: tuple[Outcome, ...], surrogate: Surrogate) -> tuple[Wire | None, ...]:
    """What the stages of a network see."""
    network = outcomes[0].composite
    if not isinstance(network, Network):
        return ()
    if domain.unnamed:
        raise InvalidInput("stages have their inputs by name: name the parameters too, {'x': (0.0, 1.0)}.")
    network.check(domain.names, domain.constants)
    if isinstance(surrogate.lengthscale, tuple):
        raise InvalidInput("stages have inputs of their own: give one number as the lengthscale of all, or none.")
    return wires_of(network, domain)


def _scenarios(
    space: Space, environment: Environment | Perturbation | None, aim: Aim | None, outcomes: tuple[Outcome, ...]
) -> tuple[Scenarios | None, Aim | None]:
    """The environments of decisions and what a decision is worth: the mean where nothing is said."""
    if environment is None:
        if aim is not None:
            raise InvalidInput(
                f"{type(aim).__name__} is an aim over environments: give environment=Environment('humidity', [20, 40]) "
                "with it."
            )
        return None, None
    if len(outcomes) > 1 or outcomes[0].goal is not None or outcomes[0].composite is not None:
        raise InvalidInput(
            "environments are for one objective that is measured and optimised: without constraints on outcomes, a "
            "level set or a composite."
        )
    if isinstance(environment, Environment) and environment.name == outcomes[0].name:
        raise InvalidInput(
            f"{environment.name!r} is the objective, and so is measured: name the environment otherwise."
        )
    scenarios = scenarios_of(space, environment, ENUMERATE_UP_TO)
    aim = Expectation() if aim is None else aim
    aim.check(len(scenarios.weights))
    if outcomes[0].limits.given is not None and not isinstance(aim, Expectation):
        raise InvalidInput("limits are used by the certificate of the mean over environments alone; leave them out.")
    return scenarios, aim


def _over_environments(outcomes: tuple[Outcome, ...], scenarios: Scenarios, aim: Aim | None) -> tuple[Outcome, ...]:
    """The objective with what a decision is worth, in words."""
    assert aim is not None
    one = outcomes[0]
    return (replace(one, over=aim.words(one.name, scenarios.environment.words, larger=one.sign > 0.0)),)


def _check_in_file(domain: Domain, rule: Rule | JointRule, outcomes: tuple[Outcome, ...]) -> None:
    """Refuse what takes more than the mean and the sd of one row at a time, on a table in a file."""
    if domain.engine is None or (rule.blockwise and len(outcomes) == 1):
        return
    if len(outcomes) > 1 or outcomes[0].goal is not None:
        raise InvalidInput(
            "a table in a file is searched for one objective without constraints on outcomes. For several outcomes, "
            "or a level set, read the rows into memory: Table(pandas.read_parquet(path))."
        )
    possible = ", ".join(sorted(repr(name) for name, kind in RULES.items() if kind().blockwise))
    raise InvalidInput(
        f"{rule.name}, as it was given, needs draws of the function on all rows together, or a parameter per row; on a "
        f"table in a file that is not possible. Use one of {possible} with its default setting, or read the rows into "
        "memory."
    )


def _check_region(domain: Domain, rule: Rule | JointRule, context: Context | None) -> None:
    """Refuse what a trust region cannot be put into."""
    if not isinstance(rule, TrustRegion):
        return
    if not isinstance(domain, Mixed) or not domain.continuous.any():
        raise InvalidInput(
            "trust-region is a box around the best point, in real parameters; these candidates are a list, or have "
            "none. Use 'irgp-ucb', which looks at all of them."
        )
    if domain.region is not None:
        raise InvalidInput(
            "trust-region is for a space without constraints and conditions; use 'irgp-ucb', or leave them out."
        )
    if isinstance(context, Fidelity) and context.width:
        raise InvalidInput("trust-region counts results at the target alone: use 'irgp-ucb' with a fidelity.")


def _check_context(
    context: Context | None,
    domain: Domain,
    rule: Rule | JointRule,
    surrogate: Surrogate,
    outcomes: tuple[Outcome, ...],
    *,
    robust: bool,
) -> None:
    """Refuse what a parameter beside the space cannot be combined with."""
    if context is None:
        return
    if domain.unnamed:
        raise InvalidInput(
            f"{context.name!r} is a parameter by name: name those of the space too, {{'x': (0.0, 1.0)}}."
        )
    if context.name in domain.names or any(context.name == outcome.name for outcome in outcomes):
        raise InvalidInput(
            f"{context.name!r} is the name of a parameter of the space, or of an outcome: choose another."
        )
    if not isinstance(context, Fidelity) or not context.width:
        return
    if robust:
        raise InvalidInput("a study has a fidelity or an environment, not both.")
    if len(outcomes) > 1 or outcomes[0].goal is not None or outcomes[0].composite is not None:
        raise InvalidInput("a fidelity is for one objective that is optimised, without constraints on outcomes.")
    if domain.engine is not None:
        raise InvalidInput("a fidelity needs the rows of a table in memory: Table(pandas.read_parquet(path)).")
    if not rule.blockwise:
        possible = ", ".join(sorted(repr(name) for name, kind in RULES.items() if kind().blockwise))
        raise InvalidInput(
            f"{rule.name}, as it was given, needs draws of the function, or a parameter per candidate; with a fidelity "
            f"use one of {possible} with its default setting."
        )
    if surrogate.method == "fixed":
        raise InvalidInput("the discrepancies of a fidelity are fitted: a model with method='fixed' has none.")


def _rule(
    rule: "str | Rule | JointRule | None", outcomes: tuple[Outcome, ...], preset: Preset, *, robust: bool = False
) -> Rule | JointRule:
    chosen = as_any_rule(IRGPUCB() if rule is None else rule, outcomes, robust=robust)
    return IRGPUCB("paper") if preset == "paper" and chosen == IRGPUCB() else chosen


def params_of(task: Task, point: Point, codes: Codes | None = None) -> tuple[dict[str, Scalar], Scalar | None]:
    """The user's values at a point, and the id of its row, where candidates are rows that have one.

    ``codes`` are those of the context; None is its usual value, where it has one.
    """
    params, row, context = task.domain.params_of(point), task.domain.row_of(point), task.context
    if context is not None and (codes is not None or context.usual is not None):
        params[context.name] = context.usual if codes is None else context.decode(codes)
    return params, row


def chosen_params(task: Task, point: Point) -> tuple[dict[str, Scalar], Scalar | None]:
    """As `params_of`, of what is recommended: where there are environments, a decision without one."""
    if task.scenarios is None:
        return params_of(task, point)
    decisions = task.scenarios.decisions
    return decisions.params_of(point), decisions.row_of(point)


def _repeats(preset: Preset, rule: Rule | JointRule, surrogate: Surrogate) -> Repeats:
    """Where the user says nothing: the theorems are about the argmax over all points, so their settings take it."""
    theorem = isinstance(rule, UCB) and (
        rule.setting in ("theory", "tight", "anytime") or isinstance(rule.setting, AnytimeBand)
    )
    return "allow" if preset == "paper" or surrogate.method == "fixed" or theorem else "auto"


def with_table(task: Task, table: Table) -> Task:
    """The same task over an extended table."""
    if task.scenarios is not None:
        raise InvalidInput("a table with environments cannot be extended; begin a study with the longer one.")
    _check_scales(task.surrogate, table)
    return replace(task, space=table, domain=table, wires=_wires(table, task.outcomes, task.surrogate))


def _check_scales(surrogate: Surrogate, domain: Domain) -> None:
    scales = surrogate.lengthscale
    if isinstance(scales, tuple) and len(scales) != domain.dim:
        raise InvalidInput(f"the model has {len(scales)} length scales, the space has {domain.dim} columns.")


def _n_initial(domain: Domain, preset: Preset) -> int:
    """A handful of points: 2d + 2 in a box, d + 1 on a table. The paper: 2^d in a box (at most 64), 2 on a table."""
    N = domain.n_candidates
    if preset == "paper":
        return 2 ** min(domain.dim, 6) if N is None else min(2, N)
    return min(2 * domain.dim + 2, 20) if N is None else min(max(2, domain.dim + 1), 10, N)
