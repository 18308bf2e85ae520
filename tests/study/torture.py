"""Studies that break optimisers: named cases of a space, a history and settings.

`CASES` is data; `build` makes the study of a case and `check` drives it and asserts what must hold whatever happens:
suggestions are in the space and finite, records are finite and say when the model was not used.
"""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless import Fixed, Float, Int, Mixed, Study, Surrogate, Table, Trial
from regretless.acquisition import JES, MES, PIMS, RULES, TS, Rule

FAILED = object()
PENDING = object()
TINY = sys.float_info.min
HUGE = sys.float_info.max
ULP = np.finfo(float).eps

#: Sampling rules with few samples and features: as fragile as the full ones, and cheap.
CHEAP: dict[str, Rule] = {
    "ts": TS(n_features=32),
    "pims": PIMS(n_features=32),
    "mes": MES(n_samples=2, n_features=32),
    "jes": JES(n_samples=2, n_features=32),
}


def rules() -> dict[str, Rule]:
    """Every registered rule, by its name."""
    return {name: CHEAP.get(name) or rule() for name, rule in RULES.items()}


@dataclass(frozen=True)
class Case:
    name: str
    space: Callable[[], Any]
    history: Callable[[], list[tuple[Any, Any]]] = list  # (params, value or FAILED)
    pending: int = 0  # asked and never told
    settings: Mapping[str, Any] = field(default_factory=dict)
    values: tuple[Any, ...] = (0.0, 1.0)  # told in turns to what is asked
    asks: int = 2
    cheap: bool = True  # run under every rule
    megabytes: float = 200.0
    seconds: float = 20.0  # CPU, generous: a busy machine is no failure


def line(xs: Any, ys: Any) -> Callable[[], list[tuple[Any, Any]]]:
    return lambda: [({"x": float(x)}, y) for x, y in zip(xs, ys, strict=True)]


def unit() -> dict[str, Any]:
    return {"x": (0.0, 1.0)}


def spots(n: int) -> Any:
    return (np.arange(n) * 0.618 + 0.1) % 1.0


def on_line(name: str, ys: list[Any], **more: Any) -> Case:
    """Values ``ys`` at spread points of [0, 1]; the same kind of value goes on coming in."""
    told = tuple(y for y in ys if y is not FAILED) or (FAILED,)
    return Case(name, unit, line(spots(len(ys)), ys), values=(told[-1], told[0]), **more)


def wave(n: int) -> list[float]:
    return [float(v) for v in np.sin(7.0 * spots(n))]


def rows(n: int, d: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).random((n, d))


def of_table(n: int, told: int, d: int = 2, **more: Any) -> dict[str, Any]:
    X = rows(n, d)
    return {
        "space": lambda: X,
        "history": lambda: [(X[i], float(np.sin(5.0 * X[i]).sum())) for i in range(told)],
        **more,
    }


VALUES = [
    on_line("y of scale 1e-12", [1e-12 * v for v in wave(8)]),
    on_line("y of scale 1e12", [1e12 * v for v in wave(8)]),
    on_line("y of scale 1e300", [1e300 * v for v in wave(8)]),
    on_line("y of both signs of 1e300", [1e300, -1e300] * 4),
    on_line("y of the largest floats", [HUGE, -HUGE, HUGE / 2, 0.0, -HUGE / 3, HUGE]),
    on_line("y of one largest float", [0.0, 0.0, 1.0, HUGE, 0.5]),
    on_line("y all the largest float", [HUGE] * 6),
    on_line("y denormal", [5e-324, 1e-320, 0.0, 3e-322, 5e-324, 7e-321]),
    on_line("y at the smallest normal float", [TINY * v for v in wave(8)]),
    on_line("y constant 0", [0.0] * 8),
    on_line("y constant -0.0 and 0.0", [0.0, -0.0] * 4),
    on_line("y constant 7", [7.0] * 8),
    on_line("y constant 0.1", [0.1] * 7),
    on_line("y constant 1e300", [1e300] * 8),
    on_line("y constant -1e-300", [-1e-300] * 8),
    on_line("y constant but for one ulp", [1.0, 1.0 + ULP] * 4),
    on_line("y large and nearly constant", [1e12 + 1e-4 * v for v in wave(8)]),
    on_line("y with one outlier of 1e9", [*wave(9), 1e9]),
    on_line("y with one outlier of -1e9", [*wave(9), -1e9]),
    on_line("y with one outlier of 1e300", [*(1e-300 * v for v in wave(9)), 1e300]),
    on_line("y whole numbers", [3, 1, 4, 1, 5, 9]),
    on_line("y of scale 1e12, minimised", [1e12 * v for v in wave(8)], settings={"direction": "minimize"}),
]

