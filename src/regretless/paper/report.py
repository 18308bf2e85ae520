"""The report: one HTML file with every figure, claim and verdict in it, which needs nothing else to be read."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from regretless.drawing.page import html_page, image
from regretless.paper.claims import Claim, Verdict
from regretless.paper.settings import Settings

__all__ = ["Chapter", "make_report"]

_TABLE = (
    '<table class="claims"><thead><tr><th>The claim</th><th>What we found</th><th>Verdict</th></tr></thead>'
    "<tbody>{}</tbody></table>"
)
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
        '<p class="note">A quick run: small versions that show how it works. They judge nothing about the races.</p>'
        if quick
        else "",
        f"<p>{_counted(counts)}. {seconds:,.0f} core-seconds of computing.</p>",
        "".join(f'<p class="note">{escape(note)}</p>' for note in notes),
        "<nav>"
        + "".join(f'<a href="#{part.settings.experiment}">{part.settings.experiment}</a>' for part in parts)
        + "</nav>",
        *(_chapter(part) for part in parts),
    ]
    return html_page("IRGP-UCB, run again", "".join(body))


def _counted(counts: Counter[Verdict]) -> str:
    said: dict[Verdict, str] = {
        "holds": "hold",
        "does not hold": "do not hold",
        "cannot be judged": "cannot be judged",
    }
    return ", ".join(
        f'<span class="verdict {_MARK[verdict]}">{counts[verdict]} {words}</span>' for verdict, words in said.items()
    )


def _chapter(part: Chapter) -> str:
    settings, manifest = part.settings, part.manifest
    images = "".join(f"<figure>{image(png, name)}</figure>" for name, png in part.figures.items())
    rows = "".join(
        f"<tr><td>{escape(claim.says)}</td><td>{escape(claim.number)}"
        + (f'<div class="small">{escape(claim.note)}</div>' if claim.note else "")
        + f'</td><td class="verdict {_MARK[claim.verdict]}">{claim.verdict}</td></tr>'
        for claim in part.claims
    )
    table = _TABLE.format(rows) if rows else ""
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
        f'<details class="small"><summary>What the paper leaves open, and where these numbers come from</summary>'
        f"<ul>{chosen}</ul><p>{escape(facts)}</p></details>"
    )
