"""Figures and verdicts of a full run into the page of the paper: ``python docs/verdicts.py out/paper``.

The figures go to docs/_static/paper; what stands between the marks in docs/paper.md is written anew.
"""

import csv
import json
import sys
from pathlib import Path

from regretless.paper import EXPERIMENTS, read_settings

HERE = Path(__file__).parent
BEGIN, END = "<!-- begin: docs/verdicts.py -->\n", "<!-- end -->\n"
WIDTH = 1200  # pixels: enough for a page, and small in the repository


def shrink(source: Path, target: Path) -> None:
    """The figure with at most WIDTH pixels across and 256 colours, chosen far apart so that lines keep theirs."""
    from PIL import Image

    image = Image.open(source).convert("RGB")
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    target.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)


def section(name: str, out: Path, claims: list[dict[str, str]]) -> str:
    """Title, figures with the command under them, and the table of claims."""
    lines = [f"## {read_settings(name).title}", ""]
    for figure in sorted((out / "figures").glob("*.png")):
        if figure.stem == name or (figure.stem.startswith(f"{name}-") and figure.stem not in EXPERIMENTS):
            shrink(figure, HERE / "_static" / "paper" / figure.name)
            lines += [f"![{figure.stem}](_static/paper/{figure.name})", ""]
    lines += ["```sh", f"regretless paper {name}", "```", "", "| claim | what we found | verdict |", "|---|---|---|"]
    for row in (row for row in claims if row["experiment"] == name):
        found = row["found"] + (f" *{row['note']}*" if row["note"] else "")
        lines.append(f"| {row['claim']} | {found.replace('|', '/')} | **{row['verdict']}** |")
    return "\n".join([*lines, ""])


def main(out: Path) -> None:
    """Write the page."""
    with (out / "claims.csv").open(newline="", encoding="utf-8") as file:
        claims = list(csv.DictReader(file))
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    done = manifest["experiments"]
    seconds = ", ".join(f"{name} {entry['core_seconds']:.0f}" for name, entry in done.items())
    head = f"Run on {manifest['written'][:10]}. Core-seconds: {seconds}; {manifest['core_seconds']:.0f} in all.\n"
    page = HERE / "paper.md"
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    body = "\n".join([head, *(section(name, out, claims) for name in EXPERIMENTS if name in done)])
    page.write_text(before + BEGIN + "\n" + body + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
