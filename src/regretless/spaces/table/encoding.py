"""Codes of the rows of a file: written once beside it, as float32, with checks that they are still valid."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput
from regretless.spaces.columns import Column, Levels, Numbers
from regretless.spaces.scalars import listed
from regretless.spaces.table.frame import Frame
from regretless.spaces.table.rowfiles import Batch, RowFile, open_rows

__all__ = ["Encoded", "Reading", "checksum_of", "encoded", "scales_from_data", "scales_to_data"]

#: Categories of one column at most: more are names of rows, and no model learns from them.
_MOST_LEVELS = 10_000
#: Rows in one cell of a kd order, about those of a block.
_LEAF = 256
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Reading:
    """Which columns of a file are factors, which of them hold categories, and in which order rows stand."""

    names: tuple[str, ...]
    categorical: tuple[str, ...] = ()
    order: str = "file"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"names": list(self.names), "categorical": list(self.categorical), "order": self.order}


@dataclass(frozen=True, slots=True)
class Encoded:
    """Codes of all rows, mapped from their file; the scales of the columns; and the checksum of the source."""

    codes: npt.NDArray[np.float32]
    scales: Frame  # of every column the ends of its scale, or its levels
    order: npt.NDArray[Any] | None  # the row of the source that each row is; None: the same
    sha256: str


def encoded(path: Path, reading: Reading, wanted: str | None = None) -> Encoded | None:
    """Codes of the rows, read from the cache or, the first time, computed and written.

    None where a file of the checksum ``wanted`` is asked for and it is another.
    """
    code = hashlib.sha256(json.dumps(reading.to_data()).encode()).hexdigest()[:8]
    for folder in (path.parent, _cache()):
        found = _stored(folder, path, code)
        if found is not None:
            return found if wanted in (None, found.sha256) else None
    if wanted is not None and checksum_of(path) != wanted:
        return None
    folder = path.parent if os.access(path.parent, os.W_OK) else _cache()
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, path, code, reading)
    found = _stored(folder, path, code)
    if found is None:
        raise InvalidInput(f"{path} changed while it was read. Read it again when it stays as it is.")
    return found


def checksum_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cache() -> Path:
    """Where codes go if the folder of the file cannot be written."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "regretless" / "tables"


def _names(folder: Path, path: Path, code: str) -> tuple[Path, Path, Path]:
    """The files of header, codes and order; in the cache their name tells paths apart."""
    where = "" if folder == path.parent else hashlib.sha256(str(path).encode()).hexdigest()[:12] + "-"
    stem = f"{where}{path.name}.{code}"
    return folder / f"{stem}.codes.json", folder / f"{stem}.codes.npy", folder / f"{stem}.order.npy"


def _stored(folder: Path, path: Path, code: str) -> Encoded | None:
    """The cached codes of this file in its present state, if any."""
    head, codes, order = _names(folder, path, code)
    try:
        data = json.loads(head.read_text())
    except (OSError, ValueError):
        return None
    if data.get("format") != _FORMAT or not codes.exists():
        return None
    now = path.stat()
    if [now.st_size, now.st_mtime_ns] != data["stat"]:
        if checksum_of(path) != data["sha256"]:
            return None
        data["stat"] = [now.st_size, now.st_mtime_ns]  # copied or touched, and the same
        if os.access(head, os.W_OK):
            _replace(head, json.dumps(data).encode())
    kept = np.load(order, mmap_mode="r") if data["reading"]["order"] == "kd" else None
    return Encoded(np.load(codes, mmap_mode="r"), scales_from_data(data["columns"]), kept, data["sha256"])


def _write(folder: Path, path: Path, code: str, reading: Reading) -> None:
    before = path.stat()
    source = open_rows(path)
    scales = _scales(source, reading)
    head, codes, order = _names(folder, path, code)
    part = codes.with_name(f"{codes.name}.{os.getpid()}.part")
    varying = scales.varying
    try:
        X = np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=(source.n_rows, len(varying)))
        row = 0
        for batch in source.batches(list(varying), reading.categorical):
            count = 0
            for j, (name, column) in enumerate(varying.items()):
                values = _codes(column, batch[name])
                count = len(values)
                X[row : row + count, j] = values
            row += count
        if reading.order == "kd":
            kd = _kd_order(X)
            for j in range(X.shape[1]):  # a column at a time: all of them may not fit into memory twice
                X[:, j] = X[:, j][kd]
            np.save(order, kd)
        X.flush()
        del X
        part.replace(codes)
    finally:
        part.unlink(missing_ok=True)
    data = {
        "format": _FORMAT,
        "source": path.name,
        "sha256": checksum_of(path),
        "stat": [before.st_size, before.st_mtime_ns],
        "rows": source.n_rows,
        "reading": reading.to_data(),
        "columns": scales_to_data(scales),
    }
    _replace(head, json.dumps(data).encode())


