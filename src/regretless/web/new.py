"""New studies: from a spreadsheet, with a look at how each column is read, or from a form for a space."""

import io
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, TypeVar

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from regretless.errors import InvalidInput, RegretlessError, StudyConflict
from regretless.lab.aims import Aims
from regretless.lab.columns import read_as, wanted
from regretless.lab.lab import lab_metadata
from regretless.lab.results import told
from regretless.optimizer import StopRule
from regretless.optimizer.outcomes import as_outcomes
from regretless.sheets import Experiments, Reading, Sheet, read_experiments, read_sheet
from regretless.spaces import Mixed, Mixture
from regretless.study import HypervolumeLeft, Regret, Study
from regretless.web.bench import study_id
from regretless.web.forms import number_in, text_in, whole_in
from regretless.web.guard import LARGEST_FILE
from regretless.web.pages import desk_of
from regretless.web.render import author_of, bench_of, page, see

T = TypeVar("T")

__all__ = ["choose", "create", "create_space", "extend", "preview", "space", "upload"]

#: Bytes that a workbook may have when it is unpacked.
_UNPACKED = 200_000_000
_ROLES = ("factor", "names", "maximise", "minimise", "at most", "at least", "row names", "leave out")
#: Rows of the form for a space.
_PARTS = 8


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file as it came: its bytes, its ending, and the name it had, which is only shown."""

    content: bytes
    suffix: str
    name: str

    def read(self, reading: Reading, outcomes: Sequence[str]) -> Experiments:
        """Its experiments."""

        def read(path: Path) -> Experiments:
            return read_experiments(path, reading, outcomes=outcomes, must_have=False)

        return self._from(read)

    def sheet(self, reading: Reading) -> Sheet:
        """Its cells."""
        return self._from(lambda path: read_sheet(path, reading))

    def _from(self, read: Callable[[Path], T]) -> T:
        """Read it from a file of our own naming; messages speak of the name it had."""
        with tempfile.TemporaryDirectory(prefix="regretless-") as folder:
            path = Path(folder) / f"upload{self.suffix}"
            path.write_bytes(self.content)
            try:
                return read(path)
            except RegretlessError as error:
                raise type(error)(str(error).replace(str(path), self.name)) from error


async def choose(request: Request) -> Response:
    """How to begin."""
    return page(request, "new.html")


def upload(request: Request, form: FormData) -> Response:
    """Take a file, and show how it would be read."""
    file = _uploaded(form)
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
            batch=_batch(typed),
            stop=_stop(typed, several=aims.several),
            dialect=found.dialect,
        )
        name = _name(typed)
        made = _make(request, name, key, space=found.table(), metadata=said, seed=_seed(typed), **aims.settings())
        with made as study:
            for row, i in zip(found.ids, range(len(found)), strict=True):
                if values := found.measured(i):
                    study.add(row=row, **told(values), key=f"{key}-{i}")
    except RegretlessError as error:
        return page(request, "preview.html", 422, **{**view, "error": str(error)})
    return see(request, f"/s/{study_id(name)}", f"{name} is ready: {wanted(aims)}.")


async def space(request: Request) -> Response:
    """A form for a box or a mixture."""
    return page(request, "space.html", typed={}, parts=range(_PARTS), error="")


def create_space(request: Request, form: FormData) -> Response:
    """Make a study of a box or a mixture."""
    typed = {name: text_in(form, name) for name in form}
    try:
        aims = _typed_aims(typed)
        made_of = _space(typed)
        stop = _stop(typed, several=aims.several)
        said = lab_metadata(file=None, row_name="row", batch=_batch(typed), stop=stop, dialect=None)
        name = _name(typed)
        _make(request, name, typed.get("key", ""), space=made_of, metadata=said, **aims.settings()).close()
    except RegretlessError as error:
        return page(request, "space.html", 422, typed=typed, parts=range(_PARTS), error=str(error))
    return see(request, f"/s/{study_id(name)}", f"{name} is ready: {wanted(aims)}.")


def extend(request: Request, form: FormData) -> Response:
    """Add the experiments of a file to a table."""
    desk, file = desk_of(request), _uploaded(form)
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


def _uploaded(form: FormData) -> Uploaded:
    """The file of a form, within its limits."""
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        raise InvalidInput("choose a file first: a CSV file or an Excel workbook.")
    content = file.file.read(LARGEST_FILE + 1)
    name = PurePath(file.filename.replace("\\", "/")).name[:200]
    if len(content) > LARGEST_FILE:
        raise InvalidInput(f"{name} is larger than {LARGEST_FILE // 1_000_000} MB. Use regretless init for it.")
    if content[:4] == b"PK\x03\x04":
        _check_unpacked(content, name)
        return Uploaded(content, ".xlsx", name)
    return Uploaded(content, ".csv", name)


def _check_unpacked(content: bytes, name: str) -> None:
    """A workbook is an archive; a small one may unpack to a very large one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except zipfile.BadZipFile as error:
        raise InvalidInput(f"{name} cannot be read as an Excel workbook: {error}. Save it again as .xlsx.") from error
    if size > _UNPACKED:
        raise InvalidInput(f"{name} unpacks to more than {_UNPACKED // 1_000_000} MB. Save the sheet as 'CSV UTF-8'.")


