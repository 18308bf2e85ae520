"""What `python -m bench regret` prints and puts into the documentation."""

import io
import json
from dataclasses import replace

import pytest
from bench import page, store
from bench.regret import SETS, ProblemSet, _medians, main, print_in_full, publish, write_page, write_summary
from rich.console import Console


def test_no_name_is_lost_in_a_narrow_terminal():
    final = {f"function-{k}": {"regretless": [0.00012, 0.00013], "botorch-logei": [130.0, 140.0]} for k in range(12)}
    table = _medians("title", final, ["regretless", "botorch-logei"], {"regretless": 1.0, "botorch-logei": 2.0})
    text = io.StringIO()
    print_in_full(Console(file=text, width=40), table)
    lines = text.getvalue().splitlines()
    (ours,) = (line for line in lines if line.startswith(" Regretless"))
    (theirs,) = (line for line in lines if line.startswith(" BoTorch LogEI"))
    assert ours.split()[1:] == ["0.00013"] * 12 + ["1.00"]
    assert theirs.split()[2:] == ["1.4e+02"] * 12 + ["2.00"]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Branin and Levy with two seeds each; SMAC3 arrives once of two times and never ran on Levy."""
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    (tmp_path / "docs" / "_static").mkdir(parents=True)
    marks = ["regret --docs", "regret --set main"]
    text = "".join(f"# Of {m}\n\n<!-- begin: python -m bench {m} -->\n\n<!-- end -->\n" for m in marks)
    (tmp_path / "page.md").write_text(text)
    monkeypatch.setattr(page, "BENCHMARKS", tmp_path / "page.md")
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setattr(store, "source_hash", lambda: "the same")
    chosen = ProblemSet(
        "regret", {k: SETS["main"].problems[k] for k in ("branin", "levy-4")}, ("regretless", "smac"), (0, 1)
    )
    lost = {("branin", "regretless"): (0.0, 0.1), ("branin", "smac"): (0.0, 34.7), ("levy-4", "regretless"): (0.0, 0.0)}
    units = []
    for (work, peer), regrets in lost.items():
        for seed, regret in enumerate(regrets):
            units.append(store.Unit("raw", work, peer, seed, "regret", chosen.problems[work]))
            store.keep(units[-1], {"optimum": 1.0, "f": [-50.0, 1.0 - regret]})
    return chosen, units, tmp_path


def test_relative_regret_comes_first_in_print_file_and_page(results):
    chosen, units, folder = results
    text = io.StringIO()
    publish("main", chosen, chosen.peers, units, folder, Console(file=text, width=200))
    shown = text.getvalue()
    assert shown.index("mean relative regret in %") < shown.index("median final simple regret")
    stored = json.loads((folder / "regret-main.json").read_text())
    assert stored["spread"]["branin"] == pytest.approx(34.70, abs=0.3)
    assert stored["relative"] == {"regretless": pytest.approx(0.05 / 34.7 / 2, rel=0.01)}  # SMAC3 missed a problem
    assert stored["away"] == {"regretless": 0.0}
    assert (folder / "regret-main.png").exists()
    write_page("main", folder)
    write_summary(folder)
    written = (folder / "page.md").read_text()
    assert "| mean relative regret, % | branin | levy-4 | all | runs beyond 1 % |" in written
    assert "| Regretless | 0.14 | 0 | 0.1 | 0.00 |" in written
    assert "| SMAC3 blackbox | 50 |  |  |  |" in written
    assert written.index("mean relative regret, % |") < written.index("| median |")
    assert "| Regretless | 0.1 (0.00) | 1.00 |" in written  # the summary over sets
    assert written.count("<!-- end -->") == 2


def test_fewer_seeds_are_the_first_ones_and_the_page_says_how_many(results, monkeypatch):
    chosen, _, folder = results
    monkeypatch.setattr(store, "load", lambda unit: (store._stored(unit) or {}).get("result"))
    monkeypatch.setitem(SETS, "main", replace(chosen, peers=("regretless", "smac")))
    monkeypatch.setattr("bench.regret.page.show_figure", lambda *_: "")
    for unit in results[1]:  # as `main` looks for them
        store.keep(replace(unit, folder="raw/regret/main"), (store._stored(unit) or {})["result"])
    assert main(["--report", "--seeds", "1", "--docs"]) == 0
    stored = json.loads((folder / "regret-main.json").read_text())
    assert stored["seeds"] == [0]
    assert stored["final"]["branin"]["regretless"] == [0.0]
    assert ", 1 seed." in (folder / "page.md").read_text()
    with pytest.raises(SystemExit):
        main(["--seeds", "0"])


def test_the_summary_pools_main_and_confirm_and_nothing_else(results):
    _, _, folder = results
    parts = {"main": ("branin", 1.0), "confirm": ("bukin6", 3.0), "holdout": ("hills-3", 8.0)}
    for name, (problem, regret) in parts.items():
        content = {"final": {problem: {"regretless": [regret]}}, "spread": {problem: 100.0}}
        store.write_json(folder / f"regret-{name}.json", content)
    write_summary(folder)
    written = (folder / "page.md").read_text()
    assert "| main | confirm | holdout | main + confirm | mean rank |" in written
    assert "| Regretless | 1.0 (0.00) | 3.0 (1.00) | 8.0 (1.00) | 2.0 (0.50) | 1.00 |" in written


@pytest.mark.parametrize("name", ["main", "confirm", "materials", "holdout", "holdout-tables", "bbob"])
def test_the_page_has_a_place_for_every_published_set(name):
    assert f"<!-- begin: python -m bench regret --set {name} -->" in page.BENCHMARKS.read_text()
