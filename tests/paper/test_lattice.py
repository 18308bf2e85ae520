"""The fast way over a grid against the plain one: kernel values, prior draws, and whole races."""

import numpy as np
import pytest

from regretless import Study, Surrogate, Table
from regretless.acquisition import RULES
from regretless.errors import InvalidInput
from regretless.gp import Kernel, prior_factor
from regretless.paper.lattice import Kronecker, lattice
from regretless.paper.races import _run
from regretless.rng import Purpose, stream


@pytest.mark.parametrize(("levels", "dim", "lengthscale"), [(10, 3, 1 / 9), (5, 2, 0.3), (7, 1, 0.2)])
def test_kernel_values_are_those_of_the_plain_kernel(levels, dim, lengthscale):
    grid = lattice(levels, dim, lengthscale, 1e-4)
    plain = Kernel("rbf", np.full(dim, lengthscale), 1.0)
    rows = np.random.default_rng(0).integers(levels**dim, size=20)
    some = grid.X[rows]
    assert grid.kernel(some, grid.X) == pytest.approx(plain(some, grid.X), abs=1e-12)
    assert grid.kernel(grid.X, some) == pytest.approx(plain(grid.X, some), abs=1e-12)
    assert grid.kernel(some, some) == pytest.approx(plain(some, some), abs=1e-12)
    assert grid.kernel(some[:0], some).shape == (0, 20)
    between = some + 0.3 / levels  # off the grid, and partly outside the cube
    assert grid.kernel(between, some) == pytest.approx(plain(between, some), abs=1e-12)
    assert grid.kernel(some, between) == pytest.approx(plain(some, between), abs=1e-12)


def test_a_value_looked_up_may_be_changed():
    grid = lattice(5, 2, 0.3, 1e-4)
    row = grid.kernel(grid.X[:1], grid.X)
    row -= 7.0
    assert grid.kernel(grid.X[:1], grid.X)[0, 0] == 1.0


def test_prior_draws_are_those_of_the_full_factor():
    grid = lattice(10, 3, 1 / 9, 1e-4)
    full = prior_factor(Kernel("rbf", np.full(3, 1 / 9), 1.0), grid.X)
    assert full.jitter == 0.0
    z = np.random.default_rng(0).standard_normal((1000, 4))
    assert grid.factor.L @ z == pytest.approx(full.L @ z, abs=1e-10)
    assert grid.factor.L @ z[:, 0] == pytest.approx(full.L @ z[:, 0], abs=1e-10)


def test_kronecker_of_three():
    L = np.tril(np.random.default_rng(0).random((3, 3)))
    z = np.random.default_rng(1).random((27, 2))
    assert Kronecker(L, 3) @ z == pytest.approx(np.kron(np.kron(L, L), L) @ z, rel=1e-13)


def test_what_cannot_be_factorised_is_refused():
    with pytest.raises(InvalidInput, match="too long"):
        lattice(30, 1, 3.0, 1e-4)
    with pytest.raises(InvalidInput, match="levels"):
        lattice(1, 2, 0.1, 1e-4)


@pytest.mark.parametrize("noise_var", [1e-3, 1e-4])
@pytest.mark.parametrize("name", sorted(RULES))
def test_a_race_is_a_study(name, noise_var):
    """The slow twin: a `Study` told the same values makes the same suggestions, and draws the same zeta."""
    levels, T, seed = 6, 25, 12345
    grid = lattice(levels, 2, 0.15, noise_var)
    f = grid.draw(np.random.default_rng(3))
    initial = np.array([3, 30, 17])
    fast, zeta = _run(grid, RULES[name](), f, initial, T, seed)

    model = Surrogate.known("rbf", 0.15, signal_var=1.0, noise_var=noise_var)
    study = Study(Table(grid.X), rule=RULES[name](), surrogate=model, n_initial=3, seed=seed)
    noise = np.sqrt(noise_var) * stream(seed, 0, Purpose.PROBLEM).standard_normal(3 + T)
    for k, index in enumerate(initial):
        study.add(row=int(index), value=float(f[index] + noise[k]))
    for k in range(T):
        trial = study.ask()
        assert trial.source == "rule"
        study.tell(trial, float(f[trial.row] + noise[3 + k]))
    assert fast.tolist() == [trial.row for trial in study.trials]
    drawn = [np.nan if trial.zeta is None else trial.zeta for trial in study.trials[3:]]
    assert np.array_equal(zeta, drawn, equal_nan=True)
