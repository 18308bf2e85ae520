import json
from pathlib import Path

import numpy as np
import pytest

from regretless.gp import Kernel, posterior, table_posterior
from regretless.linalg import single_thread

HERE = Path(__file__).parent


@pytest.fixture(scope="package", autouse=True)
def one_blas_thread():
    """As in a suggestion: small matrices on several threads of a busy machine take a hundred times as long."""
    with single_thread():
        yield


@pytest.fixture(scope="session")
def values():
    """Numbers computed with 60 digits, by case; some of them stand beside the tests of the laws."""
    both = [HERE.parent / "confidence" / "theory_values.json", HERE / "theory_values.json"]
    return {case: entry for path in both for case, entry in json.loads(path.read_text(encoding="utf-8")).items()}


@pytest.fixture(scope="session")
def random_table():
    """A table posterior of a random GP (kernel, dimension, noise, amplitude, data), and the function it comes from."""

    def make(seed, *, N=None, n=None):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 5))
        N = int(rng.integers(2, 40)) if N is None else N
        n = int(rng.integers(0, 15)) if n is None else n
        kernel = Kernel(
            str(rng.choice(["rbf", "matern32", "matern52"])), rng.uniform(0.1, 0.8, d), float(rng.uniform(0.3, 3.0))
        )
        noise_var = float(10.0 ** rng.uniform(-4.0, 0.3))
        X = rng.random((N, d))
        K = kernel(X, X) + 1e-10 * np.eye(N)
        f = np.linalg.cholesky(K) @ rng.standard_normal(N)
        rows = rng.integers(N, size=n)
        y = f[rows] + np.sqrt(noise_var) * rng.standard_normal(n)
        return table_posterior(posterior(kernel, noise_var=noise_var, X=X[rows], y=y), X), f

    return make
