"""What a fit of the Gaussian process may choose, and where it starts."""

import math
from dataclasses import dataclass
from typing import Literal

from regretless.arrays import show
from regretless.errors import InvalidInput
from regretless.gp.kernels import FAMILIES, Family
from regretless.gp.priors import LENGTHSCALE

__all__ = ["FitSettings", "Method"]

Method = Literal["map", "likelihood", "fixed"]


@dataclass(frozen=True, slots=True)
class FitSettings:
    """The fields of a `Surrogate`, which says what they mean, and what they may be."""

    kernel: Family | Literal["auto"] = "auto"
    method: Method = "map"
    lengthscale: float | tuple[float, ...] | None = None
    signal_var: float | None = None
    noise_var: float | None = None
    lengthscale_prior: tuple[float, float] = LENGTHSCALE
    lengthscale_bounds: tuple[float, float] = (1e-2, 1e2)
    noise_bounds: tuple[float, float] = (1e-6, 1.0)
    restarts: int = 1
    refit_every: int | None = None
    fit_size: int = 1000
    standardize: bool = True
    fit_mean: bool = True
    compress: bool = True
    scale_categories: bool = True
    places: bool = False
    pure_error: bool = True

    def __post_init__(self) -> None:
        if self.kernel not in (*FAMILIES, "auto"):
            raise InvalidInput(f"kernel must be one of {', '.join(FAMILIES)} or auto; got {show(self.kernel)}.")
        if self.method not in ("map", "likelihood", "fixed"):
            raise InvalidInput(f"method must be 'map', 'likelihood' or 'fixed'; got {show(self.method)}.")
        scales = self.lengthscale if isinstance(self.lengthscale, tuple) else (self.lengthscale,)
        for name, value in [*(("lengthscale", v) for v in scales), ("signal_var", self.signal_var)]:
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InvalidInput(f"{name} must be positive and finite, got {value}.")
        if self.noise_var is not None and not (math.isfinite(self.noise_var) and self.noise_var >= 0):
            raise InvalidInput(f"noise_var must be finite and not negative, got {self.noise_var}.")
        for name, (low, high) in (("lengthscale_bounds", self.lengthscale_bounds), ("noise_bounds", self.noise_bounds)):
            if not 0 < low <= high < math.inf:
                raise InvalidInput(f"{name} must be 0 < low <= high < inf, got {(low, high)}.")
        if not all(math.isfinite(value) and value > 0 for value in self.lengthscale_prior):
            raise InvalidInput(f"lengthscale_prior must be a positive median and sd, got {self.lengthscale_prior}.")
        if self.method == "fixed" and None in (*scales, self.signal_var, self.noise_var):
            raise InvalidInput("method='fixed' needs lengthscale, signal_var and noise_var.")
        if self.restarts < 0 or (self.refit_every is not None and self.refit_every < 1) or self.fit_size < 2:
            raise InvalidInput("restarts must be >= 0, refit_every >= 1 (or None) and fit_size >= 2.")