POINTS = [
    Case("one point, two values", unit, line([0.5, 0.5], [0.0, 1.0]), settings={"n_initial": 1}),
    Case("one point, values 1e9 apart", unit, line([0.5] * 6, [0.0, 1e9] * 3)),
    Case("one point 30 times, one value", unit, line([0.3] * 30, [1.0] * 30)),
    Case("one point 30 times, many values", unit, line([0.3] * 30, wave(30))),
    Case("two corners 20 times each", unit, line([0.0, 1.0] * 20, [1.0, 2.0] * 20)),
    Case("points 1e-15 apart, one value", unit, line(0.5 + 1e-15 * np.arange(12), [2.0] * 12)),
    Case("points 1e-15 apart, many values", unit, line(0.5 + 1e-15 * np.arange(12), wave(12))),
    Case("points 1e-8 apart, values 1e9 apart", unit, line(0.5 + 1e-8 * np.arange(12), [0.0, 1e9] * 6)),
    Case("all on the border", unit, line([0.0, 1.0, 0.0, 1.0], [1.0, 2.0, 3.0, 4.0])),
    Case(
        "one point of a plane many times",
        lambda: [(0.0, 1.0), (0.0, 1.0)],
        lambda: [([0.2, 0.7], v) for v in [0.0, 5.0] * 10],
    ),
    Case(
        "points on a diagonal",
        lambda: [(0.0, 1.0)] * 4,
        lambda: [([v] * 4, y) for v, y in zip(spots(12), wave(12), strict=True)],
    ),
    Case("nothing at all", unit),
    Case("nothing at all and no design", unit, settings={"n_initial": 0}),
    Case("one observation", unit, line([0.5], [1.0])),
    Case("one observation and no design", unit, line([0.5], [1.0]), settings={"n_initial": 0}),
    Case("one observation of 1e300 and no design", unit, line([0.5], [1e300]), settings={"n_initial": 0}),
]

FAILURES = [
    on_line("all failed", [FAILED] * 12),
    on_line("all failed and no design", [FAILED] * 12, settings={"n_initial": 0}),
    on_line("one told among failures", [FAILED] * 6 + [1.0] + [FAILED] * 6, settings={"n_initial": 1}),
    Case("failed where it was told", unit, line([0.5, 0.5, 0.2, 0.9], [1.0, FAILED, 0.0, 0.5])),
    Case("failed 20 times at the best", unit, line([0.5, 0.2, 0.9] + [0.5] * 20, [9.0, 0.0, 1.0] + [FAILED] * 20)),
    Case("50 pending, nothing told", unit, pending=50),
    Case("50 pending", unit, line(spots(6), wave(6)), pending=50, asks=1),
    Case("50 pending on a table of 60", **of_table(60, 5, pending=50, asks=1)),
    Case("50 pending on a table of 20", **of_table(20, 5, pending=50, asks=1)),
    Case(
        "failed and pending beside told",
        unit,
        line(spots(9), [1.0, FAILED, 2.0, FAILED, 0.0, FAILED, 1.0, 0.0, 3.0]),
        pending=4,
    ),
]

