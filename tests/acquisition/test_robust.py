"""The score of robust decisions against its formula and central differences, and which environment is measured."""

import math

import numpy as np
import pytest

from regretless.acquisition import IRGPUCB, RobustScore, RobustUCB, View
from regretless.confidence import ShiftedExponential, TightUnion
from regretless.errors import InvalidInput
from regretless.gp import Expansion, Kernel, posterior
from regretless.risk import CVaR, Expectation, MeanMinusStd, WeightSet, WorstCase
from regretless.spaces import Environment, Perturbation, as_space, scenarios_of

SPACE = {"a": (0.0, 1.0), "b": (-1.0, 3.0)}
HUMIDITY = Environment("h", [20, 40, 80], weights=[0.5, 0.3, 0.2])
ERRORS = Perturbation.normal({"a": 0.2, "b": 0.4}, count=3)
LAWS = np.random.default_rng(7).dirichlet(np.ones(3), 3)
AIMS = [Expectation(), WorstCase(), CVaR(0.4), WeightSet(LAWS), MeanMinusStd(0.4)]


def case(environment, family="matern52", n=12):
    scenarios = scenarios_of(as_space(SPACE), environment, 1000)
    rng, D = np.random.default_rng(1), scenarios.domain.dim
    kernel = Kernel(family, np.full(D, 0.4), 1.3)
    post = posterior(kernel, noise_var=0.01, X=rng.random((n, D)), y=rng.standard_normal(n))
    return scenarios, post, rng


@pytest.mark.parametrize("expansion", [None, Expansion(0.1, 0.5)], ids=["linear", "compressed"])
@pytest.mark.parametrize("environment", [HUMIDITY, ERRORS], ids=["column", "shifts"])
@pytest.mark.parametrize("aim", AIMS, ids=str)
def test_value_and_gradient(aim, environment, expansion):
    if expansion is not None and not aim.coherent:
        return
    scenarios, post, rng = case(environment)
    score = RobustScore(post, scenarios, aim, root=1.7, expansion=expansion)
    e, slope = (np.array, np.ones_like) if expansion is None else (expansion, expansion.slope)
    X = rng.random((30, 2))
    value, gradient = score.value_and_gradient(X)
    p = scenarios.weights
    for i, x in enumerate(X):
        Z = scenarios.points(x[None, :])[0]
        mean, S = post.mean(Z), post.covariance(Z, Z)
        at = mean + 1.7 * np.sqrt(np.diag(S)) if aim.coherent else mean
        law = aim.tangent(e(at)[None, :], p)[0]
        tangent = law * slope(at)
        level = law @ e(at) + tangent @ (mean - at)
        assert value[i] == pytest.approx(level + 1.7 * math.sqrt(tangent @ S @ tangent), rel=1e-9)
        assert value[i] <= aim.value(e(at), p) + 1e-9 or not aim.coherent  # F of the upper bounds
    np.testing.assert_allclose(score.at(X), value, rtol=1e-12)
    h = 6e-6
    numeric = np.column_stack([(score.at(X + h * e) - score.at(X - h * e)) / (2.0 * h) for e in np.eye(2)])
    # at a tie the tangent jumps: one point of thirty may lie within a step of one
    off = np.abs(numeric - gradient) / (1.0 + np.abs(gradient))
    assert (off.max(axis=1) < 1e-6).sum() >= 29


def test_the_worst_case_is_the_smallest_upper_bound():
    scenarios, post, rng = case(HUMIDITY)
    X = rng.random((20, 2))
    mean, sd = (moment.reshape(20, 3) for moment in post.mean_sd(scenarios.points(X).reshape(60, 3)))
    np.testing.assert_allclose(RobustScore(post, scenarios, WorstCase(), 2.0).at(X), (mean + 2.0 * sd).min(axis=1))


