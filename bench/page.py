"""Tables and figures of a benchmark in the documentation; the text around them is written by hand."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import store

__all__ = ["BENCHMARKS", "FIDELITIES", "HOSTS", "markdown", "measured", "put", "show_figure"]

_EXPLANATION = store.ROOT / "docs" / "explanation"
BENCHMARKS = _EXPLANATION / "benchmarks.md"
HOSTS = _EXPLANATION / "hosts.md"
FIDELITIES = _EXPLANATION / "fidelities.md"
_END = "<!-- end -->"


def put(page: Path, command: str, text: str) -> None:
    """Put ``text`` between the mark of ``command`` and the next end mark; everything else stays as it is."""
    begin = f"<!-- begin: python -m bench {command} -->"
    before, mark, rest = page.read_text().partition(begin)
    if not mark:
        raise ValueError(f"{page} has no line {begin!r}.")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{_END}{rest.partition(_END)[2]}")


def markdown(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are numbers."""
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)], *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def measured(manifest: Mapping[str, Any]) -> str:
    """When and on what."""
    return (
        f"Measured {manifest['date'][:10]} at commit {manifest['commit'][:10]}, {manifest['cpu']}, "
        f"Python {manifest['python']}, one thread."
    )


def show_figure(source: Path, alternative: str) -> str:
    """Copy a figure beside the documentation; returns what shows it there."""
    target = store.ROOT / "docs" / "_static" / f"bench-{source.name}"
    shutil.copyfile(source, target)
    return f"```{{image}} ../_static/{target.name}\n:alt: {alternative}\n```"
