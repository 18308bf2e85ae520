"""Writes the database of studies with one outcome, as they were before there could be several; never write it again.

``python tests/study/stores/data/make_one_outcome.py`` from the root of the repository.
"""

from pathlib import Path
from typing import Any

from regretless import EI, Study, Table

SPACES: dict[str, Any] = {
    "box": {"x": (-1.0, 2.0), "y": (0.0, 5.0)},
    "mixed": {"x": (0.0, 1.0), "l": (1e-4, 1e2, "log"), "n": (1, 30), "c": ["a", "b", "c"]},
    "listed": {"n": (1, 6), "c": ["a", "b", "c"], "o": [1, 2, 4]},
    "table": Table(
        [{"id": f"{k}{h}-{t}", "k": k, "h": h, "t": t} for k in "ABC" for h in (20, 40, 65.5) for t in (1, 5)], id="id"
    ),
}


def value(params: Any) -> float:
    """Some function of any parameters."""
    numbers = (float(ord(v[0]) - 96) if isinstance(v, str) else float(v) for v in params.values())
    return sum(((i + 1.0) * v) % 3.0 - 0.01 * v * v for i, v in enumerate(numbers))


def main() -> None:
    path = Path(__file__).with_name("one_outcome.db")
    for number, (name, space) in enumerate(SPACES.items()):
        more: dict[str, Any] = {"direction": "minimize", "objective": "loss [mg]"} if number % 2 else {}
        rule = EI() if name == "listed" else None
        with Study.open(
            path, name, space=space, seed=number, rule=rule, limits=(None, 500), author="ann", **more
        ) as study:
            for _ in range(7):
                trial = study.ask()
                study.tell(trial, value(trial.params))
            a, b, c = study.ask(3)
            study.tell(b, failed=True)
            study.tell(a, value(a.params))
            study.certificate(record=True)
            study.amend(0, value(a.params) + 0.5, reason="typo")
            study.exclude(1, "wrong flask")
            study.ask(2)
            study.tell(c, value(c.params))
            study.release(study.ask(), "broke")
            for _ in range(4):
                trial = study.ask()
                study.tell(trial, value(trial.params))
            study.certificate(0.1, draws=50, record=True)


if __name__ == "__main__":
    main()
