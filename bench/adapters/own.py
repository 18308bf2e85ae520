"""Regretless itself."""

from itertools import count
from typing import Any

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
        setup = self.study._setup
        N = getattr(setup.domain, "n_candidates", 0)
        return next(k for k in count(1) if refit_due(setup.surrogate, n=n + k, n_fitted=n, N=N))

    def _ask(self) -> regretless.Trial:
        self._trial = self.study.ask()
        return self._trial


class Box(_Own):
    """A study on a box."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats, **settings: Any) -> None:
        super().__init__([tuple(side) for side in bounds.tolist()], seed, len(X0), **settings)
        for x, y in zip(X0, y0.tolist(), strict=True):
            self.study.add(x, y)

    def ask(self) -> Floats:
        """The next point."""
        return self.study.space.argument(self._ask().params)

    def tell(self, x: Floats, y: float) -> None:
        """Told to the pending trial if it asked for ``x``, else added."""
        if self._trial is not None and (self.study.space.argument(self._trial.params) == x).all():
            self.study.tell(self._trial, y)
        else:
            self.study.add(x, y)
        self._trial = None


class OwnTable(_Own):
    """A study on a table."""

    def __init__(self, X: Floats, seed: int, index0: list[int], y0: Floats, **settings: Any) -> None:
        super().__init__(regretless.Table(X, repeats="never"), seed, len(index0), **settings)
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
