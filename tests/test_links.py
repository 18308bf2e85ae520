"""Links of the documentation: files and headings that they name are there; others are well formed."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs" / "notebooks").glob("*.ipynb")])
PAGES = [page for page in PAGES if not {"_build", "generated"} & set(page.parts)]
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_LINK = re.compile(r"!?\[[^\]\n]*(?:\[[^\]\n]*\][^\]\n]*)?\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_NAMED = re.compile(r"^\[[^\]\n]+\]: (\S+)$", re.MULTILINE)
_CARD = re.compile(r"^:link: (\S+)\n:link-type: (\w+)$", re.MULTILINE)
_PICTURE = re.compile(r"(?:\{image\}|\{literalinclude\}|:img-top:) (\S+)")


def text_of(page: Path) -> str:
    """The prose of a page; of a notebook its cells."""
    text = page.read_text(encoding="utf-8")
    return text if page.suffix == ".md" else text.replace("\\n", "\n").replace('\\"', '"')


def links_of(page: Path) -> set[str]:
    prose = _CODE.sub("", text_of(page))
    return {*_LINK.findall(prose), *_NAMED.findall(prose)}


@cache
def anchors_of(page: Path) -> set[str]:
    """Headings as GitHub and MyST name them, and labels."""
    text = page.read_text(encoding="utf-8")
    heads = re.findall(r"^#{1,6} (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    slugs = (re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head)).strip().lower() for head in heads)
    return {slug.replace(" ", "-") for slug in slugs} | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for link in links_of(page):
        if re.match(r"https?:", link):
            parts = urlsplit(link)
            assert re.fullmatch(r"[\w.-]+\.[a-z]{2,}", parts.netloc), link
            assert not re.search(r"[\s<>\"]", link), link
            continue
        path, _, anchor = link.partition("#")
        target = page if not path else ROOT / "docs" / path[1:] if path.startswith("/") else (page.parent / path)
        target = target.resolve()
        assert target.exists(), f"{page.name}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors_of(target), f"{page.name}: {link}; there are {sorted(anchors_of(target))}"


@pytest.mark.parametrize("page", ["index.md", "gallery.md"])
def test_cards_and_pictures_are_there(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for link, kind in _CARD.findall(text):
        assert (ROOT / "docs" / f"{link}.md").exists() if kind == "doc" else f"({link})=" in text, link
    for picture in _PICTURE.findall(text):
        assert (ROOT / "docs" / picture).exists(), picture


def test_every_picture_is_used():
    pictures = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "_static").rglob("*.png")}
    said = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert {picture for picture in pictures if picture not in said} == set()


def test_every_decision_is_listed_once():
    listed = re.findall(
        r"^(\d{4}-[\w-]+)$", (ROOT / "docs" / "adr" / "index.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "docs" / "adr").glob("0*.md"))
