import math

import pytest
from bench.certificate import EPS, HEED, follow, stages_of, stop_of, summary, truth_of, write_page


def run(bound, regret, light, first=8):
    exceeds = {f"exceeds {EPS[0]:g}": [0.5] * len(bound)}
    return {"t": list(range(first, first + len(bound))), "bound": bound, "regret": regret, "light": light, **exceeds}


def test_a_run_is_followed_from_the_eighth_observation():
    record = follow("holder-table", "small", 0, 12)
    assert record["t"] == [8, 12]
    held = record.pop("held")
    assert {len(column) for column in record.values()} == {2}
    assert all(0.0 <= value <= 100.0 for value in record["regret"])
    assert all(value >= 0.0 for value in record["bound"])
    assert 0.0 <= held["predict 8"][0] <= 1.0
    assert len(held["suggest 8"]) <= 4
    assert record == {key: value for key, value in follow("holder-table", "small", 0, 12).items() if key != "held"}


@pytest.mark.parametrize(("name", "noise"), [("branin-box", "moderate"), ("noisy-525", "much")])
def test_boxes_and_the_noisy_table_know_their_truth(name, noise):
    truth = truth_of(name, 3)
    assert truth.values.max() <= truth.best + 1e-9
    record = follow(name, noise, 3, 9)
    assert record["t"] == [8]
    assert record["regret"][0] >= 0.0


@pytest.mark.parametrize(("heed", "t"), [("at once", 8), ("light", 10), ("Regret", 11)])
def test_lights_and_patience_put_the_stop_off(heed, t):
    bounds = [1.0, 9.0, *[1.0] * 10]
    one = run(bounds, [1.0] * 12, ["red", "amber", *["green"] * 10])
    assert stop_of([one], 1.0, heed).t == t


def test_runs_that_never_stop_are_counted_and_not_averaged():
    stop = stop_of([run([9.0], [50.0], ["green"]), run([0.5], [2.0], ["green"])], 1.0, "light")
    assert (stop.share, stop.t, stop.regret) == (0.5, 8.0, 2.0)
    assert not stop.dishonest  # one run has no standard error
    assert math.isnan(stop_of([run([9.0], [50.0], ["green"])], 1.0, "light").t)


def test_a_mean_regret_above_the_mean_bound_is_dishonest():
    good = [run([5.0], [regret], ["green"], first=12) for regret in (0.0, 12.0, 1.0)]  # one above is allowed
    bad = [run([5.0], [regret], ["green"], first=12) for regret in (11.0, 12.0, 13.0)]
    assert [stage.dishonest for stage in stages_of(good)] == [False]
    assert [stage.dishonest for stage in stages_of(bad)] == [True]
    assert stop_of(bad, 5.0, "light").dishonest


def test_the_page_keeps_the_text_around_the_tables(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- begin: python -m bench certificate -->\nold\n<!-- end -->\n\nafter\n")
    rows = {("branin", "small"): summary([run([5.0], [1.0], ["green"], first=12)])}
    for _ in range(2):
        write_page(rows, {}, {"date": "2026-01-01T00", "commit": "abc"}, page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert text.count("| branin, small |") == 3
    assert f"5 %, {next(iter(HEED))}" in text
