"""What somebody sees first: the list of commands, complete, in sections, and without importing what it lists."""

import json
import subprocess
import sys
from pathlib import Path

import regretless.cli
from regretless.cli import SECTIONS, main

FILES = {path.stem.rstrip("_") for path in Path(regretless.cli.__file__).parent.glob("[!_]*.py")}
LISTED = [name for section in SECTIONS.values() for name in section]


def test_every_command_is_listed_once():
    assert sorted(LISTED) == sorted(FILES)


def test_every_listed_command_exists_and_says_what_it_does():
    for name in LISTED:
        command = main.get_command(None, name)
        assert command is not None
        assert command.help
    assert main.get_command(None, "nothing") is None


def test_help_fits_a_terminal_and_imports_no_command():
    code = (
        "import sys, json; from regretless.cli import main;"
        "sys.argv = ['regretless', '--help'];"
        "import click; \ntry: main(standalone_mode=False)\nfinally: print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    *page, modules = out.splitlines()
    assert max(map(len, page)) <= 80
    assert all(any(line.startswith(f"  {name} ") for line in page) for name in LISTED)
    assert not {"numpy", "sqlalchemy", "regretless.study"} & set(json.loads(modules))
