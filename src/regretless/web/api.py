"""The JSON API for robots: the same checks as in Python, and a key that makes a request count once."""

from typing import Annotated, Any

from fastapi import FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from regretless._version import __version__
from regretless.errors import RegretlessError, StoreBusy
from regretless.lab.export import trials_record
from regretless.study import Trial
from regretless.web.bench import Bench
from regretless.web.codes import status_of_error

__all__ = ["create_api"]

#: Seconds that a request waits for a model; then it is asked to come back with the same key.
_WAIT = 100.0

Id = Annotated[str, Path(pattern="^[0-9a-f]{12}$", description="The id of the study, from /studies.")]
Number = Annotated[int, Path(ge=0, le=2**53, description="The number of the trial.")]
Author = Annotated[str, Field(min_length=1, max_length=200, description="Who is named on record.")]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Problem(BaseModel):
    """What was wrong, and what to do."""

    kind: str
    error: str


class StudyLine(BaseModel):
    """A study in the list."""

    id: str
    name: str
    trials: int
    pending: int
    events: int


class Suggested(BaseModel):
    """A trial: what to run, or what was run and came out."""

    number: int
    params: dict[str, Any]
    row: Any = None
    status: str
    value: float | None = None
    values: dict[str, float | None]
    source: str
    zeta: float | None = None
    excluded: bool


class AskBody(BaseModel):
    """A request for suggestions; the same key gets the same trials."""

    model_config = ConfigDict(extra="forbid")
    key: str = Field(min_length=8, max_length=100, pattern=r"^[\x21-\x7e]+$")
    count: int = Field(default=1, ge=1, le=100)
    author: Author = "robot"


class TellBody(BaseModel):
    """A result: one number, replicates, or numbers by outcome; ``failed`` where nothing came out."""

    model_config = ConfigDict(extra="forbid")
    value: Finite | list[Finite] | dict[str, Finite | list[Finite]] | None = None
    sd: Finite | dict[str, Finite] | None = None
    failed: bool | str | list[str] = False
    author: Author = "robot"


class AmendBody(TellBody):
    """A correction, which needs a reason."""

    reason: str = Field(min_length=1, max_length=2000)


_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in {
        400: "It cannot be done.",
        401: "The token is missing.",
        403: "It came from another site.",
        404: "There is no such study or trial.",
        409: "It contradicts what is on record.",
        413: "It is too large.",
        422: "What was sent cannot be used.",
        503: "The store or the model is busy: try again, with the same key.",
    }.items()
}


def create_api(bench: Bench) -> FastAPI:
    """The API of a bench."""
    api = FastAPI(
        title="regretless",
        version=__version__,
        summary="Ask for the next experiments, tell what came out.",
        docs_url=None,  # pages that load scripts from elsewhere
        redoc_url=None,
        responses=_RESPONSES,
    )
    _answer_problems(api)
    _add_reads(api, bench)
    _add_writes(api, bench)
    return api


def _answer_problems(api: FastAPI) -> None:
    @api.exception_handler(RegretlessError)
    def problem(_: Request, error: RegretlessError) -> JSONResponse:
        return JSONResponse({"kind": type(error).__name__, "error": str(error)}, status_of_error(error))

    @api.exception_handler(RequestValidationError)
    def unreadable(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return JSONResponse({"kind": "InvalidInput", "error": f"{where}: {first['msg']}."}, 422)

    @api.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"kind": "Refused", "error": str(error.detail)}, error.status_code)


def _add_reads(api: FastAPI, bench: Bench) -> None:
    @api.get("/studies")
    def studies() -> list[StudyLine]:
        """All studies."""
        found = []
        for which in bench.names():
            desk = bench.desk(which)
            with desk.at() as lab:
                line = StudyLine(
                    id=desk.id, name=desk.name, trials=len(lab.study), pending=len(lab.pending), events=lab.study.seq
                )
            found.append(line)
        return found

    @api.get("/studies/{id}/trials")
    def trials(id: Id) -> list[Suggested]:
        """Every trial of a study."""
        with bench.desk(id).at() as lab:
            return [_suggested(trial) for trial in lab.study.trials]

    @api.get("/studies/{id}/certificate")
    def certificate(id: Id) -> dict[str, Any]:
        """Where a study stands: best, recommended, how much regret is left, and whether to stop."""
        desk = bench.desk(id)
        with desk.at() as lab:
            seq = lab.study.seq
        found, fresh = desk.standing(seq, wait=_WAIT)
        if found is None or not fresh:
            raise StoreBusy("the certificate is still being computed. Ask again.")
        return {"events": found.seq, **found.record}

    @api.get("/studies/{id}/export")
    def export(id: Id) -> dict[str, Any]:
        """The settings, every trial and every event."""
        with bench.desk(id).at() as lab:
            return trials_record(lab)


def _add_writes(api: FastAPI, bench: Bench) -> None:
    @api.post("/studies/{id}/ask")
    def ask(id: Id, body: AskBody) -> list[Suggested]:
        """The next experiments, which are pending from then on."""
        desk = bench.desk(id)
        job = desk.ask(body.key, body.count, body.author, wait=_WAIT)
        if job.running:
            raise StoreBusy("the suggestions are still being computed. Ask again with the same key.")
        if job.problem is not None:
            raise job.problem
        return [_suggested(trial) for trial in job.value or ()]

    @api.post("/studies/{id}/trials/{number}/tell")
    def tell(id: Id, number: Number, body: TellBody) -> Suggested:
        """Record a result. The same again changes nothing; another value is refused: see amend."""
        with bench.desk(id).at(body.author) as lab:
            return _suggested(lab.study.tell(number, body.value, sd=body.sd, failed=body.failed))

    @api.post("/studies/{id}/trials/{number}/amend")
    def amend(id: Id, number: Number, body: AmendBody) -> Suggested:
        """Correct a result; what it was before stays on record."""
        with bench.desk(id).at(body.author) as lab:
            corrected = lab.study.amend(number, body.value, sd=body.sd, failed=body.failed, reason=body.reason)
            return _suggested(corrected)


def _suggested(trial: Trial) -> Suggested:
    return Suggested(
        number=trial.number,
        params=dict(trial.params),
        row=trial.row,
        status=trial.status,
        value=trial.value,
        values=dict(trial.values),
        source=trial.source,
        zeta=trial.zeta,
        excluded=trial.excluded,
    )
