"""One foreign package per file of `regretless.integrations`, and none of them needed to import the loaders."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import regretless

FOLDER = Path(regretless.__file__).parent / "integrations"
FILES = sorted(path.relative_to(FOLDER) for path in FOLDER.rglob("*.py"))
#: What everybody has, and packages that come together.
OURS = {*sys.stdlib_module_names, "regretless", "numpy", "scipy"}
FAMILY = {"gpytorch": "botorch", "torch": "botorch", "distributed": "dask", "submitit": "slurm"}


@pytest.mark.parametrize("file", FILES, ids=str)
def test_a_file_knows_one_foreign_package(file):
    tree = ast.parse((FOLDER / file).read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    foreign = {FAMILY.get(top, top) for name in names if (top := name.partition(".")[0]) not in OURS}
    assert len(foreign) <= 1
    if foreign:  # and the file, or its folder, is called after it
        assert file.parts[0].removesuffix(".py") in foreign


def test_loaders_import_none_of_them():
    loaders = "ax", "baybe", "cv_results", "edbo", "files", "physbo", "skopt"
    code = "; ".join(f"import regretless.integrations.{name}" for name in loaders)
    heavy = ["ax", "baybe", "botorch", "optuna", "pandas", "physbo", "ray", "sklearn", "skopt", "torch"]
    code += f"; import sys; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("module", "name", "package"),
    [
        ("regretless.integrations.botorch", "RandomizedUpperConfidenceBound", "torch"),
        ("regretless.integrations.ax", "RegretlessNode", "ax"),
        ("regretless.integrations.ray", "RegretlessSearch", "ray"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(module, name, package):
    code = f"import sys; sys.modules[{package!r}] = None\nfrom {module} import {name}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtra" in found.stderr
    assert f"pip install 'regretless[{module.rpartition('.')[2]}]'" in found.stderr


def test_whatever_is_skipped_says_why():
    """Of packages: no test of an adapter is skipped for a reason that is not written beside it."""
    silent = []
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                says = {keyword.arg for keyword in node.keywords}
                if node.func.attr in ("importorskip", "skipif") and "reason" not in says:
                    silent.append(f"{path.name}:{node.lineno}")
    assert silent == []


def test_what_an_adapter_is_tested_with_is_declared():
    """A group is installed as a whole or not at all, so that nothing of it is absent by chance."""
    root = Path(regretless.__file__).parents[2] / "pyproject.toml"
    if not root.exists():
        pytest.skip("pyproject.toml is not beside the sources")
    groups = tomllib.loads(root.read_text(encoding="utf-8"))["dependency-groups"]
    declared = {
        name: {re.split(r"[=\[]", each)[0] for each in group if isinstance(each, str)} for name, group in groups.items()
    }
    assert declared["test"] >= {
        "optuna",
        "optunahub",
        "scikit-learn",
        "pandas",
        "polars",
        "pyarrow",
        "mlflow-skinny",
        "wandb",
    }
    assert declared["torch"] >= {"botorch", "ax-platform", "optuna", "scikit-optimize"}
    assert declared["ray"] >= {"ray"}
    assert all("==" in each for name in ("test", "torch", "ray") for each in groups[name] if isinstance(each, str))
