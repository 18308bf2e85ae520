r"""Many local ascents in step: projected BFGS in the unit cube, one batched evaluation a step for all starts.

SciPy's L-BFGS-B moves one start at a time, and for the matrices of one suggestion its bookkeeping costs as much as the
score. In step, the score is evaluated for all starts with one matrix product. The tests compare the two.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats

__all__ = ["climb"]

#: An ascent keeps at least this share of the gain its gradient promises (Armijo).
_ARMIJO = 1e-4
#: Shrinking of a step that gained too little.
_SHRINK = 0.25
#: No coordinate moves farther than this in one step.
_LONGEST = 0.3


def climb(
    value_and_gradient: Callable[[Floats, npt.NDArray[np.intp]], tuple[Floats, Floats]],
    starts: Floats,
    *,
    movable: npt.NDArray[np.bool_],
    max_steps: int = 40,
    tolerance: float = 1e-6,
) -> tuple[Floats, Floats]:
    """Local maxima above the starts, and their values.

    Parameters
    ----------
    value_and_gradient
        ``f(X, which)``: values and gradients at the rows of X, where row i belongs to start ``which[i]``.
    starts
        Points of the unit cube, one a row.
    movable
        Columns that may move; the others keep the value of their start.
    max_steps
        Batched evaluations at the most.
    tolerance
        An ascent ends when its projected gradient, or what a step gains, is below this share of the score's scale.
    """
    X = np.array(starts)
    s, d = X.shape
    which = np.arange(s)
    f, g = value_and_gradient(X, which)
    if not (movable.any() and s):
        return X, f
    g = g * movable
    best_X, best_f = X.copy(), f.copy()
    scale = max(float(np.ptp(f)) if s > 1 else 0.0, 1e-3 * float(np.max(np.abs(f))), 1e-300)
    H = np.tile(np.eye(d), (s, 1, 1))  # inverse Hessians of -f
    fresh = np.ones(s, dtype=bool)  # H is still the identity
    step = np.ones(s)
    P = _direction(X, g, H, fresh)
    for _ in range(max_steps):
        X_new = np.clip(X + step[:, None] * P, 0.0, 1.0)
        moved = X_new - X
        f_new, g_new = value_and_gradient(X_new, which)
        g_new = g_new * movable
        promised = np.einsum("ij,ij->i", g, moved)
        gain = f_new - f
        ok = (gain >= _ARMIJO * promised) & np.isfinite(f_new)

        H, fresh = _bfgs(H, fresh, moved, g - g_new, ok)
        X, f, g = np.where(ok[:, None], X_new, X), np.where(ok, f_new, f), np.where(ok[:, None], g_new, g)
        P = np.where(ok[:, None], _direction(X, g, H, fresh), P)
        step = np.where(ok, 1.0, step * _SHRINK)

        best_X[which], best_f[which] = X, f
        flat = np.abs(_projected(X, g)).max(axis=1) < tolerance * scale
        done = flat | (ok & (gain < tolerance * scale)) | (~ok & (np.abs(moved).max(axis=1) < 1e-9))
        if done.all():
            break
        if done.any():
            keep = ~done
            X, f, g, H, P = X[keep], f[keep], g[keep], H[keep], P[keep]
            step, fresh, which = step[keep], fresh[keep], which[keep]
    return best_X, best_f


def _projected(X: Floats, g: Floats) -> Floats:
    """The gradient without the parts that point out of the cube."""
    return np.where(((X <= 0.0) & (g < 0.0)) | ((X >= 1.0) & (g > 0.0)), 0.0, g)


def _direction(X: Floats, g: Floats, H: Floats, fresh: npt.NDArray[np.bool_]) -> Floats:
    """``H g`` over the coordinates that may move, falling back on the gradient where that is no ascent."""
    inward = _projected(X, g)
    free = inward != 0.0
    P: Floats = np.einsum("ijk,ik->ij", H, inward) * free
    size = np.linalg.norm(inward, axis=1)
    bad = np.einsum("ij,ij->i", P, inward) <= 1e-10 * size * np.linalg.norm(P, axis=1)
    P = np.where(bad[:, None], inward, P)
    # A gradient knows the way but not the distance: the first step is a tenth of the cube.
    longest = np.where(fresh | bad, 0.1, _LONGEST)
    reach = np.abs(P).max(axis=1)
    factor = longest / np.where(reach > 0.0, reach, 1.0)
    factor = np.where(fresh | bad, factor, np.minimum(factor, 1.0))
    return P * factor[:, None]


def _bfgs(
    H: Floats, fresh: npt.NDArray[np.bool_], moved: Floats, fall: Floats, ok: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """BFGS update of the inverse Hessians where the step was taken and the curvature is right.

    With s the step and y the fall of the gradient: H' = H - (s (Hy)' + (Hy) s')/sy + (1 + y'Hy/sy) s s'/sy.
    """
    sy = np.einsum("ij,ij->i", moved, fall)
    yy = np.einsum("ij,ij->i", fall, fall)
    use = ok & (sy > 1e-10 * np.sqrt(yy * np.einsum("ij,ij->i", moved, moved)))
    if not use.any():
        return H, fresh
    s, y, sy = moved[use], fall[use], sy[use][:, None, None]
    # Before the first update the identity is scaled to the curvature just seen (Nocedal and Wright 2006, eq. 6.20).
    first = np.where(fresh[use], sy[:, 0, 0] / yy[use], 1.0)
    G = H[use] * first[:, None, None]
    Gy = np.einsum("ijk,ik->ij", G, y)
    cross = s[:, :, None] * Gy[:, None, :]
    yGy = np.einsum("ij,ij->i", y, Gy)[:, None, None]
    G += (1.0 + yGy / sy) / sy * (s[:, :, None] * s[:, None, :]) - (cross + cross.transpose(0, 2, 1)) / sy
    H = H.copy()
    H[use] = G
    return H, fresh & ~use
