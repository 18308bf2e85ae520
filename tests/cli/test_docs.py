"""Docs that cannot rot: every command is documented and has an example, and the tutorial shows what really happens."""

import importlib.util
import inspect
import itertools
import math
import re
import shlex
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete, ShellComplete
from click.testing import CliRunner

from regretless.cli import main
from regretless.cli._config import read_config
from regretless.problems.measurements import FOLDER_VARIABLE, file_name, missing
from regretless.sheets import read_scope

DOCS = Path(__file__).parents[2] / "docs"
OTHERS = ("data", "paper")  # documented in a few words; their own help says the rest
CONTEXT = click.Context(main)
COMMANDS = {name: main.get_command(CONTEXT, name) for name in main.list_commands(CONTEXT)}


def walker():
    spec = importlib.util.spec_from_file_location("walk", DOCS / "walk.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def section(name):
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    found = re.search(rf"^## regretless {name}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"docs/commands.md has no section 'regretless {name}'"
    return found.group(1)


def test_every_command_is_documented_and_no_other():
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^## regretless (\S+)$", page, re.MULTILINE)) == sorted(COMMANDS)
    assert {"amend", "audit", "exclude", "export", "generate", "import", "include", "init", "next", "optimize"} <= set(
        COMMANDS
    )
    assert {"plan", "ran", "record", "replay", "report", "status", "suggest"} <= set(COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in OTHERS])
def test_every_option_and_example_is_documented(name):
    text, command = section(name), COMMANDS[name]
    options = [option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)]
    for option in options:
        assert not option.startswith("-") or option in text, f"docs/commands.md: {name} lacks {option}"
    flat = " ".join(text.split())
    assert " ".join(command.help.split("\b")[0].split()) in flat, "run docs/walk.py docs/commands.md"
    assert command.epilog in flat


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in OTHERS])
def test_help_has_an_example_that_parses(name):
    command = COMMANDS[name]
    said = CliRunner().invoke(main, [name, "--help"])
    assert said.exit_code == 0
    examples = re.sub(r"^Examples?: ", "", command.epilog).split("; ")
    for example in examples:
        words = shlex.split(example)
        assert words[:2] == ["regretless", name]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words[2:] if word.startswith("-")} <= known
    assert command.short_help.endswith(".")


@pytest.mark.parametrize(("name", "read"), [("generate", read_scope), ("optimize", read_config)])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_help_shows_its_file_as_written_and_it_can_be_read(tmp_path, name, read, width):
    said = CliRunner().invoke(main, [name, "--help"], terminal_width=width).output
    assert "\\b" not in said
    example = inspect.cleandoc(COMMANDS[name].help).split("\b\n")[1].split("\n\n")[0]
    shown = "\n".join(f"  {line}".rstrip() for line in example.splitlines())
    assert shown in said
    (tmp_path / "example.toml").write_text(example)
    read(str(tmp_path / "example.toml"))


def test_the_file_of_the_how_to_can_be_read(tmp_path):
    page = (DOCS / "howto" / "optimize.md").read_text(encoding="utf-8")
    (tmp_path / "tune.toml").write_text(re.search(r"```toml\n(.*?)```", page, re.DOTALL).group(1))
    assert read_config(str(tmp_path / "tune.toml")).budget == 40


def synthetic(folder):
    """A table of the form of the perovskite file: three parts that sum to one, some of them measured twice."""
    lines = ["CsPbI,FAPbI,MAPbI,Instability index"]
    grid = [(a / 12, b / 12) for a in range(13) for b in range(13 - a)] + [(0.2, 0.8), (0.3, 0.7), (0.25, 0.25)]
    for i, (a, b) in enumerate(grid):
        for repeat in range(1 + (i % 4 == 0)):
            value = 40_000 + 900_000 * ((a - 0.25) ** 2 + (1 - a - b) ** 2) + 5_000 * math.sin(31 * i + repeat)
            lines.append(f"{a:.4g},{b:.4g},{1 - a - b:.4g},{value:.0f}")
    (folder / file_name("perovskite")).write_text("\ufeff" + "\n".join(lines), encoding="utf-8")


def synthetic_barrels(folder):
    """A table of the form of the crossed barrels: a grid of four numbers, three specimens of each."""
    lines = ["n,theta,r,t,toughness"]
    for n, theta, r, t in itertools.product((6, 8, 10, 12), (0, 100, 200), (1.5, 2, 2.5), (0.7, 1.4)):
        for specimen in range(3):
            value = n * t * r * (1 + theta / 200) / 2 + (1 + 2 * t) * math.sin(31 * n * r + specimen)
            lines.append(f"{n},{theta},{r},{t},{abs(value):.4f}")
    (folder / file_name("crossed-barrel")).write_text("\n".join(lines), encoding="utf-8")


TUTORIALS = {
    "tutorial-lab.md": ("perovskite", synthetic),
    "tutorial-two-objectives.md": ("crossed-barrel", synthetic_barrels),
}


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_tutorial(tmp_path, monkeypatch, name):
    """Every command of it works; with the published table the output is that on the page, letter for letter."""
    page = (DOCS / name).read_text(encoding="utf-8")
    table, synthetic = TUTORIALS[name]
    monkeypatch.delenv("REGRETLESS_STUDY", raising=False)
    bench, lab = tmp_path / "bench", tmp_path / "lab"
    bench.mkdir()
    lab.mkdir()
    real = not missing([table])
    if not real:
        synthetic(bench)
        monkeypatch.setenv(FOLDER_VARIABLE, str(bench))
    fresh, codes = walker().walk(page, lab)
    assert set(codes) <= {0, 3}
    assert (lab / "report.html").exists()
    if real:
        assert fresh == page, f"run docs/walk.py docs/{name} and read what changed"


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_the_walk_on_a_table_of_the_same_form(tmp_path, monkeypatch, name):
    page = (DOCS / name).read_text(encoding="utf-8")
    TUTORIALS[name][1](tmp_path)
    (tmp_path / "lab").mkdir()
    monkeypatch.delenv("REGRETLESS_STUDY", raising=False)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    fresh, codes = walker().walk(page, tmp_path / "lab")
    assert set(codes) <= {0, 3}
    blocks = re.findall(r"\$ regretless record \S+\n(.*?)(?=\n\$ |```)", fresh, re.DOTALL)
    assert all("recorded" in block or "Recorded" in block for block in blocks)


def test_completion():
    assert "_REGRETLESS_COMPLETE=bash_complete" in BashComplete(main, {}, "regretless", "_REGRETLESS_COMPLETE").source()
    complete = ShellComplete(main, {}, "regretless", "_REGRETLESS_COMPLETE")
    assert sorted(item.value for item in complete.get_completions([], "ex")) == ["exclude", "export", "extend"]
    assert "--objective" in [item.value for item in complete.get_completions(["init"], "--o")]


def test_python_m_regretless():
    said = CliRunner().invoke(main, ["--version"])
    assert re.fullmatch(r"regretless, version \S+\n", said.output)
