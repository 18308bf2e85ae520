"""A study with what the lab said about it when it was made."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from regretless.errors import InvalidInput
from regretless.lab.text import objectives_of, point, results
from regretless.optimizer import StopRule, as_limits
from regretless.sheets import Dialect, error_names
from regretless.study import HypervolumeLeft, Misclassified, Regret, Study, Trial

__all__ = ["Lab", "kept_stop", "lab_metadata"]

_OUTSIDE = " (outside of {}: taken as noise; if it is a mistake, amend it)"


@dataclass(frozen=True, slots=True)
class Lab:
    """An open study with what the lab said about it."""

    study: Study
    file: str | None
    row_name: str
    batch: int
    stop: StopRule | None
    dialect: Dialect

    @property
    def trial_name(self) -> str:
        """What the numbers of trials are called in files."""
        return self.title("trial")

    def title(self, word: str) -> str:
        """What a column of ours is called in files: by its word, unless the lab has such a column itself."""
        taken = {self.row_name, *self.outcomes, *self.study.parameters}
        return word if word not in taken else f"regretless {word}"

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What is measured: the columns of results. An objective that is computed from others is not among them."""
        return tuple(outcome.name for outcome in self.study.outcomes if outcome.composite is None)

    @property
    def error_names(self) -> dict[str, str]:
        """The columns of known standard deviations, of outcomes that have some on record."""
        known = {name for trial in self.study.trials for name, noise in trial.noise.items() if "sd" in noise}
        taken = {self.row_name, *self.outcomes, *self.study.parameters}
        return {name: next(each for each in error_names(name) if each not in taken) for name in known}

    @property
    def result_names(self) -> list[str]:
        """The columns of results in files: each outcome, and behind it the known standard deviations."""
        errors = self.error_names
        return [column for name in self.outcomes for column in (name, errors.get(name)) if column is not None]

    @property
    def several(self) -> bool:
        """Whether there are several objectives."""
        return len(objectives_of(self.study)) > 1

    @property
    def has_rows(self) -> bool:
        """Whether the candidates are rows of a table."""
        return self.study.space.has_rows

    @classmethod
    def of(cls, study: Study, **more: Any) -> Self:
        """The lab of a study that is open."""
        said = study.metadata
        return cls(
            study=study,
            file=said.get("file"),
            row_name=said.get("row_name", "row"),
            batch=said.get("batch", 1),
            stop=kept_stop(study),
            dialect=Dialect(**said.get("dialect", {})),
            **more,
        )

    def described(self, trial: Trial) -> str:
        """What came out of a trial, where, what is still to come, and what the objective's limits do not allow."""
        limits, came = as_limits(self.study.limits), results(self.study, trial)
        at = point(trial.row, trial.params, self.row_name)
        note = "" if trial.value is None or not limits.outside(trial.value) else _OUTSIDE.format(limits)
        missing = [name for name in self.outcomes if name not in trial.values]
        waits = f"; {', '.join(missing)} still to come" if missing and trial.values else ""
        return f"{came} at {at}{note}{waits}"

    @property
    def pending(self) -> list[Trial]:
        """Trials that wait for a result."""
        return [trial for trial in self.study.trials if trial.status == "pending"]

    @property
    def pending_numbers(self) -> str:
        """The numbers of those, for a message."""
        return ", ".join(str(trial.number) for trial in self.pending) or "none"

    def pending_trial(self, number: int) -> Trial:
        """The pending trial of that number."""
        for trial in self.pending:
            if trial.number == number:
                return trial
        raise InvalidInput(f"trial {number} is not pending (pending: {self.pending_numbers}).")


def lab_metadata(
    *, file: str | None, row_name: str, batch: int, stop: StopRule | None, dialect: Dialect | None
) -> dict[str, Any]:
    """What goes on record when a study is made, as plain JSON."""
    written = Dialect() if dialect is None else dialect
    return {
        "file": file,
        "row_name": row_name,
        "batch": batch,
        "stop": None if stop is None else _stop_to_data(stop),
        "dialect": asdict(written),
    }


def _stop_to_data(stop: StopRule) -> dict[str, Any]:
    data = {"eps": stop.eps, "relative": stop.relative, "patience": stop.patience}
    if isinstance(stop, Misclassified):
        return {**data, "of": "misclassified"}
    return data if isinstance(stop, Regret) else {**data, "of": "hypervolume"}


def kept_stop(study: Study) -> StopRule | None:
    """The stop rule that a study was made with."""
    stop = study.metadata.get("stop")
    if stop is None:
        return None
    said = {key: value for key, value in stop.items() if key != "of"}
    if stop.get("of") == "misclassified":
        return Misclassified(**said)
    return HypervolumeLeft(**said) if "of" in stop else Regret(**said)
