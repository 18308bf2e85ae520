"""Posterior and TablePosterior say the same through one protocol."""

import inspect

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.gp import Belief, Kernel, Model, Surrogate, posterior, table_posterior


def beliefs():
    rng = np.random.default_rng(0)
    X, table = rng.random((6, 2)), rng.random((20, 2))
    post = posterior(Kernel("matern52", np.array([0.3, 0.5]), 1.2), noise_var=0.1, X=X, y=rng.standard_normal(6))
    return post, table_posterior(post, table), rng


def names(protocol):
    return [name for name, part in vars(protocol).items() if callable(part) or isinstance(part, property)]


@pytest.mark.parametrize("which", [0, 1])
def test_both_have_all_of_a_belief(which):
    belief = beliefs()[which]
    wanted = [name for name in names(Belief) if not name.startswith("_") or name == "__len__"]
    assert {"mean_sd", "mean_sd_pull", "covariance", "condition", "branch", "posterior", "candidates"} <= set(wanted)
    assert all(hasattr(belief, name) for name in wanted)


def test_a_surrogate_is_a_model():
    assert inspect.signature(Surrogate.fit).parameters.keys() == inspect.signature(Model.fit).parameters.keys()


def test_they_agree():
    post, table, rng = beliefs()
    Z = rng.random((5, 2))
    assert table.posterior is post.posterior is post
    assert (len(table), table.noise_var, table.jitter) == (len(post), post.noise_var, post.jitter)
    assert table.kernel is post.kernel
    assert post.candidates is None
    assert table.candidates is table.X
    for a, b in zip(table.mean_sd(Z), post.mean_sd(Z), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(table.covariance(Z, Z), post.covariance(Z, Z))
    np.testing.assert_array_equal(table.mean_sd_pull(Z)[2](1.0, 2.0), post.mean_sd_pull(Z)[2](1.0, 2.0))
    for a, b in ((table, post), (table.branch(), post.branch())):
        after = [belief.condition(Z[0], 2.0, noise_var=0.5).mean_sd(Z) for belief in (a, b)]
        np.testing.assert_array_equal(after[0], after[1])


def test_moments_at_candidates_are_kept_or_computed():
    post, table, _ = beliefs()
    kept, computed = table.on(), post.on(table.X)
    assert kept is table
    np.testing.assert_allclose(computed.mean, kept.mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(computed.sd, kept.sd, rtol=1e-10)
    np.testing.assert_allclose(computed.covariance_with(3), kept.covariance_with(3), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(computed.covariance_with(3), post.covariance(table.X, table.X)[3], rtol=1e-9, atol=1e-12)
    with pytest.raises(InvalidInput, match="brings its own candidates"):
        table.on(table.X)
    with pytest.raises(InvalidInput, match="needs the candidates"):
        post.on()


def test_what_is_compared_with_a_constant_is_compressed_around_it():
    y, X = np.array([-90.0, 1.0, 2.0, 3.0, 4.0]), np.linspace(0, 1, 5)[:, None]
    h = Surrogate().fit(X, y, categorical=(False,), start=None, rng=np.random.default_rng(0), knee=2.5)
    assert (h.units.knee, h.units.both) == (2.5, True)
    plain = Surrogate(compress=False).fit(X, y, categorical=(False,), start=None, rng=np.random.default_rng(0))
    assert plain.units.knee is None
