"""One fitted setting of the Gaussian process."""

from dataclasses import dataclass, field

import numpy as np

from regretless.arrays import Floats
from regretless.gp.fidelity import Discrepancy, FidelityKernel
from regretless.gp.kernels import Family, Kernel
from regretless.gp.noise import Noise
from regretless.gp.outcome_transform import Units
from regretless.gp.regression import Posterior, posterior
from regretless.gp.transfer import Source, TaskKernel

__all__ = ["Hyperparameters"]

#: Observations of an earlier study that are used: they take part in every posterior and every fit.
SOURCE_SIZE = 200


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """One fitted setting, and the units in which the model sees the values."""

    family: Family
    lengthscale: tuple[float, ...]
    signal_var: float
    noise_var: float
    units: Units = field(default_factory=Units)
    rho: float = 0.0  # correlation with an earlier study; 0: it has no part
    discrepancy: Discrepancy | None = None  # of levels below a target, where there are any
    offset: float = 0.0  # the share of a constant in it
    level_noise_var: float = 0.0  # noise variance of a measurement below the target, on top of the common one

    def kernel(self, categorical: tuple[bool, ...]) -> Kernel:
        """The kernel with this setting."""
        scales = np.array(self.lengthscale)
        if self.discrepancy is None:
            return Kernel(self.family, scales, self.signal_var, categorical)
        return FidelityKernel(
            self.family, scales, self.signal_var, categorical, discrepancy=self.discrepancy, offset=self.offset
        )

    def posterior(
        self,
        categorical: tuple[bool, ...],
        X: Floats,
        y: Floats,
        *,
        noise: Noise | None = None,
        source: Source | None = None,
    ) -> Posterior:
        """Posterior of the standardised function given values, and their known noise, in the user's units.

        The observations of a ``source`` come first, unless rho is 0.
        """
        kernel, z, noise_vars = self.kernel(categorical), self.units.standardised(y), self.noise_vars(y, noise, X)
        if source is not None and self.rho:
            kernel = TaskKernel.of(kernel, self.rho)
            own = np.full(len(y), self.noise_var) if noise_vars is None else noise_vars
            X = np.vstack([source.rows(), np.column_stack([X, np.zeros(len(X))])])
            z, noise_vars = np.concatenate([source.z, z]), np.concatenate([source.noise_vars, own])
        return posterior(kernel, noise_var=self.noise_var, X=X, y=z, noise_vars=noise_vars)

    def noise_vars(self, y: Floats, noise: Noise | None, X: Floats | None = None) -> Floats | None:
        """Noise variances of values as the model sees them, None where nothing is known but the common one.

        With a discrepancy the last column of ``X`` says how far below the target they were measured.

        Known errors are multiplied by the slope of the transform at the value (the delta method): below the knee they
        are compressed as the values are. Of replicates the mean is transformed.
        """
        known = None if noise is None else noise.scaled(self.units.slope(y)).variances(self.noise_var)
        if self.discrepancy is None or X is None:
            return known
        return (self.noise_var if known is None else known) + np.where(X[:, -1] > 0.0, self.level_noise_var, 0.0)

    def as_source(self, X: Floats, y: Floats, *, noise: Noise | None = None) -> Source:
        """The data that this was fitted to as the `Source` of a new study; of very many, some evenly spaced in time."""
        kept = np.linspace(0, len(y) - 1, min(len(y), SOURCE_SIZE)).round().astype(int)
        noise_vars = self.noise_vars(y, noise)
        log_theta = np.log([*self.lengthscale, self.signal_var, max(self.noise_var, 1e-300)])
        return Source(
            X[kept],
            self.units.standardised(y)[kept],
            np.full(len(kept), self.noise_var) if noise_vars is None else noise_vars[kept],
            self.family,
            log_theta,
            self.units,
        )
