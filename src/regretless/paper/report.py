"""The report: one HTML file with every figure, claim and verdict in it, which needs nothing else to be read."""

import base64
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from regretless.paper.claims import Claim, Verdict
from regretless.paper.settings import Settings

__all__ = ["Chapter", "make_report"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ddd; --pale: #f6f6f4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #161616; --line: #3a3a3a; --pale: #1f1f1f; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  max-width: 76rem; padding: 1rem 1.5rem 4rem; }
h1 { font-size: 1.7rem; margin: 1.2rem 0 .3rem; } h2 { font-size: 1.25rem; margin: 3rem 0 .5rem; }
figure { margin: 1rem 0; } img { max-width: 100%; background: #fff; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
td, th { text-align: left; vertical-align: top; padding: .45rem .7rem .45rem 0; border-top: 1px solid var(--line); }
td:first-child { width: 34%; } td:last-child { width: 11rem; white-space: nowrap; }
.v { font-weight: 600; }
.v.holds::before { content: "✓ "; } .v.not::before { content: "✗ "; } .v.open::before { content: "? "; }
.holds { color: #00795a; } .not { color: #c04d00; } .open { color: #777; }
@media (prefers-color-scheme: dark) { .holds { color: #3cc79b; } .not { color: #ff9a52; } .open { color: #aaa; } }
.note, .settings { font-size: .88rem; opacity: .85; }
code { background: var(--pale); padding: .1rem .35rem; border-radius: 3px; }
details { margin: .6rem 0; } summary { cursor: pointer; } nav a { margin-right: 1rem; }
.banner { background: var(--pale); padding: .7rem 1rem; border-left: 4px solid #c04d00; }
"""
_MARK = {"holds": "holds", "does not hold": "not", "cannot be judged": "open"}


@dataclass(frozen=True, slots=True)
class Chapter:
    """One experiment of the report: ``figures`` are PNG images by name, ``manifest`` is that of its results."""

    settings: Settings
    claims: tuple[Claim, ...]
    figures: Mapping[str, bytes]
    manifest: Mapping[str, Any]
    command: str


def make_report(chapters: Iterable[Chapter], *, notes: Iterable[str] = ()) -> str:
    """The whole report as one HTML document."""
    parts = list(chapters)
    counts = Counter(claim.verdict for part in parts for claim in part.claims)
    quick = any(part.settings.quick for part in parts)
    seconds = sum(part.manifest["core_seconds"] for part in parts)
    body = [
        "<h1>The paper's experiments, run again</h1>",
        "<p>IRGP-UCB: S. Takeno, Y. Inatsu, M. Karasuyama, <i>Regret Analysis for Randomized Gaussian Process Upper "
        "Confidence Bound</i>. Each claim is in our words; the numbers are ours.</p>",
        '<p class="banner">A quick run: small versions that show how it works. They judge nothing about the races.</p>'
        if quick
        else "",
        f"<p>{_counted(counts)}. {seconds:,.0f} core-seconds of computing.</p>",
        "".join(f'<p class="banner">{escape(note)}</p>' for note in notes),
        "<nav>"
        + "".join(f'<a href="#{part.settings.experiment}">{part.settings.experiment}</a>' for part in parts)
        + "</nav>",
        *(_chapter(part) for part in parts),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
    head += "<title>IRGP-UCB, run again</title>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'


def _counted(counts: Counter[Verdict]) -> str:
    said: dict[Verdict, str] = {
        "holds": "hold",
        "does not hold": "do not hold",
        "cannot be judged": "cannot be judged",
    }
    return ", ".join(
        f'<span class="v {_MARK[verdict]}">{counts[verdict]} {words}</span>' for verdict, words in said.items()
    )


def _chapter(part: Chapter) -> str:
    settings, manifest = part.settings, part.manifest
    images = "".join(
        f'<figure><img alt="{escape(name)}" src="data:image/png;base64,{base64.b64encode(png).decode()}"></figure>'
        for name, png in part.figures.items()
    )
    rows = "".join(
        f"<tr><td>{escape(claim.says)}</td><td>{escape(claim.number)}"
        + (f'<div class="note">{escape(claim.note)}</div>' if claim.note else "")
        + f'</td><td class="v {_MARK[claim.verdict]}">{claim.verdict}</td></tr>'
        for claim in part.claims
    )
    table = f"<table><tr><th>The claim</th><th>What we found</th><th>Verdict</th></tr>{rows}</table>" if rows else ""
    chosen = "".join(f"<li>{escape(sentence)}</li>" for sentence in settings.open)
    facts = (
        f"seed {settings.numbers['seed']}, {manifest['finished']} of {manifest['units']} units, "
        f"{manifest['core_seconds']:,.0f} core-seconds, regretless {manifest['regretless']}, "
        f"commit {manifest['commit'] or 'unknown'}, "
        f"NumPy {manifest['identity']['numpy']}, SciPy {manifest['identity']['scipy']}, {manifest['written']}"
    )
    return (
        f'<h2 id="{settings.experiment}">{escape(settings.title)}</h2>{images}'
        f"<p><code>{escape(part.command)}</code></p>{table}"
        f'<details class="settings"><summary>What the paper leaves open, and where these numbers come from</summary>'
        f"<ul>{chosen}</ul><p>{escape(facts)}</p></details>"
    )