def _kept(request: Request, key: str) -> Uploaded:
    file = bench_of(request).files.get(key)
    if not isinstance(file, Uploaded):
        raise InvalidInput("the file is not here any more. Choose it again.")
    return file


def _previewed(file: Uploaded, key: str, typed: Mapping[str, str]) -> dict[str, Any]:
    """What the page shows: the columns with their roles, how they are read, and what is wrong with that."""
    first = Reading(decimal=typed.get("decimal") or None, worksheet=typed.get("worksheet") or None, asked_in="page")
    view: dict[str, Any] = {"file": file, "key": key, "typed": dict(typed), "columns": [], "read": {}, "error": ""}
    view |= {"roles": _ROLES, "found": None, "aims": None, "wanted": "", "results": 0, "rows": 0, "candidates": 0}
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
        results = [name for name, role in roles.items() if role in ("maximise", "minimise", "at most", "at least")]
        new = text_in(typed, "objective")
        found = file.read(reading, [*([new] if new else []), *results])
        view["read"] = {line["column"]: line["read as"] for line in read_as(found)}
        view["candidates"] = found.table().n_candidates
        view["results"] = sum(bool(found.measured(i)) for i in range(len(found)))
        aims = _aims(roles, typed, list(sheet.columns))
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


def _aims(roles: Mapping[str, str], typed: Mapping[str, str], columns: list[str]) -> Aims:
    """Objectives and constraints: columns of the file, and one that has no column yet."""
    objectives: dict[str, Any] = {}
    constraints: dict[str, Any] = {}
    if named := text_in(typed, "objective"):
        objectives[named] = "minimize" if typed.get("direction") == "minimize" else "maximize"
    for name, role in roles.items():
        if role in ("maximise", "minimise"):
            objectives[name] = "maximize" if role == "maximise" else "minimize"
        if role in ("at most", "at least"):
            bound = number_in(text_in(typed, f"bound{columns.index(name)}"), f"the bound of {name}")
            constraints[name] = ("<=" if role == "at most" else ">=", bound)
    return _checked(objectives, constraints, typed)


def _typed_aims(typed: Mapping[str, str]) -> Aims:
    """Objectives and constraints of the form for a space."""
    objectives: dict[str, Any] = {}
    constraints: dict[str, Any] = {}
    for k in range(3):
        name, aim = text_in(typed, f"outcome{k}"), typed.get(f"aim{k}", "maximise")
        if not name:
            continue
        if name in objectives or name in constraints:
            raise InvalidInput(f"{name!r} is named twice. An outcome is named once.")
        if aim in ("at most", "at least"):
            bound = number_in(text_in(typed, f"limit{k}"), f"the bound of {name}")
            constraints[name] = ("<=" if aim == "at most" else ">=", bound)
        else:
            objectives[name] = "minimize" if aim == "minimise" else "maximize"
    return _checked(objectives, constraints, typed)


