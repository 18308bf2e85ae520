"""Read-only properties of a study: its settings, its trials, its events."""

import math
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from regretless.acquisition import JointRule, Rule
from regretless.arrays import as_whole, is_whole, show
from regretless.deprecation import renamed_property
from regretless.errors import InvalidInput, UnknownTrial
from regretless.optimizer import Direction, Fidelity, Fit, Given, Goal, History, Outcome, Task
from regretless.optimizer.notebook import Shown
from regretless.risk import Aim
from regretless.spaces import Environment, Perturbation, Space
from regretless.study.answers import hypervolume_of, reference_point
from regretless.study.asking import Asker
from regretless.study.carried import Carried
from regretless.study.frame import Backend, columns_of, frame_of
from regretless.study.journal import Event, Journal
from regretless.study.ledger import Ledger, Recorder
from regretless.study.passes import PassLine
from regretless.study.registry import check_author
from regretless.study.settings import Settings
from regretless.study.trial import Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Properties"]


class Properties(Shown):
    """The part of a `Study` that can be read without a model. ``name`` is what it is called in its store."""

    def _start(
        self, chosen: Settings, journal: Journal, *, name: str | None, author: str, lease: float | None, retries: int
    ) -> None:
        self.name = name
        self.metadata: Mapping[str, Any] = chosen.metadata
        self._created = chosen.task  # a table may have been extended since: see `_task`
        ledger = Ledger(self._created)
        engine = self._created.domain.engine
        if engine is not None:
            engine.progress = PassLine()
        self._recorder = Recorder(journal, ledger, author=author, seconds=lease, retries=retries)
        self._carried = Carried(ledger)
        self._asker = Asker(self._recorder, self._carried)

    about = renamed_property("about", "metadata")

    @property
    def space(self) -> Space:
        """What may be tried."""
        return self._task.space

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of a trial by name: those of the space, and the fidelity if there is one."""
        context = self._task.context
        return self.space.names if context is None else (*self.space.names, context.name)

    def examples(self, parameter: str) -> tuple[Any, ...]:
        """Example values of a parameter; all of them if it has a list."""
        context = self._task.context
        if context is not None and parameter == context.name:
            return context.examples
        return self.space.examples(parameter)

    @property
    def objective(self) -> str:
        """The name of the objective; of the first one if there are several."""
        return self._task.objective.name

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Everything that is measured: objectives first, then constraints."""
        return self._task.outcomes

    @property
    def direction(self) -> Direction:
        """Whether large or small values are wanted."""
        return self._task.objective.direction

    @property
    def fidelity(self) -> Fidelity | None:
        """The levels at which trials may approximate the target, and their costs; None if there is only the target."""
        context = self._task.context
        return context if isinstance(context, Fidelity) else None

    def at_target(self, trial: Trial) -> bool:
        """Whether a trial is at the target level of the fidelity; True without a fidelity.

        >>> from regretless import Fidelity, Study
        >>> study = Study({"x": (0.0, 1.0)}, fidelity=Fidelity("mesh", levels=["a", "b"], cost=[1.0, 5.0]), seed=1)
        >>> [study.at_target(trial) for trial in study.ask(2)]
        [False, True]
        """
        fidelity = self.fidelity
        return fidelity is None or trial.params[fidelity.name] == fidelity.target

    @property
    def spent(self) -> float:
        """The total cost of the trials, in the unit of the fidelity; without a fidelity, their number.

        Pending and failed ones count; those that were released and what was added do not.
        """
        begun = (trial for trial in self.trials if trial.source != "added" and trial.status != "released")
        fidelity = self.fidelity
        if fidelity is None:
            return float(sum(1 for _ in begun))
        return math.fsum(fidelity.cost_of(trial.params[fidelity.name]) for trial in begun)

    @property
    def goal(self) -> Goal | None:
        """The goal, such as a level set; None if an optimum is sought."""
        return self._task.objective.goal

    @property
    def aim(self) -> Aim | None:
        """The worth of a decision over the environments; None without environments."""
        return self._task.aim

    @property
    def environment(self) -> Environment | Perturbation | None:
        """The uncontrolled conditions under which a decision is used; None if there are none."""
        return None if self._task.scenarios is None else self._task.scenarios.environment

    @property
    def decisions(self) -> Space:
        """The decisions that may be recommended: the space without the environment."""
        return self._task.space if self._task.scenarios is None else self._task.scenarios.decisions

    @property
    def rule(self) -> Rule | JointRule:
        """How the next point is chosen."""
        return self._task.rule

    @property
    def seed(self) -> int:
        """The seed of all randomness."""
        return self._task.seed

    @property
    def limits(self) -> Given | None:
        """Bounds on the values of the (first) objective; None if unknown."""
        return self._task.objective.limits.given

    @property
    def author(self) -> str:
        """The author named in new events. Set it if several people share one object."""
        return self._recorder.author

    @author.setter
    def author(self, name: str) -> None:
        self._recorder.author = check_author(name)

    @property
    def seq(self) -> int:
        """The number of the last event known here. A cached result is valid as long as it is the same."""
        return self._ledger.seq

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial, in the order of its number."""
        return tuple(self._ledger.trials)

    @property
    def best(self) -> Trial | None:
        """The trial with the best measured value (of equals the first); None before anything was told.

        Under constraints, of those whose measured constraints all hold. With several objectives there is none: see
        `best_trials`.
        """
        return self._ledger.best()

    @property
    def best_trials(self) -> tuple[Trial, ...]:
        """The Pareto-optimal trials; with one objective, the best one."""
        if len(self._task.objectives) == 1:
            return () if self.best is None else (self.best,)
        return tuple(self._ledger.front())

    @property
    def reference(self) -> Mapping[str, float] | None:
        """The reference point of several objectives, by name; None before it is known, or with one objective."""
        return reference_point(self._task, self._history())

    @property
    def hypervolume(self) -> float:
        """The hypervolume that `best_trials` dominate above the reference point."""
        return hypervolume_of(self._task, self.best_trials, self.reference)

    @property
    def excluded_rows(self) -> tuple[Any, ...]:
        """Candidates that are not suggested: ids of a table's rows, or parameters of another finite space."""
        return tuple(self._task.domain.name_of(index) for index in self._ledger.excluded)

    def events(self, after: int = 0) -> tuple[Event, ...]:
        """All events of all users of the study, in order; with ``after``, those after that number."""
        return tuple(self._recorder.journal.read(as_whole(after, "after")))

    def plot(self, what: str = "history", *args: Any, **options: Any) -> "Axes":
        """Draw one of the figures of `regretless.plots` by name, with matplotlib; returns the axes.

        ``history``, ``regret_left``, ``slice``, ``contour``, ``parallel``, ``importance``, ``parity``, ``front``,
        ``hypervolume``, ``posterior`` or ``region``, each with its own arguments: ``study.plot("slice", "T")`` is
        ``plot_slice(study, "T")``.
        """
        axes: Axes = import_module("regretless.plots").plot(self, what, *args, **options)
        return axes

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Every trial as one row of a data frame: a pandas or polars DataFrame, or a pyarrow Table.

        Columns: ``number``, ``row``, ``status``, ``value``, ``params_<name>`` of each parameter, ``source``, ``zeta``,
        ``mean``, ``sd`` (what the model expected), ``known_sd``, ``replicates``, ``asked``, ``ended`` (UTC),
        ``author``, ``excluded``, ``note``. With several outcomes ``values_<name>``, ``mean_<name>`` and so on of each.
        Missing values are NaN, None or null. The package must be installed; it is imported on demand.

        >>> from regretless import Study
        >>> study = Study({"x": (0.0, 1.0)}, seed=1)
        >>> for trial in study.ask(3):
        ...     trial = study.tell(trial, trial.params["x"] ** 2)
        >>> study.to_frame()[["number", "status", "value", "params_x", "source"]].round(3)
           number status  value  params_x  source
        0       0   told  0.641     0.801  design
        1       1   told  0.121     0.347  design
        2       2   told  0.549     0.741  design
        """
        return frame_of(columns_of(self), backend)

    def refresh(self) -> None:
        """Read events that others have stored since. Asking, telling and correcting do this themselves."""
        self._recorder.refresh()

    def __len__(self) -> int:
        return len(self._ledger.trials)

    def __repr__(self) -> str:
        statuses = [trial.status for trial in self._ledger.trials]
        count = {status: statuses.count(status) for status in ("told", "pending", "failed", "released")}
        states = ", ".join(f"{n} {status}" for status, n in count.items() if n) or "empty"
        name = "" if self.name is None else f"{self.name!r}, "
        plain = len(self.outcomes) == 1 and self.goal is None and self.aim is None
        aim = self.direction if plain else "; ".join(outcome.wanted for outcome in self.outcomes)
        return f"Study({name}{aim} over {self.space!r}, rule={self.rule.name!r}, seed={self.seed}: {states})"

    # Inside ---------------------------------------------------------------------------------------------------------

    @property
    def _task(self) -> Task:
        return self._ledger.task

    @property
    def _ledger(self) -> Ledger:
        return self._recorder.ledger

    @property
    def _fit(self) -> Fit | None:
        return self._ledger.fits[0]

    def _known(self, trial: Trial | int) -> Trial:
        number = trial.number if isinstance(trial, Trial) else trial
        if not is_whole(number):
            raise InvalidInput(f"trial must be a Trial or its number, got {show(trial)}.")
        if number >= len(self):
            self.refresh()  # it may be another worker's
        if not 0 <= number < len(self):
            raise UnknownTrial(f"no trial {show(number)} in this study; it has {len(self)}, numbered from 0.")
        known = self._ledger.trials[int(number)]
        if isinstance(trial, Trial) and dict(trial.params) != dict(known.params):
            raise UnknownTrial(f"trial {number} of this study has other parameters; the one told is of another study.")
        return known

    def _history(self) -> History:
        return self._ledger.history()
