"""Every optimiser behind one interface, in the user's units, maximising.

``Optimizer(bounds, seed, X0, y0)`` with ``ask() -> x`` and ``tell(x, y)``; ``TableOptimizer(X, seed, index0, y0)`` with
``ask() -> index`` and ``tell(index, y)``, which never asks for a row twice. The data handed in at the start are the
whole initial design: each peer is set up to use its model from the first ``ask`` on. A module is imported only when
its peer is used. Categories are codes 0, 1, ..., K - 1; ``levels`` has K for each column, 0 for numbers. A class whose
peer has ``categories`` takes them as ``levels``, the others get one column per level.

With several outcomes ``Outcomes(bounds, aims, seed, X0, Y0)`` has ``ask() -> x`` and ``tell(x, y)``; rows of ``Y0`` are
first the objectives, to be maximised, then the constrained outcomes, to be at most 0. ``OutcomesTable(X, aims, seed,
index0, Y0)`` is the same on the rows of a table.

With fidelities ``Fidelities(bounds, levels, costs, seed, X0, at0, y0)`` has ``ask() -> (x, number of a level)``,
``tell(x, at, y)`` and ``recommend() -> x`` at the target, the last level; None before it has one.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = [
    "OURS",
    "PEERS",
    "Aims",
    "Floats",
    "Optimizer",
    "Peer",
    "TableOptimizer",
    "box_optimizer",
    "fidelity_optimizer",
    "outcome_optimizer",
    "outcome_table_optimizer",
    "table_optimizer",
]

Floats = npt.NDArray[np.float64]


class Optimizer(Protocol):
    """Suggests points of a box."""

    def ask(self) -> Floats:
        """The next point."""

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there."""


class TableOptimizer(Protocol):
    """Suggests rows of a table."""

    def ask(self) -> int:
        """The next row."""

    def tell(self, index: int, y: float) -> None:
        """What was measured there."""


@dataclass(frozen=True, slots=True)
class Aims:
    """How many of the outcomes are objectives and how many constraints, and the reference point of the objectives."""

    n_objectives: int
    n_constraints: int
    reference: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Peer:
    """One optimiser in one setting."""

    label: str
    module: str
    packages: tuple[str, ...]  # whose versions decide what it does; the first is the peer itself
    settings: Mapping[str, Any] = field(default_factory=dict)
    box: str | None = "Box"  # name of the class for boxes, None if it has none
    table: str | None = None
    outcomes: str | None = None  # the same for several outcomes
    outcomes_table: str | None = None
    fidelities: str | None = None  # and for fidelities
    categories: bool = False  # whether its classes take `levels`
    venv: str = ".venv-bench"
    hosted: bool = False  # whether it is there for `bench hosts` alone
    seconds: float = 0.3  # per suggestion, a guess for the progress bar only


_TORCH = ("torch", "gpytorch", "numpy", "scipy")
_SKLEARN = ("scikit-learn", "numpy", "scipy")


def _own(label: str, *, table: str | None = "OwnTable", **settings: Any) -> Peer:
    return Peer(
        label,
        "own",
        ("regretless", "numpy", "scipy"),
        settings,
        table=table,
        outcomes="OwnOutcomes",
        outcomes_table="OwnOutcomesTable",
        fidelities="OwnFidelities",
        categories=True,
        seconds=0.02,
    )


def _botorch(label: str, module: str, *, table: str | None = None, **settings: Any) -> Peer:
    """BoTorch with several outcomes."""
    return Peer(
        label, module, ("botorch", *_TORCH), settings, box=None, outcomes="Outcomes", outcomes_table=table, seconds=1.0
    )


def _botorch_fidelity(label: str, acquisition: str) -> Peer:
    return Peer(
        label,
        "botorch_fidelity",
        ("botorch", *_TORCH),
        {"acquisition": acquisition},
        box=None,
        fidelities="Fidelities",
        seconds=3.0,
    )


