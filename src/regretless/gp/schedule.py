"""When hyperparameters are fitted again."""

from regretless.gp.settings import FitSettings

__all__ = ["fitted_to", "refit_due"]

#: On a table of more candidates a fit is cheap beside the n x N matrix that is made anew after it. With so many
#: observations hyperparameters move little, and it is done half as often.
_MANY_CANDIDATES = 10_000
_MANY_OBSERVATIONS = 64


def refit_due(surrogate: FitSettings, *, n: int, n_fitted: int | None, N: int = 0) -> bool:
    """Whether n observations call for a new fit when the last one saw ``n_fitted`` (None: there was none).

    N is the number of candidates, if there is a table of them.
    """
    if n_fitted is None:
        return True
    if surrogate.method == "fixed" and not surrogate.standardize:
        return False  # with it, shift and scale still have to follow the values
    return n - n_fitted >= _fit_after(surrogate, n_fitted, N)


def fitted_to(surrogate: FitSettings, n: int, N: int = 0) -> int:
    """How many of n observations the newest fit saw, if it was asked for after each of them.

    >>> from regretless.gp import Surrogate
    >>> [fitted_to(Surrogate(), n) for n in (0, 1, 15, 17, 18, 19, 100)]
    [0, 1, 15, 16, 18, 18, 91]
    """
    seen = min(n, 1)
    while 0 < seen <= n - _fit_after(surrogate, seen, N):
        seen += _fit_after(surrogate, seen, N)
    return seen


def _fit_after(surrogate: FitSettings, n_fitted: int, N: int) -> int:
    """Observations until the next fit."""
    if surrogate.refit_every is not None:
        return surrogate.refit_every
    seldom = N > _MANY_CANDIDATES and n_fitted >= _MANY_OBSERVATIONS
    return max(1, n_fitted // (4 if seldom else 8))
