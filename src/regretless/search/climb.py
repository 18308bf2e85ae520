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
#: A step that gains more than this share of the promise was too short (to a parabola's top it is a half): the next is
#: doubled.
_TOO_SHORT = 0.75
#: Shrinking of a step that gained too little, at the most and at the least.
_SHRINK = (0.1, 0.5)
#: No coordinate moves farther than this in one step.
_LONGEST = 0.3
#: A gradient knows the way but not the distance: a step along it is a tenth of the cube.
_FIRST = 0.1


def climb(
    value_and_gradient: Callable[[Floats, npt.NDArray[np.intp]], tuple[Floats, Floats]],
    starts: Floats,
    *,
    movable: npt.NDArray[np.bool_],
    max_steps: int = 40,
    tolerance: float = 1e-6,
) -> tuple[Floats, Floats]:
    """Local maxima above the starts, and their values. What a start arrives at does not depend on the others.

    Parameters
    ----------
    value_and_gradient
        ``f(X, which)``: values and gradients at the rows of X, where row i belongs to start ``which[i]``. A point whose
        value is not finite is never moved to; a start with such a value stays.
    starts
        Points of the unit cube, one a row; columns that may not move hold anything.
    movable
        Columns that may move; the others keep the value of their start.
    max_steps
        Batched evaluations after the first, at the most.
    tolerance
        An ascent ends when its projected gradient, or what a step promises, is below this share of the score's scale.
    """
    X = np.array(starts)
    s, d = X.shape
    which = np.arange(s)
    f, g = value_and_gradient(X, which)
    if not (movable.any() and s):
        return X, f
    g = _usable(f, g, movable)
    best_X, best_f = X.copy(), f.copy()
    scale = np.maximum(1e-3 * np.abs(f), _FIRST * np.abs(_projected(X, g)).max(axis=1))
    H = np.tile(np.eye(d), (s, 1, 1))  # inverse Hessians of -f
    fresh = np.ones(s, dtype=bool)  # H is still the identity
    reach, stretch = np.full(s, _LONGEST), np.ones(s)
    for _ in range(max_steps):
        # Frozen columns stay as they are, not clipped: a category's number is no point of the cube.
        X_new = np.where(movable, np.clip(X + _step(X, g, H, fresh, stretch, reach), 0.0, 1.0), X)
        moved = X_new - X
        f_new, g_new = value_and_gradient(X_new, which)
        g_new = _usable(f_new, g_new, movable)
        promised = np.einsum("ij,ij->i", g, moved)
        gain = np.subtract(f_new, f, out=np.full_like(f, -np.inf), where=np.isfinite(f_new))
        ok = gain >= _ARMIJO * promised

        H, fresh = _bfgs(H, fresh, moved, g - g_new, ok)
        longest = np.abs(moved).max(axis=1)
        # Where the parabola through f, its slope and f_new has its top.
        top = np.divide(0.5 * promised, promised - gain, out=np.zeros_like(f), where=gain < promised)
        reach = np.where(ok, _LONGEST, longest * np.clip(top, *_SHRINK))
        stretch = np.where(ok & (gain > _TOO_SHORT * promised), 2.0 * stretch, 1.0)
        X, f, g = np.where(ok[:, None], X_new, X), np.where(ok, f_new, f), np.where(ok[:, None], g_new, g)

        best_X[which], best_f[which] = X, f
        flat = np.abs(_projected(X, g)).max(axis=1) <= tolerance * scale
        # What was promised, not what was gained: a step over the top to its other side gains little, and is no end.
        done = flat | (ok & (promised < tolerance * scale)) | (~ok & (longest < 1e-9))
        if done.all():
            break
        if done.any():
            keep = ~done
            X, f, g, H = X[keep], f[keep], g[keep], H[keep]
            fresh, stretch, reach, which, scale = fresh[keep], stretch[keep], reach[keep], which[keep], scale[keep]
    return best_X, best_f


def _usable(f: Floats, g: Floats, movable: npt.NDArray[np.bool_]) -> Floats:
    """The gradient where it may be followed, otherwise 0."""
    return np.where(movable & np.isfinite(g) & np.isfinite(f)[:, None], g, 0.0)


def _projected(X: Floats, g: Floats) -> Floats:
    """The gradient without the parts that point out of the cube."""
    return np.where(((X <= 0.0) & (g < 0.0)) | ((X >= 1.0) & (g > 0.0)), 0.0, g)


def _step(X: Floats, g: Floats, H: Floats, fresh: npt.NDArray[np.bool_], stretch: Floats, reach: Floats) -> Floats:
    """Newton's step times ``stretch``, no coordinate more than ``reach``.

    Along the gradient where no curvature is known yet, or where the cube cuts all that ascends off Newton's step.
    """
    inward = _projected(X, g)
    P = _newton(H, inward)
    inside = np.clip(X + P, 0.0, 1.0) - X
    kept, whole = np.einsum("ij,ij->i", inside, inward), np.einsum("ij,ij->i", P, inward)
    blind = fresh | ~(kept > 1e-3 * whole)
    P = np.where(blind[:, None], inward, P)
    longest = np.abs(P).max(axis=1)
    size = np.where(blind, _FIRST, longest) * stretch
    return P * (np.minimum(size, reach) / np.where(longest > 1e-300, longest, 1.0))[:, None]


def _newton(H: Floats, inward: Floats) -> Floats:
    """``p`` with (H^-1 p)_free = g_free and p_held = 0, where held are the coordinates without an inward gradient.

    Leaving those out of ``H g`` is not enough: a block of an inverse is not the inverse of the block, and ascents with
    coordinates at the cube's faces then creep. So g gets what is needed on the held coordinates to keep them in place.
    """
    held = inward == 0.0
    P: Floats = np.einsum("ijk,ik->ij", H, inward)
    if not held.any():
        return P
    M = H * (held[:, :, None] & held[:, None, :])
    diagonal = np.arange(H.shape[1])
    M[:, diagonal, diagonal] = np.where(held, M[:, diagonal, diagonal] * (1.0 + 1e-12), 1.0)  # never quite singular
    push = np.linalg.solve(M, np.where(held, -P, 0.0)[:, :, None])[:, :, 0]
    P = np.einsum("ijk,ik->ij", H, inward + push)
    return np.where(held, 0.0, P)


def _bfgs(
    H: Floats, fresh: npt.NDArray[np.bool_], moved: Floats, fall: Floats, ok: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """BFGS update of the inverse Hessians where the step was taken and the curvature is right.

    With s the step and y the fall of the gradient: H' = H - (s (Hy)' + (Hy) s')/sy + (1 + y'Hy/sy) s s'/sy.
    """
    sy = np.einsum("ij,ij->i", moved, fall)
    yy = np.einsum("ij,ij->i", fall, fall)
    use = ok & (yy > 1e-300) & (sy > 1e-10 * np.sqrt(yy * np.einsum("ij,ij->i", moved, moved)))
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
