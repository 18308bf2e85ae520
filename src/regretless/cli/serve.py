"""``regretless serve``: the page for the people who do the experiments."""

import asyncio
import ipaddress
import logging
import socket
import sys
import webbrowser
from typing import Any

import click

from regretless.cli._study import trust_option, trusted
from regretless.errors import InvalidInput, MissingExtra
from regretless.lab.lab import Lab
from regretless.lab.status import status_of
from regretless.report.html import html_report
from regretless.study import Study

__all__ = ["command"]

_PORT = 8734
_OPEN = (
    "Everybody who can reach {host} and has the address above may see and change these studies, and the connection is "
    "not encrypted. Use it in a network you trust; from elsewhere prefer: ssh -L {port}:127.0.0.1:{port} this-machine"
)


@click.command(
    epilog="Example: regretless serve lab.db",
)
@click.argument("store", metavar="PLACE")
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True, help="0 takes any free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; others can reach it.")
@click.option("--host-name", "names", multiple=True, metavar="NAME", help="A further name others call this machine by.")
@click.option("--browser/--no-browser", default=True, help="Whether to open the page.")
@click.option("--log", "logged", is_flag=True, help="Print a line per request, without what was asked.")
@trust_option
def command(store: str, port: int, host: str, names: tuple[str, ...], browser: bool, logged: bool) -> None:
    """Serve the studies in PLACE, a .db file (made if need be) or a postgresql:// URL, as a page on this machine.

    The address that is printed holds a token: whoever has it may see and change everything. The page needs no
    connection to anywhere. Several people may use it at once, and the command line beside it. Ctrl-C ends it; nothing
    is lost.
    """
    try:
        import uvicorn

        from regretless.web import Bench, Doors, create_app
    except ImportError as error:
        raise MissingExtra("the page needs more packages; install them with: pip install 'regretless[web]'") from error
    Study.names(store)  # what cannot be read is said now
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    doors = Doors.at(port, _names(host, names))
    bench = Bench(store, trust=trusted(), report=_report)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else shown}:{port}/?token={doors.token}"
    click.echo(f"The studies in {store} are at\n\n  {address}\n")
    if not _is_local(host):
        click.echo(_OPEN.format(host=host, port=port), err=True)
    click.echo("Ctrl-C ends it.", err=True)
    if logged:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    if browser:
        webbrowser.open(address)
    settings: dict[str, Any] = {"access_log": False, "log_level": "warning", "server_header": False}
    server = uvicorn.Server(uvicorn.Config(create_app(bench, doors), **settings, timeout_graceful_shutdown=5))
    try:
        asyncio.run(server.serve(sockets=[listening]))
    except KeyboardInterrupt:
        click.echo("Ended.", err=True)
    finally:
        bench.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise InvalidInput(f"{host}, port {port} cannot be listened on: {error.strerror}. Try --port 0.") from error
    return listening


def _names(host: str, more: tuple[str, ...]) -> list[str]:
    """The names under which the page may be asked for."""
    own = ["127.0.0.1", "localhost"]
    if not _is_local(host):
        own += [socket.gethostname(), socket.getfqdn()] if host in ("0.0.0.0", "::") else [host]
    return list(dict.fromkeys([*own, *([host] if _is_local(host) else []), *more]))


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _report(lab: Lab) -> str:
    facts = status_of(lab.study, lab.stop, lab.row_name).facts()
    return html_report(lab.study, facts, stop=lab.stop, row_name=lab.row_name)
