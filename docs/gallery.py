"""Runs every example and makes the gallery of what they print and draw: `python docs/gallery.py`, half a minute.

Code, output and figure of each go to docs/gallery.md, thumbnails and figures to docs/_static/gallery. Pages without an
example of their own (the page at the bench, certificates, notebooks) have a thumbnail of a figure that is there.
"""

import contextlib
import io
import os
import runpy
import tempfile
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
STATIC = DOCS / "_static" / "gallery"
EXAMPLES = DOCS.parent / "examples"
_SIZE = (480, 320)  # of a thumbnail, in pixels
_WIDTH = 900  # of a figure, at most

#: Of each example its title and where there is more.
SHOWN = {
    "function": ("A function of two parameters", "tutorial"),
    "holder_table": ("Many local maxima", "explanation/irgp-ucb"),
    "table": ("A table of experiments, with noise", "howto/tables"),
    "mixed_space": ("Parameters of every kind", "howto/mixed"),
    "mixture": ("A mixture under constraints", "howto/constraints-of-the-space"),
    "constraints": ("Constraints that must be measured", "howto/outcome-constraints"),
    "two_objectives": ("Two objectives", "howto/several-objectives"),
    "level_set": ("Where a level is reached", "howto/level-sets"),
    "many_parameters": ("Forty parameters, three that matter", "howto/many-parameters"),
    "target": ("Match several targets", "howto/composites"),
    "line": ("Stages that follow each other", "howto/networks"),
    "robust": ("Good at any humidity", "howto/robust"),
    "mesh": ("A coarse mesh and a fine one", "howto/fidelities"),
    "fidelities": ("Levels for researchers", "explanation/fidelities"),
    "ask_tell": ("Ask and tell: batches, failures, past data", "howto/ask-tell"),
    "workers": ("Four workers", "howto/workers"),
    "own_rule": ("A rule of your own", "howto/own-rule"),
    "robot": ("A robot that speaks JSON", "howto/bench-page"),
}
#: Of pages without an example: title, page, picture below docs/_static.
ALSO = {
    "certificate": ("When may I stop?", "howto/stop", "certificate.png"),
    "bench_page": ("The page at the bench", "howto/bench-page", "bench/bench-light.png"),
    "noise": ("Known errors and replicates", "howto/noise-and-replicates", "noise.png"),
    "paper": ("The paper's experiments", "paper", "paper/materials.png"),
}
#: Pictures of examples that draw none.
_BORROWED = {
    "fidelities": "fidelities.png",
    "mesh": "mesh.png",
    "robot": "bench/trials-light.png",
    "robust": "robust.png",
}


def main() -> None:
    """Run, draw, write."""
    STATIC.mkdir(exist_ok=True)
    sections = []
    for name, (title, page) in SHOWN.items():
        printed, figure = run(name)
        save(figure, STATIC / f"{name}.png", _SIZE)
        sections.append(section(name, title, page, printed))
        if name not in _BORROWED:
            save(figure, STATIC / f"{name}-figure.png", None)
        print(name)
    for name, (_, _, picture) in ALSO.items():
        save(Image.open(DOCS / "_static" / picture), STATIC / f"{name}.png", _SIZE)
    cards = [card(name, title, f"#{name}") for name, (title, _) in SHOWN.items()]
    cards += [card(name, title, page) for name, (title, page, _) in ALSO.items()]
    page = DOCS / "gallery.md"
    head = page.read_text(encoding="utf-8").split("<!-- begin: docs/gallery.py -->")[0]
    grid = ["<!-- begin: docs/gallery.py -->", "", "::::{grid} 1 2 3 3", ":gutter: 3", "", *cards, "::::", ""]
    page.write_text(head + "\n".join([*grid, *sections]), encoding="utf-8")


def run(name: str) -> tuple[str, Image.Image]:
    """What an example prints, and its picture."""
    said, here = io.StringIO(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        os.chdir(folder)
        os.environ["COLUMNS"] = "100"
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        os.chdir(here)
        picture = DOCS / "_static" / _BORROWED[name] if name in _BORROWED else Path(folder) / "out" / f"{name}.png"
        with Image.open(picture) as image:
            return said.getvalue(), image.convert("RGB")


def save(image: Image.Image, target: Path, size: tuple[int, int] | None) -> None:
    """A thumbnail on white, or the whole figure, with few colours."""
    image = image.convert("RGB")
    if size is None:
        image.thumbnail((_WIDTH, 10 * _WIDTH), Image.Resampling.LANCZOS)
    else:
        image.thumbnail(size, Image.Resampling.LANCZOS)
        sheet = Image.new("RGB", size, "white")
        sheet.paste(image, ((size[0] - image.width) // 2, (size[1] - image.height) // 2))
        image = sheet
    image.quantize(128, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)


def card(name: str, title: str, link: str) -> str:
    """A picture that leads on."""
    kind, link = ("ref", f"gallery-{link[1:]}") if link.startswith("#") else ("doc", link)
    return (
        f":::{{grid-item-card}} {title}\n:link: {link}\n:link-type: {kind}\n:img-top: _static/gallery/{name}.png\n"
        f":img-alt: {title}\n:::"
    )


def section(name: str, title: str, page: str, printed: str) -> str:
    """Code, what it prints, what it draws."""
    lines = [f"(gallery-{name})=", f"## {title}", "", f"More: [](/{page}.md). `examples/{name}.py`:", ""]
    lines += [f"```{{literalinclude}} ../examples/{name}.py", ":language: python", "```", "", "It prints", ""]
    text = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    lines += [f"```text\n{text}```", ""]
    if name not in _BORROWED:
        lines += ["and draws", "", f"![What {name}.py draws](_static/gallery/{name}-figure.png)", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    main()