TABLES = [
    Case("table of one row", lambda: np.array([[1.0, 2.0]]), lambda: [([1.0, 2.0], 3.0)]),
    Case("table of one row, untried", lambda: np.array([[1.0, 2.0]]), settings={"repeats": "never"}, asks=1),
    Case("table of one row, failed", lambda: np.array([[1.0, 2.0]]), lambda: [([1.0, 2.0], FAILED)]),
    Case("table of two identical rows", lambda: np.array([[1.0, 2.0], [1.0, 2.0]]), lambda: [([1.0, 2.0], 3.0)]),
    Case("table of two rows", lambda: np.array([[0.0], [1.0]]), lambda: [([0.0], 3.0), ([1.0], 1e9)]),
    Case(
        "table with constant columns",
        lambda: [{"a": 1.0, "b": "same", "c": float(i)} for i in range(9)],
        lambda: [({"c": 3.0}, 1.0), ({"c": 5.0}, 2.0)],
    ),
    Case(
        "table with rows 1e-15 apart",
        lambda: np.array([[0.0], [0.5], [0.5 + 1e-15], [0.5 + 2e-15], [1.0]]),
        lambda: [([0.5], 1.0), ([0.5 + 1e-15], 2.0), ([0.5 + 2e-15], -1e9)],
    ),
    Case("table of numbers to 1e308", lambda: np.array([[-1e308], [0.0], [1e-308], [1e308]]), lambda: [([0.0], 1.0)]),
    Case("table of whole numbers to 2**53", lambda: np.array([[0], [1], [2**53 - 1], [2**53]]), lambda: [([1], 1.0)]),
    Case(
        "table of text and bools",
        lambda: [{"a": a, "b": b} for a in "xyz" for b in (True, False)],
        lambda: [({"a": "x", "b": True}, 1.0), ({"a": "y", "b": False}, 1.0)],
    ),
    Case(
        "table of 1,000 categories",
        lambda: [{"c": f"level {i}"} for i in range(1000)],
        lambda: [({"c": f"level {i}"}, float(i % 7)) for i in range(12)],
        cheap=False,
    ),
    Case("table of 300 rows, 40 columns", **of_table(300, 8, 40)),
    Case("table with every row told", **of_table(12, 12)),
    Case("table with every row told ten times", **of_table(5, 5, pending=5)),
    Case("table of 1e5 rows", **of_table(100_000, 20, 3, cheap=False, megabytes=300.0)),
    Case("table of 1e5 rows, 10 pending", **of_table(100_000, 20, 3, pending=10, asks=1, cheap=False, megabytes=300.0)),
]

SPACES = [
    Case("only fixed parameters", lambda: {"a": 1, "b": "two"}, lambda: [({}, 1.0), ({}, 2.0)]),
    Case("only fixed parameters, nothing told", lambda: {"a": Fixed(1.5)}),
    Case("one choice of one", lambda: {"a": ["only"], "b": (0.0, 1.0)}, lambda: [({"a": "only", "b": 0.5}, 1.0)]),
    Case("bool", lambda: {"a": [True, False]}, lambda: [({"a": True}, 1.0)]),
    Case("box of 100 columns", lambda: [(0.0, 1.0)] * 100, lambda: list(zip(rows(25, 100), wave(25), strict=True))),
    Case(
        "box of 100 columns, no design",
        lambda: [(0.0, 1.0)] * 100,
        lambda: [(np.full(100, 0.5), 1.0)],
        settings={"n_initial": 0},
        cheap=False,
    ),
    Case(
        "log range 1e-300 to 1e300",
        lambda: {"x": (1e-300, 1e300, "log")},
        lambda: [({"x": 10.0**e}, math.sin(e)) for e in range(-300, 301, 60)],
    ),
    Case("box of -8e307 to 8e307", lambda: {"x": (-8e307, 8e307)}, line([-8e307, 0.0, 8e307, 1.0], wave(4))),
    Case("box of width 1e-300", lambda: {"x": (0.0, 1e-300)}, line([0.0, 5e-301, 1e-300, 2e-301], wave(4))),
    Case("box of 1,000 floats", lambda: {"x": (1.0, 1.0 + 1000 * ULP)}, line([1.0, 1.0 + 400 * ULP], wave(2))),
    Case("box far from zero", lambda: {"x": (1e9, 1e9 + 1.0)}, line(1e9 + spots(6), wave(6))),
    Case("whole numbers to 2**53", lambda: {"n": (0, 2**53)}, lambda: [({"n": 2**k}, float(k)) for k in range(54)]),
    Case("whole numbers of both signs to 2**52", lambda: {"n": Int(-(2**52), 2**52)}, lambda: [({"n": 0}, 1.0)]),
    Case(
        "log whole numbers to 2**40",
        lambda: {"n": Int(1, 2**40, log=True), "x": (0.0, 1.0)},
        lambda: [({"n": 2**k, "x": k / 40}, float(k % 5)) for k in range(0, 41, 4)],
    ),
    Case(
        "1,000 categories and a real number",
        lambda: {"c": [f"level {i}" for i in range(1000)], "x": (0.0, 1.0)},
        lambda: [({"c": f"level {i}", "x": i / 12}, float(i % 5)) for i in range(12)],
        cheap=False,
    ),
    Case(
        "every kind of parameter",
        lambda: {
            "f": Float(-1.0, 1.0),
            "l": (1e-9, 1e3, "log"),
            "n": (1, 12),
            "o": [1, 2, 4, 8],
            "c": ["a", "b", "c"],
            "t": [True, False],
            "k": 3,
        },
        lambda: [
            ({"f": v, "l": 10.0 ** (9 * v), "n": 5, "o": 2, "c": "abc"[i % 3], "t": i % 2 == 0}, v)
            for i, v in enumerate([-0.9, -0.5, 0.0, 0.1, 0.3])
        ],
        settings={"n_initial": 3},
    ),
    Case(
        "30 mixed parameters",
        lambda: {f"p{i}": [(0.0, 1.0), (1, 9), ["a", "b", "c"]][i % 3] for i in range(30)},
    ),
    Case(
        "finite product of 20,000",
        lambda: Mixed({"a": (0, 99), "b": (0, 99), "c": ["x", "y"]}, repeats="never"),
        lambda: [({"a": i, "b": i, "c": "x"}, float(i)) for i in range(8)],
    ),
]

