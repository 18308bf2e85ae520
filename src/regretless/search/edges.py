r"""The best point of a set with curved edges, from a point near it: sequential quadratic programming [Kraft1988]_.

.. math:: \max_x a(x) \quad \text{where } v_j(x) \le 0 \text{ for all } j

An ascent of a score that ends at the edges of such a set stops there. This one goes on along them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy

from regretless.arrays import Floats
from regretless.spaces import Mixed

__all__ = ["Edged", "along_edges"]

#: x -> (a, gradient of a, v, gradients of v), shapes (), (d,), (J,), (J, d).
Edged: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats, Floats]]

#: Quadratic programmes at the most, and the change of the aim at which they end.
_STEPS = 60
_PRECISION = 1e-10
#: What may be missing of an edge, in its units: rounding.
_ON_EDGE = 1e-6


def along_edges(space: Mixed, edged: Edged, x: Floats) -> Floats | None:
    """A point with a larger aim than x and nothing missing; None where there is none to be found.

    Columns that are not real stay as they are, and linear constraints of the space are edges too. Where x itself has
    something missing, any point that has not is better.
    """
    room = _room(space, x)
    if not room.free.any():
        return None
    last: dict[bytes, tuple[float, Floats, Floats, Floats]] = {}

    def at(z: Floats) -> tuple[float, Floats, Floats, Floats]:
        """Everything at one point, computed once: the method asks for each part alone."""
        key = z.tobytes()
        if key not in last:
            last.clear()
            last[key] = edged(room.put(x, z))
        return last[key]

    begin, _, missing, _ = edged(x)
    edges: list[dict[str, Any]] = [
        {"type": "ineq", "fun": lambda z: -at(z)[2], "jac": lambda z: -at(z)[3][:, room.free]},
        {"type": "ineq", "fun": lambda z: room.b - room.A @ z, "jac": lambda z: -room.A},  # noqa: ARG005
        {"type": "eq", "fun": lambda z: room.E @ (z - x[room.free]), "jac": lambda z: room.E},  # noqa: ARG005
    ]
    edges = [edge for edge, count in zip(edges, (len(missing), len(room.A), len(room.E)), strict=True) if count]
    found = scipy.optimize.minimize(
        lambda z: -at(z)[0],
        x[room.free],
        jac=lambda z: -at(z)[1][room.free],
        method="SLSQP",
        bounds=scipy.optimize.Bounds(room.low, room.high),
        constraints=edges,
        options={"maxiter": _STEPS, "ftol": _PRECISION},
    )
    if not np.isfinite(found.x).all():
        return None
    point = space.snap(room.put(x, np.clip(found.x, room.low, room.high))[None, :])[0]
    aim, _, left, _ = edged(point)
    better = aim > begin or missing.max() > 0.0
    return point if better and left.max() <= _ON_EDGE and _holds(space, point) else None


class _Room(NamedTuple):
    """Where the real columns of a point may move: ``low <= z <= high``, ``A z <= b``, ``E z`` as it is."""

    free: Any  # (d,) which columns
    low: Floats
    high: Floats
    A: Floats
    b: Floats
    E: Floats

    def put(self, x: Floats, z: Floats) -> Floats:
        """The point x with its free columns at z."""
        moved = x.copy()
        moved[self.free] = z
        return moved


def _room(space: Mixed, x: Floats) -> _Room:
    region, free, none = space.region, space.continuous, np.empty((0, len(x)))
    if region is not None and region.limited:
        faces = region.faces(x[None, :])
        free, real = faces.movable[0], np.abs(faces.A[0]).max(axis=1, initial=0.0) > 0.0
        A, b, E = faces.A[0][real], faces.b[0][real], faces.E[0]
        E = E[np.abs(E).max(axis=1, initial=0.0) > 0.0]
        return _Room(free, faces.low[0, free], faces.high[0, free], A[:, free], b, E[:, free])
    if region is not None:
        free = free & region.activity.at(x[None, :])[0]
    count = int(np.count_nonzero(free))
    return _Room(free, np.zeros(count), np.ones(count), none[:, free], np.empty(0), none[:, free])


def _holds(space: Mixed, x: Floats) -> bool:
    return space.region is None or bool(space.region.holds(x[None, :])[0])
