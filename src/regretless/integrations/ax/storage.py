"""How Ax stores what is ours, as plain JSON: entered into its registries, as it has them for classes of others."""

from collections.abc import Callable
from typing import Any

from ax.storage.json_store.registry import CORE_DECODER_REGISTRY, CORE_ENCODER_REGISTRY

from regretless.integrations.ax.node import RegretlessNode
from regretless.integrations.ax.stopping import StopByRegret

__all__ = ["register"]

_NODE = (
    "seed",
    "n_initial",
    "rule",
    "name",
    "should_deduplicate",
    "suggested_experiment_status",
    "transition_criteria",
)
_STOP = ("eps", "relative", "patience", "min_trials", "inactive_when_pending_trials", "seed")


def register() -> None:
    """Let ``Client.save_to_json_file``, ``load_from_json_file`` and Ax's databases know the node and the strategy."""
    for kind, names in ((RegretlessNode, _NODE), (StopByRegret, _STOP)):
        CORE_ENCODER_REGISTRY[kind] = _encoder(kind.__name__, names)
        CORE_DECODER_REGISTRY[kind.__name__] = kind


def _encoder(label: str, names: tuple[str, ...]) -> Callable[[Any], dict[str, Any]]:
    def encode(ours: Any) -> dict[str, Any]:
        return {"__type": label, **{name: getattr(ours, name) for name in names}}

    return encode
