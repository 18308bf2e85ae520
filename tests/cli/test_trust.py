"""A study that uses code of others is opened by commands only where that is trusted."""

import sys

import pytest

from regretless import Study

SOURCE = """
from regretless import EI
open("imported", "w").close()


class Odd(EI):
    name = "odd"
"""


@pytest.fixture
def odd(lab, monkeypatch):
    (lab / "odd_rules.py").write_text(SOURCE)
    with monkeypatch.context() as patch:
        patch.syspath_prepend(lab)
        import odd_rules

        Study.open("odd.study.db", "s", space={"x": (0.0, 1.0)}, rule=odd_rules.Odd(), seed=1).close()
    del sys.modules["odd_rules"]
    (lab / "imported").unlink()
    path = list(sys.path)
    yield lab / "imported"
    sys.path[:] = path
    sys.modules.pop("odd_rules", None)


def test_nothing_is_imported_without_trust(run, odd):
    said = run("suggest", code=1).stderr
    assert "--trust odd_rules" in said
    assert not odd.exists()


def test_a_module_of_the_folder_may_be_trusted(run, odd):
    assert "x" in run("suggest", "--trust", "odd_rules").stdout
    assert odd.exists()


def test_trust_from_the_environment(run, odd, monkeypatch):
    monkeypatch.setenv("REGRETLESS_TRUST", "other odd_rules")
    run("suggest")
    run("status", "--trust", "other", code=1)  # what is typed counts
