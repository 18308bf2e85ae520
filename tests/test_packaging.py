"""What is written down twice for packagers agrees with `pyproject.toml`; types are announced."""

import re
import tomllib
from pathlib import Path

import regretless

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")


def test_the_conda_recipe_needs_what_the_package_needs():
    run = RECIPE.split("  run:\n")[1].split("\ntests:")[0]
    listed = {line.strip().removeprefix("- ").replace(" ", "") for line in run.splitlines() if line.strip()}
    assert listed - {"python>=${{python_min}}"} == {re.sub(r"\s", "", each) for each in PROJECT["dependencies"]}
    assert f'python_min: "{PROJECT["requires-python"].removeprefix(">=")}"' in RECIPE
    assert f"regretless = {PROJECT['scripts']['regretless']}" in RECIPE


def test_the_version_is_one():
    assert f'version: "{regretless.__version__}"' in RECIPE
    assert f"version: {regretless.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{regretless.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_types_are_announced():
    assert (ROOT / "src" / "regretless" / "py.typed").exists()
