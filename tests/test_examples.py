"""Every example runs, and shows what it is there to show."""

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

# What each one must print. An example that is not listed here fails `test_no_example_is_forgotten`.
FACTS = {
    "ask_tell": r"best (9\.[5-9]\d*|10\.000) in trial \d+",
    "constraints": r"recommended: T = (6[5-9]|7[0-4])\.\d, yield [56]\d\.\d ± \d\.\d %",
    "fidelities": r"0\.95 +6 +0\.00\d +0\.3\d\d",
    "function": r"40 trials done: best 0\.97\d* at x=0\.5\d*",
    "holder_table": r"60 │\s+19\.\d+ │\s+0\.\d+",
    "level_set": r"of 441 candidates are taken to reach 1; \d are on the wrong side",
    "line": r"every output told:  5[4-6]\d\.\d at(.|\n)*the strength alone: 5[0-4]\d\.\d",
    "many_parameters": r"irgp-ucb: 0\.000\d+\ntrust-region: 0\.000\d+\nwhat matters: x17, x3, x30",
    "mesh": r"\d+ coarse and \d+ fine, 20\.\d spent: recommended 309\.\d",
    "mixed_space": r"layers +3\n +width +128\n +activation +gelu",
    "mixture": r"best 84\.\d+ at resin=0\.\d+, filler=0, fibre=0\.\d+",
    "own_rule": r"annealed +\d\.\d+ +\d\.\d+ +0\.\d+",
    "robust": r"best on a dry day +185 .*9\.5(.|\n)*worst humidity +155 .*44\.6",
    "robot": r"You can stop: going on is expected to gain at most",
    "target": r"both outcomes told: -0\.00\d+ tolerances",
    "table": r"recommended: +7\d\.\d ± \d\.\d in E\d{3}",
    "two_objectives": r"of 187 rows to choose from",
    "workers": r"24 trials done: best -\d",
}


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    return capsys.readouterr().out


def test_no_example_is_forgotten() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(FACTS)


def test_every_example_is_in_the_gallery() -> None:
    page = (EXAMPLES.parent / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert set(re.findall(r"literalinclude\} \.\./examples/(\w+)\.py", page)) == set(FACTS)
    for picture in re.findall(r"_static/gallery/[\w-]+\.png", page):
        assert (EXAMPLES.parent / "docs" / picture).exists()


@pytest.mark.parametrize("name", sorted(FACTS))
def test_example_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run(name, tmp_path, monkeypatch, capsys)
    assert re.search(FACTS[name], out), out
    if name not in ("fidelities", "mesh", "robot", "robust"):  # what has no figure of its own
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_example_finds_a_good_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run("table", tmp_path, monkeypatch, capsys)
    found, best = map(float, re.search(r"true yield there: ([\d.]+), best of all: ([\d.]+)", out).groups())
    assert best - found < 2.0
