"""Sample paths of the posterior on a view, and their maxima: the random part of TS, PIMS, MES and JES."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.acquisition.base import View
from regretless.arrays import Floats
from regretless.gp import Paths, draw_on_table, draw_paths

__all__ = ["EXACT_UP_TO", "Maxima", "Sample", "draw_sample"]

#: Tables up to this size get exact joint draws (one N x N factorisation a fit); larger ones get random features.
EXACT_UP_TO = 2000
#: Candidates evaluated at a time where features are used.
BLOCK = 8192
#: Starts of the climb to each path's maximum.
STARTS = 4


@dataclass(frozen=True, slots=True)
class Maxima:
    """Where each path is largest: candidate indices on tables, points and values everywhere."""

    X: Floats  # (s, d)
    values: Floats  # (s,)
    indices: npt.NDArray[np.intp] | None  # (s,) on tables


@dataclass(frozen=True, slots=True)
class Sample:
    """Paths on the candidates, ``values`` (N, s), and as functions where they were made of features."""

    values: Floats
    paths: Paths | None

    def maxima(self, view: View) -> Maxima:
        """The maximum of each path: exact on a table, by climbing from the best candidates on a box."""
        s = self.values.shape[1]
        if view.climb is None or self.paths is None:
            best = self.values.argmax(axis=0)
            return Maxima(view.X[best], self.values[best, np.arange(s)], best)
        paths, count = self.paths, min(STARTS, len(view.X))
        starts = np.argpartition(-self.values, count - 1, axis=0)[:count].T  # (s, count)
        which = np.repeat(np.arange(s), count)

        def path_of_start(X: Floats, start: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
            return paths.value_and_gradient(X, which[start])

        X, values = view.climb(path_of_start, view.X[starts.ravel()])
        best = values.reshape(s, count).argmax(axis=1) + np.arange(s) * count
        return Maxima(X[best], values[best], None)


def draw_sample(view: View, n_paths: int, rng: np.random.Generator, *, n_features: int) -> Sample:
    """Draw paths: exactly on tables up to `EXACT_UP_TO` candidates, otherwise with ``n_features`` random features."""
    if view.table is not None and view.prior_factor and view.observed is not None and len(view.X) <= EXACT_UP_TO:
        return Sample(draw_on_table(view.table, view.prior_factor(), view.observed, n_paths, rng), None)
    paths = draw_paths(view.posterior, n_paths, rng, n_features=n_features, n_levels=view.n_levels)
    parts = [paths(view.X[i : i + BLOCK]) for i in range(0, len(view.X), BLOCK)]
    return Sample(np.concatenate(parts), paths)
