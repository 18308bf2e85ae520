"""What a model believes about the function, and what makes such a belief of data: the seams for other models."""

from collections.abc import Callable
from typing import Protocol, Self

import numpy as np

from regretless.arrays import Floats
from regretless.gp.fidelity import Discrepancy
from regretless.gp.hyperparameters import Hyperparameters
from regretless.gp.kernels import Kernel
from regretless.gp.noise import Noise
from regretless.gp.regression import Posterior, Slope
from regretless.gp.transfer import Source

__all__ = ["Belief", "Candidates", "Model"]


class Candidates(Protocol):
    """Moments of f at every candidate. A `TablePosterior` keeps them; a `Posterior` computes them once."""

    @property
    def X(self) -> Floats:
        """The candidates, encoded, (N, d)."""
        ...

    @property
    def mean(self) -> Floats:
        """Posterior mean of each."""
        ...

    @property
    def sd(self) -> Floats:
        """Posterior standard deviation of each."""
        ...

    def covariance_with(self, index: int) -> Floats:
        """Posterior covariance of f between one candidate and all of them."""
        ...


class Belief(Protocol):
    """The law of f given data: `Posterior`, and `TablePosterior` where the candidates are a table."""

    @property
    def posterior(self) -> Posterior:
        """The plain posterior."""
        ...

    @property
    def candidates(self) -> Floats | None:
        """The rows of the table, None where there is none."""
        ...

    @property
    def kernel(self) -> Kernel:
        """The prior covariance."""
        ...

    @property
    def noise_var(self) -> float:
        """The common noise variance: of an observation of which nothing else is known."""
        ...

    @property
    def jitter(self) -> float:
        """What had to be added to the diagonal of the covariance matrix."""
        ...

    def __len__(self) -> int:
        """How many observations it rests on."""
        ...

    def on(self, X: Floats | None = None) -> Candidates:
        """Moments at the candidates: the table's own, else the rows of X."""
        ...

    def mean_sd(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of f at the rows of X."""
        ...

    def mean_sd_pull(self, X: Floats) -> tuple[Floats, Floats, Callable[[Slope, Slope], Floats]]:
        """Mean and sd at the rows of X, and the chain rule."""
        ...

    def covariance(self, A: Floats, B: Floats) -> Floats:
        """Covariance of f between the rows of A and of B."""
        ...

    def condition(self, x: Floats, y: float, *, noise_var: float | None = None) -> Self:
        """The belief after one more observation; ``noise_var`` is its own noise variance, None the common one."""
        ...

    def branch(self) -> Self:
        """The same belief for what is only imagined."""
        ...


class Model(Protocol):
    """From data to hyperparameters, which make the posterior: `Surrogate`."""

    def fit(
        self,
        X: Floats,
        y: Floats,
        *,
        categorical: tuple[bool, ...],
        start: Hyperparameters | None,
        rng: np.random.Generator,
        noise: Noise | None = None,
        source: Source | None = None,
        knee: float | None = None,
        levels: tuple[int, ...] | None = None,
        discrepancy: Discrepancy | None = None,
    ) -> Hyperparameters:
        """Hyperparameters for the data."""
        ...