def _search(label: str, *packages: str) -> Peer:
    """A search over hyperparameters of scikit-learn's kind: see `bench.tuning`."""
    return Peer(label, "tuning", (*packages, *_SKLEARN), box=None, hosted=True, seconds=10.0)


#: Every optimiser by the name used on the command line and in files.
PEERS: dict[str, Peer] = {
    "regretless": _own("Regretless"),
    "regretless-paper": _own("Regretless, paper preset", preset="paper"),
    "regretless-ei": _own("Regretless, EI", rule="ei"),
    "regretless-ts": _own("Regretless, TS", rule="ts"),
    "regretless-pims": _own("Regretless, PIMS", rule="pims"),
    "regretless-region": _own("Regretless, trust region", table=None, rule="trust-region"),
    "regretless-columns": _own("Regretless, no idle columns", model={"lengthscale_prior": (0.15, 0.35)}),
    "botorch-logei": Peer(
        "BoTorch LogEI", "botorch", ("botorch", *_TORCH), {"acquisition": "logei"}, table="BoTorchTable"
    ),
    "botorch-ucb": Peer("BoTorch UCB", "botorch", ("botorch", *_TORCH), {"acquisition": "ucb"}, table="BoTorchTable"),
    "optuna-gp": Peer(
        "Optuna GPSampler",
        "optuna",
        ("optuna", "torch", "numpy", "scipy"),
        {"sampler": "gp"},
        outcomes="Outcomes",
        categories=True,
    ),
    "optuna-tpe": Peer(
        "Optuna TPESampler",
        "optuna",
        ("optuna", "numpy"),
        {"sampler": "tpe"},
        outcomes="Outcomes",
        categories=True,
        seconds=0.01,
    ),
    "scikit-optimize": Peer("scikit-optimize", "skopt", ("scikit-optimize", *_SKLEARN)),
    "bayes-opt": Peer("bayes_opt", "bayes_opt", ("bayesian-optimization", *_SKLEARN)),
    "smac": Peer("SMAC3 blackbox", "smac", ("smac", "ConfigSpace", *_SKLEARN), seconds=1.0),
    "ax": Peer("Ax", "ax", ("ax-platform", "botorch", *_TORCH), seconds=0.5),
    "baybe": Peer("BayBE", "baybe", ("baybe", "botorch", *_TORCH), table="BayBETable", seconds=0.4),
    "hebo": Peer("HEBO", "hebo", ("HEBO", "pymoo", "torch", "gpytorch", "numpy"), venv=".venv-bench-hebo", seconds=3.0),
    "cma": Peer("CMA-ES", "cma", ("cma", "numpy"), seconds=0.01),
    "botorch-qlognei": _botorch("BoTorch qLogNEI", "botorch_outcomes", acquisition="qlognei"),
    "botorch-ei-fn": Peer("EI-FN on BoTorch", "botorch_networks", ("botorch", *_TORCH), box=None, seconds=1.0),
    "botorch-logcei": _botorch("BoTorch LogCEI", "botorch_outcomes", acquisition="logcei"),
    "scbo": _botorch("SCBO", "scbo"),
    "botorch-qlognehvi": _botorch(
        "BoTorch qLogNEHVI", "botorch_outcomes", table="OutcomesTable", acquisition="qlognehvi"
    ),
    "botorch-qlognparego": _botorch(
        "BoTorch qLogNParEGO", "botorch_outcomes", table="OutcomesTable", acquisition="qlognparego"
    ),
    "optuna-nsga2": Peer(
        "Optuna NSGA-II",
        "optuna",
        ("optuna", "numpy"),
        {"sampler": "nsga2"},
        box=None,
        outcomes="Outcomes",
        seconds=0.01,
    ),
    "random": Peer(
        "Random", "uniform", ("numpy",), box=None, outcomes="Outcomes", outcomes_table="OutcomesTable", seconds=0.001
    ),
    "optuna-cmaes": Peer(
        "Optuna CmaEsSampler", "optuna", ("optuna", "cmaes", "numpy"), {"sampler": "cmaes"}, hosted=True, seconds=0.01
    ),
    "optuna-regretless": Peer(
        "Optuna with our sampler",
        "optuna",
        ("regretless", "optuna", "numpy", "scipy"),
        {"sampler": "regretless"},
        hosted=True,
        seconds=0.02,
    ),
    "regretless-target": _own("Regretless, target alone", table=None, target_alone=True),
    "botorch-mf-mes": _botorch_fidelity("BoTorch multi-fidelity MES", "mes"),
    "botorch-mf-kg": _botorch_fidelity("BoTorch multi-fidelity KG", "kg"),
    "smac-hyperband": Peer(
        "SMAC3 Hyperband",
        "smac_fidelity",
        ("smac", "ConfigSpace", *_SKLEARN),
        box=None,
        fidelities="Fidelities",
        seconds=0.5,
    ),
    "turbo": Peer("TuRBO", "turbo", ("botorch", *_TORCH), seconds=1.0),
    "search-regretless": _search("RegretlessSearchCV", "regretless"),
    "search-bayes": _search("BayesSearchCV", "scikit-optimize"),
    "search-halving": _search("HalvingRandomSearchCV"),
    "search-random": _search("RandomizedSearchCV"),
}

