"""A whole quick run: what is written, and that curves, figures and report come from the results."""

import csv
import json
import math
import re
import statistics
import time

import pytest

from regretless.errors import InvalidInput
from regretless.paper import EXPERIMENTS, reproduce
from regretless.paper.store import Store, write_text


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_everything_is_there(quick_run):
    out, done = quick_run
    assert list(done.claims) == list(EXPERIMENTS)
    assert done.notes == ()
    names = {"confidence", "synthetic", "functions", "materials", "linear-regret", "bounds", "bounds-conditional"}
    names |= {"stopping", "beyond", "beyond-limits", "beyond-figure-1"}
    for name in names:
        assert (out / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (out / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert {path.stem for path in (out / "figures").glob("*.png")} == names
    manifest = json.loads((out / "manifest.json").read_text())
    for name, entry in manifest["experiments"].items():
        own = json.loads((out / entry["results"] / "manifest.json").read_text())
        assert own["identity"] == entry["identity"]
        assert own["finished"] == own["units"] > 0
        assert own["settings"]["seed"] == 1
        assert own["core_seconds"] == done.core_seconds[name]


def test_it_is_quick(quick_run):
    assert sum(quick_run[1].core_seconds.values()) < 40.0


def test_the_report_stands_alone(quick_run):
    out, done = quick_run
    text = done.report.read_text(encoding="utf-8")
    assert len(re.findall(r'src="data:image/png;base64,', text)) == 11
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "<script" not in text
    for claims in done.claims.values():
        assert claims
        for claim in claims:
            assert claim.says.replace("'", "&#x27;") in text
    assert "A quick run" in text
    listed = rows(out / "claims.csv")
    assert [row["claim"] for row in listed] == [claim.says for claims in done.claims.values() for claim in claims]
    assert {row["verdict"] for row in listed} <= {"holds", "does not hold", "cannot be judged"}
    assert {claim.verdict for claim in done.claims["synthetic"]} == {"cannot be judged"}


def test_curves_are_means_and_standard_errors_of_the_units(quick_run):
    """By hand, from the files alone."""
    out, _ = quick_run
    folder = next((out / "results").glob("synthetic-*"))
    simple, cumulative = (rows(out / "curves" / f"synthetic-gp-sample-{what}.csv") for what in ("simple", "cumulative"))
    runs = [rows(path) for path in sorted((folder / "gp-sample" / "ei").glob("*.csv"))]
    assert len(runs) == 4
    for t in (0, 1, 17, 30):
        best = [min(float(row["regret"]) for row in run if float(row["t"]) <= t) for run in runs]
        total = [sum(float(row["regret"]) for row in run if 0 < float(row["t"]) <= t) for run in runs]
        for table, values in ((simple, best), (cumulative, total)):
            assert float(table[t]["EI mean"]) == pytest.approx(statistics.mean(values), abs=1e-12)
            error = statistics.stdev(values) / math.sqrt(4)
            assert float(table[t]["EI error"]) == pytest.approx(error, abs=1e-12)


def test_the_same_results_give_the_same_figures(quick_run):
    out = quick_run[0]
    before = {path: path.read_bytes() for path in (out / "figures").iterdir() if path.stem == "confidence"}
    began = time.process_time()
    reproduce(["confidence"], out=out, quick=True)
    assert time.process_time() - began < 10.0
    assert {path: path.read_bytes() for path in before} == before


def test_results_under_a_foreign_manifest_are_not_drawn(tmp_path, monkeypatch):
    foreign = json.dumps({"identity": {"code": "someone else's"}})
    monkeypatch.setattr(Store, "write_manifest", lambda self, *_: write_text(self.folder / "manifest.json", foreign))
    with pytest.raises(InvalidInput, match="not what their manifest says"):
        reproduce(["confidence"], out=tmp_path, quick=True)


def test_without_data_the_rest_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("REGRETLESS_DATA", str(tmp_path / "nowhere"))
    done = reproduce(["confidence", "materials"], out=tmp_path, quick=True)
    assert list(done.claims) == ["confidence"]
    assert "left out perovskite" in done.notes[0]
    assert "left out perovskite" in done.report.read_text()
