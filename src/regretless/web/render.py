"""Templates: everything is escaped, nothing may be undefined."""

import secrets
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from regretless._version import __version__
from regretless.lab.text import number, pairs, plus_minus, utc
from regretless.study.registry import login
from regretless.web.bench import Bench

__all__ = ["WHO", "author_of", "bench_of", "environment", "page", "see"]

#: The cookie with the name of whoever sits there.
WHO = "regretless-who"


@cache
def environment() -> Environment:
    """The templates."""
    env = Environment(
        loader=PackageLoader("regretless.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # an update beside a page that runs does not change half of it
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(number=number, pairs=pairs, plus_minus=plus_minus, utc=utc)
    env.globals.update(version=__version__, new_key=lambda: secrets.token_urlsafe(12))
    return env


def bench_of(request: Request) -> Bench:
    """The bench behind the page."""
    bench: Bench = request.app.state.bench
    return bench


def author_of(request: Request) -> str:
    """Who sits there: the name typed once, or the login of this machine."""
    name = unquote(request.cookies.get(WHO, "")).strip()
    return name if name and name.isprintable() and len(name) <= 200 else login()


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page, with the message that goes with it."""
    said = bench_of(request).said(request.query_params.get("said", ""))
    named = WHO in request.cookies
    text = (
        environment()
        .get_template(template)
        .render(said=said, who=author_of(request), named=named, path=request.url.path, **values)
    )
    return HTMLResponse(text, status_code=status)


def see(request: Request, path: str, message: str = "", kind: str = "done") -> Response:
    """Post, redirect, get: reloading what follows changes nothing."""
    said = f"?said={quote(bench_of(request).say(message, kind))}" if message else ""
    place, mark, fragment = path.partition("#")
    return RedirectResponse(f"{place}{said}{mark}{fragment}", status_code=303)
