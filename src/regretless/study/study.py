"""The one stateful object: it asks, is told, and remembers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias, overload

import numpy as np

from regretless.acquisition import JointRule, Rule
from regretless.arrays import as_whole
from regretless.deprecation import warn_renamed
from regretless.errors import InvalidInput
from regretless.gp import Surrogate
from regretless.optimizer import Composite, Direction, Fidelity, Given, Goal, Network, Preset, Sense, StopRule, Target
from regretless.risk import Aim
from regretless.spaces import Environment, Perturbation, Repeats
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
    """An optimisation: ask it what to try next, tell it the result.

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
        The model: a `Surrogate`. By default a Gaussian process whose kernel and hyperparameters are fitted to the data.
    n_initial
        Points of the initial design, before the rule takes over. Results that were added count.
    repeats
        Whether a point may be suggested again. ``"auto"``: only where the model finds noise, and never where a
        parameter is real. ``"never"``: no point twice. ``"allow"``: whenever its score is the largest, as in the
        theorems; pending points are left out while there are others. ``"all"``: pending points too, as in the theorem
        for batches. It overrides what the space says. None is ``"allow"`` for the preset ``"paper"``, for known
        hyperparameters (`Surrogate.known`) and for ``IRGPUCB("theory")``, and ``"auto"`` otherwise.
    objective
        What the value is called in messages, such as ``"yield"`` or, with its unit, ``"yield [%]"``. Or a known
        function of measured outcomes, ``Target({"density": 1.2})``, a `Composite` or a `Network` of stages: then these
        outcomes are told.
    objectives
        Several objectives by name, ``{"yield": "maximize", "cost": "minimize"}``, in place of ``objective`` and
        ``direction``. There is then a Pareto `front` in place of a best point.
    constraints
        Bounds on what is measured, by name: ``{"impurity": ("<=", 0.5)}``. The outcome is told beside the objective.
        Or constraints on the inputs, ``["x + y <= 1"]``: see `Mixed`. If you have both, give the second to the space.
    reference
        With several objectives, the point above which hypervolume counts, by name. None infers it from the first
        results, as the worst of their front less a tenth of its width, and keeps it.
    fallback
        With one objective under constraints, the value that is to be had without any trial, such as that of the present
        recipe. Certificates compare with it. None takes the worst result so far.
    risk
        The largest probability with which a recommendation may violate a constraint.
    limits
        The least and the largest value the objective can take, such as ``(0, 100)`` or ``(0, None)``. Certificates and
        predictions use it; suggestions do not depend on it. Results outside are taken as noise.
    goal
        ``LevelSet(above=0.5)`` asks which candidates reach a level, in place of the best one: see `region`. With an
        environment, what a decision is worth over it: ``Expectation()`` (the default), ``WorstCase()``, ``CVaR(0.2)``,
        ``WeightSet([...])`` or ``MeanMinusStd(0.5)``.
    environment
        Something that can be set in a trial and is not ours to choose afterwards, ``Environment("humidity", [20, 40])``
        with probabilities; or the error with which a decision is applied, a `Perturbation`. The search is then over
        decisions, each trial measures one in an environment, and a decision is recommended.
    fidelity
        ``Fidelity("mesh", levels=["coarse", "fine"], cost=[0.1, 1.0])``: trials have one more parameter, which says
        how closely they approximate what is wanted. Recommendations and certificates are about its target.
    seed
        The source of all randomness. The same seed and the same results give the same suggestions. None draws one,
        which ``study.seed`` has.

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
        objective: str | Composite | Network | Target | None = None,
        objectives: Mapping[str, Direction] | None = None,
        constraints: Constraints | None = None,
        reference: Mapping[str, float] | None = None,
        fallback: float | None = None,
        risk: float = 0.1,
        limits: Given | Mapping[str, Given] | None = None,
        goal: Goal | Aim | None = None,
        environment: Environment | Perturbation | None = None,
        fidelity: Fidelity | None = None,
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
        objective: str | Composite | Network | Target | None = None,
        objectives: Mapping[str, Direction] | None = None,
        constraints: Constraints | None = None,
        reference: Mapping[str, float] | None = None,
        fallback: float | None = None,
        risk: float | None = None,
        limits: Given | Mapping[str, Given] | None = None,
        goal: Goal | Aim | None = None,
        environment: Environment | Perturbation | None = None,
        fidelity: Fidelity | None = None,
        seed: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        author: str | None = None,
        lease: float | None = None,
        retries: int = 3,
        read_only: bool = False,
        trust: Iterable[str] = (),
        about: Mapping[str, Any] | None = None,
    ) -> Self:
        """Open a stored study, or create it if there is none and a space is given.

        Parameters
        ----------
        store
            The path of an SQLite file, which is created if need be; a URL such as
            ``postgresql://user@host/database``; or a store.
        name
            What the study is called in the store.
        space, direction, preset, rule, surrogate, n_initial, repeats, objective, objectives, constraints, reference, \
        fallback, risk, limits, goal, environment, fidelity, seed
            As for `Study`. Whatever is given for a study that exists must be what it was created with.
        metadata
            Notes to keep with a study that is created, as plain JSON. They are read back as ``study.metadata``.
        author
            Who is named in the events; by default the user who is logged in.
        lease
            Seconds after which a trial that was asked for here and not told is offered to the next who asks. None
            leaves it pending.
        retries
            How often a trial is offered again. When its lease then ends once more, it counts as failed.
        read_only
            Whether to refuse all writing. A file without write permission can be read without this.
        trust
            Names of modules whose code the stored study may import, such as that of your own rule. The classes of
            ``rule`` and ``surrogate``, if given, need not be named.
        about
            Deprecated: the old name of ``metadata``.

        Raises
        ------
        StudyConflict
            If the stored study was created with other settings than are given.
        UnknownStudy
            If there is no study of that name, and no space to create it with.
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
        """Close the store. If the study is used again, it is opened again."""
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
        """Suggest what to try next: one trial, or a list of ``n`` that are spread out.

        Trials are pending until told, and further suggestions keep away from them. An error leaves no trial behind. A
        trial whose lease has ended is offered first.

        Parameters
        ----------
        n
            How many at once. Fewer are returned where repeats are not allowed and fewer candidates are left.
        key
            A name for the request. A request with the same key gets the same trials, however often it is made.

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
        """Record the result of a trial. Trials may be told in any order.

        Telling the same result again changes nothing. Telling another one is refused: see `amend`. A trial that was
        released may still be told. If a trial was offered to a second worker, the first result counts; the other is
        stored as an event, and the trial is returned as it is.

        Parameters
        ----------
        trial
            The trial, or its number.
        value
            What was measured. Several outcomes are told by name, ``{"yield": 81.2, "impurity": 0.3}``, together or one
            after the other. A list of numbers is replicates, which are pooled exactly.
        sd
            The known standard deviation of the measurement, by name for several outcomes. Further noise is fitted.
        failed
            True if the trial gave no result; the name of an outcome, or a list, if only these are missing.

        Examples
        --------
        >>> study = Study({"x": (0.0, 1.0)}, objective="yield", constraints={"impurity": ("<=", 0.5)}, seed=1)
        >>> trial = study.tell(study.ask(), {"yield": [80.1, 81.3]})
        >>> trial.status, study.tell(trial, {"impurity": 0.3}).status
        ('pending', 'told')
        """
        known = self._known(trial)
        if value is None and isinstance(failed, bool | np.bool_) and not failed:
            raise InvalidInput(f"tell(trial {known.number}, ...) needs a value, or failed=True.")
        before = {} if known.status == "released" else known.values
        told = read_told(self._task, value, failed=failed, sd=sd, what=f"trial {known.number}", known=before)
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
        """Add a result that was not asked for.

        Parameters
        ----------
        params
            What was tried. It need not be a candidate: a point that is no row of the table, or lies beyond the bounds,
            is data for the model and is never suggested or recommended; ``note`` of the trial says so. Numbers may lie
            up to ten widths of their column beyond its ends. A category must be a known one.
        value, sd, failed
            As for `tell`.
        row
            The id of a row of the table, in place of ``params``.
        key
            A name for the request. The same data with the same key are added once, however often that is tried.

        Examples
        --------
        >>> study = Study([{"T": T} for T in (20, 40, 60, 80)], seed=1)
        >>> trial = study.add({"T": 85}, 0.7)
        >>> trial.row, trial.note
        (None, 'not a row of the table: used as data, never suggested')
        """
        if (params is None) == (row is None) and not (self._task.context is not None and row is not None):
            raise InvalidInput("add needs either params or row=, the id of a row of the table.")
        if isinstance(failed, bool | np.bool_) and failed == (value is not None):
            raise InvalidInput("add needs either a value or failed=True.")
        told = read_told(self._task, value, failed=failed, sd=sd, what="this result")
        return transitions.add(self._recorder, told, lambda: self._task.place(params, row), as_key(key))

    def add_study(self, earlier: "Study | str | Path", name: str | None = None, *, key: str | None = None) -> int:
        """Use an earlier study of a related problem as data; returns the number of its results that are used.

        Its results are not results of this study: they inform the models through one correlation per outcome, which is
        fitted as results arrive, and a model that predicts better without them drops them. Outcomes and parameters are
        matched by name; results outside this space are left out. A study can have one such source, and keeps a copy.

        Parameters
        ----------
        earlier
            The study, or the file or database that it is in.
        name
            Its name there, if there are several.
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
        if self._task.fidelity is not None:
            raise InvalidInput("a study with a fidelity takes no earlier study; add its results with their level.")
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
        budget: float | None = None,
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
        """Ask, evaluate ``f`` and tell, ``n_trials`` more times, or ``until`` there are that many evaluations in total.

        With a fidelity also, or only, while what was spent is less than a ``budget``.

        The arguments are those of `maximize`.
        """
        from regretless.study.options import as_options
        from regretless.study.run import run

        options = as_options(
            f,
            n_trials,
            until=until,
            budget=budget,
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
