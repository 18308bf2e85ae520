"""Rules for a known function of several outcomes: the quantile lemma by simulation, and where it is the plain rule."""

import numpy as np
import pytest
from scipy.stats import norm

from regretless.acquisition import IRGPUCB, CompositeTS, Outer, Outputs, Quantile
from regretless.acquisition.composite import Expectation, OfParts
from regretless.confidence import TightUnion
from regretless.confidence.quantiles import latin_normals, tail_draws, upper_quantile
from regretless.errors import InvalidInput

from .views import box_view, rng, table_view


def outputs(make, K, function, signs=None):
    views = tuple(make() for _ in range(K + 1))
    return Outputs(views, 1, outer=Outer(function, signs))


def first(g):
    return g[..., 0]


@pytest.mark.parametrize("make", [table_view, box_view])
def test_the_identity_has_the_score_of_the_plain_rule(make):
    """One outcome, h its value: mean + sqrt(zeta) sd with the same zeta, within what draws are off."""
    seen, law = outputs(make, 1, first), TightUnion(50)
    for seed in range(4):
        plain = IRGPUCB(law).draw(seen.views[1], 1, rng(seed))
        ours = Quantile(law=law).draw(seen, 1, rng(seed))
        assert ours.record == plain.record
        exact = plain.on(seen.views[1])
        np.testing.assert_allclose(ours.on(seen), exact, atol=0.02 * seen.views[1].sd.max() + 1e-9)
        stated = Quantile(law=law).draw(outputs(make, 1, first, np.ones(1)), 1, rng(seed))
        np.testing.assert_allclose(stated.on(seen), exact, rtol=1e-12)  # said to be monotone: no draws


def test_a_linear_function_has_the_sd_of_the_sum():
    a, seen = np.array([1.0, -0.7]), None
    seen = outputs(table_view, 2, lambda g: g @ a)
    score = Quantile(draws=8192, law=TightUnion(20)).draw(seen, 1, rng(1))
    c = np.sqrt(score.record["zeta"])
    mean, sd = seen.mean[:, 1:], seen.sd[:, 1:]
    np.testing.assert_allclose(score.on(seen), mean @ a + c * np.linalg.norm(a * sd, axis=1), atol=0.05)


@pytest.mark.parametrize("seed", range(6))
def test_the_quantile_lemma(seed):
    """E max F <= E max Q(U/n), of two outcomes with correlated candidates and a function that is not monotone: 4 se."""
    r, n, R = np.random.default_rng(seed), 12, 20_000
    roots = [r.standard_normal((n, n)) / 2.0 for _ in range(2)]
    means = [r.standard_normal(n) for _ in range(2)]
    g = [m + r.standard_normal((R, n)) @ root.T for m, root in zip(means, roots, strict=True)]

    def h(a, b):
        return -((a - 0.3) ** 2) + np.cos(2.0 * b)

    truth = h(*g).max(axis=1)
    mean = np.column_stack(means)
    sd = np.column_stack([np.sqrt((root**2).sum(axis=1)) for root in roots])
    best = []
    for _ in range(400):
        p = (1.0 - r.random()) / n
        draws = tail_draws(norm.isf(p), 2048, 2, r)
        F = h(*(mean[:, None, :] + sd[:, None, :] * draws.z).transpose(2, 0, 1))
        best.append(F[np.arange(n), upper_quantile(F, draws.weights, p)].max())
    error = np.hypot(truth.std() / np.sqrt(R), np.std(best) / 20.0)
    assert truth.mean() - 4.0 * error <= np.mean(best)


def test_monotone_functions_count_an_event_for_each_outcome():
    assert Quantile().events_each(outputs(table_view, 3, first)) == 1
    assert Quantile().events_each(outputs(table_view, 3, first, np.array([1.0, -1.0, 1.0]))) == 3


def test_at_bounds_each_outcome_is_at_its_own_side():
    def difference(g):
        return g[..., 0] - g[..., 1]

    seen = outputs(table_view, 2, difference, np.array([1.0, -1.0]))
    score = Quantile(law=TightUnion(9)).draw(seen, 1, rng(1))
    c = np.sqrt(score.record["zeta"])
    mean, sd = seen.mean[:, 1:], seen.sd[:, 1:]
    np.testing.assert_allclose(score.on(seen), mean[:, 0] + c * sd[:, 0] - mean[:, 1] + c * sd[:, 1])


@pytest.mark.parametrize("which", ["quantile", "bounds", "expectation", "paths"])
def test_gradients_by_differences(which):
    def h(g):
        return -((g[..., 0] - 0.2) ** 2) + 0.5 * g[..., 1]

    seen = outputs(box_view, 2, h, np.ones(2) if which == "bounds" else None)
    if which == "expectation":
        score = OfParts(seen.posteriors[1:], Expectation(h, latin_normals(64, 2, rng(1))))
    else:
        score = (CompositeTS(n_features=200) if which == "paths" else Quantile(draws=256)).draw(seen, 4, rng(2))
    X, step = rng(3).random((5, seen.views[0].dim)) * 0.8 + 0.1, 1e-5
    value, gradient = score.value_and_gradient(X)
    np.testing.assert_allclose(value, score.at(X), rtol=1e-9)
    for j in range(X.shape[1]):
        e = np.zeros(X.shape[1])
        e[j] = step
        slope = (score.at(X + e) - score.at(X - e)) / (2.0 * step)
        close = np.isclose(gradient[:, j], slope, rtol=2e-3, atol=2e-3)
        assert close.mean() >= 0.8  # a quantile has kinks where one draw takes over from another


def test_on_a_table_paths_are_exact_and_scores_agree_with_moments():
    seen = outputs(table_view, 2, lambda g: g[..., 0] * g[..., 1])
    score = CompositeTS().draw(seen, 1, rng(5))
    assert score.on(seen).shape == (len(seen.views[0].X),)
    with pytest.raises(InvalidInput, match="between its candidates"):
        score.at(seen.views[0].X)


def test_rules_refuse_what_is_not_composite():
    plain = Outputs((table_view(),), 1)
    for rule in (Quantile(), CompositeTS()):
        with pytest.raises(InvalidInput, match="composite"):
            rule.draw(plain, 1, rng(1))
    with pytest.raises(InvalidInput, match="views of its parts"):
        Outputs((table_view(),), 1, outer=Outer(first))
    with pytest.raises(InvalidInput):
        Quantile(draws=3)
