"""Aims over environments: each against its definition, and the properties that the proofs rest on."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from regretless.errors import InvalidInput
from regretless.risk import CVaR, Expectation, MeanMinusStd, WeightSet, WorstCase, as_weights

LAWS = np.random.default_rng(7).dirichlet(np.ones(5), 3)
AIMS = [Expectation(), WorstCase(), CVaR(0.35), CVaR(1.0), WeightSet(LAWS), MeanMinusStd(0.4), MeanMinusStd(0.0)]


def draws(count=200):
    rng = np.random.default_rng(1)
    return rng.standard_normal((count, 5)) * rng.uniform(0.1, 10.0, (count, 1)), rng.dirichlet(np.ones(5))


@pytest.mark.parametrize("aim", AIMS, ids=str)
def test_every_tangent_lies_above_and_touches(aim):
    """F(f) <= l . f for the tangent l at any other values: all that the bounds of `theory.robust` use."""
    f, p = draws()
    other = f[::-1] + 0.3
    tangent = aim.tangent(other, p)
    value = aim.value(f, p)
    assert (value <= (tangent * f).sum(axis=1) + 1e-12 * np.abs(f).max()).all()
    np.testing.assert_allclose((aim.tangent(f, p) * f).sum(axis=1), value, rtol=1e-12)
    np.testing.assert_allclose(aim.value(3.0 * f, p), 3.0 * value, rtol=1e-12)
    if aim.coherent:
        assert (tangent >= 0.0).all()
        np.testing.assert_allclose(tangent.sum(axis=1), 1.0, rtol=1e-12)
        assert (aim.value(f + 0.1 * (f > 0.0), p) >= value - 1e-12).all()


def test_definitions():
    f, p = draws(50)
    np.testing.assert_allclose(Expectation().value(f, p), f @ p)
    np.testing.assert_allclose(WorstCase().value(f, p), f.min(axis=1))
    np.testing.assert_allclose(WeightSet(LAWS).value(f, p), (f @ LAWS.T).min(axis=1))
    std = np.sqrt(((f - (f @ p)[:, None]) ** 2) @ p)
    np.testing.assert_allclose(MeanMinusStd(0.3).value(f, p), 0.3 * f @ p - 0.7 * std)
    np.testing.assert_allclose(CVaR(1.0).value(f, p), f @ p)
    np.testing.assert_allclose(CVaR(0.5 * p.min()).value(f, p), f.min(axis=1))
    assert MeanMinusStd(0.5).value(np.full((1, 5), 2.0), p)[0] == pytest.approx(1.0)  # no spread


def test_cvar_is_the_linear_program():
    f, p = draws(20)
    for row in f:
        found = linprog(row, A_eq=np.ones((1, 5)), b_eq=[1.0], bounds=[(0.0, q / 0.35) for q in p])
        assert CVaR(0.35).value(row, p) == pytest.approx(found.fun, rel=1e-9)


@pytest.mark.parametrize("aim", [WorstCase(), CVaR(0.35), WeightSet(LAWS)], ids=str)
def test_shortfalls_lie_below(aim):
    f, p = draws()
    rows, factors = aim.shortfall(p)
    for v in np.quantile(f, [0.0, 0.1, 0.5, 0.9]):
        below = v - np.maximum(v - f @ rows.T, 0.0) @ factors
        assert (below <= aim.value(f, p) + 1e-9).all()


def test_the_turn_of_the_tangent_is_its_derivative():
    rng, p = np.random.default_rng(3), np.array([0.1, 0.2, 0.3, 0.4])
    aim, f, by = MeanMinusStd(0.3), rng.standard_normal((6, 4)), rng.standard_normal((6, 4))
    h = 6e-6
    numeric = np.empty_like(f)
    for w in range(4):
        step = h * np.eye(4)[w]
        up, down = ((aim.tangent(f + s, p) * by).sum(axis=1) for s in (step, -step))
        numeric[:, w] = (up - down) / (2.0 * h)
    np.testing.assert_allclose(aim.turn(f, p, by), numeric, atol=1e-8)
    assert not aim.turn(np.ones((1, 4)), p, by[:1]).any()


def test_what_is_refused():
    for bad in (0.0, 1.5, float("nan"), "x"):
        with pytest.raises(InvalidInput):
            CVaR(bad)
    for bad in ([0.5, 0.4], [1.2, -0.2], [1.0]):
        with pytest.raises(InvalidInput, match="add up to 1"):
            as_weights(bad, 2)
    with pytest.raises(InvalidInput, match="one weight per environment"):
        WeightSet([[0.5, 0.5]]).check(3)
    with pytest.raises(InvalidInput, match="share"):
        MeanMinusStd(2.0)


def test_words_name_objective_and_environment():
    assert all(
        "yield" in aim.words("yield", "humidity") and "humidity" in aim.words("yield", "humidity") for aim in AIMS
    )
    assert len({aim.words("y", "w") for aim in AIMS}) == len(AIMS)
    assert all(a == b for a, b in itertools.product([WeightSet([[0.5, 0.5]])], [WeightSet(np.full((1, 2), 0.5))]))
