"""Runs the code in the README, in the documentation and in the docstrings, with sybil."""

import importlib.util
import os
import socket
import tempfile
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import SkipParser
from sybil.parsers.rest import DocTestParser

os.environ.setdefault("MPLBACKEND", "Agg")
if importlib.util.find_spec("hypothesis"):  # not in the environments of BoTorch, Ax and Ray
    from hypothesis import settings

    # No test depends on how busy the machine is, as one would whose examples have to end within 0.2 s of the clock.
    settings.register_profile("patient", deadline=None)
    settings.load_profile("patient")


def _enter(namespace: dict[str, Any]) -> None:
    """Each page runs in an empty folder of its own, where it may write files."""
    folder = tempfile.TemporaryDirectory()
    namespace["_came_from"], namespace["_folder"] = Path.cwd(), folder
    os.chdir(folder.name)


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_came_from"])
    namespace["_folder"].cleanup()


def _outputs() -> Any:
    """`docs/outputs.py`, which knows what a block prints and where the page shows it."""
    spec = importlib.util.spec_from_file_location("outputs", Path(__file__).parent / "docs" / "outputs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_pages = Sybil(
    parsers=[
        SkipParser(),
        _outputs().PrintingParser(),
    ],  # pages about packages that are not there are skipped, and say why
    patterns=["README.md", "docs/*.md", "docs/*/*.md"],
    setup=_enter,
    teardown=_leave,
)
_docstrings = Sybil(
    parsers=[DocTestParser()],
    patterns=[
        "src/regretless/*.py",
        "src/regretless/*/*.py",
        "src/regretless/integrations/*/*.py",
        "src/regretless/spaces/constraints/*.py",
        "src/regretless/study/stores/*.py",
    ],
)

pytest_collect_file = (_pages + _docstrings).pytest()


@pytest.fixture
def loopback() -> None:
    """For tests that talk to a server of their own: skipped where a machine cannot even reach itself."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.settimeout(5.0)
        try:
            client.connect(server.getsockname())
        except OSError as error:
            pytest.skip(f"127.0.0.1 cannot be reached: {error}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The blocks of one page (or docstrings of one module) build on each other, so one worker runs them all."""
    from xdist.scheduler import LoadScopeScheduling

    class ByDocument(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.split("::", 1)[0]
            return path if path.endswith(".md") or path.startswith("src/") else nodeid

    return ByDocument(config, log)
