"""The one stateful object: asks, is told, remembers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias, overload

import numpy as np

from regretless.acquisition import JointRule, Rule
from regretless.arrays import Floats, as_nonnegative, as_whole, is_whole, show
from regretless.errors import InvalidInput, NumericalError, UnknownTrial
from regretless.gp import Surrogate
from regretless.optimizer import (
    Certified,
    Direction,
    Fit,
    Given,
    History,
    Outcome,
    Preset,
    Sense,
    StopRule,
    Task,
    certificate_of,
    check_stop,
    measurement_of,
    predict,
    recommended,
    without_last,
)
from regretless.spaces import Place, Repeats, Space, read_rows
from regretless.study import registry, transitions
from regretless.study.answers import front_of, hypervolume_of, outward_within, recommendation_of, reference_point
from regretless.study.arguments import as_bool, as_key, as_reason
from regretless.study.asking import Asker
from regretless.study.carried import Carried
from regretless.study.earlier import results_of, sources_of
from regretless.study.journal import Event, Journal, MemoryJournal, Store
from regretless.study.ledger import Ledger
from regretless.study.recorder import Recorder
from regretless.study.settings import Settings, settings
from regretless.study.trial import Recommendation, Trial
from regretless.study.values import read_told

if TYPE_CHECKING:
    from pathlib import Path

    from regretless.study.options import Exceptions, OnError
    from regretless.study.result import Result

__all__ = ["Constraints", "Study"]


#: Bounds on outcomes by name, such as ``{"impurity": ("<=", 0.5)}``; or constraints of the space, ``["x + y <= 1"]``.
Constraints: TypeAlias = Mapping[str, tuple[Sense, float]] | Sequence[str | Callable[[dict[str, Any]], Any]] | str


class Study:
    """Ask what to try next, tell what came out.

    Parameters
    ----------
    space
        What may be tried: bounds ``[(low, high), ...]``, a mapping of named parameters, a table of candidates (array,
        list of dicts, DataFrame, CSV path), or a `Table`, `Box` or `Mixed`.
    direction
        ``"maximize"`` or ``"minimize"``.
    preset
        Where settings that are not given come from: ``"default"``, or ``"paper"`` for those of the paper's experiments.
    rule
        How the next point is chosen: a name such as ``"irgp-ucb"`` (the default, with exploiting steps in between) or
        ``"ei"``, or a `Rule`.
    surrogate
        The model.
    n_initial
        Points of the initial design before the rule takes over; past data count.
    repeats
        Whether a point may be suggested again. ``"all"``: the best score wins, measured before, pending or not, as in
        the theorem for batches. ``"allow"``: pending points are left out while there are others, else as in the
        theorems. ``"auto"``: a measured point only where the model finds noise (and by the initial design of a table),
        never where a parameter is real. ``"never"``: nothing twice. Overrides the space's own. None is ``"allow"`` for
        the preset ``"paper"``, for known hyperparameters (`Surrogate.known`) and for ``IRGPUCB("theory")``, otherwise
        ``"auto"``.
    objective
        What the value is called in sentences, such as ``"yield"``; with its unit, ``"yield [%]"``, amounts have it too.
    objectives
        Several objectives by name, ``{"yield": "maximize", "cost": "minimize"}``, in place of ``objective`` and
        ``direction``. Then there is a Pareto `front` in place of a best point.
    constraints
        On what is measured, by name: ``{"impurity": ("<=", 0.5)}``. Such an outcome is told beside the objective.
        Or known constraints of the space, ``["x + y <= 1"]``: see `Mixed`. For both, give the second to the space.
    reference
        Of several objectives the point above which hypervolume counts, by name. None infers it from the first results:
        the worst of their front less a tenth of its width; it then stays.
    fallback
        Of one objective under constraints, what is to be had without any trial, such as the value of the present
        recipe. Certificates compare with it; None takes the worst result so far.
    risk
        A recommendation may violate a constraint with at most this probability.
    limits
        What the objective cannot leave, such as ``(0, 100)`` or ``(0, None)``. Certificates and predictions know it;
        suggestions do not depend on it. Results outside are taken as noise.
    seed
        Same seed and same answers, same suggestions. None draws one; it is kept in ``seed``.

    Examples
    --------
    >>> study = Study({"x": (0.0, 1.0)}, seed=1)
    >>> for _ in range(12):
    ...     trial = study.ask()
    ...     trial = study.tell(trial, -(trial.params["x"] - 0.3) ** 2)
    >>> abs(study.best.params["x"] - 0.3) < 0.02
    True
    """

    def __init__(
        self,
        space: Any,
        *,
        direction: Direction | None = None,
        preset: Preset = "default",
        rule: str | Rule | JointRule | None = None,
        surrogate: Surrogate | None = None,
        n_initial: int | None = None,
        repeats: Repeats | None = None,
        objective: str | None = None,
        objectives: Mapping[str, Direction] | None = None,
        constraints: Constraints | None = None,
        reference: Mapping[str, float] | None = None,
        fallback: float | None = None,
        risk: float = 0.1,
        limits: Given | Mapping[str, Given] | None = None,
        seed: int | None = None,
    ) -> None:
        chosen = settings(
            space,
            direction=direction,
            preset=preset,
            rule=rule,
            surrogate=surrogate,
            n_initial=n_initial,
            repeats=repeats,
            objective=objective,
            objectives=objectives,
            constraints=constraints,
            reference=reference,
            fallback=fallback,
            risk=risk,
            limits=limits,
            seed=seed,
        )
        self._start(chosen, MemoryJournal(), name=None, author=registry.login(), lease=None, retries=0)

    def _start(
        self, chosen: Settings, journal: Journal, *, name: str | None, author: str, lease: float | None, retries: int
    ) -> None:
        self.name = name
        self.about: Mapping[str, Any] = chosen.about
        self._created = chosen.task  # a table may have been extended since: see `_task`
        ledger = Ledger(self._created)
        self._recorder = Recorder(journal, ledger, author=author, seconds=lease, retries=retries)
        self._carried = Carried(ledger)
        self._asker = Asker(self._recorder, self._carried)

    @classmethod
    def open(
        cls,
        store: "str | Path | Store",
        name: str,
        *,
        space: Any = None,
        direction: Direction | None = None,
        preset: Preset | None = None,
        rule: str | Rule | JointRule | None = None,
        surrogate: Surrogate | None = None,
        n_initial: int | None = None,
        repeats: Repeats | None = None,
        objective: str | None = None,
        objectives: Mapping[str, Direction] | None = None,
        constraints: Constraints | None = None,
        reference: Mapping[str, float] | None = None,
        fallback: float | None = None,
        risk: float | None = None,
        limits: Given | Mapping[str, Given] | None = None,
        seed: int | None = None,
        about: Mapping[str, Any] | None = None,
        author: str | None = None,
        lease: float | None = None,
        retries: int = 3,
        read_only: bool = False,
        trust: Iterable[str] = (),
    ) -> Self:
        """A study that lasts: created if it is not there and a space is given, else opened as it is.

        Parameters
        ----------
        store
            The path of a file, which is made if need be; a URL such as ``postgresql://user@host/database``; or a store.
        name
            What the study is called there.
        space, direction, preset, rule, surrogate, n_initial, repeats, objective, objectives, constraints, reference, \
        fallback, risk, limits, seed
            As for `Study`. Whatever is given for a study that exists must be what it was created with.
        about
            Notes to keep with a study that is created, as plain JSON; they are read back as ``study.about``.
        author
            Who is to be named in the record of what happens; by default who is logged in.
        lease
            Seconds after which a trial that was asked for here and not told is offered to the next who asks; None
            leaves it pending.
        retries
            How often a trial is offered again. When its lease has ended once more, it is failed, for that reason.
        read_only
            Whether nothing may be written. A file that may not be written can also be read without this.
        trust
            Names of modules whose code the stored study may use, such as that of a rule of your own. The classes of
            ``rule`` and ``surrogate``, where they are given, need not be named.

        Raises
        ------
        StudyConflict
            If the stored study was created with something else than is given.
        UnknownStudy
            If there is none of that name, and no space to create it with.
        UntrustedCode
            If it was created with a class that is neither ours, nor announced by an installed package, nor trusted.
        StoreError
            If the store cannot be used: see `regretless.errors`.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "lab.db"
        ...     with Study.open(path, "first", space={"x": (0.0, 1.0)}, seed=1) as study:
        ...         trial = study.tell(study.ask(), 0.5)
        ...     with Study.open(path, "first") as again:
        ...         again.trials[0].value
        0.5
        """
        given = {
            "space": space,
            "direction": direction,
            "preset": preset,
            "rule": rule,
            "surrogate": surrogate,
            "n_initial": n_initial,
            "repeats": repeats,
            "objective": objective,
            "objectives": objectives,
            "constraints": constraints,
            "reference": reference,
            "fallback": fallback,
            "risk": risk,
            "limits": limits,
            "seed": seed,
            "about": about,
        }
        who, seconds = registry.check_author(author), registry.check_lease(lease)
        tries, only = as_whole(retries, "retries"), as_bool(read_only, "read_only")
        chosen, journal = registry.open_study(store, name, given, author=who, read_only=only, trust=trust)
        study = cls.__new__(cls)
        study._start(chosen, journal, name=name, author=who, lease=seconds, retries=tries)
        study.refresh()
        return study

    @staticmethod
    def names(store: "str | Path | Store") -> list[str]:
        """The names of the studies in a store; none where there is no such file."""
        return registry.as_store(store).names()

    def close(self) -> None:
        """Let go of the store. A study that is used again opens it again."""
        self._recorder.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What it is -----------------------------------------------------------------------------------------------------

    @property
    def space(self) -> Space:
        """What may be tried."""
        return self._task.space

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
        """Who is named in the record of what happens here."""
        return self._recorder.author

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
    def front(self) -> tuple[Recommendation, ...]:
        """With several objectives, what to choose from: the Pareto set of what the models expect.

        Among candidates that satisfy the constraints with probability ``1 - risk``. `best_trials` are the
        Pareto-optimal measurements.

        >>> study = Study([{"t": t} for t in range(8)], objectives={"yield": "maximize", "cost": "minimize"}, seed=1)
        >>> for _ in range(8):
        ...     trial = study.ask()
        ...     t = trial.params["t"]
        ...     trial = study.tell(trial, {"yield": 8.0 * t - t * t, "cost": float(t)})
        >>> sorted(point.row for point in study.front)
        [0, 1, 2, 3, 4]
        """
        if len(self._task.objectives) == 1:
            raise InvalidInput("a front takes several objectives; this study has one: see recommend().")
        history = self._told_history("front")
        return front_of(self._task, history, self._carried.believe(history))

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

    def refresh(self) -> None:
        """Read what others stored since. Asking, telling and correcting do so themselves."""
        self._recorder.refresh()

    def __len__(self) -> int:
        return len(self._ledger.trials)

    def __repr__(self) -> str:
        statuses = [trial.status for trial in self._ledger.trials]
        count = {status: statuses.count(status) for status in ("told", "pending", "failed", "lost")}
        states = ", ".join(f"{n} {status}" for status, n in count.items() if n) or "empty"
        name = "" if self.name is None else f"{self.name!r}, "
        aim = self.direction if len(self.outcomes) == 1 else "; ".join(outcome.wanted for outcome in self.outcomes)
        return f"Study({name}{aim} over {self.space!r}, rule={self.rule.name!r}, seed={self.seed}: {states})"

    # Asking and telling ---------------------------------------------------------------------------------------------

    @overload
    def ask(self, *, key: str | None = None) -> Trial: ...
    @overload
    def ask(self, n: int, *, key: str | None = None) -> list[Trial]: ...
    def ask(self, n: int | None = None, *, key: str | None = None) -> Trial | list[Trial]:
        """What to try next: one trial, or a list of ``n`` that spread out.

        Asked trials are pending until told. They count: the next suggestion keeps away from them. The list is shorter
        than ``n`` where repeats are not allowed and fewer candidates are left. An error leaves no trial behind. A trial
        whose lease has ended is offered first. A request that gives a ``key`` gets the same trials however often it is
        made.

        Raises
        ------
        Exhausted
            If every candidate has been tried and repeats are not allowed.
        """
        trials = self._asker.ask(1 if n is None else as_whole(n, "n", least=1), as_key(key))
        return trials[0] if n is None else trials

    def tell(
        self,
        trial: Trial | int,
        value: Any = None,
        *,
        sd: float | Mapping[str, float] | None = None,
        failed: bool | str | Sequence[str] = False,
    ) -> Trial:
        """Record what came out of a trial, in any order; ``failed=True`` if nothing did.

        Several outcomes are told by name, ``{"yield": 81.2, "impurity": 0.3}``, together or one after the other; an
        outcome that gave nothing is named by ``failed="impurity"``. A list of numbers is replicates, pooled exactly.
        ``sd`` is the known standard deviation of a measurement; noise beyond it is fitted as always.

        Telling the same again changes nothing; telling something else is refused: see `amend`. A trial that was
        released may still be told. Of a trial that was offered to a second worker the first result counts; the
        other is put on record, and the trial is returned as it is.

        >>> study = Study({"x": (0.0, 1.0)}, objective="yield", constraints={"impurity": ("<=", 0.5)}, seed=1)
        >>> trial = study.tell(study.ask(), {"yield": [80.1, 81.3]})
        >>> trial.status, study.tell(trial, {"impurity": 0.3}).status
        ('pending', 'told')
        """
        known = self._known(trial)
        if value is None and isinstance(failed, bool | np.bool_) and not failed:
            raise InvalidInput(f"tell(trial {known.number}, ...) needs a value, or failed=True.")
        told = read_told(self._task, value, failed=failed, sd=sd, what=f"trial {known.number}")
        return transitions.end(self._recorder, known.number, told)

    def add(
        self,
        params: Any = None,
        value: Any = None,
        *,
        row: Any = None,
        sd: float | Mapping[str, float] | None = None,
        failed: bool | str | Sequence[str] = False,
        key: str | None = None,
    ) -> Trial:
        """Add a result that was not asked for: parameters (or the id of a table's row) with value or ``failed``.

        Parameters that are not a candidate (no row of the table, or beyond the bounds) are data for the model all the
        same; they are never suggested or recommended, and ``note`` of the trial says so. Numbers may lie up to ten
        widths of their column beyond its ends; a category must be a known one. With a ``key`` the same data are added
        once, however often that is tried.

        >>> study = Study([{"T": T} for T in (20, 40, 60, 80)], seed=1)
        >>> trial = study.add({"T": 85}, 0.7)
        >>> trial.row, trial.note
        (None, 'not a row of the table: used as data, never suggested')
        """
        if (params is None) == (row is None):
            raise InvalidInput("add needs either params or row=, the id of a row of the table.")
        if isinstance(failed, bool | np.bool_) and failed == (value is not None):
            raise InvalidInput("add needs either a value or failed=True.")
        told = read_told(self._task, value, failed=failed, sd=sd, what="this result")
        return transitions.add(self._recorder, told, lambda: self._place(params, row), as_key(key))

    def add_study(self, earlier: "Study | str | Path", name: str | None = None, *, key: str | None = None) -> int:
        """Let an earlier study of a related problem count as data; how many of its results do is returned.

        Its results are not results of this study: they inform the models through one correlation per outcome, which is
        fitted as results come in, and are left out of a model that predicts better without them. Outcomes are known by
        their names, parameters too; results that have no place in this space are left out. A study can have one such
        source, and keeps a copy of it.

        Parameters
        ----------
        earlier
            The study, or the file or database that it is in.
        name
            What it is called there, where there are several.
        key
            With a key the same study is added once, however often that is tried.

        Examples
        --------
        >>> old, new = Study({"x": (0.0, 1.0)}, seed=1), Study({"x": (0.0, 1.0)}, seed=2)
        >>> for trial in old.ask(8):
        ...     trial = old.tell(trial, -(trial.params["x"] - 0.3) ** 2)
        >>> new.add_study(old)
        8
        """
        found = registry.earlier_study(earlier, name, self)
        task, results = self._task, results_of(self._task, found.trials)
        transitions.link(
            self._recorder, found.name or "in memory", lambda: sources_of(task, results, len(self)), as_key(key)
        )
        return max(len(y) for _, y in results.values())

    def extend(
        self, rows: Any, *, id: str | None = None, ignore: str | Sequence[str] = (), reason: str = ""
    ) -> tuple[Any, ...]:
        """Extend the table by further candidates; the ids of those that are new are returned.

        Rows that the table has already are left out, so a whole list that has grown may be given. Nothing changes for
        the candidates there were: a column keeps the scale of the first table in which it varied. From now on the law
        of the rule and the certificate count all candidates; that the table was extended is on record.

        Parameters
        ----------
        rows
            As for `Table`, with the same columns; or a `Table`.
        id
            The column that names the rows, where those of the table have names.
        ignore
            Columns to leave out.
        reason
            Why, for the record.

        Examples
        --------
        >>> study = Study([{"T": T} for T in (20, 40, 60, 80)], seed=1)
        >>> study.extend([{"T": 80}, {"T": 100}])
        (4,)
        >>> study.space.n_candidates
        5
        """
        raw = read_rows(self.space, rows, id=id, ignore=ignore)
        return tuple(transitions.extend(self._recorder, raw, as_reason(reason)))

    # Correcting -----------------------------------------------------------------------------------------------------

    def amend(
        self,
        trial: Trial | int,
        value: Any = None,
        *,
        sd: float | Mapping[str, float] | None = None,
        failed: bool | str | Sequence[str] = False,
        reason: str,
    ) -> Trial:
        """Correct the result of a trial; what it was before stays on record.

        >>> study = Study({"x": (0.0, 1.0)}, seed=1)
        >>> trial = study.tell(study.ask(), 812.0)
        >>> study.amend(trial, 81.2, reason="typo").value
        81.2
        """
        known = self._known(trial)
        if isinstance(failed, bool | np.bool_) and failed == (value is not None):
            raise InvalidInput(f"amend(trial {known.number}, ...) needs either a value or failed=True.")
        told = read_told(self._task, value, failed=failed, sd=sd, what=f"trial {known.number}")
        return transitions.amend(self._recorder, known.number, told, as_reason(reason, needed=True))

    def exclude(self, trial: Trial | int, reason: str) -> Trial:
        """Set the result of a trial aside: it stays on record and is not used. Its candidate may be suggested again."""
        return transitions.use(self._recorder, self._known(trial).number, False, as_reason(reason, needed=True))

    def include(self, trial: Trial | int, reason: str = "") -> Trial:
        """Use an excluded result again."""
        return transitions.use(self._recorder, self._known(trial).number, True, as_reason(reason))

    def exclude_row(self, row: Any, reason: str) -> None:
        """Never suggest a candidate: the id of a table's row, or the parameters of a point of a small finite space.

        What was measured there is still used, and it may still be recommended: the certificate is about all candidates.
        """
        domain = self._task.domain
        index = domain.candidate_of(row)
        transitions.exclude_row(self._recorder, index, domain.name_of(index), as_reason(reason, needed=True))

    def include_row(self, row: Any, reason: str = "") -> None:
        """Let a candidate be suggested again."""
        domain = self._task.domain
        index = domain.candidate_of(row)
        transitions.include_row(self._recorder, index, domain.name_of(index), as_reason(reason))

    def release(self, trial: Trial | int, reason: str = "") -> Trial:
        """Give a pending trial up: it is lost, and its candidate may be suggested again."""
        return transitions.release(self._recorder, self._known(trial).number, as_reason(reason))

    def renew(self, trial: Trial | int) -> Trial:
        """Begin the lease of a pending trial anew, for work that takes longer than one lease."""
        return transitions.renew(self._recorder, self._known(trial).number)

    # Knowing --------------------------------------------------------------------------------------------------------

    def recommend(self) -> Recommendation:
        """Where the posterior mean is best: what to settle on now. Under noise it may differ from ``best``.

        Under constraints it is the best mean among points that satisfy them with probability ``1 - risk``.
        """
        history = self._told_history("recommend")
        return recommendation_of(self._task, history, self._carried.believe(history))

    def certificate(
        self, eps: float | None = None, *, draws: int = 0, record: bool = False, leave_out: int = 0
    ) -> Certified:
        """How much recommending now costs at most, in expectation, given the data: valid at every step.

        Parameters
        ----------
        eps
            Ask also for an upper bound on the probability that the regret is more than this.
        draws
            Ask also for the probability that the recommendation is the best, by so many joint draws.
        record
            Put it on record, as an event of the study.
        leave_out
            Leave out so many of the last told values: the certificate as it was before them, of what its own model
            expected most of. `should_stop` compares these, and the report draws them.

        With constraints it is a `FeasibleRegret`, with several objectives a `FrontRegret`; these have no ``eps`` and
        ``draws``. On a table it is a theorem about the fitted model, which is more cautious than the one the search
        goes by;
        elsewhere a dense sample stands for the space, and it is an estimate.

        Raises
        ------
        NumericalError
            If it would not be a finite number, which takes values such as 1e300.

        Examples
        --------
        >>> study = Study([{"t": t} for t in range(10)], objective="yield", seed=1)
        >>> for _ in range(9):
        ...     trial = study.ask()
        ...     trial = study.tell(trial, -abs(trial.params["t"] - 4))
        >>> study.certificate().bound < 0.5
        True
        """
        history = self._told_history("certificate")
        if eps is not None:
            as_nonnegative(eps, "eps")
        draws, out = as_whole(draws, "draws"), as_whole(leave_out, "leave_out")
        told = len(history.series().y)
        if out >= told:
            raise InvalidInput(f"leave_out must leave one of the {told} told values, got {out}.")
        if as_bool(record, "record") and out:
            raise InvalidInput("only the certificate of now goes on record: leave out either record= or leave_out=.")
        choice = None if out else recommended(self._task, history, self._carried.believe(history))
        then = without_last(history, out)
        left = certificate_of(self._task, then, self._carried.doubt(then), choice, eps=eps, draws=draws)
        if record:
            self._recorder.record(lambda: self._recorder.event("certified", **left.to_data()))
        return left

    def should_stop(self, when: StopRule) -> Certified | None:
        """The certificate that permits stopping, or None: little enough is left now, and was after the last few values.

        The one stop rule: `maximize`, `optimize`, the report and every command that advises to stop go by it.

        >>> from regretless import Regret
        >>> Study({"x": (0.0, 1.0)}).should_stop(Regret(0.1)) is None
        True
        """
        check_stop(when)
        history = self._history()
        told = [len(history.series(k).y) for k in range(len(self._task.outcomes))]
        if told[0] < when.patience or not all(told):
            return None
        try:
            left = self.certificate()
            return left if self._carried.may_stop(when, history, left) else None
        except NumericalError:  # without a certificate there is no reason to stop
            return None

    def predict(self, many: Iterable[Any], outcome: str | None = None) -> tuple[Floats, Floats]:
        """Posterior mean and sd of an outcome (without noise) at a list of parameters, in the user's units.

        Of the (first) objective where no ``outcome`` is named.

        They need not be candidates: see `add`.

        Worse than the median of what was measured the model counts by logarithms (`Surrogate.compress`), and its law is
        skew: there they are the median, and half the width of the central 68 %.
        """
        history, k = self._told_history("predict"), self._number_of(outcome)
        mean, sd = predict(self._carried.believe(history).believed(k), self._encoded(many, "predict"))
        return outward_within(self._task, history, mean, k), sd

    def predict_measurement(self, many: Iterable[Any], outcome: str | None = None) -> tuple[Floats, Floats, Floats]:
        """Median, lower and upper end of what nine of ten measurements at a list of parameters should give.

        Noise is included. It comes from what was told alone, under the model of the certificate, which is more cautious
        than that of `predict`: the intervals of a model that was fitted to few data miss too often.

        >>> study = Study([{"t": t} for t in range(10)], seed=1)
        >>> for _ in range(8):
        ...     trial = study.ask()
        ...     trial = study.tell(trial, -abs(trial.params["t"] - 4))
        >>> median, low, high = study.predict_measurement([{"t": 4}])
        >>> bool(low[0] < median[0] < high[0])
        True
        """
        history = self._told_history("predict_measurement")
        X, k = self._encoded(many, "predict_measurement"), self._number_of(outcome)
        return measurement_of(self._task, history, self._carried.doubt(history), X, k)

    def optimize(
        self,
        f: Callable[[Any], Any],
        n_trials: int | None = None,
        *,
        until: int | None = None,
        stop_when: StopRule | None = None,
        callback: Callable[["Study", Trial], Any] | None = None,
        on_error: "OnError" = "raise",
        catch: "Exceptions | None" = None,
        progress: bool | None = None,
    ) -> "Result":
        """Ask, evaluate ``f`` and tell, ``n_trials`` more times, or ``until`` there are so many evaluations in all.

        See `maximize` for the arguments.
        """
        from regretless.study.options import as_options
        from regretless.study.run import run

        options = as_options(
            f,
            n_trials,
            until=until,
            stop_when=stop_when,
            callback=callback,
            on_error=on_error,
            catch=catch,
            progress=progress,
        )
        return run(self, options)

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

    def _place(self, params: Any, row: Any) -> Place:
        """Where something was measured, by its parameters or by a row's id."""
        domain = self._task.domain
        return domain.place(params) if row is None else domain.place_of_row(row)

    def _number_of(self, outcome: Any) -> int:
        names = [each.name for each in self._task.outcomes]
        if outcome is not None and outcome not in names:
            raise InvalidInput(f"outcome must be one of {', '.join(names)}, got {show(outcome)}.")
        return 0 if outcome is None else names.index(outcome)

    def _encoded(self, many: Iterable[Any], what: str) -> Floats:
        if not isinstance(many, Iterable) or isinstance(many, str | Mapping):
            raise InvalidInput(
                f"{what} needs a list of params, got {show(many)}. For one point write {what}([params])."
            )
        domain = self._task.domain
        places = [domain.place(params).x for params in many]
        return np.array(places, dtype=np.float64).reshape(len(places), domain.dim)

    def _told_history(self, what: str) -> History:
        history = self._history()
        for k, outcome in enumerate(self._task.outcomes):
            if not len(history.series(k).y):
                which = "" if len(self._task.outcomes) == 1 else f" of {outcome.name}"
                raise InvalidInput(f"{what} needs at least one told value{which}; tell or add one first.")
        return history

    def _history(self) -> History:
        return self._ledger.history()
