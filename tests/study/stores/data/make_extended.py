"""Writes the database with results of no row and an extended table that the tests keep; never write it again.

``python tests/study/stores/data/make_extended.py`` from the root of the repository.
"""

from pathlib import Path

from regretless import Study, Table


def main() -> None:
    path = Path(__file__).with_name("extended.db")
    rows = [{"id": f"{kind}{heat}", "kind": kind, "heat": heat, "time": 5} for kind in "AB" for heat in (20, 40, 60)]
    with Study.open(path, "grown", space=Table(rows, id="id"), seed=1, author="ann") as study:
        for _ in range(4):
            trial = study.ask()
            study.tell(trial, float(trial.params["heat"]))
        study.add({"kind": "A", "heat": 70.5}, 55.0)
        study.add({"kind": "B", "heat": 85}, 45.0)
        study.ask()
        more = [{"id": "C85", "kind": "C", "heat": 85, "time": 5}, {"id": "B85", "kind": "B", "heat": 85, "time": 9}]
        study.extend([*more, {"id": "B85s", "kind": "B", "heat": 85, "time": 5}], id="id", reason="C came in")
        for _ in range(3):
            trial = study.ask()
            study.tell(trial, float(trial.params["heat"]))


if __name__ == "__main__":
    main()
