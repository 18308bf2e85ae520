"""Regretless inside Optuna: a sampler, a callback that stops by regret, and the import of a study.

>>> import optuna
>>> from regretless.integrations.optuna import RegretlessSampler
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(sampler=RegretlessSampler(seed=1))
>>> study.optimize(lambda trial: (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2, n_trials=12)
>>> study.best_value < 1e-4
True
"""

from regretless.errors import MissingExtra

try:
    import optuna as _  # noqa: F401
except ImportError as error:
    raise MissingExtra("this needs Optuna; install it with: pip install 'regretless[optuna]'") from error

from regretless.integrations.optuna.importing import from_optuna
from regretless.integrations.optuna.sampler import RegretlessSampler
from regretless.integrations.optuna.stopping import StopByRegret

__all__ = ["RegretlessSampler", "StopByRegret", "from_optuna"]
