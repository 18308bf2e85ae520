"""Who may come in, with what, and what every answer says to the browser. Nothing is behind any other door.

The guard stands around the whole application, so that no route, no static file and no error page can be without it.
"""

import asyncio
import hmac
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LARGEST_BODY", "LARGEST_FILE", "Doors", "Guard"]

log = logging.getLogger("regretless.web")

#: Bytes of a form or of JSON, and of a spreadsheet.
LARGEST_BODY, LARGEST_FILE = 1_000_000, 10_000_000
#: Seconds after which a request is given up; what it stores is stored whole or not at all, and may be asked for again.
_PATIENCE = 120.0
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Doors:
    """The names under which the page may be asked for, the token that opens it, and the cookie it is swapped for.

    ``hosts`` are names with ports, exactly as a browser sends them: ``127.0.0.1:8734``. The cookie has the port in its
    name, for browsers do not tell ports apart.
    """

    hosts: frozenset[str]
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @classmethod
    def at(cls, port: int, names: Iterable[str] = ("127.0.0.1", "localhost")) -> "Doors":
        """Doors on a port of this machine, under these names."""
        shown = (f"[{name}]" if ":" in name else name for name in names)
        return cls(frozenset(f"{name.lower()}:{port}" for name in shown), port)

    @property
    def cookie_name(self) -> str:
        """What the cookie is called."""
        return f"regretless-{self.port}"

    @property
    def origins(self) -> frozenset[str]:
        """What a browser calls pages of ours."""
        return frozenset(f"http://{host}" for host in self.hosts)

    def opens(self, given: str, secret: str) -> bool:
        """Whether a secret is the right one, in time that tells nothing of it."""
        return hmac.compare_digest(given.encode(), secret.encode())


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, doors: Doors, *, patience: float = _PATIENCE) -> None:
        self.app, self.doors, self.patience = app, doors, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at a request, and let it in or not."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # nothing here speaks web sockets: the connection is closed
        request = _Request(scope)
        answer = _Answer(send, f"{scope['method']} {scope['path']}")
        refusal = self._refused(request)
        if refusal is not None:
            await answer.plain(*refusal)
        elif self._swaps_token(request):
            await answer.plain(303, "", location="/", cookie=f"{self.doors.cookie_name}={self.doors.cookie}")
        elif not self._known(request):
            await answer.plain(401, _LOCKED)
        else:
            await self._inside(scope, _limited(receive, request.largest), answer)

    async def _inside(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        try:
            async with asyncio.timeout(self.patience):
                await self.app(scope, receive, answer)
        except TimeoutError:
            await answer.plain(503, "This took too long and was given up. Ask again: nothing is done twice.")
        except Exception:
            log.exception("%s failed", answer.what)
            await answer.plain(500, "This went wrong, and it is our mistake. Nothing was changed by halves.")

    def _refused(self, request: "_Request") -> tuple[int, str] | None:
        """Why a request is not even looked at."""
        if len(request.hosts) != 1 or request.hosts[0].lower() not in self.doors.hosts:
            return 421, "This page is not served under that name. Use the address that regretless serve printed."
        if request.writes and not self._ours(request):
            return 403, "Another site tried to do this. Nothing was changed."
        if request.header("content-encoding").lower() not in ("", "identity"):
            return 415, "Send it uncompressed."
        length = request.header("content-length")
        if length and not (length.isascii() and length.isdecimal() and int(length) <= request.largest):
            return 413, f"This is larger than is taken here, {request.largest} bytes. Nothing was changed."
        return None

    def _ours(self, request: "_Request") -> bool:
        """Whether a request that may change something comes from a page of ours, or from no browser.

        A form of ours has the origin ``null`` where the referrer policy forbids to name it: then the browser's own word
        for where it comes from counts.
        """
        site, origin = request.header("sec-fetch-site"), request.header("origin")
        if site == "same-origin":
            return origin in ("", "null", *self.doors.origins)
        return site == "" and (origin == "" or origin in self.doors.origins)

    def _swaps_token(self, request: "_Request") -> bool:
        """Whether somebody opens the start address: the token leaves it, and a cookie takes its place."""
        given = parse_qs(request.query).get("token", [""])[0]
        return request.method == "GET" and request.path == "/" and self.doors.opens(given, self.doors.token)

    def _known(self, request: "_Request") -> bool:
        given = request.cookies.get(self.doors.cookie_name, "")
        if self.doors.opens(given, self.doors.cookie):
            return True
        kind, _, token = request.header("authorization").partition(" ")
        return request.for_robots and kind.lower() == "bearer" and self.doors.opens(token.strip(), self.doors.token)


_LOCKED = (
    "This page is locked. Open the address that regretless serve printed, with its token: paste it into the address "
    "bar. Robots send it as: Authorization: Bearer TOKEN, to /api/v1."
)


class _Request:
    """What the guard looks at."""

    def __init__(self, scope: Scope) -> None:
        pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: str = scope["query_string"].decode("latin-1")
        self.hosts = [value for name, value in pairs if name == "host"]
        self._headers: dict[str, str] = dict(pairs)

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "HEAD")

    @property
    def for_robots(self) -> bool:
        return self.path.startswith("/api/")

    @property
    def largest(self) -> int:
        return LARGEST_FILE + LARGEST_BODY if self.path.endswith("/file") else LARGEST_BODY

    @property
    def cookies(self) -> dict[str, str]:
        parts = (part.strip().partition("=") for part in self.header("cookie").split(";"))
        return {name: value for name, _, value in parts}

    def header(self, name: str) -> str:
        return self._headers.get(name, "")


class _Answer:
    """Sends on what the application answers, with our headers on it."""

    def __init__(self, send: Send, what: str) -> None:
        self._send, self.what, self._started = send, what, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            ours = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            kept = [pair for pair in message.get("headers", []) if pair[0].lower().decode() not in _HEADERS]
            message = {**message, "headers": [*kept, *ours]}
            log.info("%s %s", self.what, message["status"])  # the path alone: a query may hold a token
        await self._send(message)

    async def plain(self, status: int, text: str, *, location: str = "", cookie: str = "") -> None:
        """A short answer of the guard itself; nothing where the application has begun to answer."""
        if self._started:
            return
        body = text.encode()
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        headers += [(b"location", location.encode())] if location else []
        headers += [(b"set-cookie", f"{cookie}; HttpOnly; SameSite=Strict; Path=/".encode())] if cookie else []
        headers += [(b"www-authenticate", b"Bearer")] if status == 401 else []
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _limited(receive: Receive, most: int) -> Receive:
    """The body, as far as it is taken: it may be longer than its header said, or have none."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, f"This is larger than is taken here, {most} bytes. Nothing was changed.")
        return message

    return limited
