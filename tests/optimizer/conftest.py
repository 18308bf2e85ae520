import pytest

from regretless.linalg import single_thread


@pytest.fixture(scope="package", autouse=True)
def one_blas_thread():
    """As in a suggestion: small matrices on several threads of a busy machine take a hundred times as long."""
    with single_thread():
        yield
