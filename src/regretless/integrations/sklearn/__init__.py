"""Regretless inside scikit-learn: `RegretlessSearchCV`, in place of ``RandomizedSearchCV`` or ``BayesSearchCV``."""

from regretless.errors import MissingExtra

try:
    import sklearn as _  # noqa: F401
except ImportError as error:
    raise MissingExtra("this needs scikit-learn; install it with: pip install 'regretless[sklearn]'") from error

from regretless.integrations.sklearn.search import RegretlessSearchCV

__all__ = ["RegretlessSearchCV"]
