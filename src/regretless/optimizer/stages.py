"""Draws of a network: of all outputs and of the objective, stage by stage, as they are inside."""

from collections.abc import Iterator, Sequence

import numpy as np

from regretless.acquisition import Cascade
from regretless.arrays import Floats
from regretless.confidence.quantiles import latin_normals
from regretless.optimizer.average import Averaged
from regretless.optimizer.scene import Scene, cascade_of
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream

__all__ = ["network_at", "network_draws", "network_outputs", "network_sample"]

#: Draws at a point that is asked about.
_FEW = 512


def network_draws(task: Task, beliefs: Sequence[Averaged], X: Floats, z: Floats) -> Iterator[Floats]:
    """Draws of the objective, as maximised, block by block of the points: (points, draws)."""
    return _cascade(task, beliefs).values(X, z)


def network_outputs(
    task: Task, beliefs: Sequence[Averaged], X: Floats, *, measured: bool = False
) -> tuple[Floats, Floats]:
    """Draws of all outputs, (points, draws, stages), as measured, and of the objective, as maximised.

    ``measured``: with the noise of measurements. A stage gets what the one before really gave, without it. The draws
    are always the same ones.
    """
    cascade, rng = _cascade(task, beliefs), stream(task.seed, 0, Purpose.CERTIFICATE)
    g = cascade.outputs(X, latin_normals(_FEW, len(cascade), rng))
    if measured:
        noise = latin_normals(_FEW, len(cascade), rng)
        for k, belief in enumerate(beliefs[1:]):
            sds = np.sqrt(np.array(belief.noise_vars))
            g[:, :, k] += sds[np.arange(_FEW) % len(sds)] * noise[:, k]
    return _outputs(cascade, g), cascade.outer(g)


def network_sample(task: Task, beliefs: Sequence[Averaged], X: Floats, *, measured: bool = False) -> Floats:
    """Draws of the objective, as maximised, at points, always the same ones: (points, draws)."""
    return network_outputs(task, beliefs, X, measured=measured)[1]


def network_at(task: Task, scene: Scene, x: Floats) -> tuple[tuple[float, float], ...]:
    """Mean and sd of the objective and of every output at one point, under the models to search by."""
    assert scene.outputs is not None
    cascade = scene.outputs.cascade
    assert cascade is not None
    g = cascade.outputs(x[None, :], latin_normals(_FEW, len(cascade), stream(task.seed, 0, Purpose.CERTIFICATE)))
    drawn = np.column_stack([cascade.outer(g)[0], _outputs(cascade, g)[0]])
    return tuple(zip(drawn.mean(axis=0).tolist(), drawn.std(axis=0).tolist(), strict=True))


def _cascade(task: Task, beliefs: Sequence[Averaged]) -> Cascade:
    return cascade_of(task, [belief.units for belief in beliefs], [belief.posteriors for belief in beliefs])


def _outputs(cascade: Cascade, g: Floats) -> Floats:
    return np.stack([stage.measured(g[..., k]) for k, stage in enumerate(cascade.stages)], axis=-1)
