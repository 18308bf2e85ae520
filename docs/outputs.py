"""Runs the Python of a page and writes what it prints and draws: `python docs/outputs.py docs/howto/stop.md`.

What a block prints stands in the ```text block behind it, what it draws in the image behind that. The tests run the
same blocks (conftest.py) and compare: the words must agree, numbers may differ, since another BLAS rounds otherwise.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from sybil.document import Document
from sybil.evaluators.python import PythonEvaluator
from sybil.example import Example
from sybil.parsers.markdown import CodeBlockParser, SkipParser

DOCS = Path(__file__).parent
_SHOWN = re.compile(r"\s*```text\n(.*?)```", re.DOTALL)
_DRAWN = re.compile(r"\s*!\[[^\]\n]*\]\([^)\n]*_static/pages/[^)\n]*\)")
_NUMBER = re.compile(r"(?<![\w])[-+]?(\d[\d,]*(\.\d*)?|\.\d+)(e[-+]?\d+)?|\b(inf|nan)\b")


class PrintingParser(CodeBlockParser):
    """Python blocks whose output, where there is some, stands behind them."""

    language = "python"

    def evaluate(self, example: Example) -> str | None:
        """Run it and compare what it prints with what the page shows."""
        printed = run(example)
        found = _SHOWN.match(example.document.text, example.region.end)
        shown = found.group(1) if found else ""
        if masked(printed) == masked(shown):
            return None
        page = Path(example.path).relative_to(DOCS.parent)
        return f"run docs/outputs.py {page}: the page shows\n{shown}\nand the block prints\n{printed}"


def run(example: Example) -> str:
    """What a block prints, without what belongs to this machine alone."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        PythonEvaluator()(example)
    return "".join(f"{line.rstrip()}\n" for line in said.getvalue().splitlines())


def masked(text: str) -> str:
    """The text with every number replaced and all space alike."""
    return " ".join(_NUMBER.sub("#", text).split())


def fresh(path: Path) -> str:
    """The page with the outputs of now; figures go to docs/_static/pages."""
    from matplotlib import pyplot as plt

    document = Document.parse(str(path), SkipParser(), PrintingParser())
    text, done, parts, drawn = document.text, 0, [], 0
    for example in document.examples():
        before = set(plt.get_fignums())
        printed = _evaluated(example)
        if printed is None or text.startswith("<!--", example.start):
            continue
        end = example.region.end
        parts.append(text[done:end])
        old = _SHOWN.match(text, end)
        done = old.end() if old else end
        if printed.strip():
            parts.append(f"\n\n```text\n{printed}```")
        figures = sorted(set(plt.get_fignums()) - before)
        while old := _DRAWN.match(text, done):
            done = old.end()
        for number in figures:
            drawn += 1
            target = DOCS / "_static" / "pages" / f"{path.stem}-{drawn}.png"
            target.parent.mkdir(exist_ok=True)
            plt.figure(number).savefig(target, dpi=110, metadata={"Software": None})
            at = Path(os.path.relpath(target, path.parent)).as_posix()
            parts.append(f"\n\n![What the code above draws]({at})")
    plt.close("all")
    return "".join(parts) + text[done:]


def _evaluated(example: Example) -> str | None:
    """What it prints; None where it is not Python, or the page says that it is not to be run."""
    ran: list[str] = []
    region = example.region
    if isinstance(getattr(region.evaluator, "__self__", None), PrintingParser):
        region.evaluator = lambda each: ran.append(run(each))
    with contextlib.suppress(unittest.SkipTest):
        example.evaluate()
    return ran[0] if ran else None


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    for page in map(Path, sys.argv[1:]):
        here = Path.cwd()
        page = page.resolve()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            text = fresh(page)
            os.chdir(here)
        page.write_text(text, encoding="utf-8")
        print(page.name)