def test_one_environment_is_the_plain_rule():
    alone = scenarios_of(as_space(SPACE), Environment("h", ["always"]), 1000)
    rng = np.random.default_rng(1)
    post = posterior(Kernel("rbf", np.full(2, 0.4), 1.3), noise_var=0.01, X=rng.random((9, 2)), y=rng.random(9))
    X = rng.random((20, 2))
    mean, sd = post.mean_sd(X)
    for aim in (Expectation(), WorstCase(), CVaR(0.4), WeightSet([[1.0]]), MeanMinusStd(1.0)):
        score = RobustScore(post, alone, aim, 1.3)
        np.testing.assert_allclose(score.at(X), mean + 1.3 * sd, rtol=1e-9)
        assert score.environment(X[0]) == 0
    _, gradient = RobustScore(post, alone, Expectation(), 1.3).value_and_gradient(X)
    np.testing.assert_allclose(gradient, post.mean_sd_pull(X)[2](1.0, 1.3), rtol=1e-8)


def test_which_environment_is_measured():
    scenarios, post, rng = case(HUMIDITY, n=5)
    p = scenarios.weights
    for x in rng.random((20, 2)):
        Z = scenarios.points(x[None, :])[0]
        mean, S = post.mean(Z), post.covariance(Z, Z)
        sd = np.sqrt(np.diag(S))
        of = {aim: RobustScore(post, scenarios, aim, 2.0, 1.1).environment(x) for aim in AIMS}
        told = -0.5 * np.log1p(-((S @ p) ** 2) / (p @ S @ p * (sd**2 + 0.01)))
        assert of[AIMS[0]] == told.argmax()
        assert of[AIMS[1]] == (mean - 1.1 * sd).argmin()  # StableOpt, by a zeta of its own
        weight = AIMS[2].tangent(mean - 1.1 * sd, p)
        assert of[AIMS[2]] == np.where(weight > 0.0, sd, -1.0).argmax()
        assert of[AIMS[4]] == sd.argmax()
        score = RobustScore(post, scenarios, AIMS[1], 2.0, 1.1)
        for w in range(3):  # what is closed is not measured; where all is, the rule decides
            assert score.environment(x, np.arange(3) == w) == w
        assert score.environment(x, np.zeros(3, dtype=bool)) == of[AIMS[1]]


def test_two_zetas_and_their_laws():
    table = scenarios_of(as_space([{"t": t} for t in range(10)]), HUMIDITY, 1000)
    assert table.decisions.n_candidates == 10
    assert RobustUCB().law_for(10) == ShiftedExponential.for_table(10, every=4)  # decisions, not rows
    assert RobustUCB().law_for(None) == IRGPUCB().law(None, 2)
    assert RobustUCB(TightUnion(10)).law_for(10) == TightUnion(10)
    scenarios, post, _ = case(HUMIDITY)
    view = View(post, np.empty((0, 3)), np.empty(0), np.empty(0), np.empty((0, 3)), 0.0, (0, 0, 0))
    view = View(**{name: getattr(view, name) for name in view.__slots__} | {"scenarios": scenarios, "aim": WorstCase()})
    pairs = np.array(
        [list(RobustUCB(TightUnion(10)).draw(view, 1, np.random.default_rng(s)).record.values()) for s in range(400)]
    )
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.2  # independent
    score = RobustUCB(TightUnion(10)).draw(view, 1, np.random.default_rng(0))
    assert [score.root**2, score.lower**2] == pytest.approx(list(score.record.values()))
    listed = View(**{name: getattr(view, name) for name in view.__slots__} | {"scenarios": table})
    least = min(RobustUCB().draw(listed, 4, np.random.default_rng(s)).record["zeta"] for s in range(400))
    assert 2.0 * math.log(5.0) <= least < 2.0 * math.log(5.0) + 0.2  # one event per decision, not per row
    assert pairs[:, 1].min() >= ShiftedExponential.for_table(3).mean(t=1) - 2.0
    with pytest.raises(InvalidInput, match="law must be"):
        RobustUCB(3.0)
