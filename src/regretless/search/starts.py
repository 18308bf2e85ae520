"""Where the search in a product space starts: all over the cube, and around the best points so far."""

from collections.abc import Callable

import numpy as np

from regretless.arrays import Floats
from regretless.spaces import Mixed

__all__ = ["candidate_set"]

#: Points all over the cube.
_GLOBAL = 400
#: Best measured points that are surrounded, and points around each.
_CENTRES = 4
_AROUND = 20


def candidate_set(space: Mixed, worth: Callable[[Floats], Floats], told: Floats, rng: np.random.Generator) -> Floats:
    """A Latin hypercube, the most promising measured points, and clouds around those of widths from 0.1 to 0.001."""
    parts = [space.sample(_GLOBAL, rng)]
    if len(told):
        best = told[np.argsort(-worth(told), kind="stable")[:_CENTRES]]
        centres = np.repeat(best, _AROUND, axis=0)
        width = 10.0 ** rng.uniform(-3.0, -1.0, (len(centres), 1))
        cloud = centres + width * rng.standard_normal(centres.shape)
        discrete = ~space.continuous
        if discrete.any():
            # Such a column is drawn anew now and then; in between it stays, else a cloud would hardly leave its centre.
            fresh = space.sample(len(centres), rng)
            anew = rng.random(centres.shape) < 0.2
            cloud[:, discrete] = np.where(anew, fresh, centres)[:, discrete]
        parts += [best, np.clip(cloud, 0.0, None)]
    return space.snap(np.vstack(parts))
