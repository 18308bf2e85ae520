"""The packages for OptunaHub, loaded and run as OptunaHub does it."""

import re
from pathlib import Path

import pytest

optuna = pytest.importorskip("optuna", reason="needs Optuna: pip install 'regretless[optuna]'")
optunahub = pytest.importorskip("optunahub", reason="needs optunahub: pip install optunahub")

ROOT = Path(__file__).parents[3] / "packaging" / "optunahub" / "package"
PACKAGES = {"samplers/regretless": "RegretlessSampler", "callbacks/regretless_stop": "StopByRegret"}


@pytest.mark.skipif(not ROOT.exists(), reason="packaging/ is not part of the sdist")
@pytest.mark.parametrize("package", PACKAGES)
def test_package(package, capsys, monkeypatch):
    folder = ROOT / package
    assert {path.name for path in folder.iterdir() if path.name != "__pycache__"} == {
        "LICENSE",
        "README.md",
        "__init__.py",
        "example.py",
        "requirements.txt",
    }
    module = optunahub.load_local_module(package, registry_root=str(ROOT))
    assert module.__all__ == [PACKAGES[package]]
    monkeypatch.setattr(
        optunahub, "load_module", lambda package: optunahub.load_local_module(package, registry_root=str(ROOT))
    )
    exec(compile((folder / "example.py").read_text(), "example.py", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out


@pytest.mark.skipif(not ROOT.exists(), reason="packaging/ is not part of the sdist")
@pytest.mark.parametrize("package", PACKAGES)
def test_front_matter(package):
    """What the registry's website reads."""
    _, front, text = (ROOT / package / "README.md").read_text().split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.strip().splitlines())
    assert set(fields) == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert package.partition("/")[0].removesuffix("s") in fields["tags"]
    assert f"- {PACKAGES[package]}" in text
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    compile(code, package, "exec")
