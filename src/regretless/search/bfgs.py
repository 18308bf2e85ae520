r"""Many local ascents in step: projected BFGS in the unit cube, one batched evaluation a step for all starts.

SciPy's L-BFGS-B moves one start at a time, and for the matrices of one suggestion its bookkeeping costs as much as the
score. In step, the score is evaluated for all starts with one matrix product. The tests compare the two.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats

__all__ = ["climb"]

#: A step must achieve at least this share of the gain that its gradient predicts (Armijo).
_ARMIJO = 1e-4
#: A step that gains more than this share of the prediction was too short (at a parabola's maximum it is a half):
#: the next is doubled.
_TOO_SHORT = 0.75
#: Largest and smallest shrinking of a step that gained too little.
_SHRINK = (0.1, 0.5)
#: No coordinate moves farther than this in one step.
_LONGEST = 0.3
#: In a race an ascent is dropped if this multiple of its predicted gain would not make it the best.
_HOPE = 4.0
#: A gradient knows the way but not the distance: a step along it is a tenth of the cube.
_FIRST = 0.1


def climb(
    value_and_gradient: Callable[[Floats, npt.NDArray[np.intp]], tuple[Floats, Floats]],
    starts: Floats,
    *,
    movable: npt.NDArray[np.bool_],
    max_steps: int = 40,
    tolerance: float = 1e-6,
    race: bool = False,
) -> tuple[Floats, Floats]:
    """Local maxima above the starts, and their values.

    Parameters
    ----------
    value_and_gradient
        ``f(X, which)``: values and gradients at the rows of X, where row i belongs to start ``which[i]``. A point whose
        value is not finite is never moved to; a start with such a value stays.
    starts
        Points of the unit cube, one per row; columns that may not move hold anything.
    movable
        Columns that may move; the others keep the value of their start.
    max_steps
        Batched evaluations after the first, at the most.
    tolerance
        An ascent ends when its projected gradient, or what a step promises, is below this share of the score's scale.
    race
        Only the highest maximum counts: an ascent is given up if its promise is too small to overtake the best so far.
        Otherwise what a start arrives at does not depend on the others.
    """
    X = np.array(starts)
    s, d = X.shape
    which = np.arange(s)
    f, g = value_and_gradient(X, which)
    if not (movable.any() and s):
        return X, f
    frozen = None if movable.all() else ~movable
    g, _ = _usable(f, g, frozen)
    found_X, found_f = X.copy(), f.copy()  # of those that are on their way: when they end
    inward = _projected(X, g)
    steepest = _largest(inward)
    scale = np.maximum(1e-3 * np.abs(f), _FIRST * steepest)
    front = np.maximum.reduce(f)
    H = np.tile(np.eye(d), (s, 1, 1))  # inverse Hessians of -f
    fresh = np.ones(s, dtype=bool)  # H is still the identity
    reach, stretch = np.full(s, _LONGEST), np.ones(s)
    ended = np.zeros(s, dtype=bool)
    for _ in range(max_steps):
        X_new = _within(X + _step(X, inward, H, fresh, stretch, reach))
        if frozen is not None:  # as they are, not clipped: a category's number is no point of the cube
            X_new[:, frozen] = X[:, frozen]
        moved = X_new - X
        promised, longest = _dot(g, moved), _largest(moved)
        on = (longest >= 1e-9) & (steepest > tolerance * scale) & ~ended
        if race:
            hope = np.maximum(_HOPE * promised, _FIRST * np.add.reduce(np.abs(inward), axis=1))
            on &= f + hope >= front
        if not all(on.tolist()):
            found_X[which], found_f[which] = X, f
            if not any(on.tolist()):
                return found_X, found_f
            X, f, g, H, X_new, moved = X[on], f[on], g[on], H[on], X_new[on], moved[on]
            promised, longest, scale = promised[on], longest[on], scale[on]
            fresh, stretch, reach, which = fresh[on], stretch[on], reach[on], which[on]
        f_new, g_new = value_and_gradient(X_new, which)
        g_new, finite = _usable(f_new, g_new, frozen)
        gain = (f_new if finite else np.where(np.isfinite(f_new), f_new, -np.inf)) - f
        ok = gain >= _ARMIJO * promised

        H, fresh = _bfgs(H, fresh, moved, g - g_new, ok)
        if all(ok.tolist()):
            X, f, g, reach = X_new, f_new, g_new, np.full(len(f), _LONGEST)
        else:
            # The maximum of the parabola through f, its slope and f_new.
            top = np.divide(0.5 * promised, promised - gain, out=np.zeros_like(f), where=gain < promised)
            reach = np.where(ok, _LONGEST, longest * np.clip(top, *_SHRINK))
            X, f, g = np.where(ok[:, None], X_new, X), np.where(ok, f_new, f), np.where(ok[:, None], g_new, g)
        stretch = np.where(gain > _TOO_SHORT * promised, 2.0 * stretch, 1.0)
        # Use the predicted gain, not the achieved one: a step across the maximum gains little without having converged.
        ended = ok & (promised < tolerance * scale)
        front = max(front, *f.tolist())
        inward = _projected(X, g)
        steepest = _largest(inward)
    found_X[which], found_f[which] = X, f
    return found_X, found_f


# A step handles few numbers, and its time goes by calls: ufuncs are called as such, not through NumPy's wrappers, and
# what a handful of numbers decides is asked of a list.


def _usable(f: Floats, g: Floats, frozen: npt.NDArray[np.bool_] | None) -> tuple[Floats, bool]:
    """The gradient where it may be followed, otherwise 0; and whether all values and gradients are finite."""
    finite = math.isfinite(sum(f.tolist())) and math.isfinite(np.add.reduce(g, axis=None))
    if finite and frozen is None:
        return g, True
    usable = np.isfinite(g) & np.isfinite(f)[:, None]
    if frozen is not None:
        usable &= ~frozen
    return np.where(usable, g, 0.0), finite


def _projected(X: Floats, g: Floats) -> Floats:
    """The gradient without the parts that point out of the cube."""
    if _inside(X, strictly=True):
        return g
    room = np.where(g > 0.0, 1.0 - X, X)
    return np.where(room > 0.0, g, 0.0)


def _inside(X: Floats, *, strictly: bool = False) -> bool:
    """Whether all of X is in the cube, or in its interior."""
    numbers = X.ravel().tolist()
    low, high = min(numbers), max(numbers)
    return low > 0.0 and high < 1.0 if strictly else low >= 0.0 and high <= 1.0


def _within(X: Floats) -> Floats:
    """X clipped to the cube, in place."""
    np.maximum(X, 0.0, out=X)
    return np.minimum(X, 1.0, out=X)


def _largest(P: Floats) -> Floats:
    """Largest size of a coordinate, for each row."""
    largest: Floats = np.maximum.reduce(np.abs(P), axis=1)
    return largest


def _step(X: Floats, inward: Floats, H: Floats, fresh: npt.NDArray[np.bool_], stretch: Floats, reach: Floats) -> Floats:
    """Newton's step times ``stretch``, no coordinate more than ``reach``.

    Along the gradient where no curvature is known yet, or where the cube cuts all that ascends off Newton's step.
    """
    P = _newton(H, inward)
    blind = fresh
    to = X + P
    if not _inside(to):
        blind = fresh | (_dot(_within(to) - X - 1e-3 * P, inward) <= 0.0)
    if not any(blind.tolist()):
        longest = size = np.maximum(_largest(P), 1e-300)
    else:
        P = np.where(blind[:, None], inward, P)
        longest = np.maximum(_largest(P), 1e-300)
        size = np.where(blind, _FIRST, longest)
    P *= (np.minimum(size * stretch, reach) / longest)[:, None]
    return P


def _newton(H: Floats, inward: Floats) -> Floats:
    """``p`` with (H^-1 p)_free = g_free and p_held = 0, where held are the coordinates without an inward gradient.

    Leaving those out of ``H g`` is not enough: a block of an inverse is not the inverse of the block, and ascents with
    coordinates at the cube's faces then creep. So g gets what is needed on the held coordinates to keep them in place.
    """
    held = inward == 0.0
    P: Floats = (H @ inward[:, :, None])[:, :, 0]
    if not any(held.ravel().tolist()):
        return P
    M = H * (held[:, :, None] & held[:, None, :])
    diagonal = np.arange(H.shape[1])
    M[:, diagonal, diagonal] = np.where(held, M[:, diagonal, diagonal] * (1.0 + 1e-12), 1.0)  # never quite singular
    push = np.linalg.solve(M, np.where(held, -P, 0.0)[:, :, None])[:, :, 0]
    P = (H @ (inward + push)[:, :, None])[:, :, 0]
    return np.where(held, 0.0, P)


def _bfgs(
    H: Floats, fresh: npt.NDArray[np.bool_], moved: Floats, fall: Floats, ok: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """BFGS update of the inverse Hessians where the step was taken and the curvature is right.

    With s the step and y the fall of the gradient: H' = H + (s a' + a s')/sy, a = (1 + y'Hy/sy) s/2 - Hy.
    """
    sy, yy = _dot(moved, fall), _dot(fall, fall)
    use = ok & (yy > 1e-300) & (sy > 1e-10 * np.sqrt(yy * _dot(moved, moved)))
    all_use = all(use.tolist())
    if not all_use:
        if not any(use.tolist()):
            return H, fresh
        sy, yy = np.where(use, sy, 1.0), np.where(use, yy, 1.0)
    # Before the first update the identity is scaled to the curvature just seen (Nocedal and Wright 2006, eq. 6.20).
    G = H * np.where(fresh, sy / yy, 1.0)[:, None, None] if any(fresh.tolist()) else H
    Gy = (G @ fall[:, :, None])[:, :, 0]
    a = (0.5 + 0.5 * _dot(fall, Gy) / sy)[:, None] * moved - Gy
    half = moved[:, :, None] * (a / sy[:, None])[:, None, :]
    G = G + half + half.transpose(0, 2, 1)
    return (G, np.zeros_like(fresh)) if all_use else (np.where(use[:, None, None], G, H), fresh & ~use)


def _dot(A: Floats, B: Floats) -> Floats:
    """Inner products of the rows."""
    product: Floats = (A[:, None, :] @ B[:, :, None])[:, 0, 0]
    return product
