"""The one stateful object: asks, is told, remembers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias, overload

import numpy as np

from regretless.acquisition import JointRule, Rule
from regretless.arrays import as_whole
from regretless.deprecation import warn_renamed
from regretless.errors import InvalidInput
from regretless.gp import Surrogate
from regretless.optimizer import Direction, Given, LevelSet, Preset, Sense, StopRule
from regretless.risk import Aim
from regretless.spaces import Environment, Perturbation, Place, Repeats
from regretless.study import registry, transitions
from regretless.study.arguments import as_bool, as_key
from regretless.study.corrections import Corrections
from regretless.study.earlier import results_of, sources_of
from regretless.study.journal import MemoryJournal, Store
from regretless.study.predictions import Predictions
from regretless.study.settings import GIVEN, settings
from regretless.study.trial import Trial
from regretless.study.values import read_told

if TYPE_CHECKING:
    from pathlib import Path

    from regretless.study.options import Exceptions, OnError
    from regretless.study.result import Result

__all__ = ["Constraints", "Study"]


#: Bounds on outcomes by name, such as ``{"impurity": ("<=", 0.5)}``; or constraints of the space, ``["x + y <= 1"]``.
Constraints: TypeAlias = Mapping[str, tuple[Sense, float]] | Sequence[str | Callable[[dict[str, Any]], Any]] | str


class Study(Predictions, Corrections):
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
        theorems. ``"auto"``: a measured point only where the model finds noise,
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
    goal
        ``LevelSet(above=0.5)`` asks which candidates reach a level, in place of the best one: see `region`. With an
        environment, what a decision is worth over it: ``Expectation()`` (the default), ``WorstCase()``, ``CVaR(0.2)``,
        ``WeightSet([...])`` or ``MeanMinusStd(0.5)``.
    environment
        Something that can be set in a trial and is not ours to choose afterwards, ``Environment("humidity", [20, 40])``
        with probabilities; or the error with which a decision is applied, a `Perturbation`. The search is then over
        decisions, each trial measures one in an environment, and a decision is recommended.
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
        goal: LevelSet | Aim | None = None,
        environment: Environment | Perturbation | None = None,
        seed: int | None = None,
    ) -> None:
        chosen = settings(**{name: value for name, value in locals().items() if name in GIVEN})
        self._start(chosen, MemoryJournal(), name=None, author=registry.login(), lease=None, retries=0)

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
        goal: LevelSet | Aim | None = None,
        environment: Environment | Perturbation | None = None,
        seed: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        author: str | None = None,
        lease: float | None = None,
        retries: int = 3,
        read_only: bool = False,
        trust: Iterable[str] = (),
        about: Mapping[str, Any] | None = None,
    ) -> Self:
        """A study that lasts: created if it is not there and a space is given, else opened as it is.

        Parameters
        ----------
        store
            The path of a file, which is made if need be; a URL such as ``postgresql://user@host/database``; or a store.
        name
            What the study is called there.
        space, direction, preset, rule, surrogate, n_initial, repeats, objective, objectives, constraints, reference, \
        fallback, risk, limits, goal, environment, seed
            As for `Study`. Whatever is given for a study that exists must be what it was created with.
        metadata
            Notes to keep with a study that is created, as plain JSON. They are read back as ``study.metadata``.
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
        about
            Deprecated: the old name of ``metadata``.

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
        if about is not None:
            warn_renamed("about=", "metadata=")
            metadata = about
        given = {name: value for name, value in locals().items() if name in (*GIVEN, "metadata")}
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
        workers: int | None = None,
        executor: Any = None,
        retries: int = 1,
        time_limit: float | None = None,
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
            workers=workers,
            executor=executor,
            retries=retries,
            time_limit=time_limit,
        )
        return run(self, options)

    def _place(self, params: Any, row: Any) -> Place:
        """Where something was measured, by its parameters or by a row's id."""
        domain = self._task.domain
        return domain.place(params) if row is None else domain.place_of_row(row)
