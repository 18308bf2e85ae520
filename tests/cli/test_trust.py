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


def test_optimize_goes_on_with_such_a_study(run, odd, lab):
    (lab / "odd.toml").write_text(
        'command = ["echo", "{x}"]\nbudget = 1\nseed = 1\nstudy = "tuned.db"\n[space]\nx = { low = 0.0, high = 1.0 }\n'
    )
    sys.path.insert(0, str(lab))
    import odd_rules

    Study.open(lab / "tuned.db", "odd", space={"x": (0.0, 1.0)}, rule=odd_rules.Odd(), seed=1).close()
    sys.path.remove(str(lab))
    del sys.modules["odd_rules"]
    odd.unlink()
    assert "--trust odd_rules" in run("optimize", "odd.toml", code=1).stderr
    assert not odd.exists()
    assert "Best" in run("optimize", "odd.toml", "--trust", "odd_rules").stdout


def test_trust_from_the_environment(run, odd, monkeypatch):
    monkeypatch.setenv("REGRETLESS_TRUST", "other odd_rules")
    run("suggest")
    run("status", "--trust", "other", code=1)  # what is typed counts


def test_trust_in_one_module_is_none_in_the_others_of_the_folder(run, odd, lab, monkeypatch):
    (lab / "getpass.py").write_text("from pathlib import Path\nPath('shadow').touch()\ngetuser = str\n")
    monkeypatch.delitem(sys.modules, "getpass", raising=False)
    run("suggest", "--trust", "odd_rules")
    assert odd.exists()
    assert not (lab / "shadow").exists()
