"""Runs the commands of a page and writes what they print below them: `python docs/walk.py docs/tutorial-lab.md`.

A block that begins with ```console holds commands after `$ ` and their output. Files of the page (```py blocks whose
first line names a file in a comment) are written first. The tests run the page through `walk` and compare.
"""

import os
import re
import shlex
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from regretless.cli import main

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_FILE = re.compile(r"```py\n# (\S+)\n(.*?)```", re.DOTALL)


def walk(page: str, folder: Path) -> tuple[str, list[int]]:
    """The page with fresh output, and the exit code of every command."""
    codes: list[int] = []
    with chdir(folder):
        for name, text in _FILE.findall(page):
            Path(name).write_text(text, encoding="utf-8")
        fresh = _BLOCK.sub(lambda block: f"```console\n{_block(block.group(1), codes)}```", page)
    return fresh, codes


def _block(text: str, codes: list[int]) -> str:
    commands = [line for line in text.splitlines() if line.startswith("$ ")]
    parts = []
    for line in commands:
        said = _run(shlex.split(line[2:]), codes).strip("\n")
        parts.append(f"{line}\n{said}\n\n" if said else f"{line}\n")
    return "".join(parts).rstrip("\n") + "\n"


def _run(words: list[str], codes: list[int]) -> str:
    if words[0] == "cat":
        return "".join(Path(name).read_text(encoding="utf-8") for name in words[1:])
    if words == ["echo", "$?"]:
        return f"{codes[-1]}\n"
    if words[0] == "python":
        return _script(Path(words[1]), words[2:])
    assert words[0] == "regretless", words
    result = CliRunner().invoke(
        main, words[1:], env={"COLUMNS": "100"}, catch_exceptions=False, prog_name="regretless", terminal_width=80
    )
    codes.append(result.exit_code)
    return result.output


def _script(path: Path, arguments: list[str]) -> str:
    before = sys.argv
    sys.argv = [str(path), *arguments]
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
    finally:
        sys.argv = before
    return ""


if __name__ == "__main__":
    os.environ.pop("REGRETLESS_STUDY", None)
    for page in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            fresh, _ = walk(page.read_text(encoding="utf-8"), Path(folder))
        page.write_text(fresh, encoding="utf-8")
