"""The result of an optimisation."""

from dataclasses import dataclass
from typing import Any

from regretless.optimizer import Certified
from regretless.optimizer.notebook import Shown
from regretless.spaces import as_argument
from regretless.study.study import Study
from regretless.study.trial import Recommendation, Trial, pairs_of

__all__ = ["Result", "evaluations"]


@dataclass(frozen=True, slots=True)
class Result(Shown):
    """The result of an optimisation; ``x``, ``fun``, ``nfev``, ``message`` and ``success`` read as in SciPy."""

    study: Study
    message: str
    stopped_by: Certified | None = None  # the certificate that ended the run, where one did

    @property
    def best(self) -> Trial | None:
        """The trial with the best measured value; None if every trial failed."""
        return self.study.best

    @property
    def recommended(self) -> Recommendation | None:
        """Where the posterior mean is best; under noise a better choice than ``best``. None if nothing was told.

        None with several objectives, too: see ``front``.
        """
        if not self.success or sum(outcome.role == "objective" for outcome in self.study.outcomes) > 1:
            return None
        return self.study.recommend()

    @property
    def history(self) -> tuple[Trial, ...]:
        """Every trial."""
        return self.study.trials

    @property
    def x(self) -> Any:
        """The best point as the function got it: a dict, or an array where the space has no names."""
        return None if self.best is None else as_argument(dict(self.best.params), unnamed=self.study.space.unnamed)

    @property
    def fun(self) -> float | None:
        """The best measured value."""
        return None if self.best is None else self.best.value

    @property
    def nfev(self) -> int:
        """Evaluations that ended, failed ones included."""
        return evaluations(self.study)

    @property
    def success(self) -> bool:
        """Whether anything was measured."""
        return any(trial.status == "told" for trial in self.study.trials)

    @property
    def front(self) -> tuple[Recommendation, ...]:
        """With several objectives the Pareto set of the posterior means: see `Study.front`."""
        return self.study.front

    def __str__(self) -> str:
        several = len(self.study.best_trials)
        if self.best is None and several:
            return f"{self.message}: {several} Pareto-optimal trials, hypervolume {self.study.hypervolume:.6g}"
        if self.best is None and self.success:
            return f"{self.message}: no trial satisfies the constraints yet"
        if self.best is None:
            return f"{self.message}: nothing was measured"
        if self.study.aim is not None:  # a single measurement says little about a decision
            found = self.study.recommend()
            return f"{self.message}: recommended {pairs_of(found.params)}, expected to be worth {found.mean:.8g}"
        return f"{self.message}: best {self.fun:.8g} at {pairs_of(self.best.params)}"


def evaluations(study: Study) -> int:
    """The number of evaluations that ended, including failed ones, without added results."""
    return sum(trial.status in ("told", "failed") and trial.source != "added" for trial in study.trials)
