"""New studies: from a spreadsheet, with a look at how each column is read, or from a form for a space."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from regretless.errors import InvalidInput, RegretlessError, StudyConflict
from regretless.lab.columns import read_as, wanted
from regretless.lab.lab import lab_metadata
from regretless.lab.results import told
from regretless.sheets import Reading, Sheet
from regretless.study import Study
from regretless.web.bench import study_id
from regretless.web.definition import (
    AIMS,
    BOUNDED,
    PARTS,
    aims_of,
    batch_in,
    name_in,
    outcomes_in,
    seed_in,
    space_in,
    stop_in,
)
from regretless.web.forms import text_in
from regretless.web.pages import desk_of
from regretless.web.render import author_of, bench_of, page, see
from regretless.web.uploads import Uploaded, file_in

__all__ = ["choose", "create", "create_space", "extend", "preview", "space", "upload"]

#: What a column may be, as the page says it.
_ROLES = {
    "factor": "a factor",
    "names": "a factor of names",
    "maximise": "a result, large is good",
    "minimise": "a result, small is good",
    "at most": "a result, at most …",
    "at least": "a result, at least …",
    "all above": "a result; find all at least …",
    "all below": "a result; find all at most …",
    "row names": "the names of the rows",
    "leave out": "left out",
}


async def choose(request: Request) -> Response:
    """How to begin."""
    return page(request, "new.html")


def upload(request: Request, form: FormData) -> Response:
    """Take a file, and show how it would be read."""
    file = file_in(form)
    file.sheet(Reading(asked_in="page"))
    return see(request, f"/new/file/{bench_of(request).keep_file(file)}")


def preview(request: Request) -> Response:
    """How each column of a file is read, and what to make of it; nothing is made yet."""
    key = request.path_params["key"]
    file = _kept(request, key)
    return page(request, "preview.html", **_previewed(file, key, dict(request.query_params)))


def create(request: Request, form: FormData) -> Response:
    """Make the study."""
    key = request.path_params["key"]
    file, typed = _kept(request, key), {name: text_in(form, name) for name in form}
    view = _previewed(file, key, typed)
    if view["error"]:
        return page(request, "preview.html", 422, **view)
    try:
        found, aims = view["found"], view["aims"]
        said = lab_metadata(
            file=file.name,
            row_name=found.row_name,
            batch=batch_in(typed),
            stop=stop_in(typed, aims),
            dialect=found.dialect,
        )
        name = name_in(typed)
        made = _make(request, name, key, space=found.table(), metadata=said, seed=seed_in(typed), **aims.settings())
        with made as study:
            for row, i in zip(found.ids, range(len(found)), strict=True):
                if values := found.measured(i):
                    study.add(row=row, **told(values), key=f"{key}-{i}")
    except RegretlessError as error:
        return page(request, "preview.html", 422, **{**view, "error": str(error)})
    return see(request, f"/s/{study_id(name)}", f"{name} is ready: {wanted(aims)}.")


async def space(request: Request) -> Response:
    """A form for a box or a mixture."""
    return page(request, "space.html", typed={}, parts=range(PARTS), aims=AIMS, error="")


def create_space(request: Request, form: FormData) -> Response:
    """Make a study of a box or a mixture."""
    typed = {name: text_in(form, name) for name in form}
    try:
        aims = aims_of(outcomes_in(typed), typed)
        made_of = space_in(typed)
        stop = stop_in(typed, aims)
        said = lab_metadata(file=None, row_name="row", batch=batch_in(typed), stop=stop, dialect=None)
        name = name_in(typed)
        _make(request, name, typed.get("key", ""), space=made_of, metadata=said, **aims.settings()).close()
    except RegretlessError as error:
        return page(request, "space.html", 422, typed=typed, parts=range(PARTS), aims=AIMS, error=str(error))
    return see(request, f"/s/{study_id(name)}", f"{name} is ready: {wanted(aims)}.")


def extend(request: Request, form: FormData) -> Response:
    """Add the experiments of a file to a table."""
    desk, file = desk_of(request), file_in(form)
    with desk.at(author_of(request)) as lab:
        table, named = lab.study.space, lab.has_rows and not lab.row_name.startswith("line")
        if not lab.has_rows:
            raise InvalidInput("this study has no list of candidates: everything within its bounds may be tried.")
        sheet = file.sheet(Reading(asked_in="page"))
        known = [name for name in table.names if name not in table.constants]
        sheet.check_known(tuple([lab.row_name, *known] if named else known), "a factor of this study")
        factors = [name for name in table.names if name in sheet.columns]
        names = [name for name in factors if all(isinstance(value, str) for value in table.examples(name))]
        ignored = [name for name in sheet.columns if name not in factors and not (named and name == lab.row_name)]
        reading = Reading(
            id=lab.row_name if named else None,
            ignore=tuple(ignored),
            categorical=tuple(name for name in names if name in factors),
            asked_in="page",
        )
        added = lab.study.extend(file.read(reading, ()).table(), reason=text_in(form, "reason"))
        count = f"{len(added)} experiment{'s' * (len(added) != 1)} added"
        said = f"{file.name}: {count}; there are {lab.study.space.n_candidates} now."
        return see(request, f"/s/{desk.id}/candidates", said)


def _kept(request: Request, key: str) -> Uploaded:
    file = bench_of(request).files.get(key)
    if not isinstance(file, Uploaded):
        raise InvalidInput("the file is not here any more. Choose it again.")
    return file


def _previewed(file: Uploaded, key: str, typed: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows: the columns with their roles, how they are read, and what is wrong with that."""
    first = Reading(decimal=typed.get("decimal") or None, worksheet=typed.get("worksheet") or None, asked_in="page")
    view: dict[str, Any] = {"file": file, "key": key, "typed": dict(typed), "columns": [], "read": {}, "error": ""}
    view |= {
        "roles": _ROLES,
        "bounded": BOUNDED,
        "found": None,
        "aims": None,
        "wanted": "",
        "results": 0,
        "rows": 0,
        "candidates": 0,
    }
    try:
        sheet = file.sheet(first)
        roles = {name: _role(typed, k, name, sheet) for k, name in enumerate(sheet.columns)}
        view["rows"] = len(sheet)
        view["columns"] = [
            (k, name, roles[name], ", ".join(cell for cell in cells[:3] if cell), typed.get(f"bound{k}", ""))
            for k, (name, cells) in enumerate(sheet.columns.items())
        ]
        reading = Reading(
            id=next((name for name, role in roles.items() if role == "row names"), None),
            ignore=tuple(name for name, role in roles.items() if role == "leave out"),
            categorical=tuple(name for name, role in roles.items() if role == "names"),
            decimal=first.decimal,
            worksheet=first.worksheet,
            asked_in="page",
        )
        wishes = [(name, role, typed.get(f"bound{k}", "")) for k, (name, role) in enumerate(roles.items())]
        wishes = [(name, role, bound) for name, role, bound in wishes if role in AIMS]
        if new := text_in(typed, "objective"):
            aim = typed.get("direction", "")
            wishes.insert(0, (new, aim if aim in AIMS else "maximise", text_in(typed, "level")))
        found = file.read(reading, [name for name, _, _ in wishes])
        view["read"] = {line["column"]: line["read as"] for line in read_as(found)}
        view["candidates"] = found.table().n_candidates
        view["results"] = sum(bool(found.measured(i)) for i in range(len(found)))
        aims = aims_of(wishes, typed)
        view |= {"found": found, "aims": aims, "wanted": wanted(aims)}
    except RegretlessError as error:
        view["error"] = str(error)
    return view


def _role(typed: Mapping[str, str], k: int, name: str, sheet: Sheet) -> str:
    """What a column is taken for: as chosen, else a factor. A column with gaps is a result, or is left out."""
    chosen = typed.get(f"role{k}", "")
    if chosen in _ROLES:
        return chosen
    if any(f"role{i}" in typed for i in range(len(sheet.columns))):
        return "factor"
    cells = sheet.columns[name]
    if name == list(sheet.columns)[-1] and not all(cells):
        return "maximise"
    return "factor" if all(cells) else "leave out"


def _make(request: Request, name: str, key: str, *, metadata: dict[str, Any], **settings: Any) -> Study:
    """The study, which is made once for each form; another of that name is not touched."""
    bench = bench_of(request)
    if name in Study.names(bench.store):
        with Study.open(bench.store, name, read_only=True, trust=bench.trust) as there:
            if not key or there.metadata.get("key") != key:
                raise StudyConflict(f"there is a study called {name!r} already. Give another name.")
        return Study.open(bench.store, name, author=author_of(request), trust=bench.trust)
    made = {**metadata, "key": key}
    return Study.open(bench.store, name, metadata=made, author=author_of(request), trust=bench.trust, **settings)
