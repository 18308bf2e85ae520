"""Bayesian optimisation by randomised GP-UCB, from the package ``regretless``, where it is developed and tested."""

from regretless.integrations.optuna import RegretlessSampler

__all__ = ["RegretlessSampler"]
