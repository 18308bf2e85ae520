"""Verdicts on runs made up so that the right one is known."""

import numpy as np
import pytest

from regretless.paper import race_claims, theory_claims
from regretless.paper.claims import PAPERS, first_at_most, leads, paired, verdict_of
from regretless.paper.methods import as_methods
from regretless.paper.results import Results, mean_and_error, race_curves
from regretless.paper.settings import read_settings


def curve(rows):
    rows = np.array(rows, dtype=float)
    return mean_and_error(np.arange(rows.shape[1], dtype=float), rows)


def test_leading_in_most_iterations():
    a = curve([[3, 1, 1, 3], [3, 1, 1, 3]])
    b = curve([[3, 2, 2, 2], [3, 2, 2, 2]])
    assert leads({"a": a, "b": b}, "a", 1, 3) == (pytest.approx(2 / 3), True)
    assert leads({"a": a, "b": b}, "b", 1, 3) == (pytest.approx(1 / 3), False)  # worse in every run, by the same


def test_a_difference_within_two_standard_errors_is_not_judged():
    a = curve([[1, 5], [1, 0], [1, 2]])
    b = curve([[1, 2], [1, 3], [1, 1]])
    share, holds = leads({"a": a, "b": b}, "a", 1, 1)
    assert (share, holds) == (0.0, None)


def test_one_run_alone_cannot_be_judged_against():
    assert leads({"a": curve([[1, 2]]), "b": curve([[1, 1]])}, "a", 1, 1) == (0.0, None)


def test_pairs_and_first_times():
    a, b = curve([[0, 1], [0, 3]]), curve([[0, 0], [0, 1]])
    assert paired(a, b, slice(1, 2)) == (1.5, pytest.approx(0.5))
    assert first_at_most(curve([[3, 2, 0], [3, 2, 1]]), 0.0) == [2, None]
    assert [verdict_of(x) for x in (True, False, None)] == ["holds", "does not hold", "cannot be judged"]


def race(experiment, problem, level, *, quick=False, T=160):
    """All of the paper's methods at a constant regret of ``level(method, t)``, with a little noise between runs."""
    settings = read_settings(experiment, quick=quick)
    methods = as_methods(settings.methods)
    columns = {}
    for method in methods:
        for seed in range(2 * settings.numbers.get("designs", 2)):
            t = np.arange(T + 1.0)
            regret = np.array([level(method.key, int(k)) * (1 + 0.001 * seed) for k in t])
            columns[(problem, method.key, seed)] = {"t": t, "regret": regret}
    return Results(settings, methods, columns)


def verdicts(claims):
    return [claim.verdict for claim in claims]


def test_synthetic_as_in_the_paper_holds():
    slow = ("gp-ucb", "rgp-ucb", "ts", "jes")

    def papers(key, t):
        return 2.0 / (1 + t) if key in slow else (0.5 if key == "irgp-ucb" else 1.0) / (1 + t)

    assert verdicts(race_claims.synthetic(race("synthetic", "gp-sample", papers))) == ["holds"] * 5
    assert (
        verdicts(race_claims.synthetic(race("synthetic", "gp-sample", lambda k, t: 3.0 - papers(k, t))))
        == ["does not hold"] + ["does not hold"] * 4
    )
    quick = race_claims.synthetic(race("synthetic", "gp-sample", papers, quick=True))
    assert set(verdicts(quick)) == {"cannot be judged"}


def test_runs_on_one_function_are_one_run():
    """Ten designs that all say the same about each of two functions are two opinions, which is too few to judge by."""

    def level(key, seed):
        return 1.0 + (key == "irgp-ucb") * (2.0 if seed < 10 else -0.1)

    results = race("synthetic", "gp-sample", lambda _key, _t: 1.0)
    for (_, key, seed), columns in results.columns.items():
        columns["regret"][:] = level(key, seed)
    assert race_claims.synthetic(results)[0].verdict == "cannot be judged"


