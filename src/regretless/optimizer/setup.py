"""What stays the same through a study: the space, the rule, the model, the seed."""

from dataclasses import dataclass, replace
from typing import Literal

from regretless.acquisition import IRGPUCB, UCB, Rule, as_rule
from regretless.arrays import as_whole, show
from regretless.errors import InvalidInput
from regretless.gp import Surrogate
from regretless.rng import check_seed
from regretless.spaces import Mixed, Repeats, Table, as_table, with_repeats

__all__ = ["ENUMERATE_UP_TO", "Design", "Preset", "Setup", "setup", "with_table"]

#: ``"default"`` is the strongest setting we know, IRGP-UCB with exploiting steps in between; ``"paper"`` is that of
#: Takeno et al., IRGP-UCB as they ran it.
Preset = Literal["default", "paper"]

#: The first points: spread evenly, or each drawn on its own, uniformly, as in the paper.
Design = Literal["hypercube", "random"]

#: Discrete product spaces up to this size are listed as a table: the argmax is exact and the law is the theorem's.
ENUMERATE_UP_TO = 10_000


@dataclass(frozen=True, slots=True)
class Setup:
    """Algorithm 1's constants. ``domain`` is the space as it is searched: a small discrete space becomes a table.

    ``space.repeats`` is one of the words: what the user said, or what follows from the rest.
    """

    space: Table | Mixed
    domain: Table | Mixed
    rule: Rule
    surrogate: Surrogate
    n_initial: int
    design: Design
    seed: int

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Which encoded columns hold categories."""
        return tuple(levels > 0 for levels in self.domain.n_levels)


def setup(
    space: Table | Mixed,
    *,
    preset: Preset = "default",
    rule: str | Rule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    design: Design | None = None,
    seed: int | None = None,
) -> Setup:
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
    listed = as_table(space, ENUMERATE_UP_TO) if isinstance(space, Mixed) else None
    domain = listed if listed is not None else space
    n_initial = _n_initial(domain, preset) if n_initial is None else as_whole(n_initial, "n_initial")
    _check_scales(surrogate, domain)
    if isinstance(chosen, UCB):  # a law that does not exist for this space is refused here, not at some later trial
        chosen.law(domain.n_candidates if isinstance(domain, Table) else None, domain.dim)
    if design is None:
        design = "random" if preset == "paper" else "hypercube"
    elif design not in ("hypercube", "random"):
        raise InvalidInput(f"design must be 'hypercube' or 'random', got {design!r}.")
    return Setup(space, domain, chosen, surrogate, n_initial, design, check_seed(seed))


def _repeats(preset: Preset, rule: Rule, surrogate: Surrogate) -> Repeats:
    """Where the user says nothing: the theorems are about the argmax over all points, so their settings take it."""
    theorem = isinstance(rule, UCB) and rule.setting == "theory"
    return "allow" if preset == "paper" or surrogate.method == "fixed" or theorem else "auto"


def with_table(setup: Setup, table: Table) -> Setup:
    """The same setup over an extended table."""
    _check_scales(setup.surrogate, table)
    return replace(setup, space=table, domain=table)


def _check_scales(surrogate: Surrogate, domain: Table | Mixed) -> None:
    scales = surrogate.lengthscale
    if isinstance(scales, tuple) and len(scales) != domain.dim:
        raise InvalidInput(f"the model has {len(scales)} length scales, the space has {domain.dim} columns.")


def _n_initial(domain: Table | Mixed, preset: Preset) -> int:
    """A handful of points: 2d + 2 in a box, d + 1 on a table. The paper: 2^d in a box (at most 64), 2 on a table."""
    if preset == "paper":
        return min(2, domain.n_candidates) if isinstance(domain, Table) else 2 ** min(domain.dim, 6)
    if isinstance(domain, Table):
        return min(max(2, domain.dim + 1), 10, domain.n_candidates)
    return min(2 * domain.dim + 2, 20)
