"""The linear faces around a point, in codes, for an ascent that has to stay inside."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.spaces.constraints.anchors import Anchored
from regretless.spaces.constraints.pieces import Piece

__all__ = ["Faces", "faces_around"]


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """For each of s points: ``A u <= b``, ``E u = E x`` and ``low <= u <= high`` in the columns that may move.

    Rows beyond those of a point are zero. What is not linear in codes is no face: where ``wall`` is True a point has
    to be checked.
    """

    A: Floats  # (s, q, d)
    b: Floats  # (s, q)
    E: Floats  # (s, e, d)
    low: Floats  # (s, d)
    high: Floats  # (s, d)
    movable: npt.NDArray[np.bool_]  # (s, d)
    wall: bool


def faces_around(region: Anchored, X: Floats) -> Faces:
    """The faces of the pieces that contain the feasible rows of X."""
    s, d = X.shape
    active = region.activity.at(X)
    real = np.array([part.size is None for part in region.varying], dtype=np.bool_)
    movable = active & real
    low, high = np.zeros((s, d)), np.ones((s, d))
    pieces = [region.piece_at(x) for x in X]
    q = max((len(piece.P.b) for piece in pieces if piece is not None), default=0)
    e = max((len(piece.P.k) for piece in pieces if piece is not None), default=0)
    A, b, E = np.zeros((s, q, d)), np.ones((s, q)), np.zeros((s, e, d))
    for i, piece in enumerate(pieces):
        if piece is None:
            movable[i] = False
        elif len(piece.columns):
            _put(piece, X[i], A[i], b[i], E[i], low[i], high[i], movable[i])
    wall = any(piece is not None and (piece.rest or not _straight(piece)) for piece in pieces)
    low, high = np.minimum(low, X), np.maximum(high, X)
    return Faces(A * movable[:, None, :], b, E * movable[:, None, :], low, high, movable, bool(wall))


def _put(
    piece: Piece, x: Floats, A: Floats, b: Floats, E: Floats, low: Floats, high: Floats, movable: npt.NDArray[np.bool_]
) -> None:
    """Write the faces of one piece: columns that stay are put in, rows with a bent column are left to the wall."""
    P, w = piece.P, piece.w(x[None, :])[0]
    bent = np.array([not scale.straight and scale.real for scale in piece.scales], dtype=np.bool_)
    moves = np.array([scale.straight and scale.real for scale in piece.scales], dtype=np.bool_)
    for i, (scale, column) in enumerate(zip(piece.scales, piece.columns, strict=True)):
        if scale.real:
            low[column], high[column] = scale.codes(np.array([P.low[i], P.high[i]]))
            if P.low[i] >= P.high[i]:
                movable[column] = False
    for i in range(len(P.k)):
        if (np.abs(P.E[i]) * bent > 0.0).any():
            movable[piece.columns[np.abs(P.E[i]) > 0.0]] = False  # an equality that is no plane in codes: hold it
        else:
            E[i, piece.columns] = np.where(moves, P.E[i], 0.0)
    for i in range(len(P.b)):
        if not (np.abs(P.A[i]) * bent > 0.0).any():
            A[i, piece.columns] = np.where(moves, P.A[i], 0.0)
            b[i] = P.b[i] - np.where(moves, 0.0, P.A[i]) @ w
            b[i] = max(b[i], float(A[i] @ x))  # the point itself is inside


def _straight(piece: Piece) -> bool:
    return all(scale.straight or not scale.real for scale in piece.scales)