#: The optimisers of this package.
OURS = tuple(name for name, peer in PEERS.items() if peer.module == "own")


def box_optimizer(
    name: str, bounds: Floats, seed: int, X0: Floats, y0: Floats, levels: tuple[int, ...] = ()
) -> Optimizer:
    """The optimiser of that name on a box: ``bounds`` is (d, 2), ``X0`` (n, d) and ``y0`` (n,) are the initial data."""
    kind, settings = _class(name, PEERS[name].box), PEERS[name].settings
    if not any(levels):
        return kind(bounds, seed, X0, y0, **settings)
    if PEERS[name].categories:
        return kind(bounds, seed, X0, y0, levels=levels, **settings)
    from bench.adapters.onehot import OneHot

    return OneHot(lambda box, inside: kind(box, seed, inside, y0, **settings), bounds, X0, levels)


def table_optimizer(
    name: str, X: Floats, seed: int, index0: list[int], y0: Floats, levels: tuple[int, ...] = ()
) -> TableOptimizer:
    """The optimiser of that name on the rows of ``X``; ``index0`` are the rows of the initial data."""
    kind, settings = _class(name, PEERS[name].table), PEERS[name].settings
    if not any(levels):
        return kind(X, seed, index0, y0, **settings)
    if PEERS[name].categories:
        return kind(X, seed, index0, y0, levels=levels, **settings)
    from bench.adapters.onehot import one_hot

    return kind(one_hot(X, levels), seed, index0, y0, **settings)


def outcome_optimizer(name: str, bounds: Floats, aims: Aims, seed: int, X0: Floats, Y0: Floats) -> Any:
    """The optimiser of that name for several outcomes on a box."""
    return _class(name, PEERS[name].outcomes)(bounds, aims, seed, X0, Y0, **PEERS[name].settings)


def outcome_table_optimizer(name: str, X: Floats, aims: Aims, seed: int, index0: list[int], Y0: Floats) -> Any:
    """The optimiser of that name for several outcomes on the rows of ``X``."""
    return _class(name, PEERS[name].outcomes_table)(X, aims, seed, index0, Y0, **PEERS[name].settings)


def fidelity_optimizer(
    name: str,
    bounds: Floats,
    levels: tuple[float, ...],
    costs: tuple[float, ...],
    seed: int,
    X0: Floats,
    at0: list[int],
    y0: Floats,
) -> Any:
    """The optimiser of that name for fidelities on a box."""
    kind = _class(name, PEERS[name].fidelities)
    return kind(bounds, levels, costs, seed, X0, at0, y0, **PEERS[name].settings)


def _class(name: str, kind: str | None) -> Any:
    if kind is None:
        raise ValueError(f"{PEERS[name].label} does not work on this kind of space.")
    return getattr(importlib.import_module(f"bench.adapters.{PEERS[name].module}"), kind)
