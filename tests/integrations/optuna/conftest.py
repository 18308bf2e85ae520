import pytest


@pytest.fixture(autouse=True)
def _quiet():
    optuna = pytest.importorskip("optuna", reason="needs Optuna: pip install 'regretless[optuna]'")
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)
