import time

import pytest
from bench import page
from bench.floor import Case, Profile, _lines, follow


def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_a_stage_counts_without_the_stages_inside_it():
    profile = Profile()
    inner = profile.timed("inner", lambda: spin(0.03))

    def outside():
        spin(0.02)
        inner()

    profile.timed("outer", outside)()
    assert profile.seconds["inner"] == pytest.approx(0.03, abs=0.01)
    assert profile.seconds["outer"] == pytest.approx(0.02, abs=0.01)


@pytest.mark.parametrize("case", [Case("box", 12, 2, suggestions=3), Case("table", 12, 3, rows=500, suggestions=3)])
def test_every_stage_of_a_suggestion_is_seen(case):
    profile, count = follow(case)
    assert count == 3
    assert ("argmax over the table" if case.rows else "ascents") in profile.seconds
    assert all(seconds > 0.0 for seconds in profile.seconds.values())
    heads, lines = _lines(case)
    assert {len(line) for line in lines} == {len(heads)}


def test_a_page_without_the_mark_is_refused(tmp_path):
    other = tmp_path / "page.md"
    other.write_text("nothing\n")
    with pytest.raises(ValueError, match="no line"):
        page.put(other, "cost", "text")
    assert other.read_text() == "nothing\n"
