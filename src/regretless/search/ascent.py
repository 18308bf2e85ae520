r"""Many local ascents in step inside polytopes: BFGS on the active faces, with a ratio test to the nearest other one.

At a point with active faces :math:`N p \le 0` and equalities :math:`E p = 0` the direction is

.. math:: p = H (g - N' \lambda), \qquad N H N' \lambda = N H g,

with faces dropped whose :math:`\lambda` is negative [Nocedal2006]_ (section 16.5). Without constraints `climb` is used.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.search.bfgs import _ARMIJO, _FIRST, _LONGEST, _SHRINK, _TOO_SHORT, _bfgs, _dot, _largest, climb
from regretless.spaces import Mixed

__all__ = ["climb_in"]

_ACTIVE = 1e-9  # a face so near holds the point

Bools = npt.NDArray[np.bool_]
Ascent = Callable[[Floats, npt.NDArray[np.intp]], tuple[Floats, Floats]]


def climb_in(
    space: Mixed, value_and_gradient: Ascent, starts: Floats, *, tolerance: float = 1e-6, race: bool = False
) -> tuple[Floats, Floats]:
    """Local maxima above the starts inside a product space, and their values; its discrete columns stay.

    See `climb` for the other arguments. A region without linear faces, curved or given by a function, is a wall: an
    ascent stops before it and does not slide along.
    """
    region = space.region
    if region is None:
        return climb(value_and_gradient, starts, movable=space.continuous, tolerance=tolerance, race=race)
    if not region.limited:
        active = region.activity.at(starts)

        def frozen(X: Floats, which: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
            f, g = value_and_gradient(X, which)
            return f, np.where(active[which], g, 0.0)

        return climb(frozen, starts, movable=space.continuous, tolerance=tolerance, race=race)
    faces = region.faces(starts)

    def walled(X: Floats, which: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        f, g = value_and_gradient(X, which)
        return np.where(region.holds(X), f, -np.inf), g

    A = np.concatenate([faces.A, *_sides(faces.movable)], axis=1)
    b = np.concatenate([faces.b, *_ends(faces.movable, faces.low, faces.high)], axis=1)
    f = walled if faces.wall else value_and_gradient
    return _climb_faces(f, starts, A, b, faces.E, faces.movable, tolerance)


def _sides(movable: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    eye = np.eye(movable.shape[1]) * movable[:, None, :]
    return eye, -eye


def _ends(movable: npt.NDArray[np.bool_], low: Floats, high: Floats) -> tuple[Floats, Floats]:
    return np.where(movable, high, 1.0), np.where(movable, -low, 1.0)


def _climb_faces(
    value_and_gradient: Ascent,
    starts: Floats,
    G: Floats,
    h: Floats,
    E: Floats,
    movable: npt.NDArray[np.bool_],
    tolerance: float,
    max_steps: int = 60,
) -> tuple[Floats, Floats]:
    """Ascents in {u : G u <= h, E u = E start}, where each start has rows of its own."""
    X = np.array(starts)
    s, d = X.shape
    everyone = np.arange(s)
    f, g = value_and_gradient(X, everyone)
    if not s or not movable.any():
        return X, f
    going = np.isfinite(f) & movable.any(axis=1)
    g = _followed(f, g, movable)
    H = np.tile(np.eye(d), (s, 1, 1))
    fresh = np.ones(s, dtype=np.bool_)
    reach, stretch, scale = np.full(s, _LONGEST), np.ones(s), np.full(s, -1.0)
    for _ in range(max_steps):
        on = np.flatnonzero(going)
        if not len(on):
            break
        P, held = _direction(G[on], h[on], E[on], H[on], X[on], g[on])
        longest = np.maximum(_largest(P), 1e-300)
        size = np.where(fresh[on], _FIRST, longest)
        P *= (np.minimum(size * stretch[on], reach[on]) / longest)[:, None]
        moved = P * _ratio(G[on], h[on], X[on], P, held)[:, None]
        promised = _dot(g[on], moved)
        scale[on] = np.where(scale[on] < 0.0, np.maximum(1e-3 * np.abs(f[on]), promised), scale[on])
        stays = (_largest(moved) < 1e-9) | (promised <= 0.1 * tolerance * scale[on])
        going[on[stays]] = False
        on, moved, promised = on[~stays], moved[~stays], promised[~stays]
        if not len(on):
            break
        f_new, g_new = value_and_gradient(X[on] + moved, on)
        g_new = _followed(f_new, g_new, movable[on])
        gain = np.where(np.isfinite(f_new), f_new, -np.inf) - f[on]
        ok = gain >= _ARMIJO * promised
        H[on], fresh[on] = _bfgs(H[on], fresh[on], moved, g[on] - g_new, ok)
        top = np.divide(0.5 * promised, promised - gain, out=np.zeros_like(gain), where=gain < promised)
        reach[on] = np.where(ok, _LONGEST, _largest(moved) * np.clip(top, *_SHRINK))
        stretch[on] = np.where(gain > _TOO_SHORT * promised, 2.0 * stretch[on], 1.0)
        up = on[ok]
        X[up], f[up], g[up] = X[up] + moved[ok], f_new[ok], g_new[ok]
    return X, f


def _followed(f: Floats, g: Floats, movable: npt.NDArray[np.bool_]) -> Floats:
    return np.where(movable & np.isfinite(g) & np.isfinite(f)[:, None], g, 0.0)


def _direction(G: Floats, h: Floats, E: Floats, H: Floats, X: Floats, g: Floats) -> tuple[Floats, Bools]:
    """Newton's direction along the faces that hold a point, and which those are.

    Of the faces that touch it, those that push it inwards are dropped one at a time, and one is taken up again if the
    direction would cross it (an active-set method).
    """
    touched = h - (G @ X[:, :, None])[:, :, 0] <= _ACTIVE
    touched &= np.abs(G).max(axis=2) > 0.0
    held = touched.copy()
    e = E.shape[1]
    N = np.concatenate([E, G], axis=1)
    real_row = np.abs(N).max(axis=2) > 0.0
    HN = H @ N.transpose(0, 2, 1)
    M, HNg = N @ HN, (HN.transpose(0, 2, 1) @ g[:, :, None])[:, :, 0]
    rows = np.arange(len(X))
    diagonal = np.arange(N.shape[1])
    P = np.zeros_like(X)
    for _ in range(2 * G.shape[1] + 2):
        use = np.concatenate([np.ones((len(X), e), dtype=np.bool_), held], axis=1) & real_row
        K = M * (use[:, :, None] & use[:, None, :])
        K[:, diagonal, diagonal] = np.where(use, K[:, diagonal, diagonal] * (1.0 + 1e-10) + 1e-14, 1.0)
        multiplier = np.linalg.solve(K, np.where(use, HNg, 0.0)[:, :, None])
        P = (H @ g[:, :, None] - HN @ multiplier)[:, :, 0]
        left = np.where(use, (N @ P[:, :, None])[:, :, 0], 0.0)  # what the ridge on K left over
        P -= (HN @ np.linalg.solve(K, left[:, :, None]))[:, :, 0]
        pushes = np.where(held, multiplier[:, e:, 0], 0.0)
        most = np.argmin(pushes, axis=1)
        drop = pushes[rows, most] < -1e-10 * (1.0 + _largest(g))
        rate = np.where(touched & ~held, (G @ P[:, :, None])[:, :, 0], 0.0)
        worst = np.argmax(rate, axis=1)
        take = ~drop & (rate[rows, worst] > 1e-9 * np.maximum(_largest(P), 1e-300))
        if not (drop | take).any():
            break
        held[rows[drop], most[drop]] = False
        held[rows[take], worst[take]] = True
    still = _largest(P) <= 1e-9 * _largest((H @ g[:, :, None])[:, :, 0])  # nothing but rounding errors
    return np.where(still[:, None], 0.0, P), held


def _ratio(G: Floats, h: Floats, X: Floats, P: Floats, held: Bools) -> Floats:
    """The largest share of each step, at most all of it, that stays inside: to the nearest face."""
    rate = (G @ P[:, :, None])[:, :, 0]
    room = np.maximum(h - (G @ X[:, :, None])[:, :, 0], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = rate > np.where(held, 1e-9, 1e-12) * np.maximum(_largest(P), 1e-300)[:, None]
        share = np.where(crossed, room / rate, np.inf)
    nearest: Floats = np.minimum(share.min(axis=1), 1.0)
    return nearest
