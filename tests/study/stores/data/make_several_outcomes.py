"""Writes a database of studies with several outcomes; never write it again.

``python tests/study/stores/data/make_several_outcomes.py several_outcomes.db`` from the root of the repository. Run by
the code before expected hypervolume improvement and searches along edges it wrote ``several_outcomes_before_edges.db``.
"""

import sys
from pathlib import Path
from typing import Any

from regretless import Study, Table

ROWS = Table([{"id": f"{h}-{t}", "h": h, "t": t} for h in range(20, 70, 5) for t in range(1, 9)], id="id")
BOX = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
CONSTRAINTS = {"impurity": ("<=", 0.5)}
STUDIES: dict[str, dict[str, Any]] = {
    "front": {"space": ROWS, "objectives": {"yield": "maximize", "cost": "minimize"}},
    "feasible": {"space": ROWS, "objective": "yield", "constraints": CONSTRAINTS},
    "feasible box": {"space": BOX, "objective": "yield", "constraints": CONSTRAINTS},
}


def measured(params: Any) -> dict[str, float]:
    """Three outcomes of two parameters."""
    a, b = ((params["h"] - 20.0) / 45.0, (params["t"] - 1.0) / 7.0) if "h" in params else (params["x"], params["y"])
    return {"yield": a + 0.5 * b - (a - 0.6) ** 2, "cost": a * a + b, "impurity": a * b + 0.2 * a}


def main() -> None:
    path = Path(__file__).with_name(sys.argv[1])
    for number, (name, settings) in enumerate(STUDIES.items()):
        with Study.open(path, name, seed=number, **settings) as study:
            wanted = [*settings.get("objectives", ["yield"]), *settings.get("constraints", {})]
            for _ in range(13):
                trial = study.ask()
                values = measured(trial.params)
                study.tell(trial, {outcome: values[outcome] for outcome in wanted})
            a, b = study.ask(2)
            study.tell(b, {wanted[0]: measured(b.params)[wanted[0]]}, failed=wanted[1])  # a part that fails alone
            study.tell(a, {wanted[1]: measured(a.params)[wanted[1]]})  # a part that comes early


if __name__ == "__main__":
    main()