def test_methods_that_came_later_do_not_count():
    results = race("synthetic", "gp-sample", lambda key, _t: {"ats": 0.01, "irgp-ucb": 0.5}.get(key, 1.0))
    assert race_claims.synthetic(results)[0].verdict == "holds"
    assert set(PAPERS) < {method.key for method in results.methods}


def test_holder_table():
    def papers(key, t):
        if key == "irgp-ucb":
            return 1e-3 if t >= 55 else 3.0
        return (0.2 if key == "jes" else 0.5) if t >= 10 else 4.0 - 0.01 * (key == "jes")

    assert verdicts(race_claims.functions(race("functions", "holder-table", papers))) == ["holds"] * 3
    other = race_claims.functions(race("functions", "holder-table", lambda key, _t: 5.0 + (key == "jes")))
    assert verdicts(other) == ["does not hold"] * 3


def test_cross_in_tray_and_ackley():
    def papers(key, t):
        return 1e-4 if key == "irgp-ucb" and t >= 50 else 0.1 + 0.1 * (key in ("ts", "jes"))

    assert verdicts(race_claims.functions(race("functions", "cross-in-tray", papers))) == ["holds"]
    assert verdicts(race_claims.functions(race("functions", "ackley-d4", papers))) == ["holds"] * 3
    worse = race("functions", "ackley-d4", lambda key, _t: 1.0 + (key == "irgp-ucb"))
    assert verdicts(race_claims.functions(worse)) == ["does not hold"] * 3


def test_materials():
    def perovskite(key, t):
        return (1.0 if key == "irgp-ucb" else 2.0) if t < 90 else 0.0

    assert verdicts(race_claims.materials(race("materials", "perovskite", perovskite))) == ["holds"]

    def p3ht(key, t):
        if key == "ei" and t > 50:
            return 0.5
        return 1.0 if key == "irgp-ucb" else 1.5

    assert verdicts(race_claims.materials(race("materials", "p3ht", p3ht))) == ["holds"] * 2

    def agnp(key, t):
        found = {"irgp-ucb": 42, "ei": 60, "mes": 75, "jes": 80}.get(key, 50)
        return 0.0 if t >= found else 1.0

    assert verdicts(race_claims.materials(race("materials", "agnp", agnp))) == ["holds"] * 2
    late = race_claims.materials(race("materials", "agnp", lambda _key, t: float(t < 43)))
    assert verdicts(late) == ["does not hold"] * 2
    assert "43" in late[0].number


def test_a_problem_without_results_has_no_claims():
    results = race("functions", "holder-table", lambda _key, _t: 1.0)
    assert len(race_claims.functions(results)) == 3
    assert race_claims.materials(results) == []


def test_initial_points_count_in_simple_regret_only():
    columns = {("p", "ei", 0): {"t": np.array([0, 0, 1, 2.0]), "regret": np.array([5.0, 1.0, 3.0, 0.5])}}
    results = Results(read_settings("synthetic"), as_methods(["ei"]), columns)
    assert race_curves(results, "p", "simple")["ei"].mean.tolist() == [1.0, 1.0, 0.5]
    assert race_curves(results, "p", "cumulative")["ei"].mean.tolist() == [0.0, 3.0, 3.5]
    assert np.isnan(race_curves(results, "p", "simple")["ei"].error).all()


def two_points(slopes):
    settings = read_settings("linear-regret")
    marks = settings.numbers["checkpoints"]
    rng = np.random.default_rng(0)
    columns = {}
    for method in settings.methods:
        luck = rng.exponential(1.0, 500)
        total = {str(T): luck * slopes(method, T) for T in marks}
        columns[("rho=0", method, 0)] = {"run": np.arange(500.0), **total}
    return Results(settings, as_methods(settings.methods), columns)


def test_linear_and_logarithmic_regret_are_told_apart():
    right = theory_claims.linear_regret(two_points(lambda key, T: np.log(T) if key == "irgp-ucb" else 0.01 * T))
    assert verdicts(right) == ["holds"] * 5
    wrong = theory_claims.linear_regret(two_points(lambda key, T: 0.01 * T if key == "irgp-ucb" else np.log(T)))
    assert verdicts(wrong) == ["cannot be judged"] * 4 + ["does not hold"]
