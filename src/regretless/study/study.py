"""The one stateful object: asks, is told, remembers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from regretless.acquisition import Rule
from regretless.arrays import Floats, as_finite_float
from regretless.errors import Exhausted, InvalidInput, TrialConflict, UnknownTrial
from regretless.gp import Surrogate
from regretless.optimizer import (
    Fit,
    History,
    Points,
    Preset,
    State,
    Suggestion,
    certify,
    doubt,
    in_units,
    predict,
    recommend,
    setup,
    suggest,
    without_last,
)
from regretless.spaces import Mixed, Repeats, Table, as_space
from regretless.study.certificate import Regret, RemainingRegret, check_stop
from regretless.study.trial import Recommendation, Status, Trial

if TYPE_CHECKING:
    from regretless.study.run import Result

__all__ = ["Direction", "Study"]

Direction = Literal["maximize", "minimize"]

#: Values of this size can still be squared and summed by a model that takes them as they are.
_LARGEST_RAW = 1e50


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
        How the next point is chosen: a name such as ``"irgp-ucb"`` (the default) or ``"ei"``, or a `Rule`.
    surrogate
        The model.
    n_initial
        Points of the initial design before the rule takes over; past data count.
    repeats
        ``"allow"`` or ``"never"``: whether something already tried may be suggested again. Overrides the space's own.
    objective
        What the value is called in sentences, such as ``"yield"``.
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
        direction: Direction = "maximize",
        preset: Preset = "default",
        rule: str | Rule | None = None,
        surrogate: Surrogate | None = None,
        n_initial: int | None = None,
        repeats: Repeats | None = None,
        objective: str = "value",
        seed: int | None = None,
    ) -> None:
        if direction not in ("maximize", "minimize"):
            raise InvalidInput(f"direction must be 'maximize' or 'minimize', got {direction!r}.")
        if not isinstance(objective, str) or not objective:
            raise InvalidInput(f"objective must be the name of what is measured, got {objective!r}.")
        self.direction: Direction = direction
        self.objective = objective
        self._setup = setup(
            as_space(space, repeats), preset=preset, rule=rule, surrogate=surrogate, n_initial=n_initial, seed=seed
        )
        self._trials: list[Trial] = []
        self._codes: list[Floats] = []
        self._indices: list[int] = []
        self._fit: Fit | None = None
        self._state: State | None = None
        self._doubt: State | None = None  # of the cautious model, for certificates
        self._bounds: dict[tuple[bytes, bytes], float] = {}

    # What it is -----------------------------------------------------------------------------------------------------

    @property
    def space(self) -> Table | Mixed:
        """What may be tried."""
        return self._setup.space

    @property
    def rule(self) -> Rule:
        """How the next point is chosen."""
        return self._setup.rule

    @property
    def seed(self) -> int:
        """What all randomness comes from."""
        return self._setup.seed

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial, in the order of its number."""
        return tuple(self._trials)

    @property
    def best(self) -> Trial | None:
        """The trial with the best measured value (of equals the first); None before anything was told."""
        told = [trial for trial in self._trials if trial.status == "told"]
        return max(told, key=self._signed, default=None)

    def __len__(self) -> int:
        return len(self._trials)

    def __repr__(self) -> str:
        count = {status: sum(t.status == status for t in self._trials) for status in ("told", "pending", "failed")}
        states = ", ".join(f"{n} {status}" for status, n in count.items() if n) or "empty"
        return f"Study({self.direction} over {self.space!r}, rule={self.rule.name!r}, seed={self.seed}: {states})"

    # Asking and telling ---------------------------------------------------------------------------------------------

    @overload
    def ask(self) -> Trial: ...
    @overload
    def ask(self, n: int) -> list[Trial]: ...
    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """What to try next: one trial, or a list of ``n`` that spread out.

        Asked trials are pending until told. They count: the next suggestion keeps away from them. The list is shorter
        than ``n`` where repeats are not allowed and fewer candidates are left. An error leaves no trial behind.

        Raises
        ------
        Exhausted
            If every candidate has been tried and repeats are not allowed.
        """
        if n is None:
            return self._ask()
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InvalidInput(f"n must be a whole number >= 1, got {n!r}.")
        return self._ask_many(int(n))

    def tell(self, trial: Trial | int, value: Any = None, *, failed: bool = False) -> Trial:
        """Record what came out of a trial, in any order; ``failed=True`` if nothing did.

        Telling the same again changes nothing; telling something else is refused.
        """
        known = self._known(trial)
        if _as_bool(failed, "failed"):
            if value is not None:
                raise InvalidInput(f"trial {known.number} cannot both fail and have the value {value!r}.")
            return self._finish(known, "failed", None)
        if value is None:
            raise InvalidInput(f"tell(trial {known.number}, ...) needs a value, or failed=True.")
        return self._finish(known, "told", self._number(value, f"the value of trial {known.number}"))

    def add(self, params: Any = None, value: Any = None, *, row: Any = None, failed: bool = False) -> Trial:
        """Bring data along that was not asked for: parameters (or the id of a table's row) with value or ``failed``."""
        if (params is None) == (row is None):
            raise InvalidInput("add needs either params or row=, the id of a row of the table.")
        if _as_bool(failed, "failed") == (value is not None):
            raise InvalidInput("add needs either a value or failed=True.")
        number = None if failed else self._number(value, "value")
        index = self._index(params, row)
        if index >= 0:
            checked, code = self._table.params(index), self._table.X[index]
        else:
            checked = self.space.check(params)
            code = self.space.encode(checked)
        trial = Trial(
            number=len(self._trials),
            params=checked,
            row=self._row(index),
            status="failed" if failed else "told",
            value=number,
            source="added",
        )
        self._append(trial, code, index)
        return trial

    # Knowing --------------------------------------------------------------------------------------------------------

    def recommend(self) -> Recommendation:
        """Where the posterior mean is best: what to settle on now. Under noise it may differ from ``best``."""
        history = self._told_history("recommend")
        choice = recommend(self._setup, history, self._doubtful(history))
        params = self._table.params(choice.index) if choice.index >= 0 else self._product.decode(choice.x)
        return Recommendation(params, self._row(choice.index), self._sign * choice.mean, choice.sd)

    def certificate(self, eps: float | None = None, *, draws: int = 0) -> RemainingRegret:
        """How much recommending now costs at most, in expectation, given the data: valid at every step.

        Parameters
        ----------
        eps
            Ask also for an upper bound on the probability that the regret is more than this.
        draws
            Ask also for the probability that the recommendation is the best, by so many joint draws.

        On a table it is a theorem about the fitted model; elsewhere a dense sample stands for the space, and it is an
        estimate.

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
        if eps is not None and as_finite_float(eps, "eps") < 0.0:
            raise InvalidInput(f"eps must not be negative, got {eps!r}.")
        if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 0:
            raise InvalidInput(f"draws must be a whole number >= 0, got {draws!r}.")
        proof = certify(self._setup, history, self._doubtful(history), eps=eps, draws=int(draws))
        found = proof.certificate
        scale = proof.fit.hyperparameters.scale
        mean, sd = in_units(proof.fit, found.mean, found.sd)
        return RemainingRegret(
            params=self._table.params(proof.index) if proof.index >= 0 else self._product.decode(proof.x),
            row=self._row(proof.index),
            mean=self._sign * float(mean),
            sd=float(sd),
            bound=scale * found.bound,
            tail_sum=scale * found.tail_sum,
            pairwise=scale * found.pairwise,
            lemma=scale * found.lemma,
            eps=eps,
            exceeds=found.exceeds,
            best=found.best,
            exact=proof.index >= 0,
            trust=proof.calibration,
            objective=self.objective,
            model="given" if self._setup.surrogate.method == "fixed" else "fitted",
        )

    def should_stop(self, when: Regret) -> RemainingRegret | None:
        """The certificate that allows to stop, or None: little enough now, and after each of the last few told values.

        >>> Study({"x": (0.0, 1.0)}).should_stop(Regret(0.1)) is None
        True
        """
        check_stop(when)
        history = self._history()
        if len(history.y) < when.patience:
            return None
        left = self.certificate()
        if not when.reached(left):
            return None
        return left if all(when.allows(self._bound(history, k), left) for k in range(1, when.patience)) else None

    def predict(self, many: Iterable[Any]) -> tuple[Floats, Floats]:
        """Posterior mean and sd of the objective (without noise) at a list of parameters, in the user's units."""
        history = self._told_history("predict")
        if not isinstance(many, Iterable) or isinstance(many, str | Mapping):
            raise InvalidInput(f"predict needs a list of params, got {many!r}. For one point write predict([params]).")
        X = self._setup.domain.encode_many(list(many))
        mean, sd = predict(self._doubtful(history), X)
        return self._sign * mean, sd

    def optimize(
        self,
        f: Callable[[Any], Any],
        n_trials: int,
        *,
        stop_when: Regret | None = None,
        callback: Callable[["Study", Trial], Any] | None = None,
        catch: tuple[type[Exception], ...] = (),
        progress: bool | None = None,
    ) -> "Result":
        """Ask, evaluate ``f`` and tell, ``n_trials`` times; see `maximize` for the arguments."""
        from regretless.study.run import run

        return run(self, f, n_trials, stop_when=stop_when, callback=callback, catch=catch, progress=progress)

    # Inside ---------------------------------------------------------------------------------------------------------

    @property
    def _sign(self) -> float:
        return 1.0 if self.direction == "maximize" else -1.0

    @property
    def _table(self) -> Table:
        assert isinstance(self._setup.domain, Table)
        return self._setup.domain

    @property
    def _product(self) -> Mixed:
        assert isinstance(self._setup.domain, Mixed)
        return self._setup.domain

    def _signed(self, trial: Trial) -> float:
        assert trial.value is not None
        return self._sign * trial.value

    def _ask(self) -> Trial:
        number = len(self._trials)
        suggestion, self._state = suggest(self._setup, self._history(), number, self._state)
        if suggestion.fit is not None:
            self._fit = suggestion.fit
        trial = self._as_trial(number, suggestion)
        self._append(trial, suggestion.x, suggestion.index)
        return trial

    def _ask_many(self, n: int) -> list[Trial]:
        before, fit, state = len(self._trials), self._fit, self._state
        try:
            for _ in range(n):
                self._ask()
        except Exhausted:
            if len(self._trials) == before:
                raise
        except BaseException:  # nobody would ever get to see the trials of a list that was not returned
            del self._trials[before:]
            self._fit, self._state = fit, state
            raise
        return self._trials[before:]

    def _as_trial(self, number: int, suggestion: Suggestion) -> Trial:
        index = suggestion.index
        record = dict(suggestion.record)
        if "mean" in record:
            record["mean"] *= self._sign
        fit = suggestion.fit
        return Trial(
            number=number,
            params=self._table.params(index) if index >= 0 else self._product.decode(suggestion.x),
            row=self._row(index),
            source=suggestion.source,
            record=record,
            hyperparameters=asdict(fit.hyperparameters) if fit is not None else None,
            jitter=suggestion.jitter,
            fallback=suggestion.fallback,
        )

    def _append(self, trial: Trial, code: Floats, index: int) -> None:
        # A trial counts once it is in the list of trials; what an interrupt or an undone batch left is overwritten.
        self._codes[trial.number :] = [code]
        self._indices[trial.number :] = [index]
        self._trials.append(trial)

    def _finish(self, trial: Trial, status: Status, value: float | None) -> Trial:
        if trial.status != "pending":
            if (trial.status, trial.value) == (status, value):
                return trial
            had = f"told {trial.value!r}" if trial.status == "told" else "failed"
            now = f"telling {value!r}" if status == "told" else "failing it"
            raise TrialConflict(f"trial {trial.number} was already {had}; {now} now would change the past.")
        done = replace(trial, status=status, value=value)
        self._trials[trial.number] = done
        return done

    def _number(self, value: Any, what: str) -> float:
        number = as_finite_float(value, what)
        if not self._setup.surrogate.standardize and abs(number) > _LARGEST_RAW:
            raise InvalidInput(
                f"{what} must be within +-{_LARGEST_RAW:g} for a model that does not standardise, got {number!r}. "
                "Scale the values, or use a Surrogate with standardize=True."
            )
        return number

    def _known(self, trial: Trial | int) -> Trial:
        number = trial.number if isinstance(trial, Trial) else trial
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise InvalidInput(f"trial must be a Trial or its number, got {trial!r}.")
        if not 0 <= number < len(self._trials):
            raise UnknownTrial(f"no trial {number} in this study; it has {len(self._trials)}, numbered from 0.")
        known = self._trials[int(number)]
        if isinstance(trial, Trial) and dict(trial.params) != dict(known.params):
            raise UnknownTrial(f"trial {number} of this study has other parameters; the one told is of another study.")
        return known

    def _index(self, params: Any, row: Any) -> int:
        """Candidate number of params or of a row id on a table, else -1."""
        domain = self._setup.domain
        if row is not None:
            if not isinstance(self.space, Table):
                raise InvalidInput("row= names a row of a table; this study's space is not a table: give params.")
            return self.space.index_of_id(row)
        return domain.index_of(params) if isinstance(domain, Table) else -1

    def _row(self, index: int) -> Any:
        return self.space.ids[index] if index >= 0 and isinstance(self.space, Table) else None

    def _doubtful(self, history: History) -> State:
        self._doubt = doubt(self._setup, history, self._doubt)
        return self._doubt

    def _bound(self, history: History, count: int) -> float:
        """The certified bound as it was before the last ``count`` told values."""
        earlier = without_last(history, count)
        key = (earlier.told.trials.tobytes(), earlier.y.tobytes())
        if key not in self._bounds:
            proof = certify(self._setup, earlier, self._doubtful(earlier))
            self._bounds[key] = proof.fit.hyperparameters.scale * proof.certificate.bound
        return self._bounds[key]

    def _told_history(self, what: str) -> History:
        history = self._history()
        if not len(history.y):
            raise InvalidInput(f"{what} needs at least one told value; tell or add one first.")
        return history

    def _history(self) -> History:
        numbers: Mapping[Status, list[int]] = {"told": [], "pending": [], "failed": []}
        for trial in self._trials:
            numbers[trial.status].append(trial.number)
        y = np.array([self._signed(self._trials[i]) for i in numbers["told"]], dtype=np.float64)
        return History(
            told=self._points(numbers["told"]),
            y=y,
            pending=self._points(numbers["pending"]),
            failed=self._points(numbers["failed"]),
            n_designed=sum(trial.source == "design" for trial in self._trials),
            n_ruled=sum(trial.source == "rule" for trial in self._trials),
            fit=self._fit,
        )

    def _points(self, numbers: list[int]) -> Points:
        X = np.array([self._codes[i] for i in numbers], dtype=np.float64).reshape(len(numbers), self._setup.domain.dim)
        index = np.array([self._indices[i] for i in numbers], dtype=np.intp)
        return Points(np.array(numbers, dtype=np.intp), X, index)


def _as_bool(value: Any, what: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InvalidInput(f"{what} must be True or False, got {value!r}.")
    return bool(value)
