"""The works whose cost is measured, and the bars they have to clear."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["WORKS", "Work"]

_BOX = (
    "botorch-logei",
    "botorch-ucb",
    "optuna-gp",
    "optuna-tpe",
    "scikit-optimize",
    "bayes-opt",
    "smac",
    "ax",
    "baybe",
    "hebo",
)
_MANY = ("botorch-logei", "botorch-ucb", "optuna-gp", "scikit-optimize", "bayes-opt")


@dataclass(frozen=True)
class Work:
    """One measurement. ``bars``: how many times less than that peer's CPU time ours has to be."""

    title: str
    task: str
    arguments: Mapping[str, Any]
    quick: Mapping[str, Any]  # what --quick changes in the arguments
    peers: tuple[str, ...] = ()
    bars: Mapping[str, float] = field(default_factory=dict)
    seeds: int = 1  # repetitions for peers with a bar; the median counts
    ours: tuple[str, ...] = ("regretless",)


_SEQUENCE_BARS = {
    "botorch-logei": 25.0,
    "botorch-ucb": 25.0,
    "scikit-optimize": 25.0,
    "optuna-gp": 10.0,
    "bayes-opt": 10.0,
}
_MANY_BARS = {"botorch-logei": 8.0, "botorch-ucb": 8.0}

#: Every work by the name that --only takes.
WORKS: dict[str, Work] = {
    "holder": Work(
        "Holder table, 60 suggestions from 4 points",
        "sequence_cost",
        {"problem": "holder-table", "dim": None, "n_initial": 4, "suggestions": 60},
        {"suggestions": 3},
        _BOX,
        _SEQUENCE_BARS,
        seeds=3,
        ours=("regretless", "regretless-paper"),
    ),
    "ackley": Work(
        "Ackley d=4, 100 suggestions from 16 points",
        "sequence_cost",
        {"problem": "ackley", "dim": 4, "n_initial": 16, "suggestions": 100},
        {"suggestions": 3},
        _BOX,
        _SEQUENCE_BARS,
        seeds=3,
        ours=("regretless", "regretless-paper"),
    ),
    "n500": Work(
        "one suggestion at n=500, d=6, refits averaged in",
        "box_cost",
        {"problem": "ackley", "dim": 6, "n": 500},
        {"n": 60},
        _MANY,
        _MANY_BARS,
    ),
    "n1000": Work(
        "one suggestion at n=1000, d=6, refits averaged in",
        "box_cost",
        {"problem": "ackley", "dim": 6, "n": 1000},
        {"n": 90},
        _MANY,
        _MANY_BARS,
    ),
    "table-1e5": Work(
        "table of 100,000 x 3, n=100, refits averaged in",
        "table_cost",
        {"rows": 100_000, "dim": 3, "n": 100},
        {"rows": 2_000, "n": 40},
        ("botorch-logei", "botorch-ucb", "baybe"),
        {"botorch-logei": 50.0, "botorch-ucb": 50.0},
        seeds=3,
    ),
    "table-1e6": Work(
        "table of 1,000,000 x 5, n=200, between refits, beside one n x N matrix-vector product",
        "matvec_cost",
        {"rows": 1_000_000, "dim": 5, "n": 200, "repeats": 21},
        {"rows": 20_000, "n": 40},
    ),
    "memory-1e6": Work(
        "peak memory of the same, through a refit",
        "peak_memory",
        {"rows": 1_000_000, "dim": 5, "n": 200},
        {"rows": 20_000, "n": 40},
    ),
    "growth": Work(
        "between refits, d=6, n from 125 to 1000",
        "growth",
        {"problem": "ackley", "dim": 6, "sizes": [125, 250, 500, 1000], "repeats": 12},
        {"sizes": [30, 60, 120]},
    ),
}

#: tell + ask on the big table, in matrix-vector products, and its memory in bytes: at most this.
MATVEC_BAR = 2.0
MEMORY_BAR = 3e9