def _replace(path: Path, content: bytes) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)


def _scales(source: RowFile, reading: Reading) -> Frame:
    """The ends or the levels of every column, by one pass over the file."""
    ends: dict[str, list[Any]] = {}
    levels: dict[str, dict[Any, int]] = {}
    row = 0
    for batch in source.batches(reading.names, reading.categorical):
        count = 0
        for name, part in batch.items():
            if isinstance(part, tuple):
                count = len(part[0])
                _add_levels(levels.setdefault(name, {}), part, name)
            else:
                count = len(part)
                _add_ends(ends, part, name, row)
        row += count
    if not row:
        raise InvalidInput("the file has no rows.")
    both = [name for name in ends if name in levels]
    if both:
        raise InvalidInput(f"column {both[0]!r} holds numbers and text. Name it in categorical=.")
    scales: dict[str, Column] = {}
    for name in reading.names:
        if name in levels:
            scales[name] = Levels(tuple(levels[name]), np.arange(len(levels[name])))
        else:
            scales[name] = Numbers(np.array(ends[name]))
    frame = Frame.of(scales)
    if not frame.varying:
        raise InvalidInput(f"all rows are equal in {listed(reading.names)}: there is nothing to search.")
    return frame


def _add_ends(ends: dict[str, list[Any]], part: npt.NDArray[Any], name: str, row: int) -> None:
    if part.dtype.kind == "f":
        if not np.isfinite(part).all():
            at = int(np.flatnonzero(~np.isfinite(part))[0])
            raise InvalidInput(f"row {row + at}, column {name!r} is {part[at]}; it must be finite.")
        low, high = float(part.min()) + 0.0, float(part.max()) + 0.0
    else:
        low, high = int(part.min()), int(part.max())
        if max(abs(low), abs(high)) >= 2**53:
            raise InvalidInput(f"column {name!r} holds whole numbers too large to be told apart. Ignore it.")
    had = ends.setdefault(name, [low, high])
    ends[name] = [min(had[0], low), max(had[1], high)]


def _add_levels(levels: dict[Any, int], part: tuple[npt.NDArray[Any], list[Any]], name: str) -> None:
    for value in part[1]:
        levels.setdefault(value, len(levels))
    if len(levels) > _MOST_LEVELS:
        raise InvalidInput(
            f"column {name!r} has more than {_MOST_LEVELS} different values that are no numbers. If they name the "
            f"rows, say id={name!r}; else ignore it."
        )


def _codes(column: Column, part: Batch) -> npt.NDArray[Any]:
    if isinstance(column, Levels):
        assert isinstance(part, tuple)
        rank = np.array([column.place(level, "level")[1] for level in part[1]])
        return rank[part[0]] if len(rank) else np.empty(0)
    assert isinstance(part, np.ndarray)
    return column.scaled(part.astype(np.float64))


def _scale_to_data(column: Column) -> dict[str, Any]:
    if isinstance(column, Levels):
        return {"kind": "levels", "levels": list(column.levels)}
    return {"kind": "int" if column.values.dtype.kind == "i" else "float", "ends": column.values.tolist()}


def _scale(data: Any) -> Column:
    if data["kind"] == "levels":
        return Levels(tuple(data["levels"]), np.arange(len(data["levels"])))
    return Numbers(np.array(data["ends"], dtype=np.int64 if data["kind"] == "int" else np.float64))


def scales_to_data(scales: Frame) -> list[dict[str, Any]]:
    """The scales of columns as plain JSON."""
    return [{"name": name, **_scale_to_data(column)} for name, column in scales.by_name.items()]


def scales_from_data(data: Sequence[Any]) -> Frame:
    """Decode a stored scales."""
    return Frame.of({column["name"]: _scale(column) for column in data})


def _kd_order(X: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
    """Rows in the order of a kd tree: halves by the median of the widest column, and so on to cells of some hundred."""
    order = np.arange(len(X), dtype=np.uint32 if len(X) < 2**32 else np.int64)
    cells = [(0, len(X))]
    while cells:
        begin, end = cells.pop()
        if end - begin <= _LEAF:
            continue
        part = order[begin:end]
        few = X[part[:: max(1, len(part) // 4096)]]
        column = X[part, int(np.argmax(few.max(axis=0) - few.min(axis=0)))]
        middle = ((end - begin) // 2 + _LEAF - 1) // _LEAF * _LEAF
        if middle >= end - begin:
            continue
        order[begin:end] = part[np.argpartition(column, middle)]
        cells += [(begin, begin + middle), (begin + middle, end)]
    return order
