"""Regretless itself."""

from itertools import count
from typing import Any

import numpy as np

import regretless
from bench.adapters import Floats
from regretless.gp import refit_due


class _Own:
    def __init__(
        self, space: Any, seed: int, n_initial: int, *, model: dict[str, Any] | None = None, **settings: Any
    ) -> None:
        surrogate = None if model is None else regretless.Surrogate(**model)
        self.study = regretless.Study(space, seed=seed, n_initial=n_initial, surrogate=surrogate, **settings)
        self._trial: regretless.Trial | None = None

    def cycle(self, n: int) -> int:
        """Suggestions from one fit of the hyperparameters to the next, when there are ``n`` observations."""
        setup = self.study._task
        N = getattr(setup.domain, "n_candidates", 0)
        return next(k for k in count(1) if refit_due(setup.surrogate, n=n + k, n_fitted=n, N=N))

    def _ask(self) -> regretless.Trial:
        self._trial = self.study.ask()
        return self._trial


class Box(_Own):
    """A study on a box, or on a product of numbers and categories."""

    def __init__(
        self, bounds: Floats, seed: int, X0: Floats, y0: Floats, levels: tuple[int, ...] = (), **settings: Any
    ) -> None:
        self.levels = levels or (0,) * len(bounds)
        super().__init__(_space(bounds, levels), seed, len(X0), **settings)
        for x, y in zip(X0, y0.tolist(), strict=True):
            self.study.add(self._params(x), y)

    def ask(self) -> Floats:
        """The next point."""
        return np.array([float(value) for value in self._ask().params.values()])

    def tell(self, x: Floats, y: float) -> None:
        """Told to the pending trial if it asked for ``x``, else added."""
        params = self._params(x)
        if self._trial is not None and self._trial.params == params:
            self.study.tell(self._trial, y)
        else:
            self.study.add(params, y)
        self._trial = None

    def _params(self, x: Floats) -> dict[str, Any]:
        names = zip(self.study.space.names, x.tolist(), self.levels, strict=True)
        return {name: str(int(value)) if K else value for name, value, K in names}


def _space(bounds: Floats, levels: tuple[int, ...]) -> Any:
    sides = [tuple(side) for side in bounds.tolist()]
    if not any(levels):
        return sides
    return {f"x{j}": [str(k) for k in range(K)] if K else sides[j] for j, K in enumerate(levels)}


class OwnTable(_Own):
    """A study on a table."""

    def __init__(
        self, X: Floats, seed: int, index0: list[int], y0: Floats, levels: tuple[int, ...] = (), **settings: Any
    ) -> None:
        source: Any = {f"x{j}": x for j, x in enumerate(X.T)} if any(levels) else X
        categorical = [f"x{j}" for j, K in enumerate(levels) if K]
        table = regretless.Table(source, categorical=categorical, repeats="never")
        super().__init__(table, seed, len(index0), **settings)
        for index, y in zip(index0, y0.tolist(), strict=True):
            self.study.add(row=int(index), value=y)

    def ask(self) -> int:
        """The next row."""
        return int(self._ask().row)

    def tell(self, index: int, y: float) -> None:
        """Told to the pending trial if it asked for this row, else added."""
        if self._trial is not None and self._trial.row == index:
            self.study.tell(self._trial, y)
        else:
            self.study.add(row=index, value=y)
        self._trial = None
