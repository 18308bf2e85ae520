"""Stop a study when little regret is left, from the package ``regretless``, where it is developed and tested."""

from regretless.integrations.optuna import StopByRegret

__all__ = ["StopByRegret"]