MODELS = [
    Case(
        "no noise, one point again and again",
        unit,
        line([0.5] * 8, [1.0] * 8),
        settings={"surrogate": Surrogate.known("rbf", 0.3, signal_var=1.0, noise_var=0.0)},
    ),
    Case(
        "no noise, points 1e-9 apart",
        unit,
        line(0.5 + 1e-9 * np.arange(10), wave(10)),
        settings={"surrogate": Surrogate.known("rbf", 5.0, signal_var=1.0, noise_var=0.0)},
    ),
    Case(
        "no noise on a table with rows 1e-15 apart",
        lambda: np.array([[0.0], [0.5], [0.5 + 1e-15], [0.5 + 2e-15], [1.0]]),
        lambda: [([0.5], 1.0), ([0.5 + 1e-15], 2.0), ([0.5 + 2e-15], -3.0)],
        settings={"surrogate": Surrogate.known("rbf", 1.0, signal_var=1.0, noise_var=0.0)},
    ),
    on_line(
        "known model, y of 1e50",
        [1e50 * v for v in wave(6)],
        settings={"surrogate": Surrogate.known("matern52", 0.3, signal_var=1.0, noise_var=1e-4)},
    ),
    on_line("not standardised", wave(6), settings={"surrogate": Surrogate(standardize=False)}),
    on_line(
        "not standardised, y of 1e12", [1e12 * v for v in wave(6)], settings={"surrogate": Surrogate(standardize=False)}
    ),
    on_line(
        "not standardised, y of 1e50",
        [1e50 * v for v in wave(6)],
        settings={"surrogate": Surrogate(standardize=False)},
    ),
    on_line(
        "fixed and standardised, y of 1e12",
        [1e12 * v for v in wave(6)],
        settings={"surrogate": Surrogate(method="fixed", lengthscale=0.3, signal_var=1.0, noise_var=1e-4)},
    ),
    on_line(
        "fixed and standardised, no design",
        [1e12],
        settings={
            "surrogate": Surrogate(method="fixed", lengthscale=0.3, signal_var=1.0, noise_var=1e-4),
            "n_initial": 0,
        },
    ),
    on_line("paper preset", wave(8), settings={"preset": "paper"}),
    on_line("paper preset, constant y", [3.0] * 8, settings={"preset": "paper"}),
    on_line("paper preset, outlier", [*wave(7), 1e9], settings={"preset": "paper"}),
    on_line("likelihood alone", wave(8), settings={"surrogate": Surrogate(method="likelihood", restarts=0)}),
    on_line("likelihood alone, constant y", [3.0] * 8, settings={"surrogate": Surrogate(method="likelihood")}),
    on_line("likelihood alone, two values", [3.0, 4.0], settings={"surrogate": Surrogate(method="likelihood")}),
    Case(
        "2,000 observations",
        lambda: [(0.0, 1.0)] * 2,
        lambda: [(x, float(np.sin(9.0 * x).sum())) for x in rows(2000, 2)],
        settings={"surrogate": Surrogate(fit_size=100, restarts=0)},
        asks=1,
        cheap=False,
        megabytes=400.0,
    ),
    Case(
        "2,000 observations on a table",
        lambda: rows(2000, 2),
        lambda: [(x, float(np.sin(9.0 * x).sum())) for x in rows(2000, 2)],
        settings={"surrogate": Surrogate(fit_size=100, restarts=0)},
        asks=1,
        cheap=False,
        megabytes=400.0,
    ),
]

