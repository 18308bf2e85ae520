"""The packages for OptunaHub, loaded and run as OptunaHub does it."""

import inspect
import re
from pathlib import Path

import pytest

optuna = pytest.importorskip("optuna", reason="needs Optuna: pip install 'regretless[optuna]'")
optunahub = pytest.importorskip("optunahub", reason="needs optunahub: pip install optunahub")

import yaml  # noqa: E402 - of Optuna

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
def test_the_readme_is_as_the_registry_wants_it(package):
    """What its header check looks at, and the sections that its tutorial on registration asks for, in that order."""
    _, front, text = (ROOT / package / "README.md").read_text().split("---\n", 2)
    fields = yaml.safe_load(front)
    assert set(fields) == {"author", "title", "description", "tags", "optuna_versions", "license"}
    assert all(isinstance(fields[name], str) for name in ("author", "title", "description", "license"))
    assert fields["license"] == "MIT License"
    assert fields["description"].count(".") == 1  # one sentence
    assert PACKAGES[package] not in fields["title"]  # words, not a class
    for name in ("tags", "optuna_versions"):
        assert fields[name]
        assert all(isinstance(each, str) for each in fields[name])
    assert package.partition("/")[0].removesuffix("s") in fields["tags"]
    assert fields["optuna_versions"] == [optuna.__version__]  # the release that the tests run with
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sections[:4] == ["Abstract", "APIs", "Installation", "Example"]
    assert f"- `{PACKAGES[package]}(" in text
    assert f"https://hub.optuna.org/{package}/requirements.txt" in text
    assert not re.search(r"load_local_module|repo_owner|ref=", text + (ROOT / package / "example.py").read_text())


@pytest.mark.skipif(not ROOT.exists(), reason="packaging/ is not part of the sdist")
@pytest.mark.parametrize("package", PACKAGES)
def test_the_example_of_the_readme_runs(package, monkeypatch, capsys):
    monkeypatch.setattr(
        optunahub, "load_module", lambda package: optunahub.load_local_module(package, registry_root=str(ROOT))
    )
    text = (ROOT / package / "README.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    namespace = {}
    exec(compile(code, package, "exec"), namespace)
    assert len(namespace["study"].trials) >= 5
    capsys.readouterr()


@pytest.mark.skipif(not ROOT.exists(), reason="packaging/ is not part of the sdist")
@pytest.mark.parametrize("package", PACKAGES)
def test_the_arguments_that_the_readme_names_are_those_of_the_class(package):
    module = optunahub.load_local_module(package, registry_root=str(ROOT))
    known = set(inspect.signature(getattr(module, PACKAGES[package])).parameters)
    text = (ROOT / package / "README.md").read_text()
    assert set(re.findall(r"^  - `(\w+)`:", text, re.MULTILINE)) <= known
    for names in re.findall(r"^  - Further arguments \((.*?)\)", text, re.MULTILINE):
        assert set(re.findall(r"\w+", names)) <= known