def _checked(objectives: dict[str, Any], constraints: dict[str, Any], typed: Mapping[str, str]) -> Aims:
    if not objectives:
        raise InvalidInput("say what is measured, and whether large or small values are wanted.")
    low, high = text_in(typed, "least"), text_in(typed, "largest")
    limits = None
    if low or high:
        limits = tuple(None if not text else number_in(text, "the range of the result") for text in (low, high))
    if limits is not None and len(objectives) > 1:
        raise InvalidInput("a range is for one objective: several have no common range. Leave it empty.")
    as_outcomes(objective=None, direction=None, objectives=objectives, constraints=constraints, limits=limits)
    return Aims(objectives, constraints, limits=limits)


def _space(typed: Mapping[str, str]) -> Mixed:
    """The parameters of a form, and a mixture."""
    parts: dict[str, Any] = {}
    for k in range(_PARTS):
        name = text_in(typed, f"name{k}")
        if not name:
            continue
        if name in parts:
            raise InvalidInput(f"{name!r} is named twice. Every parameter needs a name of its own.")
        parts[name] = _part(name, typed, k)
    names = [name for name in (line.strip() for line in typed.get("mixture", "").split(",")) if name]
    if names:
        total = text_in(typed, "total")
        mixture = Mixture(names, number_in(total, "the total of the mixture") if total else 1.0)
        parts[_free("mixture", [*parts, *names])] = mixture
    if not parts:
        raise InvalidInput("name one parameter at least, or the components of a mixture.")
    constraints = [line for line in (each.strip() for each in typed.get("constraints", "").split(";")) if line]
    return Mixed(parts, constraints=constraints)


def _free(word: str, taken: Sequence[str]) -> str:
    """The word, or one made of it, that is no name of a parameter."""
    while word in taken:
        word += "_"
    return word


def _part(name: str, typed: Mapping[str, str], k: int) -> Any:
    """A parameter: choices, or numbers between two ends."""
    kind = typed.get(f"kind{k}", "real")
    if kind == "choices":
        values = [value for value in (part.strip() for part in text_in(typed, f"values{k}").split(";")) if value]
        if len(values) < 2:
            raise InvalidInput(f"{name} needs two choices at least, with semicolons between them, such as HCl; HNO3.")
        return values
    low, high = (number_in(text_in(typed, f"{end}{k}"), f"{name}, {end}") for end in ("from", "to"))
    if kind == "whole":
        if not (low.is_integer() and high.is_integer()):
            raise InvalidInput(f"{name} is a whole number: its ends must be whole, got {low:g} and {high:g}.")
        return (int(low), int(high))
    return (low, high, "log") if kind == "log" else (float(low), float(high))


def _stop(typed: Mapping[str, str], *, several: bool) -> StopRule | None:
    """How little regret is little enough: an amount, or a share as 1 %."""
    text = text_in(typed, "stop")
    if not text:
        return None
    share = text.endswith("%")
    amount = number_in(text.rstrip("% "), "the target")
    if several and not share:
        raise InvalidInput("several objectives have no common unit to stop by. Write 2 %, of the hypervolume.")
    if several:
        return HypervolumeLeft(relative=amount / 100.0)
    return Regret(relative=amount / 100.0) if share else Regret(amount)


def _batch(typed: Mapping[str, str]) -> int:
    return whole_in(typed, "batch", least=1, most=100, default=1)


def _seed(typed: Mapping[str, str]) -> int | None:
    return whole_in(typed, "seed", least=0, most=9_999_999, default=-1) if text_in(typed, "seed") else None


def _name(typed: Mapping[str, str]) -> str:
    name = text_in(typed, "name")
    if not name:
        raise InvalidInput("give the study a name.")
    return name


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
