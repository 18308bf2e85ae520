"""Certificates of level sets: known values, exactness by simulation, and runs of the random straddle."""

import math

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, table_posterior
from regretless.theory import expected_level_set_loss, information_gain, misclassification

MEAN, SD = np.array([0.2, 0.55, 1.3, 0.49]), np.array([0.5, 0.1, 0.4, 0.02])


def test_known_values():
    found = misclassification(MEAN, SD, level=0.5)
    assert found.expected_wrong == pytest.approx(0.91407832715, rel=1e-10)
    np.testing.assert_allclose(
        found.loss, [0.0843363661209, 0.0197796557401, 0.00339628104673, 0.00395593114803], rtol=1e-10
    )
    assert found.worst_loss == pytest.approx(0.111468234056, rel=1e-9)
    assert found.all_right == pytest.approx(1.0 - found.expected_wrong)


def test_against_draws():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((6, 6)) / 3.0
    mean, cov = rng.standard_normal(6) / 2.0, root @ root.T
    f = mean + rng.standard_normal((200_000, 6)) @ root.T
    loss = np.where((f >= 0.1) == (mean >= 0.1), 0.0, np.abs(f - 0.1))
    found = misclassification(mean, np.sqrt(np.diag(cov)), level=0.1)
    for exact, drawn in ((found.wrong, loss > 0.0), (found.loss, loss)):
        error = drawn.std(axis=0) / math.sqrt(len(f))
        assert np.all(np.abs(exact - drawn.mean(axis=0)) <= 4.5 * error + 1e-12)
    worst = loss.max(axis=1)
    assert found.worst_loss >= worst.mean() - 4.0 * worst.std() / math.sqrt(len(f))
    assert found.worst_loss <= loss.sum(axis=1).mean() * 1.02  # u = 0 is one of the bounds


def test_what_is_known_is_right():
    found = misclassification([1.0, -1.0], [0.0, 0.0], level=0.0)
    assert (found.expected_wrong, found.worst_loss, found.all_right) == (0.0, 0.0, 1.0)
    far = misclassification([100.0, 101.0], [1.0, 1.0], level=0.0)
    assert far.worst_loss < 1e-300


def test_bad_moments_are_refused():
    for mean, sd in (([], []), ([1.0], [1.0, 2.0]), ([1.0], [-1.0])):
        with pytest.raises(InvalidInput):
            misclassification(mean, sd, level=0.0)


def test_the_random_straddle_stays_below_its_bound_and_the_certificate_is_what_happens():
    """60 runs on functions of the model; certified and realised losses agree within four standard errors."""
    X, noise_var, T, level = np.linspace(0.0, 1.0, 15)[:, None], 0.05, 25, 0.3
    kernel = Kernel("rbf", np.array([0.2]), 1.0)
    total, gap = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        f = np.linalg.cholesky(kernel(X, X) + 1e-10 * np.eye(len(X))) @ rng.standard_normal(len(X))
        table = table_posterior(posterior(kernel, noise_var=noise_var, X=np.empty((0, 1)), y=np.empty(0)), X)
        losses = []
        for _ in range(T):
            true = np.where((f >= level) == (table.mean >= level), 0.0, np.abs(f - level)).mean()
            losses.append(true)
            gap.append(true - misclassification(table.mean, table.sd, level=level).loss.mean())
            row = int(np.argmax(np.sqrt(rng.exponential(2.0)) * table.sd - np.abs(table.mean - level)))
            table = table.condition_at(row, f[row] + math.sqrt(noise_var) * rng.standard_normal())
        total.append(sum(losses))
    by_run = np.array(gap).reshape(60, T).mean(axis=1)
    assert abs(by_run.mean()) <= 4.0 * by_run.std(ddof=1) / math.sqrt(60)
    gain = information_gain(kernel, X, T, noise_var=noise_var).upper[T]
    bound = expected_level_set_loss(T, info_gain=gain, noise_var=noise_var)
    assert np.mean(total) + 4.0 * np.std(total, ddof=1) / math.sqrt(60) < bound
