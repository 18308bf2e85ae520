"""What a study knows by its models: what to settle on, what to expect, how much regret is left."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from regretless.arrays import Floats, as_nonnegative, as_whole, show
from regretless.errors import InvalidInput, NumericalError
from regretless.optimizer import (
    Certified,
    History,
    StopRule,
    certificate_of,
    check_stop,
    left_out_of,
    measurement_of,
    predict,
    recommended,
    without_last,
)
from regretless.study.answers import front_of, outward_within, recommendation_of
from regretless.study.arguments import as_bool
from regretless.study.properties import Properties
from regretless.study.trial import Recommendation
from regretless.theory import pass_seconds

__all__ = ["Predictions"]


class Predictions(Properties):
    """The part of a `Study` that asks its models."""

    @property
    def front(self) -> tuple[Recommendation, ...]:
        """With several objectives, what to choose from: the Pareto set of what the models expect.

        Among candidates that satisfy the constraints with probability ``1 - risk``. `best_trials` are the
        Pareto-optimal measurements.

        >>> from regretless import Study
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
        >>> from regretless import Study
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
            self._recorder.record(lambda: [self._recorder.event("certified", **left.to_data())])
        return left

    def certificate_seconds(self) -> float:
        """About how long `certificate` takes: on a table in a file it is one pass over all rows, elsewhere nothing.

        A part of the rows is timed. `recommend` and the first suggestion after a fit take no longer.
        """
        blocks = self._carried.doubt(self._told_history("certificate_seconds")).doubted().belief.blocks
        return 0.0 if blocks is None else pass_seconds(blocks)

    def should_stop(self, when: StopRule) -> Certified | None:
        """The certificate that permits stopping, or None: little enough is left now, and was after the last few values.

        The one stop rule: `maximize`, `optimize`, the report and every command that advises to stop go by it.

        >>> from regretless import Regret, Study
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

        >>> from regretless import Study
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

    def predict_left_out(self, outcome: str | None = None) -> tuple[tuple[int, ...], Floats, Floats, Floats, Floats]:
        """Each result beside what all others predict of it: trials, measured, median, lower and upper end.

        A model that can be trusted has nine of ten results between the ends. Where there are very many results, it is
        about those that the model rests on. The parameters of the model are not fitted again.

        >>> from regretless import Study
        >>> study = Study([{"t": t} for t in range(10)], seed=1)
        >>> for _ in range(8):
        ...     trial = study.ask()
        ...     trial = study.tell(trial, -abs(trial.params["t"] - 4))
        >>> trials, measured, median, low, high = study.predict_left_out()
        >>> len(trials), bool((low < median).all())
        (8, True)
        """
        history, k = self._told_history("predict_left_out"), self._number_of(outcome)
        return left_out_of(self._task, self._carried.doubt(history), k)

    # Inside ---------------------------------------------------------------------------------------------------------

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
