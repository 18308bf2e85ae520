"""Studies of files: what an earlier reader stored opens beside what today's reader finds."""

import pytest

from regretless import Study, StudyConflict, Table

TEXT = "T;acid\n20;HCl\n40;HNO3\n60;HCl\n80;HNO3\n"
OLD = {"T": [20.0, 40.0, 60.0, 80.0], "acid": ["HCl", "HNO3", "HCl", "HNO3"]}  # floats throughout, rows from 0


def asked(study, n=6):
    return [study.tell(study.ask(), 10.0 + k) for k in range(n)]


def test_a_study_whose_rows_were_numbered_still_opens_with_its_file(tmp_path):
    (tmp_path / "plan.csv").write_text(TEXT)
    place = tmp_path / "s.db"
    with Study.open(place, "s", space=Table(OLD), seed=1) as study:
        study.tell(study.ask(), 10.0)
    for space in (str(tmp_path / "plan.csv"), Table(tmp_path / "plan.csv"), None):
        with Study.open(place, "s", space=space) as study:
            assert study.space.ids == (0, 1, 2, 3)
            assert study.add(row=3, value=1.0).params == {"T": 80.0, "acid": "HNO3"}
    other = Table.from_csv(tmp_path / "plan.csv", ignore="acid")
    with pytest.raises(StudyConflict, match="columns"):
        Study.open(place, "s", space=other)
    named = Table({**OLD, "id": [2, 3, 4, 5]}, id="id")  # names that somebody chose are not lines
    with pytest.raises(StudyConflict, match="row"):
        Study.open(place, "s", space=named)


def test_suggestions_do_not_depend_on_how_rows_are_called(tmp_path):
    (tmp_path / "plan.csv").write_text(TEXT)
    old, new = (asked(Study(space, seed=3)) for space in (Table(OLD), Table(tmp_path / "plan.csv")))
    assert [trial.params for trial in old] == [trial.params for trial in new]
    assert [trial.row + 2 for trial in old] == [trial.row for trial in new]
