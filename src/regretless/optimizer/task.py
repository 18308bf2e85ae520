"""What a study is about and what stays the same through it: the domain, the outcomes, the rule, the model, the seed."""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar

from regretless.acquisition import IRGPUCB, UCB, Rule, as_rule
from regretless.arrays import Floats, as_whole, show
from regretless.errors import InvalidInput
from regretless.gp import Surrogate
from regretless.optimizer.limits import Limits
from regretless.rng import check_seed
from regretless.search import Design
from regretless.spaces import Domain, Point, Repeats, Space, Table, listed_domain, with_repeats
from regretless.spaces.scalars import Scalar

__all__ = ["ENUMERATE_UP_TO", "Direction", "Outcome", "Preset", "Role", "Task", "as_task", "params_of", "with_table"]

#: ``"default"`` is the strongest setting we know, IRGP-UCB with exploiting steps in between; ``"paper"`` is that of
#: Takeno et al., IRGP-UCB as they ran it.
Preset = Literal["default", "paper"]

#: Discrete product spaces up to this size are listed as a table: the argmax is exact and the law is the theorem's.
ENUMERATE_UP_TO = 10_000


Value = TypeVar("Value", float, Floats)
Direction: TypeAlias = Literal["maximize", "minimize"]
Role: TypeAlias = Literal["objective", "constraint"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that is measured, in the user's words and units; `inward` and `outward` are the only sign flip.

    Inside, an objective is maximised. ``limits`` are what the outcome cannot leave because of what it is.

    >>> Outcome("cost", direction="minimize").inward(3.5)
    -3.5
    """

    name: str = "value"
    role: Role = "objective"
    direction: Direction = "maximize"
    limits: Limits = field(default_factory=Limits)

    @property
    def sign(self) -> float:
        """What a value is multiplied by on its way in and out."""
        return 1.0 if self.direction == "maximize" else -1.0

    def inward(self, value: Value) -> Value:
        """A value of the user's as it is maximised."""
        return self.sign * value

    def outward(self, value: Value) -> Value:
        """What is maximised as the user sees it."""
        return self.sign * value

    def outward_interval(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The ends of an interval as the user sees them, the lower one first."""
        return (low, high) if self.sign > 0.0 else (-high, -low)


@dataclass(frozen=True, slots=True)
class Task:
    """Algorithm 1's constants. ``domain`` is the space as it is searched: a small discrete space becomes a list.

    ``space.repeats`` is one of the words: what the user said, or what follows from the rest.
    """

    space: Space
    domain: Domain
    outcomes: tuple[Outcome, ...]
    rule: Rule
    surrogate: Surrogate
    n_initial: int
    design: Design
    seed: int

    @property
    def objective(self) -> Outcome:
        """The first objective."""
        return self.outcomes[0]

    def of(self, outcome: int) -> "Task":
        """The task of one outcome alone: what its model depends on."""
        return self if len(self.outcomes) == 1 else replace(self, outcomes=self.outcomes[outcome : outcome + 1])

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Which encoded columns hold categories."""
        return tuple(levels > 0 for levels in self.domain.n_levels)


def as_task(
    space: Space,
    *,
    outcomes: tuple[Outcome, ...] = (Outcome(),),
    preset: Preset = "default",
    rule: str | Rule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    design: Design | None = None,
    seed: int | None = None,
) -> Task:
    """Check the pieces; what is None comes from the preset."""
    if preset not in ("default", "paper"):
        raise InvalidInput(f"preset must be 'default' or 'paper', got {show(preset)}.")
    if surrogate is None:
        surrogate = Surrogate.paper() if preset == "paper" else Surrogate()
    elif not isinstance(surrogate, Surrogate):
        raise InvalidInput(f"surrogate must be a Surrogate, such as Surrogate(kernel='rbf'), got {show(surrogate)}.")
    chosen = IRGPUCB() if rule is None else as_rule(rule)
    if preset == "paper" and chosen == IRGPUCB():
        chosen = IRGPUCB("paper")
    if space.repeats is None:
        space = with_repeats(space, _repeats(preset, chosen, surrogate))
    domain = listed_domain(space, ENUMERATE_UP_TO)
    n_initial = _n_initial(domain, preset) if n_initial is None else as_whole(n_initial, "n_initial")
    _check_scales(surrogate, domain)
    if isinstance(chosen, UCB):  # a law that does not exist for this space is refused here, not at some later trial
        chosen.law(domain.n_candidates, domain.dim)
    if design is None:
        design = "random" if preset == "paper" else "hypercube"
    elif design not in ("hypercube", "random"):
        raise InvalidInput(f"design must be 'hypercube' or 'random', got {design!r}.")
    return Task(space, domain, outcomes, chosen, surrogate, n_initial, design, check_seed(seed))


def params_of(task: Task, point: Point) -> tuple[dict[str, Scalar], Scalar | None]:
    """The user's values at a point, and the id of its row, where candidates are rows that have one."""
    return task.domain.params_of(point), task.domain.row_of(point)


def _repeats(preset: Preset, rule: Rule, surrogate: Surrogate) -> Repeats:
    """Where the user says nothing: the theorems are about the argmax over all points, so their settings take it."""
    theorem = isinstance(rule, UCB) and rule.setting == "theory"
    return "allow" if preset == "paper" or surrogate.method == "fixed" or theorem else "auto"


def with_table(task: Task, table: Table) -> Task:
    """The same task over an extended table."""
    _check_scales(task.surrogate, table)
    return replace(task, space=table, domain=table)


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
