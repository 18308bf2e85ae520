"""What people do on the page, and that doing it twice changes nothing twice."""

import io
import re
import threading
from html import unescape
from urllib.parse import quote

import pytest

from regretless import Study
from regretless.web.bench import study_id

from .conftest import Person, base, close, events, small, trials, value

XSS = "<img src=x onerror=alert(1)>\"'&{{7*7}}"


def key_of(page: str) -> str:
    return re.search(r'name="key" value="([^"]+)"', page)[1]


def typed(params) -> str:
    return f"{value(params):.4f}".replace(".", ",")


def kinds(store, name="acids"):
    return [event.kind for event in events(store, name)]


def test_the_list_of_studies_says_where_each_stands(ada, store):
    small(store, results=9, pending=1)
    page = ada.goes("/")
    assert "acids" in page
    assert "yield, to be maximised" in page
    assert re.search(r"<dt>pending</dt><dd>1</dd>", page)
    assert "model trusted" in page


def test_an_empty_file_of_studies_is_a_beginning(ada):
    assert "Nothing here yet" in ada.goes("/")


def test_a_study_shows_certificate_gauge_and_cards(ada, store):
    small(store, results=8, pending=2)
    page = ada.goes(base())
    with Study.open(store, "acids", read_only=True) as study:
        left = study.certificate()
        expected = study.predict_measurement([study.trials[8].params])
    assert left.promise("line") in unescape(page)
    assert "of the bound from not knowing the model" in page
    assert "stop at 0.5" in page
    assert page.count('class="card experiment"') == 2
    assert f"{expected[0][0]:.1f}"[:3] in page
    assert 'inputmode="decimal"' in page


def test_give_me_three_once_however_often(ada, store):
    small(store, results=6)
    page = ada.goes(base())
    key = key_of(page)
    for _ in range(3):  # a double click, and the back button
        ada.sends(f"{base()}/ask", key=key, count="3")
    assert kinds(store).count("asked") == 6 + 3
    assert {trial.status for trial in trials(store)[6:]} == {"pending"}
    assert events(store)[-1].author == "Ada"


def test_a_form_without_its_key_is_refused(ada, store):
    small(store)
    assert ada.post(f"{base()}/ask", data={"count": "3"}).status_code == 422
    assert ada.post(f"{base()}/ask", data={"key": "k" * 12, "count": "1000"}).status_code == 422
    assert not trials(store)


@pytest.mark.parametrize(
    ("typed", "stored"), [("81.2", 81.2), ("81,2", 81.2), (" -3 ", -3.0), ("1e3", 1000.0), ("80,1; 81,3", 80.7)]
)
def test_results_are_typed_with_point_or_comma(ada, store, typed, stored):
    small(store, pending=1)
    page = ada.sends(f"{base()}/t/0/record", v0=typed, do="record")
    assert close(trials(store)[0].value, stored)
    assert f"Recorded trial 0: yield {stored:g}" in page


@pytest.mark.parametrize("typed", ["", "abc", "81.2 %", "nan", "inf", "1e999", "8 1", "１２", XSS])
def test_what_is_no_number_is_not_recorded(ada, store, typed):
    small(store, pending=1)
    answer = ada.post(f"{base()}/t/0/record", data={"v0": typed, "do": "record"})
    assert answer.status_code == 422
    assert trials(store)[0].status == "pending"
    assert "<img" not in answer.text


def test_the_same_result_twice_is_once(ada, store):
    small(store, pending=1)
    for _ in range(3):
        ada.sends(f"{base()}/t/0/record", v0="81.2", do="record")
    assert kinds(store) == ["asked", "told"]


def test_failed_and_released(ada, store):
    small(store, pending=2)
    ada.sends(f"{base()}/t/0/record", do="failed")
    ada.sends(f"{base()}/t/1/record", do="release", reason="the vial broke")
    ada.sends(f"{base()}/t/1/record", do="release")
    assert [trial.status for trial in trials(store)] == ["failed", "released"]
    assert kinds(store) == ["asked", "asked", "failed", "released"]


