import hashlib

import numpy as np
import pytest

from regretless.linalg import single_thread
from regretless.problems import measurements


@pytest.fixture(scope="package", autouse=True)
def one_blas_thread():
    """As in a unit of work."""
    with single_thread():
        yield


def small_table(seed: int, minimise: bool) -> bytes:
    """A table of the published form: a byte-order mark, CRLF, repeats, no line end at the end."""
    rng = np.random.default_rng(seed)
    X = rng.random((14, 3)).round(2)
    value = ((X - 0.4) ** 2).sum(axis=1) * (1.0 if minimise else -1.0)
    lines = [",".join(map(repr, (*x.tolist(), float(v)))) for x, v in zip(X, value, strict=True)]
    lines.append(",".join(map(repr, (*X[3].tolist(), float(value[3]) + 0.5))))
    return b"\xef\xbb\xbf" + "\r\n".join(["a,b,c,what came out", *lines]).encode()


def _place(folder, monkeypatch):
    sources = {}
    for number, (name, source) in enumerate(measurements._SOURCES.items()):
        content = small_table(number, source.minimise)
        (folder / source.file).write_bytes(content)
        sources[name] = type(source)(source.file, hashlib.sha256(content).hexdigest(), source.minimise)
    monkeypatch.setattr(measurements, "_SOURCES", sources)
    monkeypatch.setenv(measurements.FOLDER_VARIABLE, str(folder))


@pytest.fixture
def small_tables(tmp_path, monkeypatch):
    """The five tables, small and made here."""
    folder = tmp_path / "tables"
    folder.mkdir()
    _place(folder, monkeypatch)
    return folder


@pytest.fixture(scope="session")
def quick_run(tmp_path_factory):
    """Everything, small, in this process: (folder, what `reproduce` returned)."""
    from regretless.paper import reproduce

    out, tables = tmp_path_factory.mktemp("paper"), tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as monkeypatch:
        _place(tables, monkeypatch)
        return out, reproduce(out=out, quick=True)
