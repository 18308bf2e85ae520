"""Candidates that live in files: a page shows fifty, a search looks at columns, and nothing lists all rows."""

import re

import numpy as np
import pytest

from regretless import Study, Table
from regretless.spaces import FileTable
from regretless.web.candidates import PER_PAGE

from .conftest import base, events

pa = pytest.importorskip("pyarrow")
N = 3000


@pytest.fixture
def columns():
    rng = np.random.default_rng(1)
    return {
        "smiles": [f"C{i}" for i in range(N)],
        "logP": rng.normal(size=N).round(4).tolist(),
        "mw": rng.integers(100, 600, N).tolist(),
        "ring": rng.choice(["five", "six", "none"], N).tolist(),
    }


@pytest.fixture
def library(store, tmp_path, columns, monkeypatch):
    """A study of a table in a file, which counts as long here; whoever lists or scans it fails."""
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), tmp_path / "library.parquet")
    table = Table.from_parquet(tmp_path / "library.parquet", id="smiles")
    with Study.open(store, "acids", space=table, objective="affinity", seed=1) as study:
        for _ in range(6):
            trial = study.ask()
            study.tell(trial, -abs(trial.params["logP"] - 1.0))
        study.ask()
    monkeypatch.setattr("regretless.web.candidates._LONG", 1000)
    monkeypatch.setattr("regretless.web.candidates._LOOKED_AT", 2000)
    monkeypatch.setattr(FileTable, "_find", lambda *_: pytest.fail("the file was searched for one point"))


def names(page: str) -> list[str]:
    return re.findall(r'<th scope="row">(C\d+)</th>', page)


def test_a_page_of_fifty(ada, library):
    page = ada.goes(f"{base()}/candidates")
    assert names(page) == [f"C{i}" for i in range(PER_PAGE)]
    assert "3,000 of 3,000 candidates" in page
    assert names(ada.goes(f"{base()}/candidates?from=2990")) == [f"C{i}" for i in range(2990, N)]
    assert len(names(ada.goes(f"{base()}/candidates?show=measured"))) == 6
    assert "Add candidates" not in page
    assert "stay in their file" in page


def test_terms_find_the_rows_that_satisfy_them(ada, library, columns):
    at = f"{base()}/candidates"
    rows = list(zip(columns["smiles"], columns["logP"], columns["mw"], columns["ring"], strict=True))
    wanted = [name for name, logp, mw, ring in rows if logp > 0.5 and mw <= 250 and ring == "six"]
    first = ada.get(at, params={"q": "logp>0,5 mw<=250 ring=six"}).text
    assert names(first) == wanted[:PER_PAGE]
    rest = re.search(r'href="(\?q=[^"]+)">Look further', first)[1].replace("&amp;", "&")
    assert names(ada.goes(at + rest)) == wanted[PER_PAGE : 2 * PER_PAGE]
    exact = [name for name, _, mw, _ in rows if mw == 300]
    assert names(ada.get(at, params={"q": "mw=300"}).text) == [name for name in exact if int(name[1:]) < 2000]
    assert names(ada.get(at, params={"q": "C1234"}).text) == ["C1234"]
    assert "no row has the id" in ada.get(at, params={"q": "nobody"}).text
    assert "no column is called" in ada.get(at, params={"q": "weight>3"}).text


def test_rows_are_excluded_and_included(ada, library, store):
    ada.sends(f"{base()}/candidates/exclude", index="17", reason="toxic")
    page = ada.goes(f"{base()}/candidates?show=excluded")
    assert names(page) == ["C17"]
    assert "toxic" in page
    assert names(ada.get(f"{base()}/candidates", params={"show": "excluded", "q": "c17"}).text) == ["C17"]
    ada.sends(f"{base()}/candidates/include", index="17")
    assert names(ada.goes(f"{base()}/candidates?show=excluded")) == []
    assert [event.kind for event in events(store)][-2:] == ["row_excluded", "row_included"]


def test_bench_and_figures_do_without_a_pass(ada, library, monkeypatch):
    monkeypatch.setattr(Study, "certificate", lambda *_, **__: pytest.fail("nobody asked for it"))
    page = ada.goes(base())
    assert "There is no certificate yet" in page
    assert "one pass over 3,000 rows" in page
    assert "--certify" not in page
    drawn = ada.goes(f"{base()}/figures")
    assert drawn.count("<svg") >= 5
    assert ada.get(f"/api/v1/studies/{base()[3:]}/certificate").json()["certificate"] is None


def test_the_certificate_is_computed_when_somebody_asks(ada, library, store):
    before = len(events(store))
    page = ada.sends(f"{base()}/certify")
    with Study.open(store, "acids", read_only=True) as study:
        assert study.certificate().promise("row") in page
    assert "There is no certificate yet" not in page
    assert len(events(store)) == before
