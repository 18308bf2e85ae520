import pytest
from click.testing import CliRunner

from regretless.cli import main
from regretless.linalg import single_thread

from .bench import SCOPE


@pytest.fixture(scope="package", autouse=True)
def one_blas_thread():
    with single_thread():
        yield


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder of its own to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGRETLESS_STUDY", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("REGRETLESS_DEBUG", "1")  # a mistake of ours shows itself
    return tmp_path


@pytest.fixture
def run(lab):
    """``run("status", code=3)``: the command as people call it; an unexpected exit code shows what was said."""

    def call(*arguments, code=0):
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
        assert result.exit_code == code, f"exit {result.exit_code}\n{result.stdout}\n{result.stderr}"
        return result

    return call


@pytest.fixture
def scope(lab):
    path = lab / "scope.csv"
    path.write_text(SCOPE)
    return path


@pytest.fixture
def made(run, scope):
    """A study of the scope."""
    run("init", "scope.csv", "--objective", "yield", "--maximize", "--batch", 3, "--seed", 1)
    return scope
