"""Five tables of materials experiments as finite maximisation problems.

The tables were collected by Q. Liang et al., "Benchmarking the performance of Bayesian optimization across multiple
experimental materials science domains", npj Computational Materials 7, 188 (2021). Rows with equal inputs are repeats
of one experiment: a problem's function is their average, and regret is measured against the best average.
"""

import hashlib
import math
import os
import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput, MissingExtra
from regretless.problems.problem import Problem, table_problem
from regretless.spaces import Table

__all__ = ["FOLDER_VARIABLE", "ORIGIN", "fetch", "file_name", "load", "locate", "missing", "table_names"]

FOLDER_VARIABLE = "REGRETLESS_DATA"  # the environment variable that names the folder of the files
#: Where the files are published; a commit, so that they cannot change.
ORIGIN = "https://raw.githubusercontent.com/PV-Lab/Benchmarking/7585c517ad88e676c42c6bf24a8ad278e01ddb21/datasets/"


@dataclass(frozen=True, slots=True)
class _Source:
    """A file of the collection: its name, its checksum, and whether its last column is to be made small."""

    file: str
    sha256: str
    minimise: bool


_SOURCES: Mapping[str, _Source] = MappingProxyType(
    {
        "agnp": _Source(
            "AgNP_dataset.csv", "d25ec6fbb178bbb1b58350ff1c933034b409cdced4f9b20f7d7be61ffaed0d08", minimise=True
        ),
        "autoam": _Source(
            "AutoAM_dataset.csv", "01ec270fcaae908ff8bea85b420c4cc7c4b0cddff6f6e63fe1b156082fd266b6", minimise=False
        ),
        "crossed-barrel": _Source(
            "Crossed barrel_dataset.csv",
            "2c01f875f3c210e986ca6142bf20f417884c2ad7d6f008c2fc574b44a3d5f606",
            minimise=False,
        ),
        "p3ht": _Source(
            "P3HT_dataset.csv", "db33eeb63e3f09ebeb3c1985c14b39e4284668b3ed1fc6a23d17998c21a45dde", minimise=False
        ),
        "perovskite": _Source(
            "Perovskite_dataset.csv", "9e9c5c2c698902ae17ba5e8f037c7f10d5889c02a419fe3897e4724f805263b9", minimise=True
        ),
    }
)


def table_names() -> tuple[str, ...]:
    """All names that :func:`load` knows, in alphabetical order.

    >>> table_names()
    ('agnp', 'autoam', 'crossed-barrel', 'p3ht', 'perovskite')
    """
    return tuple(_SOURCES)


def load(name: str, folder: str | os.PathLike[str] | None = None, *, sha256: str | None = None) -> Problem:
    r"""The table of that name as a problem whose points are dicts by column name.

    .. math:: f(x) = \pm \frac1{n_x} \sum_{i:\, x_i = x} y_i

    The minus sign is for the two tables whose last column is to be made small (AgNP, Perovskite). Inputs are grouped
    exactly, in order of first appearance. ``folder`` holds the files under their original names; left out, they are
    looked for as :func:`locate` does. The file's bytes must have the published checksum, or ``sha256``.

    >>> load("steel")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    regretless.errors.InvalidInput: no table is called 'steel'. Known are: agnp, ...
    """
    source = _source(name)
    path = locate(name) if folder is None else Path(folder) / source.file
    if path is None:
        raise InvalidInput(
            f"the table {name!r} needs its file {source.file!r}. Fetch it with `regretless data fetch`, or set the "
            f"environment variable {FOLDER_VARIABLE} to the folder that holds it."
        )
    _check(path, source.sha256 if sha256 is None else sha256)
    columns, data = _read(path)
    rows, means = _average(data)
    space = Table({column: rows[:, j] for j, column in enumerate(columns[:-1])})
    return table_problem(name, space, rows, 0.0 - means if source.minimise else means)


def locate(name: str) -> Path | None:
    """Where the file of a table is: in the folder that REGRETLESS_DATA names, else where it was fetched to; or None.

    A folder that is named counts even where the file is not in it, so that a typing error does not pass in silence.
    """
    file, folder = _source(name).file, os.environ.get(FOLDER_VARIABLE, "")
    if folder:
        return Path(folder) / file
    cache = _cache()
    return cache / file if cache is not None and (cache / file).is_file() else None


def missing(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the tables whose file is nowhere to be found."""
    return tuple(name for name in names if (path := locate(name)) is None or not path.is_file())


def file_name(name: str) -> str:
    """How the file of a table is called.

    >>> file_name("agnp")
    'AgNP_dataset.csv'
    """
    return _source(name).file


def fetch(name: str, *, origin: str = ORIGIN) -> Path:
    """Download the file of a table into the user's cache, once, and check its SHA-256. Needs pooch.

    Returns
    -------
    pathlib.Path
        Where the file is.
    """
    source, cache = _source(name), _cache()
    if cache is None:
        raise MissingExtra("fetching tables needs pooch; install it with: pip install 'regretless[paper]'")
    import pooch

    address = origin + urllib.parse.quote(source.file)
    try:
        fetched = pooch.retrieve(address, f"sha256:{source.sha256}", fname=source.file, path=cache)
    except ValueError as error:
        raise InvalidInput(f"{address} is not the published file {source.file!r}: {error}") from error
    except OSError as error:
        raise InvalidInput(
            f"{address} cannot be fetched ({type(error).__name__}). Try again with a connection, or download the files "
            f"by hand and set {FOLDER_VARIABLE} to their folder."
        ) from error
    return Path(fetched)


def _source(name: str) -> _Source:
    if name not in _SOURCES:
        raise InvalidInput(f"no table is called {name!r}. Known are: {', '.join(table_names())}.")
    return _SOURCES[name]


def _cache() -> Path | None:
    """Where fetched files are kept; None where nothing could have been fetched."""
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("regretless"))


def _check(path: Path, sha256: str) -> None:
    """The file is the published one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}. Set {FOLDER_VARIABLE} to its folder.") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256.lower():
        raise InvalidInput(
            f"{path} is not the published file: its SHA-256 is {found}, expected {sha256}. Fetch it again, and keep "
            "version control from changing its line ends."
        )


def _read(path: Path) -> tuple[list[str], Floats]:
    """Header and numbers; a byte-order mark, either kind of line end and a missing last one are all fine."""
    from regretless.spaces.files import read_sheet  # only where a file is read

    try:
        sheet = read_sheet(path)
        data = np.array([[float(cell) for cell in column] for column in sheet.columns.values()], dtype=np.float64).T
    except ValueError as error:  # of the reader too
        raise InvalidInput(f"{path} must hold numbers below its header, equally many in each line: {error}") from error
    if data.shape[1] < 2 or not np.isfinite(data).all():
        raise InvalidInput(
            f"{path} must have a header of two columns or more and full rows of finite numbers below it."
        )
    return list(sheet.columns), data


def _average(data: Floats) -> tuple[Floats, Floats]:
    """Distinct inputs in order of first appearance, and the mean of the last column over the rows of each."""
    groups: dict[tuple[float, ...], list[float]] = {}
    for *inputs, value in data.tolist():
        groups.setdefault(tuple(inputs), []).append(value)
    means = [math.fsum(values) / len(values) for values in groups.values()]
    return np.array(list(groups)), np.array(means)
