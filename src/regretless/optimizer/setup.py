"""What stays the same through a study: the space, the rule, the model, the seed."""

from dataclasses import dataclass

from regretless.acquisition import IRGPUCB, Rule, as_rule
from regretless.errors import InvalidInput
from regretless.gp import Surrogate
from regretless.rng import check_seed
from regretless.spaces import Mixed, Table, as_table

__all__ = ["ENUMERATE_UP_TO", "Setup", "setup"]

#: Discrete product spaces up to this size are listed as a table: the argmax is exact and the law is the theorem's.
ENUMERATE_UP_TO = 10_000


@dataclass(frozen=True, slots=True)
class Setup:
    """Algorithm 1's constants. ``domain`` is the space as it is searched: a small discrete space becomes a table."""

    space: Table | Mixed
    domain: Table | Mixed
    rule: Rule
    surrogate: Surrogate
    n_initial: int
    seed: int

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Which encoded columns hold categories."""
        return tuple(levels > 0 for levels in self.domain.n_levels)


def setup(
    space: Table | Mixed,
    *,
    rule: str | Rule | None = None,
    surrogate: Surrogate | None = None,
    n_initial: int | None = None,
    seed: int | None = None,
) -> Setup:
    """Check the pieces and fill in the defaults."""
    listed = as_table(space, ENUMERATE_UP_TO) if isinstance(space, Mixed) else None
    domain = listed if listed is not None else space
    if n_initial is None:
        n_initial = default_n_initial(domain)
    elif isinstance(n_initial, bool) or not isinstance(n_initial, int) or n_initial < 0:
        raise InvalidInput(f"n_initial must be a whole number >= 0, got {n_initial!r}.")
    surrogate = Surrogate() if surrogate is None else surrogate
    scales = surrogate.lengthscale
    if isinstance(scales, tuple) and len(scales) != domain.dim:
        raise InvalidInput(f"the model has {len(scales)} length scales, the space has {domain.dim} columns.")
    return Setup(space, domain, IRGPUCB() if rule is None else as_rule(rule), surrogate, n_initial, check_seed(seed))


def default_n_initial(domain: Table | Mixed) -> int:
    """A handful of points: 2d + 2 in a box, fewer on a table, never more than 20 or than there are."""
    if isinstance(domain, Table):
        return min(max(2, domain.dim + 1), 10, domain.n_candidates)
    return min(2 * domain.dim + 2, 20)
