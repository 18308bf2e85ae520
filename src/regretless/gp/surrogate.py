"""The Gaussian process as its user sets it up."""

from dataclasses import dataclass, replace

import numpy as np

from regretless.arrays import Floats
from regretless.gp.estimation import fit
from regretless.gp.fidelity import Discrepancy
from regretless.gp.hyperparameters import Hyperparameters
from regretless.gp.kernels import Family
from regretless.gp.noise import Noise
from regretless.gp.priors import CAUTIOUS_LENGTHSCALE, LENGTHSCALE
from regretless.gp.settings import FitSettings
from regretless.gp.transfer import Source

__all__ = ["Surrogate"]


@dataclass(frozen=True, slots=True)
class Surrogate(FitSettings):
    """How the Gaussian process is set up and how often it is fitted.

    Parameters
    ----------
    kernel
        ``"rbf"``, ``"matern32"`` or ``"matern52"``, each with one length scale per column; ``"auto"`` lets the fit
        choose (every further start draws its family, and the best of all starts wins) and is ``"matern52"`` where
        nothing is fitted.
    method
        ``"map"``: maximum of likelihood times the priors of `regretless.gp.priors`; ``"likelihood"``: without these
        priors; ``"fixed"``: ``lengthscale``, ``signal_var`` and ``noise_var`` are taken as given.
    lengthscale
        On the unit cube: the value if fixed, else where the fit starts.
    signal_var, noise_var
        Kernel amplitude and noise variance in the units the model sees (standardised y, unless ``standardize=False``);
        ``None`` lets the fit choose.
    lengthscale_prior
        Of ``method="map"``: median in one dimension (it grows with the square root of their number) and sd of the log.
    lengthscale_bounds, noise_bounds
        Where the fit may go.
    restarts
        Further starts of the fit, beside the last optimum.
    refit_every
        Tells between two fits; ``None`` fits after every tell at first and after every eighth part of n later (on a
        table of more than 10,000 candidates after every fourth part, from 64 observations on).
    fit_size
        At most so many observations, evenly spaced in time, are used to choose hyperparameters. The posterior has more.
    standardize
        Whether y is shifted and scaled to mean 0 and variance 1 before modelling.
    fit_mean
        Whether the mean of the process, a constant, is fitted with the hyperparameters instead of being that of the
        observed values; its own prior, N(0, 1) on standardised y, counts with every ``method``. Not without
        ``standardize``, and not where nothing is fitted.
    compress
        Whether, before that, values below their median are taken by about their logarithm, see
        `regretless.gp.outcome_transform`. Not without ``standardize``.
    scale_categories
        Whether the prior of a column of K categories has its median sqrt(6 (1 - 1/K)) times as large: two random
        categories are as much farther apart than two random numbers. Otherwise a category that was not tried yet has
        little to do with the others.
    places
        Whether median, mean and spread of y are those of places, see `regretless.gp.places`: a crowd of points close
        together counts once.
    pure_error
        Whether repeated measurements of a point, where there are some, say how noisy values are when a study decides
        what is worth measuring again. The fit may take the ups and downs between rows for noise. Otherwise the fit
        alone decides.

    >>> Surrogate.paper().kernel
    'rbf'
    """

    @classmethod
    def paper(cls) -> "Surrogate":
        """The setting of Takeno et al.: RBF-ARD, amplitude and noise fixed, length scales by likelihood, every 5."""
        return cls(
            kernel="rbf",
            method="likelihood",
            lengthscale=0.3,
            signal_var=1.0,
            noise_var=1e-4,
            lengthscale_bounds=(0.03, 10.0),
            restarts=10,
            refit_every=5,
            fit_mean=False,
            compress=False,
            scale_categories=False,
            pure_error=False,
        )

    @classmethod
    def known(
        cls, kernel: Family, lengthscale: float | tuple[float, ...], *, signal_var: float, noise_var: float
    ) -> "Surrogate":
        """Hyperparameters known beforehand, y modelled as it is: the setting of the theorems.

        They are about the argmax over all points, so a study with such a model repeats points unless told otherwise.
        """
        return cls(
            kernel=kernel,
            method="fixed",
            lengthscale=lengthscale,
            signal_var=signal_var,
            noise_var=noise_var,
            standardize=False,
        )

    def cautious(self) -> "Surrogate":
        """The model to promise by, beside this one to search by: shorter length scales, which expect more surprises.

        A model chosen because it explains the few data best is too sure of itself where nothing was measured. Only a
        fit with the default prior is made more cautious; whoever sets priors, likelihood or values knows what they do.
        """
        if self.method != "map" or self.lengthscale_prior != LENGTHSCALE:
            return self
        kernel = "matern32" if self.kernel == "auto" else self.kernel
        return replace(self, kernel=kernel, lengthscale_prior=CAUTIOUS_LENGTHSCALE)

    def survey(self) -> "Surrogate | None":
        """The model to look elsewhere by: the cautious one, in the units of places. None where the model is given.

        This one to search by becomes a lens on the best place once most points are there: its units and length scales
        are those of that place. The survey keeps to the scale of the whole space. It starts from the medians of its
        narrow priors alone, so that it depends on the data and on nothing else.
        """
        cautious = self.cautious()
        return None if cautious is self or not self.standardize else replace(cautious, places=True, restarts=0)

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
        """Hyperparameters for the data, see `regretless.gp.fit`."""
        return fit(
            self,
            X,
            y,
            categorical=categorical,
            start=start,
            rng=rng,
            noise=noise,
            source=source,
            knee=knee,
            levels=levels,
            discrepancy=discrepancy,
        )