def test_a_conflict_shows_both_values_and_a_reason_decides(app, doors, store):
    small(store, pending=1)
    ada, bo = Person(app, doors, "Ada"), Person(app, doors, "Bo")
    ada.sends(f"{base()}/t/0/record", v0="81.2", do="record")
    answer = bo.post(f"{base()}/t/0/record", data={"v0": "18,2", "do": "record"})
    assert answer.status_code == 409
    assert "81.2" in answer.text
    assert 'value="18.2"' in answer.text
    assert "Ada recorded it" in answer.text
    assert trials(store)[0].value == 81.2
    assert bo.post(f"{base()}/t/0/amend", data={"v0": "18,2", "reason": " "}).status_code == 422
    bo.sends(f"{base()}/t/0/amend", v0="18,2", reason="read wrongly")
    last = events(store)[-1]
    assert (last.kind, last.author, last.value, last.data["reason"]) == ("amended", "Bo", 18.2, "read wrongly")
    page = bo.goes(f"{base()}/t/0")
    assert "read wrongly" in page
    assert "81.2" in page


def test_both_tell_at_once_and_one_is_first(app, doors, store):
    small(store, pending=1)
    people = [Person(app, doors, name) for name in ("Ada", "Bo", "Cy", "Di")]
    answers = []

    def tell(i):
        answers.append(people[i].post(f"{base()}/t/0/record", data={"v0": str(80 + i), "do": "record"}).status_code)

    threads = [threading.Thread(target=tell, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [303, 409, 409, 409]
    assert kinds(store).count("told") == 1


def test_i_ran_something_else(ada, store):
    small(store, pending=1)
    page = ada.goes(f"{base()}/ran?instead=0")
    key = key_of(page)
    fields = {"key": key, "instead": "0", "p0": "85", "p1": "HCl", "v0": "70,5", "do": "record"}
    for _ in range(2):
        page = ada.sends(f"{base()}/ran/record", **fields)
    assert "not a row of the table" in page
    first, second = trials(store)
    assert (first.status, second.value, dict(second.params)) == ("released", 70.5, {"T": 85, "acid": "HCl"})
    assert kinds(store) == ["asked", "added_outside", "released"]


def test_what_was_typed_stays_where_something_is_wrong(ada, store):
    small(store)
    answer = ada.post(f"{base()}/ran/record", data={"key": "k" * 12, "p0": "50", "p1": "", "v0": "1"})
    assert answer.status_code == 422
    assert 'value="50"' in answer.text
    assert "acid is missing" in answer.text
    assert 'value="kkkkkkkkkkkk"' in answer.text


def test_trials_are_filtered(ada, store):
    small(store, results=4, pending=1)
    ada.sends(f"{base()}/t/1/exclude", reason="spilled")
    rows = lambda page: page.count("Open trial ")  # noqa: E731
    assert rows(ada.goes(f"{base()}/trials")) == 5
    assert rows(ada.goes(f"{base()}/trials?status=pending")) == 1
    assert rows(ada.goes(f"{base()}/trials?status=excluded")) == 1
    acid = trials(store)[0].params["acid"]
    count = sum(trial.params["acid"] == acid for trial in trials(store))
    assert rows(ada.goes(f"{base()}/trials?q=acid%3D{acid}")) >= count
    assert rows(ada.goes(f"{base()}/trials?q=nothing-of-this")) == 0


def test_excluded_and_included(ada, store):
    small(store, results=2)
    for _ in range(2):
        ada.sends(f"{base()}/t/0/exclude", reason="spilled")
    assert trials(store)[0].excluded
    ada.sends(f"{base()}/t/0/include")
    assert not trials(store)[0].excluded
    assert kinds(store)[-2:] == ["excluded", "included"]


def test_candidates_are_searched_excluded_included_and_added(ada, store):
    small(store)
    page = ada.goes(f"{base()}/candidates?q=t%3D20")
    assert "2 of 18 candidates" in page
    assert ada.post(f"{base()}/candidates/exclude", data={"index": "0"}).status_code == 422
    for _ in range(2):
        ada.sends(f"{base()}/candidates/exclude", index="0", reason="no film")
    assert "no film" in ada.goes(f"{base()}/candidates?show=excluded")
    ada.sends(f"{base()}/candidates/include", index="0")
    for _ in range(2):
        page = ada.sends(f"{base()}/candidates/add", p0="110", p1="HCl")
    assert "in the table already" in page
    answer = ada.post(f"{base()}/candidates/file", files={"file": ("more.csv", b"T,acid,note\n20,HCl,x\n120,HNO3,y\n")})
    assert answer.status_code == 303
    with Study.open(store, "acids", read_only=True) as study:
        assert study.space.n_candidates == 20
    assert kinds(store) == ["row_excluded", "row_included", "extended", "extended"]


def test_why_has_zeta_and_what_other_draws_would_pick(ada, store):
    small(store, results=8)
    page = ada.goes(f"{base()}/t/7/why")
    zeta = trials(store)[7].zeta
    assert f"{zeta:.3g}" in page
    assert "a cautious draw" in page
    assert "a bold draw" in page
    assert "first experiments" in ada.goes(f"{base()}/t/0/why")


def test_figures_have_tables_behind_them(ada, store):
    small(store, results=8)
    page = ada.goes(f"{base()}/figures")
    assert page.count('<svg class="drawing"') == page.count("As a table")
    for title in ("Regret left", "Best so far", "T and acid", "Predicted against measured"):
        assert title in page
    assert "HNO3 and T" not in page
    assert ada.goes(f"{base()}/figures?x=acid&y=T").count("acid and T")
    assert ada.get(f"{base()}/figures?x=acid&y=acid").status_code == 422
    assert ada.get(f"{base()}/figures?outcome=nothing").status_code == 422


def test_several_objectives_have_a_front(ada, store):
    with Study.open(
        store, "two", space=[{"x": i / 9} for i in range(10)], objectives={"a": "maximize", "b": "minimize"}, seed=1
    ) as study:
        for _ in range(6):
            trial = study.ask()
            study.tell(trial, {"a": trial.params["x"], "b": trial.params["x"] ** 2})
        study.ask()
    page = ada.goes(base("two"))
    assert 'name="v0"' in page
    assert 'name="v1"' in page
    assert "b against a" in ada.goes(f"{base('two')}/figures?outcome=b")
    ada.sends(f"{base('two')}/t/6/record", v0="0,5", do="record")
    assert trials(store, "two")[6].status == "pending"
    ada.sends(f"{base('two')}/t/6/record", f1="yes", do="record")
    assert dict(trials(store, "two")[6].values) == {"a": 0.5, "b": None}


def test_downloads(ada, store):
    small(store, results=2)
    assert ada.get(f"{base()}/trials.csv").text.splitlines()[0].startswith("trial,line,T,acid,yield")
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(ada.get(f"{base()}/trials.xlsx").content))
    assert [cell.value for cell in next(book.active.iter_rows())][:3] == ["trial", "line", "T"]
    assert ada.get(f"{base()}/report").text == "<p>report of 2</p>"
    waiting = ada.get(f"{base()}/report", headers={"hx-request": "true"}).text  # a page that asked again and again
    assert "Download it" in waiting
    assert "<main" in waiting


def test_the_printable_sheet_has_a_place_for_each_result(ada, store):
    small(store, pending=3)
    assert ada.goes(f"{base()}/sheet").count('class="blank"') == 6


def test_a_study_from_a_csv_says_how_each_column_is_read(ada, store):
    content = b"T;acid;note;yield\n20;HCl;;1,5\n30;HNO3;x;\n40;HCl;;2,5\n"
    location = ada.post("/new/file", files={"file": ("Acids.csv", content)}).headers["location"]
    page = ada.goes(location)
    assert "numbers from 20 to 40, 3 different" in page
    assert "2 names: HCl, HNO3" in page
    assert "left out" in page
    assert 'value="Acids"' in page
    fields = {"role0": "factor", "role1": "factor", "role2": "leave out", "role3": "minimise"}
    look = ada.get(location, params=fields).text
    assert "yield is to be minimised" in look
    made = {**fields, "name": "Acids", "stop": "0,5", "batch": "3"}
    for _ in range(2):  # a double click makes one study, and adds its results once
        ada.sends(f"{location}/create", **made)
    assert Study.names(store) == ["Acids"]
    assert [trial.value for trial in trials(store, "Acids")] == [1.5, 2.5]
    with Study.open(store, "Acids", read_only=True) as study:
        assert (study.direction, study.metadata["stop"]["eps"], study.metadata["row_name"]) == ("minimize", 0.5, "line")
    again = ada.post("/new/file", files={"file": ("Acids.csv", content)}).headers["location"]
    answer = ada.post(f"{again}/create", data=made)
    assert answer.status_code == 422
    assert "already" in answer.text


def test_a_study_from_a_workbook(ada, store, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["T", "acid"], [20, "HCl"], [30, "HNO3"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    content = (tmp_path / "a.xlsx").read_bytes()
    location = ada.post("/new/file", files={"file": ("a.xlsx", content)}).headers["location"]
    assert "say what is measured, and whether" in ada.goes(location)
    ada.sends(f"{location}/create", name="a", objective="yield", least="0", largest="100")
    with Study.open(store, "a", read_only=True) as study:
        assert study.limits == (0.0, 100.0)


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"PK\x03\x04nonsense", b"T\n", b"T,T\n1,2\n"])
def test_files_that_cannot_be_read_are_explained(ada, content):
    answer = ada.post("/new/file", files={"file": ("x.csv", content)})
    assert answer.status_code == 422
    assert "x.csv" in answer.text
    assert "upload" not in answer.text


def test_a_study_from_bounds(ada, store):
    page = ada.goes("/new/space")
    fields = {"key": key_of(page), "name": "box", "outcome0": "hardness", "aim0": "minimise"}
    fields |= {"name0": "T", "kind0": "real", "from0": "20,5", "to0": "90"}
    fields |= {"name1": "rate", "kind1": "log", "from1": "0.001", "to1": "1"}
    fields |= {"name2": "acid", "kind2": "choices", "values2": "HCl; HNO3"}
    fields |= {"mixture": "Ni, Cr, Fe", "total": "1", "stop": "2 %"}
    for _ in range(2):
        ada.sends("/new/space/create", **fields)
    with Study.open(store, "box", read_only=True) as study:
        assert study.space.names == ("T", "rate", "acid", "Ni", "Cr", "Fe")
        assert (study.direction, study.metadata["stop"]["relative"]) == ("minimize", 0.02)
    bad = ada.post("/new/space/create", data={**fields, "name": "b", "to0": "x", "name1": XSS})
    assert bad.status_code == 422
    assert "<img" not in bad.text
    assert 'value="20,5"' in bad.text


def test_payloads_are_text_everywhere(app, doors, store):
    rows = [{XSS: text, "T": T} for text in (XSS, "b") for T in (1, 2, 3)]
    with Study.open(store, XSS, space=rows, objective=XSS, seed=1, author=XSS) as study:
        for _ in range(4):
            trial = study.ask()
            study.tell(trial, float(trial.params["T"]))
        study.amend(0, 5.0, reason=XSS)
        study.exclude_row(5, reason=XSS)
        study.ask(2)
    eve, at = Person(app, doors, XSS), base(XSS)
    paths = [
        "/",
        at,
        *(f"{at}{end}" for end in ("/trials", "/candidates", "/figures", "/t/0", "/t/4/why", "/sheet", "/ran")),
    ]
    paths += [
        f"{at}/trials?q={quote(XSS)}",
        f"{at}/candidates?q={quote(XSS)}",
        f"{at}/candidates?show={quote(XSS)}",
        f"{at}/trials?status={quote(XSS)}",
    ]
    for path in paths:
        page = eve.goes(path)
        assert "<img" not in page, path
        assert "onerror=alert(1)>" not in page, path
        assert "49" not in page or "{{7*7}}" in page, path
    assert eve.get(f"{at}/figures?outcome={quote(XSS)}").status_code == 200
    said = eve.sends(f"{at}/t/4/record", v0="1", do="record")
    assert "<img" not in said
    assert study_id(XSS) in at


def test_an_unknown_study_or_trial_is_said_so(ada, store):
    small(store)
    assert ada.get("/s/000000000000").status_code == 404
    assert ada.get(f"{base()}/t/99").status_code == 404
    assert "There is no such page" in ada.get("/nowhere").text


def test_what_others_did_is_noticed(app, doors, store):
    small(store, pending=1)
    ada, bo = Person(app, doors, "Ada"), Person(app, doors, "Bo")
    seq = len(events(store))
    assert "did something" not in ada.goes(f"{base()}/pulse?seq={seq}")
    bo.sends(f"{base()}/t/0/record", v0="1", do="record")
    assert "Bo did something" in ada.goes(f"{base()}/pulse?seq={seq}")


def test_the_command_line_beside_the_page_is_seen(ada, store):
    small(store, pending=1)
    ada.goes(base())
    with Study.open(store, "acids", author="Cy") as study:
        study.tell(0, 81.2)
    assert "Cy" in ada.goes(f"{base()}/trials")


def test_a_suggestion_that_takes_long_is_waited_for_beside(ada, bench, store, monkeypatch):
    small(store, results=5, pending=1)
    go, ask = threading.Event(), Study.ask

    def slow(self, *args, **kwargs):
        assert go.wait(600)
        return ask(self, *args, **kwargs)

    monkeypatch.setattr(Study, "ask", slow)
    monkeypatch.setattr("regretless.web.actions.MOMENT", 0.01)
    monkeypatch.setattr("regretless.web.pages.MOMENT", 0.01)
    page = ada.sends(f"{base()}/ask", key="k" * 12, count="2")
    assert "Choosing 2 experiments for Ada" in page
    assert '<noscript><meta http-equiv="refresh"' in page
    ada.sends(f"{base()}/t/5/record", v0="70", do="record")  # the page goes on meanwhile
    assert trials(store)[5].value == 70.0
    assert "Choosing" in ada.goes(f"{base()}/asked/{'k' * 12}")
    go.set()
    bench.desk(base().rpartition("/")[2]).job(("ask", "k" * 12), lambda _: None, wait=30)
    assert ada.goes(f"{base()}/asked/{'k' * 12}").count('class="card experiment"') == 2


def test_certificates_are_computed_once_for_each_event(ada, bench, store, monkeypatch):
    small(store, results=8)
    calls = []
    original = Study.certificate
    monkeypatch.setattr(Study, "certificate", lambda self, *a, **k: calls.append(1) or original(self, *a, **k))
    ada.goes(base())
    first = len(calls)
    for _ in range(3):
        ada.goes(base())
        ada.goes("/")
    assert first > 0
    assert len(calls) == first


def test_exhausted_is_said(ada, store):
    with Study.open(store, "acids", space=[{"T": 1}, {"T": 2}], objective="y", repeats="never", seed=1) as study:
        study.ask(2)
    page = ada.sends(f"{base()}/ask", key="k" * 12, count="1")
    assert "said-problem" in page
    assert len(trials(store)) == 2


def test_the_whole_loop_ends_with_stop(ada, store):
    small(store)
    for _ in range(12):
        page = ada.goes(base())
        if "You can stop" in page:
            break
        ada.sends(f"{base()}/ask", key=key_of(page), count="3")
        for trial in trials(store):
            if trial.status == "pending":
                ada.sends(
                    f"{base()}/t/{trial.number}/record", v0=f"{value(trial.params):.4f}".replace(".", ","), do="record"
                )
    assert "You can stop" in ada.goes(base())
    assert "verdict-stop" in ada.goes(base())