CASES: dict[str, Case] = {case.name: case for case in VALUES + POINTS + FAILURES + TABLES + SPACES + MODELS}


def build(case: Case, rule: Rule | str = "irgp-ucb", seed: int = 1) -> Study:
    """The study of a case: its past data added, its pending trials asked."""
    study = Study(case.space(), rule=rule, seed=seed, **case.settings)
    for params, value in case.history():
        if value is FAILED:
            study.add(params, failed=True)
        else:
            study.add(params, value)
    if case.pending:
        for trial in study.ask(case.pending):
            check_trial(study, trial)
    return study


def check(case: Case, study: Study) -> None:
    """Ask and tell a few times; everything that comes out must make sense."""
    for i in range(case.asks):
        before = len(study)
        trial = study.ask()
        assert (trial.number, len(study)) == (before, before + 1)
        check_trial(study, trial)
        value = case.values[i % len(case.values)]
        done = study.tell(trial, failed=True) if value is FAILED else study.tell(trial, value)
        assert done.params == trial.params
    if study.best is not None:
        recommendation = study.recommend()
        assert study.space.check(recommendation.params) == recommendation.params
        assert math.isfinite(recommendation.mean)
        assert math.isfinite(recommendation.sd)
        assert recommendation.sd >= 0.0
        mean, sd = study.predict([trial.params for trial in study.trials[:5]])
        assert np.isfinite(mean).all()
        assert np.isfinite(sd).all()
        assert (sd >= 0.0).all()


def check_trial(study: Study, trial: Trial) -> None:
    """A suggestion is in the space, and its record is finite and complete."""
    assert study.space.check(trial.params) == trial.params
    assert all(math.isfinite(v) for v in trial.params.values() if isinstance(v, float))
    if isinstance(study.space, Table):
        assert study.space.params(study.space.index_of_id(trial.row)) == trial.params
    assert trial.status == "pending"
    assert trial.value is None
    assert all(type(v) is float and math.isfinite(v) for v in trial.details.values()), trial.details
    assert math.isfinite(trial.jitter)
    assert trial.jitter >= 0.0
    assert trial.source in ("design", "rule", "random")
    assert (trial.fallback is not None) == (trial.source == "random"), trial.fallback
    assert (trial.hyperparameters is not None) == (trial.source == "rule")
    if trial.hyperparameters is not None:
        numbers = {k: v for k, v in trial.hyperparameters.items() if k not in ("family", "lengthscale")}
        if "additive" in trial.details:  # a variance for each column, and no compression
            each = numbers.pop("signal_var")
            assert all(math.isfinite(v) and v > 0.0 for v in each), each
            numbers |= {"signal_var": sum(each), "bend": 1.0}
        assert all(math.isfinite(v) for k, v in numbers.items() if (k, v) != ("knee", None)), numbers
        assert all(math.isfinite(v) and v > 0.0 for v in trial.hyperparameters["lengthscale"])
        assert numbers["scale"] > 0.0
        assert numbers["bend"] > 0.0
        assert trial.details["sd"] >= 0.0
