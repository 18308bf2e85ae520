"""Writes the database of the present schema that the tests keep: run once when a schema is released.

``python tests/study/stores/data/make.py`` from the root of the repository.
"""

from pathlib import Path

from regretless import GPUCB, Study, Table
from regretless.confidence import Schedule
from regretless.study.stores.schema import REVISION


def main() -> None:
    path = Path(__file__).with_name(f"schema_{REVISION}.db")
    path.unlink(missing_ok=True)
    rows = [{"id": f"{kind}{heat}", "kind": kind, "heat": heat} for kind in "ABCD" for heat in (20, 40, 60.5)]
    table = Table(rows, id="id", repeats="never")
    with Study.open(path, "table", space=table, seed=1, author="ann", metadata={"file": "scope.csv"}) as study:
        a, b, c, d = study.ask(4)
        study.tell(a, 812.0)
        study.tell(b, failed=True)
        study.tell(c, 3.5)
        study.release(d, "broke")
        study.add(row="A60.5" if a.row != "A60.5" else "A20", value=2.0)
        study.amend(a, 81.2, reason="typo")
        study.exclude(c, "wrong flask")
        study.exclude_row("D40", "sold out")
        study.certificate(record=True)
        study.ask()
    space = {"x": (1e-4, 1.0, "log"), "n": (1, 9), "o": [1, 2, 4], "c": ["a", "b"], "k": "fixed"}
    rule = GPUCB(Schedule.constant(4.0))
    with Study.open(
        path,
        "minimum",
        space=space,
        direction="minimize",
        rule=rule,
        objective="loss",
        seed=2,
        n_initial=4,
        author="bob",
    ) as study:
        for _ in range(9):
            trial = study.ask()
            study.tell(trial, abs(trial.params["n"] - 4) + trial.params["x"])


if __name__ == "__main__":
    main()
