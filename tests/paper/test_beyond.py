"""The experiment beyond the paper: closed forms, a slow twin of its runs, and verdicts that can go either way."""

import math
from dataclasses import replace

import numpy as np
import pytest

from regretless.confidence import AnytimeBand, TightUnion
from regretless.gp import Kernel, posterior, prior_factor, table_posterior
from regretless.paper.beyond import _largest_exponential, _mean_root_of_largest, beyond_unit
from regretless.paper.beyond_claims import beyond
from regretless.paper.experiments import units_of
from regretless.paper.methods import as_methods
from regretless.paper.results import Results, arms_tail, beyond_curves, figure_curves
from regretless.paper.settings import read_settings
from regretless.paper.simulations import play


@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_mean_root_of_the_largest_exponential(k):
    """By inclusion and exclusion: E sqrt(2 max) = sum_j (-1)^(j+1) C(k, j) sqrt(pi / (2 j)) over k exponentials."""
    exact = sum((-1) ** (j + 1) * math.comb(k, j) * math.sqrt(math.pi / (2.0 * j)) for j in range(1, k + 1))
    assert _mean_root_of_largest(float(k)) == pytest.approx(exact, rel=1e-9)
    drawn = np.sqrt(2.0 * _largest_exponential(k, 40_000, np.random.default_rng(1)))
    assert abs(drawn.mean() - exact) <= 4.0 * drawn.std() / 200.0


def test_runs_against_the_table_posterior():
    """The same functions, noise and choices, one run after the other with the posterior that studies use."""
    X, runs, T, noise_var = np.linspace(0.0, 1.0, 9)[:, None], 3, 12, 0.05
    kernel, band = Kernel("rbf", np.array([0.3]), 1.0), AnytimeBand(0.2)

    def roots(_t, _mean, sd):
        return np.sqrt(band.zeta(np.maximum(sd * sd, 1e-14), len(X)))

    found = play(kernel, X, noise_var, roots, np.random.default_rng(5), T=T, runs=runs)
    world = np.random.default_rng(5)
    f = world.standard_normal((runs, len(X))) @ prior_factor(kernel, X).L.T
    noise = math.sqrt(noise_var) * np.array([world.standard_normal(runs) for _ in range(T)])
    for r in range(runs):
        table = table_posterior(posterior(kernel, noise_var=noise_var, X=np.empty((0, 1)), y=np.empty(0)), X)
        for t in range(T):
            width = np.sqrt(band.zeta(table.sd**2, len(X))) * table.sd
            row = int(np.argmax(table.mean + width))
            assert found.regret[t, r] == pytest.approx(f[r].max() - f[r, row], abs=1e-9)
            assert found.step[t, r] == pytest.approx(width[row], rel=1e-6)
            table = table.condition_at(row, f[r, row] + noise[t, r])


@pytest.fixture(scope="module")
def results() -> Results:
    settings = read_settings("beyond", quick=True)
    methods = as_methods(settings.methods, own=False)
    units, sentence = units_of(settings, methods)
    assert sentence is None
    return Results(settings, methods, {(u.problem, u.method, u.seed): beyond_unit(u) for u in units})


def test_smaller_laws_have_smaller_parameters_and_bounds(results):
    curves = beyond_curves(results)
    assert curves["tight"]["bound"][-1] < curves["irgp-ucb"]["bound"][-1]
    assert curves["anytime"]["bound"][-1] < curves["gp-ucb"]["bound"][-1]
    assert np.isnan(curves["ats"]["bound"]).all()
    last = {key: curve["zeta"][-5:].mean() for key, curve in curves.items()}
    assert last["ats"] < last["tight"] < last["irgp-ucb"] < last["gp-ucb"]


def test_verdicts_follow_the_numbers(results):
    verdicts = {claim.says[:20]: claim.verdict for claim in beyond(results)}
    assert verdicts["On a continuous doma"] == "holds"

    def changed(problem, name, values):
        columns = {
            key: {**run, name: values(run)} if key[0] == problem and name in run else run
            for key, run in results.columns.items()
        }
        return {claim.says[:20]: claim.verdict for claim in beyond(replace(results, columns=columns))}

    assert changed("gaps", "fixed", lambda run: run["truth"] + 1.0)["On a continuous doma"] == "does not hold"
    everything = changed("grid", "outside", lambda run: run["runs"])
    assert everything["f stays inside the a"] == "does not hold"
    rng = np.random.default_rng(1)
    light = changed("two-arms", "regret", lambda _: rng.exponential(6.0, 4000))
    assert light["Two arms: with a law"] == "does not hold"
    heavy = changed("two-arms", "regret", lambda _: 2.0 * (1.0 - rng.random(4000)) ** -0.8)
    assert heavy["Two arms: with a law"] == "holds"


def test_the_parameters_of_figure_one(results):
    """Laws by their own moments on the table of 4^3 candidates; before anything is known ATS has the tight law."""
    curves, N = figure_curves(results), 64
    assert curves["irgp-ucb"]["mean"][0] == pytest.approx(2.0 + 2.0 * math.log(N / 2))
    assert curves["tight"]["mean"][-1] == pytest.approx(TightUnion(N).mean(1))
    assert curves["tight"]["upper"][0] == pytest.approx(TightUnion(N).quantile(1, 0.975))
    first = np.concatenate([[b[k][0] for k in b if k != "t"] for b in results.runs("figure-1", "ats")])
    assert (first >= TightUnion(N).quantile(1, 0.0) - 1e-6).all()
    assert curves["ats"]["mean"][-1] < curves["tight"]["mean"][-1]
    more = {
        k: {**r, **{n: v + 9.0 for n, v in r.items() if n != "t"}} for k, r in results.columns.items() if "ats" in k
    }
    claims = beyond(replace(results, columns=results.columns | more))
    verdict = {claim.says[:12]: claim.verdict for claim in claims}["On the table"]
    assert verdict == "does not hold"


def test_the_tail_counts_runs(results):
    tail = arms_tail(results)
    regret = np.concatenate([run["regret"] for run in results.runs("two-arms", "irgp-ucb")])
    for r, share in zip(tail["r"], tail["share"], strict=True):
        assert share == np.mean(regret > r)
