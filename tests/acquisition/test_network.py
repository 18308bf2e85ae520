"""Networks of stages: the plain rule, closed forms, a slow twin, the quantile lemma for dependent stages."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import norm

from regretless.acquisition import IRGPUCB, Cascade, CompositeTS, Outer, Outputs, Quantile, Stage
from regretless.acquisition.network import ExpectedOfCascade, QuantileOfCascade, path_of_cascade
from regretless.confidence import TightUnion
from regretless.confidence.quantiles import latin_normals, tail_draws, upper_quantile
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior

from .views import box_view, rng, table_view


def last(g):
    return g[..., -1]


def model(d, *, seed, n=6, reach=1.0, noise_var=1e-2):
    """A posterior over d inputs, of which the last ranges over (-reach, reach)."""
    r = np.random.default_rng(seed)
    X = r.random((n, d))
    X[:, -1] = reach * (2.0 * X[:, -1] - 1.0)
    kernel = Kernel("matern52", np.array([0.5] * (d - 1) + [0.5 * reach]), 1.3)
    return posterior(kernel, noise_var=noise_var, X=X, y=np.sin(5.0 * X / reach).sum(axis=1))


def diamond(make, **shape):
    """a from the first column; b from both columns and a; c from a and b, which depend on each other."""
    view = make(d=2, **shape)
    stages = (
        Stage((model(1, seed=1),), (0,), (), 0.5, 2.0, (0,)),
        Stage((model(3, seed=2, reach=2.0),), (0, 1), (0,), -1.0, 0.7, (0, 0, 0)),
        Stage((model(2, seed=3),), (), (0, 1), 0.0, 1.0, (0, 0)),
    )
    return Outputs((view,), 1, cascade=Cascade(stages, lambda g: g[..., 2] - 0.3 * g[..., 0] ** 2))


@pytest.mark.parametrize("make", [table_view, box_view])
def test_one_identity_stage_has_the_score_of_the_plain_rule(make):
    """The same zeta, and mean + sqrt(zeta) sd within what draws are off."""
    view, law = make(), TightUnion(50)
    columns = tuple(range(view.dim))
    one = Outputs((view,), 1, cascade=Cascade((Stage((view.posterior,), columns, ()),), last))
    for seed in range(4):
        plain = IRGPUCB(law).draw(view, 1, rng(seed))
        ours = Quantile(law=law, draws=1024).draw(one, 1, rng(seed))
        assert ours.record == plain.record
        np.testing.assert_allclose(ours.on(one), plain.on(view), atol=0.02 * view.sd.max() + 1e-9)


def test_stages_without_a_chain_are_a_composite_objective():
    """The same draws, the same function: the same score as `Outer` over views, by another way."""
    views = tuple(box_view(seed=s) for s in (0, 0, 0))

    def h(g):
        return g[..., 0] * g[..., 1]

    stages = tuple(Stage((view.posterior,), (0, 1), ()) for view in views[1:])
    flat, chained = Outputs(views, 1, outer=Outer(h)), Outputs(views[:1], 1, cascade=Cascade(stages, h))
    one, other = (Quantile(law=TightUnion(9)).draw(seen, 1, rng(3)) for seen in (flat, chained))
    np.testing.assert_allclose(one.on(flat), other.on(chained), rtol=1e-10)
    X = rng(1).random((4, 2))
    for a, b in zip(one.value_and_gradient(X), other.value_and_gradient(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@dataclass(frozen=True)
class Linear:
    """In the place of a posterior: mean w . inputs, and one sd everywhere."""

    w: np.ndarray
    s: float

    def mean_sd(self, X):
        return X @ self.w, np.full(len(X), self.s)

    def mean_sd_pull(self, X):
        mean, sd = self.mean_sd(X)
        return mean, sd, lambda by_mean, by_sd: np.outer(by_mean, self.w)  # noqa: ARG005


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_second_stage_has_closed_moments_and_quantiles(seed):
    """F = alpha a + w . x + s z with a ~ N(mu_a, sd_a^2), in units of its own: normal, with mean and sd as on paper."""
    r, view = np.random.default_rng(seed), box_view(seed=seed)
    alpha, w, s, shift, scale = *r.standard_normal(2), 0.3, 4.0, 2.5
    stages = (Stage((view.posterior,), (0, 1), (), shift, scale), Stage((Linear(np.array([w, alpha]), s),), (1,), (0,)))
    outputs = Outputs((view,), 1, cascade=Cascade(stages, last))
    mean = alpha * (shift + scale * view.mean) + w * view.X[:, 1]
    sd = np.hypot(alpha * scale * view.sd, s)
    score = Quantile(law=TightUnion(30), draws=8192).draw(outputs, 1, rng(seed))
    c = math.sqrt(score.record["zeta"])
    np.testing.assert_allclose(score.on(outputs), mean + c * sd, atol=0.06 * sd.max())
    expected = ExpectedOfCascade(outputs.cascade, latin_normals(4096, 2, rng(1)))
    np.testing.assert_allclose(expected.on(outputs), mean, atol=0.01)
    _, gradient = expected.value_and_gradient(view.X[:3])
    _, _, by_mean, _ = view.posterior.mean_sd_gradient(view.X[:3])
    np.testing.assert_allclose(gradient, alpha * scale * by_mean + [0.0, w], atol=0.02 * np.abs(by_mean).max() + 0.01)


def test_pushing_draws_agrees_with_a_slow_twin():
    """Point by point, draw by draw, stage by stage, with the models of a stage in turns."""
    stages = (
        Stage((model(1, seed=1), model(1, seed=7)), (0,), (), 0.5, 2.0),
        Stage((model(2, seed=2), model(2, seed=8), model(2, seed=9)), (1,), (0,), -1.0, 0.7),
        Stage((model(3, seed=3),), (0,), (0, 1)),
    )
    cascade, X, z = Cascade(stages, last), rng(1).random((4, 2)), rng(2).standard_normal((7, 3))
    slow = np.empty((4, 7, 3))
    for i, x in enumerate(X):
        for r in range(7):
            outputs = []
            for k, stage in enumerate(stages):
                inputs = np.array([[*(x[j] for j in stage.columns), *(outputs[j] for j in stage.earlier)]])
                mean, sd = stage.posteriors[r % len(stage.posteriors)].mean_sd(inputs)
                slow[i, r, k] = mean[0] + sd[0] * z[r, k]
                outputs.append(stage.shift + stage.scale * slow[i, r, k])
    np.testing.assert_allclose(cascade.outputs(X, z), slow, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.vstack(list(cascade.values(X, z))), slow[..., 2], rtol=1e-9, atol=1e-12)


def test_pushing_a_path_agrees_with_a_slow_twin():
    outputs = diamond(box_view)
    score = path_of_cascade(outputs, rng(4), n_features=300)
    for x, value in zip(outputs.views[0].X[:6], score.on(outputs), strict=False):
        a, b, c = score.paths
        ya = 0.5 + 2.0 * (ga := a(np.array([[x[0]]]))[0, 0])
        yb = -1.0 + 0.7 * b(np.array([[x[0], x[1], ya]]))[0, 0]
        assert value == pytest.approx(c(np.array([[ya, yb]]))[0, 0] - 0.3 * ga**2, rel=1e-9)


@pytest.mark.parametrize("which", ["quantile", "expectation", "path"])
def test_gradients_by_differences(which):
    outputs = diamond(box_view)
    if which == "expectation":
        score = ExpectedOfCascade(outputs.cascade, latin_normals(64, 3, rng(1)))
    else:
        score = (CompositeTS(n_features=200) if which == "path" else Quantile(draws=256)).draw(outputs, 4, rng(2))
    X, step = rng(3).random((6, 2)) * 0.8 + 0.1, 1e-5
    value, gradient = score.value_and_gradient(X)
    np.testing.assert_allclose(value, score.at(X), rtol=1e-9)
    for j in range(2):
        e = np.zeros(2)
        e[j] = step
        slope = (score.at(X + e) - score.at(X - e)) / (2.0 * step)
        assert np.isclose(gradient[:, j], slope, rtol=2e-3, atol=2e-3).mean() >= 0.8  # a quantile has kinks


def test_exact_paths_on_a_table_have_the_law_of_the_stages():
    """Their moments at each row are those of draws stage by stage, and equal rows have equal values: 4.5 se."""
    outputs = diamond(table_view, N=8)
    R = 600
    paths = np.array([path_of_cascade(outputs, rng(s), n_features=10).on(outputs) for s in range(R)])
    drawn = np.vstack(list(outputs.cascade.values(outputs.views[0].X, rng(1).standard_normal((R, 3)))))
    error = np.hypot(paths.std(axis=0), drawn.std(axis=1)) / math.sqrt(R)
    assert (np.abs(paths.mean(axis=0) - drawn.mean(axis=1)) < 4.5 * error).all()
    np.testing.assert_allclose(paths.std(axis=0), drawn.std(axis=1), rtol=0.2)


def lemma(seed, runs, looks):
    """E max F and E max Q(U/n) over three stages that hang together at each row and between rows, with an error."""
    r, n = np.random.default_rng(seed), 10
    stages = (
        Stage((model(1, seed=10 + seed, n=2),), (0,), (), 0.0, 1.5),
        Stage((model(2, seed=20 + seed, n=3, reach=2.0),), (1,), (0,)),
        Stage((model(2, seed=30 + seed, n=3),), (), (0, 1)),
    )
    cascade = Cascade(stages, lambda g: np.cos(2.0 * g[..., 2]) - 0.2 * g[..., 1] ** 2)
    view = table_view(N=n, n=2, seed=seed)
    outputs = Outputs((view,), 1, cascade=cascade)
    truth = [path_of_cascade(outputs, r, n_features=10).on(outputs).max() for _ in range(runs)]
    best = []
    for _ in range(looks):
        p = (1.0 - r.random()) / n
        draws = tail_draws(norm.isf(p), 1024, 3, r)
        F = np.vstack(list(cascade.values(view.X, draws.z)))
        best.append(F[np.arange(n), upper_quantile(F, draws.weights, p)].max())
    return np.mean(truth), np.mean(best), np.hypot(np.std(truth) / math.sqrt(runs), np.std(best) / math.sqrt(looks))


@pytest.mark.parametrize("seed", range(2))
def test_the_quantile_lemma_for_dependent_stages(seed):
    """E max F <= E max Q(U/n): at 4 standard errors."""
    truth, bound, error = lemma(seed, 400, 60)
    assert truth - 4.0 * error <= bound


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_the_quantile_lemma_for_dependent_stages_closely(seed):
    truth, bound, error = lemma(seed, 5000, 500)
    assert truth - 4.0 * error <= bound


@pytest.mark.parametrize(("stages", "allowed"), [(1, 0.05), (3, 0.3), (5, 0.45)])
def test_far_tails_are_reached_by_few_draws(stages, allowed):
    """The default's 512 draws see the quantile of a normal F at 1e-4 within a part of an sd; plain ones are 1 off."""
    each = tuple(
        Stage((Linear(np.ones(1), 1.0),), (0,) if k == 0 else (), () if k == 0 else (k - 1,)) for k in range(stages)
    )
    cascade, c = Cascade(each, last), norm.isf(1e-4)
    off = []
    for seed in range(40):
        score = QuantileOfCascade(cascade, tail_draws(c, 512, stages, rng(seed)), 1e-4)
        off.append(score.at(np.zeros((1, 1)))[0] / math.sqrt(stages) - c)
    assert math.sqrt(np.mean(np.square(off))) < allowed


def test_a_table_has_no_path_between_its_rows():
    outputs = diamond(table_view)
    score = CompositeTS().draw(outputs, 1, rng(1))
    with pytest.raises(InvalidInput, match="between its candidates"):
        score.at(outputs.views[0].X)
