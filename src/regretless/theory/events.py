r"""The events law: what is monotone in several unknowns is, in expectation, at most its value at their bounds.

Let Psi not decrease in the unknowns g_i of I+ and not increase in those of I-, m = |I+| + |I-|. With one uniform U and
c = Phibar^-1(U/m) each one-sided event g_i > mu_i + c sd_i (or g_i < mu_i - c sd_i) has probability at most U/m given
the data, so that Psi(g) exceeds Psi at the bounds with probability at most U, and

.. math:: E\, \Psi(g) \le E_U\, \Psi(\mu + c\,\sigma \text{ on } I^+,\; \mu - c\,\sigma \text{ on } I^-)

For g with any joint law whose margins are normal. The key lemma of Takeno et al. (2023) is Psi = max.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from regretless.arrays import Floats, as_vector, as_whole
from regretless.errors import InvalidInput

__all__ = ["expected_at_bounds"]

#: Cells of the normal score of U, and where they begin and end: below is a probability of 1e-19.
_CELLS, _LOW, _HIGH = 400, -9.0, 6.0


def expected_at_bounds(
    psi: Callable[[Floats], float],
    mean: npt.ArrayLike,
    sd: npt.ArrayLike,
    *,
    rises: npt.ArrayLike | None = None,
    n_events: int | None = None,
) -> float:
    r"""The right-hand side of the events law, as an upper sum: a bound on E Psi(g).

    Parameters
    ----------
    psi
        Maps m values of the unknowns to a number; it must be monotone in each.
    mean, sd
        Of the m unknowns, given the data.
    rises
        In which of them ``psi`` does not decrease; by default in all. It must not increase in the others.
    n_events
        Fewer events than unknowns, where that is known to be enough: for :math:`\max_x \min_j g_j(x)` the number of x.

    Returns
    -------
    float
        At least the expectation over U, but for a tail of probability 1e-19: ``psi`` is evaluated at the end of each
        cell of U where it is larger.

    Examples
    --------
    >>> round(expected_at_bounds(max, [0.0, 0.8, 1.0, -0.5], [1.0, 0.5, 0.2, 1.5]), 2)
    1.63
    """
    mu, sigma = as_vector(mean, "mean"), as_vector(sd, "sd")
    up = np.ones(len(mu), dtype=np.bool_) if rises is None else np.asarray(rises, dtype=np.bool_)
    if not len(mu) or len(mu) != len(sigma) or up.shape != mu.shape or sigma.min() < 0.0:
        raise InvalidInput(
            f"mean, sd >= 0 and rises must have one entry per unknown, got {len(mu)}, {len(sigma)}, {up.shape}."
        )
    m = as_whole(len(mu) if n_events is None else n_events, "n_events", least=1)
    U = ndtr(np.linspace(_LOW, _HIGH, _CELLS + 1))
    weights = np.diff(np.append(U[:-1], 1.0))
    c = -ndtri(U[:-1] / m)  # the larger c of a cell
    signs = np.where(up, 1.0, -1.0) * sigma
    values = np.array([psi(mu + root * signs) for root in c])
    if not np.isfinite(values).all():
        raise InvalidInput("psi must be finite at every bound; cut it off where it is not.")
    return float(weights @ values / weights.sum())
