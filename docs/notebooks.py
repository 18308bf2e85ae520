"""Makes the notebooks from the tutorials: `python docs/notebooks.py`, docs/notebooks/*.ipynb.

A page is the source, its notebook the same text with the same outputs: Python blocks are code cells, commands are `!`
cells, files are `%%writefile` cells. Nothing is computed here; the tests compare both, and run the notebooks.
"""

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
FOLDER = DOCS / "notebooks"
PAGES = ("tutorial", "tour", "tutorial-lab", "tutorial-two-objectives")

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"\s*^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DRAWN = re.compile(r"\s*^!\[[^\]]*\]\((_static/pages/[^)]*)\)$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
_HERE = re.compile(r" \(\[as a notebook\]\([^)]*\)\)")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#]*)(#[^)]*)?\)")


def notebook_of(page: str) -> str:
    """The notebook of a page, as the text of its file."""
    text = _HERE.sub("", _COMMENT.sub("", (DOCS / f"{page}.md").read_text(encoding="utf-8")))
    cells, done = [], 0
    while block := _BLOCK.search(text, done):
        cells += _markdown(text[done : block.start()])
        kind, body, done = block[1], block[2], block.end()
        if kind == "python" or (kind == "py" and not body.startswith("# ")):
            shown, outputs = _SHOWN.match(text, done), []
            if shown:
                outputs, done = [_printed(shown[1])], shown.end()
            while drawn := _DRAWN.match(text, done):
                outputs, done = [*outputs, _picture(DOCS / drawn[1])], drawn.end()
            cells.append(_code(body, outputs))
        elif kind == "console":
            cells += [_command(each) for each in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]]
        elif kind == "py":  # a file, with its name in the first line
            cells.append(_code("%%writefile " + body[2:], [_printed(f"Writing {body[2:].splitlines()[0]}\n")]))
        else:
            cells += _markdown(block[0])
    cells += _markdown(text[done:])
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _markdown(text: str) -> list[dict[str, Any]]:
    text = _LINK.sub(_relinked, re.sub(r"\{cite\}`(\w+)`", r"[\1]", text)).strip("\n")
    return [{"cell_type": "markdown", "metadata": {}, "source": _lines(text)}] if text else []


def _relinked(link: re.Match[str]) -> str:
    """A link as seen from the folder of the notebooks; one without words gets the title of its page."""
    target = DOCS / link[2]
    words = link[1] or target.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return f"[{words}]({Path(os.path.relpath(target, FOLDER)).as_posix()}{link[3] or ''})"


def _command(text: str) -> dict[str, Any]:
    """A command and what it printed. In a notebook braces and dollars would be read as Python."""
    command, _, printed = text.partition("\n")
    source = "!" + re.sub(r"([{}])", r"\1\1", command)
    if command == "echo $?":  # each command has a shell of its own there
        source = "print(_exit_code)"
    return _code(source, [_printed(printed.rstrip("\n") + "\n")] if printed.strip() else [])


def _code(source: str, outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": _lines(source.rstrip("\n")),
    }


def _printed(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": _lines(text)}


def _picture(path: Path) -> dict[str, Any]:
    png = base64.b64encode(path.read_bytes()).decode()
    return {"data": {"image/png": png, "text/plain": ["<Figure>"]}, "metadata": {}, "output_type": "display_data"}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for page in PAGES:
        (FOLDER / f"{page}.ipynb").write_text(notebook_of(page), encoding="utf-8")
        print(f"{page}.ipynb")
