"""A study made of a file alone, for commands that keep no state."""

from regretless.cli._output import progress
from regretless.sheets import Experiments
from regretless.spaces import Repeats
from regretless.study import Study

__all__ = ["add_results", "study_of"]


def study_of(
    experiments: Experiments,
    objective: str,
    *,
    maximize: bool,
    limits: tuple[float, float] | None,
    repeats: Repeats | None = None,
    seed: int = 0,
) -> Study:
    """All rows are candidates, those with a result are data. Same file, same study: the seed is fixed."""
    study = Study(
        experiments.table(repeats),
        direction="maximize" if maximize else "minimize",
        objective=objective,
        limits=limits,
        seed=seed,
    )
    add_results(study, experiments)
    return study


def add_results(study: Study, experiments: Experiments) -> int:
    """Bring the results of a file along; how many there were."""
    pairs = zip(experiments.ids, experiments.values, strict=True)
    results = [(row, value) for row, value in pairs if value is not None]
    with progress(results, "Bringing results along") as bar:
        for row, value in bar:
            failed = value == "failed"
            study.add(row=row, value=None if failed else value, failed=failed)
    return len(results)
