"""One fitted setting of the Gaussian process."""

from dataclasses import dataclass, field

import numpy as np

from regretless.arrays import Floats
from regretless.gp.kernels import Family, Kernel
from regretless.gp.outcome_transform import Units
from regretless.gp.posterior import Posterior, posterior

__all__ = ["Hyperparameters"]


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """One fitted setting, and the units in which the model sees the values."""

    family: Family
    lengthscale: tuple[float, ...]
    signal_var: float
    noise_var: float
    units: Units = field(default_factory=Units)

    def kernel(self, categorical: tuple[bool, ...]) -> Kernel:
        """The kernel with this setting."""
        return Kernel(self.family, np.array(self.lengthscale), self.signal_var, categorical)

    def posterior(self, categorical: tuple[bool, ...], X: Floats, y: Floats) -> Posterior:
        """Posterior of the standardised function given values in the user's units."""
        return posterior(self.kernel(categorical), noise_var=self.noise_var, X=X, y=self.units.standardised(y))
