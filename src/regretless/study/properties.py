"""What a study is and holds, to be read: its settings, its trials, its events."""

import math
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from regretless.acquisition import JointRule, Rule
from regretless.arrays import as_whole, is_whole, show
from regretless.deprecation import renamed_property
from regretless.errors import InvalidInput, UnknownTrial
from regretless.optimizer import Direction, Fidelity, Fit, Given, History, LevelSet, Outcome, Task
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
        """What the params of a trial name: the parameters of the space, and a fidelity where there is one."""
        context = self._task.context
        return self.space.names if context is None else (*self.space.names, context.name)

    def examples(self, parameter: str) -> tuple[Any, ...]:
        """Some values of a parameter, which show what kind it is; all where it is a list of them."""
        context = self._task.context
        if context is not None and parameter == context.name:
            return context.examples
        return self.space.examples(parameter)

    @property
    def objective(self) -> str:
        """What the value is called; with several objectives the first one's name."""
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
        """How closely trials may approximate what is wanted, and what that costs; None where all are the target."""
        context = self._task.context
        return context if isinstance(context, Fidelity) else None

    def at_target(self, trial: Trial) -> bool:
        """Whether a trial is at the target of the fidelity, so that its value is of what is wanted; without one, True.

        >>> from regretless import Fidelity, Study
        >>> study = Study({"x": (0.0, 1.0)}, fidelity=Fidelity("mesh", levels=["a", "b"], cost=[1.0, 5.0]), seed=1)
        >>> [study.at_target(trial) for trial in study.ask(2)]
        [False, True]
        """
        fidelity = self.fidelity
        return fidelity is None or trial.params[fidelity.name] == fidelity.target

    @property
    def spent(self) -> float:
        """What the trials have cost that were begun here, in the unit of the fidelity; without one, their number.

        Pending and failed ones count; those that were released and what was added do not.
        """
        begun = (trial for trial in self.trials if trial.source != "added" and trial.status != "released")
        fidelity = self.fidelity
        if fidelity is None:
            return float(sum(1 for _ in begun))
        return math.fsum(fidelity.cost_of(trial.params[fidelity.name]) for trial in begun)

    @property
    def goal(self) -> LevelSet | None:
        """The level set that is looked for in place of an optimum; None where it is one."""
        return self._task.objective.goal

    @property
    def aim(self) -> Aim | None:
        """What a decision is worth over its environments; None where there are none."""
        return self._task.aim

    @property
    def environment(self) -> Environment | Perturbation | None:
        """What is not ours to choose when a decision is used; None where there is nothing of the kind."""
        return None if self._task.scenarios is None else self._task.scenarios.environment

    @property
    def decisions(self) -> Space:
        """What may be recommended: the space, where there are environments without them."""
        return self._task.space if self._task.scenarios is None else self._task.scenarios.decisions

    @property
    def rule(self) -> Rule | JointRule:
        """How the next point is chosen."""
        return self._task.rule

    @property
    def seed(self) -> int:
        """What all randomness comes from."""
        return self._task.seed

    @property
    def limits(self) -> Given | None:
        """What the (first) objective cannot leave, None where nothing is known."""
        return self._task.objective.limits.given

    @property
    def author(self) -> str:
        """Who is named in the record of what happens here. Set it where several people share one object."""
        return self._recorder.author

    @author.setter
    def author(self, name: str) -> None:
        self._recorder.author = check_author(name)

    @property
    def seq(self) -> int:
        """How many events are known here: the number of the last one. What was computed at one number holds at it."""
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
        """The trials that no other is at least as good as in every objective; with one objective, the best one."""
        if len(self._task.objectives) == 1:
            return () if self.best is None else (self.best,)
        return tuple(self._ledger.front())

    @property
    def reference(self) -> Mapping[str, float] | None:
        """Of several objectives the reference point, by name; None before it is known, or with one objective."""
        return reference_point(self._task, self._history())

    @property
    def hypervolume(self) -> float:
        """Of several objectives the hypervolume above the reference point that `best_trials` have."""
        return hypervolume_of(self._task, self.best_trials, self.reference)

    @property
    def excluded_rows(self) -> tuple[Any, ...]:
        """Candidates that are not suggested: ids of a table's rows, or parameters of another finite space."""
        return tuple(self._task.domain.name_of(index) for index in self._ledger.excluded)

    def events(self, after: int = 0) -> tuple[Event, ...]:
        """Everything that happened, in order, from all who use the study; with ``after``, what came after that."""
        return tuple(self._recorder.journal.read(as_whole(after, "after")))

    def plot(self, what: str = "history", *args: Any, **options: Any) -> "Axes":
        """Draw with matplotlib, by name, what `regretless.plots` has; the axes come back.

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
        What there is none of is missing: NaN, None or null. The package must be installed; it is imported here only.

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
        """Read what others stored since. Asking, telling and correcting do so themselves."""
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
