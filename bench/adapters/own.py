"""Regretless itself."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

import regretless
from bench.adapters import Aims, Floats
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


class OwnFidelities(_Own):
    """A study on a box that buys levels, or the target alone."""

    def __init__(
        self,
        bounds: Floats,
        levels: tuple[float, ...],
        costs: tuple[float, ...],
        seed: int,
        X0: Floats,
        at0: list[int],
        y0: Floats,
        *,
        target_alone: bool = False,
        **settings: Any,
    ) -> None:
        self.levels, bought = levels, slice(-1 if target_alone else 0, None)
        fidelity = regretless.Fidelity("level", levels=list(levels[bought]), cost=list(costs[bought]))
        space = {f"x{j}": tuple(side) for j, side in enumerate(bounds.tolist())}
        super().__init__(space, seed, len({tuple(x) for x in X0.tolist()}), fidelity=fidelity, **settings)
        for x, at, y in zip(X0.tolist(), at0, y0.tolist(), strict=True):
            self.study.add({**dict(zip(space, x, strict=True)), "level": levels[at]}, y)

    def ask(self) -> tuple[Floats, int]:
        """The next point and the number of its level."""
        params = dict(self._ask().params)
        at = self.levels.index(params.pop("level"))
        return np.array(list(params.values())), at

    def tell(self, x: Floats, at: int, y: float) -> None:  # noqa: ARG002
        """What was measured there."""
        self.study.tell(self._trial, y)

    def recommend(self) -> Floats:
        """The largest posterior mean at the target."""
        params = self.study.recommend().params
        return np.array([params[name] for name in self.study.space.names])


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


class OwnOutcomes(_Own):
    """A study with several outcomes on a box: f0, f1, ... to be maximised, c0, c1, ... to be at most 0."""

    def __init__(self, bounds: Floats, aims: Aims, seed: int, X0: Floats, Y0: Floats, **settings: Any) -> None:
        super().__init__(_space(bounds, ()), seed, len(X0), **_wishes(aims), **settings)
        self.names = _outcomes(aims)
        for x, y in zip(X0, Y0, strict=True):
            self.tell(x, y)

    def ask(self) -> Floats:
        """The next point."""
        return np.array([float(value) for value in self._ask().params.values()])

    def tell(self, x: Floats, y: Floats) -> None:
        """Told to the pending trial if there is one, else added."""
        values = dict(zip(self.names, y.tolist(), strict=True))
        if self._trial is not None:
            self.study.tell(self._trial, values)
        else:
            self.study.add(dict(zip(self.study.space.names, x.tolist(), strict=True)), values)
        self._trial = None


class OwnComposite(_Own):
    """A study on a box whose objective is a known function of the outcomes y0, y1, ..."""

    def __init__(
        self, bounds: Floats, outer: Callable[[Floats], Floats], seed: int, X0: Floats, Y0: Floats, **settings: Any
    ) -> None:
        self.names = [f"y{k}" for k in range(Y0.shape[1])]
        objective = regretless.Composite(
            lambda y: outer(np.stack([y[name] for name in self.names], axis=-1)), of=self.names
        )
        super().__init__(_space(bounds, ()), seed, len(X0), objective=objective, **settings)
        for x, y in zip(X0, Y0, strict=True):
            self.tell(x, y)

    def ask(self) -> Floats:
        """The next point."""
        return np.array([float(value) for value in self._ask().params.values()])

    def tell(self, x: Floats, y: Floats) -> None:
        """Told to the pending trial if there is one, else added."""
        values = dict(zip(self.names, y.tolist(), strict=True))
        if self._trial is not None:
            self.study.tell(self._trial, values)
        else:
            self.study.add(dict(zip(self.study.space.names, x.tolist(), strict=True)), values)
        self._trial = None


class OwnNetwork(OwnComposite):
    """A study on a box whose objective is the last of the stages y0, y1, ...; each has columns and earlier stages."""

    def __init__(
        self,
        bounds: Floats,
        inputs: Sequence[tuple[Sequence[int], Sequence[int]]],
        seed: int,
        X0: Floats,
        Y0: Floats,
        **settings: Any,
    ) -> None:
        space = {f"x{j}": (float(low), float(high)) for j, (low, high) in enumerate(bounds)}
        self.names, columns = [f"y{k}" for k in range(Y0.shape[1])], list(space)
        stages = {
            name: [*(columns[j] for j in own), *(self.names[j] for j in earlier)]
            for name, (own, earlier) in zip(self.names, inputs, strict=True)
        }
        _Own.__init__(self, space, seed, len(X0), objective=regretless.Network(stages), **settings)
        for x, y in zip(X0, Y0, strict=True):
            self.tell(x, y)


class OwnOutcomesTable(_Own):
    """The same on a table."""

    def __init__(self, X: Floats, aims: Aims, seed: int, index0: list[int], Y0: Floats, **settings: Any) -> None:
        super().__init__(regretless.Table(X, repeats="never"), seed, len(index0), **_wishes(aims), **settings)
        self.names = _outcomes(aims)
        for index, y in zip(index0, Y0, strict=True):
            self.tell(index, y)

    def ask(self) -> int:
        """The next row."""
        return int(self._ask().row)

    def tell(self, index: int, y: Floats) -> None:
        """Told to the pending trial if there is one, else added."""
        values = dict(zip(self.names, y.tolist(), strict=True))
        if self._trial is not None:
            self.study.tell(self._trial, values)
        else:
            self.study.add(row=int(index), value=values)
        self._trial = None


def _outcomes(aims: Aims) -> list[str]:
    return [f"f{k}" for k in range(aims.n_objectives)] + [f"c{j}" for j in range(aims.n_constraints)]


def _wishes(aims: Aims) -> dict[str, Any]:
    """Objectives, reference point and constraints as a study takes them."""
    names = _outcomes(aims)
    objectives, constrained = names[: aims.n_objectives], names[aims.n_objectives :]
    wishes: dict[str, Any] = {"constraints": dict.fromkeys(constrained, ("<=", 0.0))} if constrained else {}
    if aims.n_objectives == 1:
        return wishes | {"objective": objectives[0]}
    reference = dict(zip(objectives, aims.reference, strict=True))
    return wishes | {"objectives": dict.fromkeys(objectives, "maximize"), "reference": reference}
