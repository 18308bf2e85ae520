"""The application: every route, in one list."""

from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from regretless.errors import RegretlessError
from regretless.web import actions, new, pages
from regretless.web.actions import taking
from regretless.web.api import create_api
from regretless.web.bench import Bench
from regretless.web.codes import status_of_error
from regretless.web.guard import Doors, Guard
from regretless.web.render import page

__all__ = ["create_app", "routes"]

_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "txt": "text/plain; charset=utf-8"}
#: Everything that is served as a file, by name: no path comes from a request.
_FILES = ("style.css", "htmx.min.js", "bench.js", "htmx.LICENSE.txt")


def routes() -> list[Route]:
    """Every page and every action. A GET changes nothing."""
    study = "/s/{id:str}"
    return [
        Route("/", pages.studies),
        Route("/who", taking(actions.who), methods=["POST"]),
        Route("/new", new.choose),
        Route("/new/file", taking(new.upload), methods=["POST"]),
        Route("/new/file/{key:str}", new.preview),
        Route("/new/file/{key:str}/create", taking(new.create), methods=["POST"]),
        Route("/new/space", new.space),
        Route("/new/space/create", taking(new.create_space), methods=["POST"]),
        Route(study, pages.study),
        Route(f"{study}/standing", pages.standing),
        Route(f"{study}/pulse", pages.pulse),
        Route(f"{study}/sheet", pages.sheet),
        Route(f"{study}/ask", taking(actions.ask), methods=["POST"]),
        Route(f"{study}/certify", taking(actions.certify), methods=["POST"]),
        Route(f"{study}/asked/{{key:str}}", pages.asked),
        Route(f"{study}/trials", pages.trials),
        Route(f"{study}/trials.csv", pages.csv_file),
        Route(f"{study}/trials.xlsx", pages.xlsx_file),
        Route(f"{study}/report", pages.report),
        Route(f"{study}/figures", pages.figures),
        Route(f"{study}/ran", pages.ran),
        Route(f"{study}/ran/record", taking(actions.ran), methods=["POST"]),
        Route(f"{study}/candidates", pages.candidates),
        Route(f"{study}/candidates/exclude", taking(actions.exclude_row), methods=["POST"]),
        Route(f"{study}/candidates/include", taking(actions.include_row), methods=["POST"]),
        Route(f"{study}/candidates/add", taking(actions.add_row), methods=["POST"]),
        Route(f"{study}/candidates/file", taking(new.extend), methods=["POST"]),
        Route(f"{study}/t/{{n:int}}", pages.trial),
        Route(f"{study}/t/{{n:int}}/why", pages.why),
        Route(f"{study}/t/{{n:int}}/record", taking(actions.record), methods=["POST"]),
        Route(f"{study}/t/{{n:int}}/amend", taking(actions.amend), methods=["POST"]),
        Route(f"{study}/t/{{n:int}}/exclude", taking(actions.exclude), methods=["POST"]),
        Route(f"{study}/t/{{n:int}}/include", taking(actions.include), methods=["POST"]),
        Route("/static/{name:str}", static),
    ]


def create_app(bench: Bench, doors: Doors) -> ASGIApp:
    """The page and the API of a bench, behind its doors."""
    app = Starlette(
        routes=[*routes(), Mount("/api/v1", create_api(bench))],
        exception_handlers={RegretlessError: _problem, HTTPException: _missing},
    )
    app.state.bench = bench
    return Guard(app, doors)


def static(request: Request) -> Response:
    """A file of ours."""
    name = request.path_params["name"]
    if name not in _FILES:
        raise HTTPException(404)
    content = files("regretless.web").joinpath("static", name).read_bytes()
    return Response(content, media_type=_KINDS[name.rpartition(".")[2]])


def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, RegretlessError)
    return page(request, "problem.html", status_of_error(error), text=str(error))


def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = "There is no such page." if error.status_code == 404 else str(error.detail)
    return page(request, "problem.html", error.status_code, text=text)
