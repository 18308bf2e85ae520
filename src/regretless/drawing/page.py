"""A page of HTML with its style and figures inside: it can be mailed, printed and read offline."""

import base64
from html import escape

from regretless.drawing.svg import DARK

__all__ = ["html_page", "image"]

_STYLE = (
    """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ddd; --pale: #f6f6f4; --quiet: #666; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #161616; --line: #3a3a3a; --pale: #1f1f1f; --quiet: #aaa; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  max-width: 72rem; padding: 1rem 1.5rem 4rem; }
h1 { font-size: 1.6rem; margin: 1.2rem 0 0; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .4rem; }
p { max-width: 48rem; } .quiet { color: var(--quiet); margin-top: .2rem; } .small { font-size: .88rem; opacity: .85; }
.note { background: var(--pale); padding: .6rem 1rem; border-left: 4px solid #c04d00; }
figure { margin: 1rem 0; break-inside: avoid; } figure svg { width: 100%; height: auto; max-width: 44rem; }
figcaption p { margin: .2rem 0 .4rem; font-size: .9rem; color: var(--quiet); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: .5rem 2rem;
  align-items: end; }
.figures > :only-child { max-width: 38rem; }
.small-figures { grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.figures .wide { max-height: 24rem; overflow: auto; } .halo { stroke: var(--paper); stroke-width: 1; }
img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
code { background: var(--pale); padding: .1rem .35rem; border-radius: 3px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .92rem; }
td, th { padding: .35rem .7rem .35rem 0; text-align: left; vertical-align: top; }
td { border-bottom: 1px solid var(--line); } thead th { border-bottom: 1px solid var(--quiet); }
.facts { margin-top: 1rem; font-size: 1rem; } .facts td { border: 0; }
.facts th { white-space: nowrap; padding-right: 1.2rem; }
.claims { width: 100%; } .claims td:first-child { width: 34%; } .claims td:last-child { width: 11rem; }
.verdict { font-weight: 600; white-space: nowrap; }
.holds::before { content: "✓ "; } .not::before { content: "✗ "; } .open::before { content: "? "; }
.holds { color: #00795a; } .not { color: #c04d00; } .open { color: var(--quiet); }
@media (prefers-color-scheme: dark) { .holds { color: #3cc79b; } .not { color: #ff9a52; }
"""
    + DARK
    + """ }
nav a { margin-right: 1rem; } details { margin: .6rem 0; } summary { cursor: pointer; }
@media print { body { margin: 0; max-width: none; } details { display: none; } h2 { break-after: avoid; } }
"""
)


def html_page(title: str, body: str, *, generator: str = "") -> str:
    """The document; ``generator`` says in its head what made it.

    >>> html_page("a < b", "<p>c</p>").startswith('<!doctype html>')
    True
    """
    made = f'<meta name="generator" content="{escape(generator)}">' if generator else ""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">{made}'
    head += f"<title>{escape(title)}</title><style>{_STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def image(png: bytes, says: str) -> str:
    """A figure as text that stands in the page; ``says`` is for readers who cannot see it."""
    return f'<img alt="{escape(says)}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
