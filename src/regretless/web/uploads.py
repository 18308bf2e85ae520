"""Spreadsheets that people hand over, within limits; they are read from a place and under a name of ours."""

import io
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TypeVar

from starlette.datastructures import FormData, UploadFile

from regretless.errors import InvalidInput, RegretlessError
from regretless.sheets import Experiments, Reading, Sheet, read_experiments, read_sheet
from regretless.web.guard import LARGEST_FILE

__all__ = ["Uploaded", "file_in"]

T = TypeVar("T")

#: Bytes that a workbook may have when it is unpacked.
_UNPACKED = 200_000_000


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


def file_in(form: FormData) -> Uploaded:
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
