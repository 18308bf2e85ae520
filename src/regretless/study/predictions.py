"""What a study infers from its models: recommendations, predictions and certificates."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_finite_float, as_nonnegative, as_whole, show
from regretless.errors import InvalidInput, NumericalError
from regretless.optimizer import (
    Certified,
    History,
    LevelSet,
    State,
    StopRule,
    certificate_of,
    check_stop,
    classify,
    composite_moments,
    expect,
    left_out_of,
    measurement_of,
    params_of,
    recommended_elsewhere,
    seconds_of,
    without_last,
)
from regretless.spaces import UNLISTED, FileTable
from regretless.study.answers import front_of, outward_within, recommendation_of
from regretless.study.arguments import as_bool
from regretless.study.properties import Properties
from regretless.study.trial import Recommendation, Region
from regretless.theory import pass_seconds

__all__ = ["Predictions"]


class Predictions(Properties):
    """The part of a `Study` that uses its models."""

    @property
    def front(self) -> tuple[Recommendation, ...]:
        """With several objectives, the Pareto set of the posterior means, to choose from.

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
        """The point to settle on now: where the posterior mean is best. Under noise it may differ from ``best``.

        On a table it is the row with the best mean under the averaged belief, which is also the one that the
        certificate is about; elsewhere the point with the best mean under the search model.

        Under constraints it is the best mean among points that satisfy them with probability ``1 - risk``.
        """
        history = self._told_history("recommend")
        return recommendation_of(self._task, history, self._both(history))

    def region(self, many: Iterable[Any] | None = None) -> Region:
        """With ``goal=LevelSet(...)``, which candidates reach the level, and with what probability.

        For all candidates of a list; elsewhere at the given ``params``. The probabilities are averaged over the
        hyperparameters that are plausible given the data; a candidate is inside if its probability is at least 1/2.

        >>> from regretless import LevelSet, Study
        >>> study = Study([{"t": t} for t in range(12)], goal=LevelSet(above=0.0), seed=1)
        >>> for _ in range(8):
        ...     trial = study.ask()
        ...     trial = study.tell(trial, 6.5 - trial.params["t"])
        >>> study.region().inside.tolist().count(True)
        7
        """
        task = self._task
        if not isinstance(task.objective.goal, LevelSet):
            raise InvalidInput("a region takes a level: make the study with goal=LevelSet(above=0.5).")
        history = self._told_history("region")
        if many is None:
            X = task.domain.candidates
            if X is None:
                raise InvalidInput("this space is no list of candidates: region needs a list of params.")
            index = np.arange(len(X), dtype=np.intp)
            places = [params_of(task, task.domain.at_index(i)) for i in range(len(X))]
        else:
            many = list(many) if isinstance(many, Iterable) and not isinstance(many, str | Mapping) else many
            X, index = self._encoded(many, "region")
            listed = [params_of(task, task.domain.at_index(int(i))) if i != UNLISTED else None for i in index]
            places = [
                (dict(given), None) if place is None else place for given, place in zip(many, listed, strict=True)
            ]
        belief = self._carried.doubt(history).doubted()
        mean, sd = expect(belief, X, index)
        return Region(
            tuple(params for params, _ in places),
            tuple(row for _, row in places),
            classify(task, belief, X, index),
            outward_within(task, history, mean),
            sd,
        )

    def certificate(
        self, eps: float | None = None, *, draws: int | None = None, record: bool = False, leave_out: int = 0
    ) -> Certified:
        """An upper bound on the expected regret of the present recommendation, given the data; valid at every step.

        Parameters
        ----------
        eps
            Ask also for an upper bound on the probability that the regret is more than this.
        draws
            The number of joint draws for the probability that the recommendation is the best, and for its simulated
            regret: 480 by default, 0 for none.
        record
            Put it on record, as an event of the study.
        leave_out
            Leave out this many of the last values: the certificate as it was before them, of the point that its own
            model recommended. `should_stop` compares these, and the report draws them.

        Under constraints it is a `FeasibleRegret`, with several objectives a `FrontRegret`, for a level set a
        `RegionLoss`; these take no ``eps`` and no ``draws``. On a table it is a theorem about the model, averaged over
        plausible hyperparameters; elsewhere a sample of points represents the space, and it is an estimate.

        Raises
        ------
        NumericalError
            If it is not a finite number, which happens only with values such as 1e300.

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
        draws, out = None if draws is None else as_whole(draws, "draws"), as_whole(leave_out, "leave_out")
        told = len(history.series().y)
        if out >= told:
            raise InvalidInput(f"leave_out must leave one of the {told} told values, got {out}.")
        if as_bool(record, "record") and out:
            raise InvalidInput("only the present certificate can be recorded: give record= or leave_out=, not both.")
        choice = None if out else recommended_elsewhere(self._task, history, self._both(history))
        then = without_last(history, out)
        left = certificate_of(self._task, then, self._carried.doubt(then), choice, eps=eps, draws=draws)
        if record:
            self._recorder.record(lambda: [self._recorder.event("certified", **left.to_data())])
        return left

    def certificate_seconds(self) -> float:
        """The approximate time of `certificate` on one core: more than a second on tables of tens of thousands of rows.

        On a table in a file it is one pass over all rows; a part of them is timed. `recommend` and the first suggestion
        after a fit take no longer. Before the first value there is nothing to certify: zero.

        >>> from regretless import Study
        >>> Study([{"t": t} for t in range(10)]).certificate_seconds() < 1.0
        True
        """
        history = self._history()
        if self._task.domain.engine is None:
            return seconds_of(self._task, len(history.series().y))
        if not len(history.series().y):
            return 0.0
        fitted = self._carried.doubt(history).doubted().fitted
        blocks = None if fitted is None else fitted.belief.blocks
        return 0.0 if blocks is None else pass_seconds(blocks)

    def should_stop(self, when: StopRule) -> Certified | None:
        """The certificate that permits stopping, or None. It has to be small now and after each of the last values.

        This is the one stop rule: `maximize`, `optimize`, the report and every command that advises stopping use it.

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

        Without ``outcome``, of the (first) objective.

        They need not be candidates: see `add`.

        They come from the belief behind certificates, averaged over plausible hyperparameters, so they depend on the
        results alone. Its law is a mixture, and skewed if the model compresses values (`Surrogate.compress`): the mean
        is then its median, and mean ± 1.96 sd is as wide as its 95 % interval.

        Of a `Network` it is mean and sd of draws, of the objective and of every stage: what earlier stages will give is
        not known either.
        """
        history, k = self._told_history("predict"), self._number_of(outcome)
        if self._task.composite is not None and (k == 0 or self._task.network is not None):
            beliefs, (X, index) = self._carried.doubt(history).all_doubted(), self._encoded(many, "predict")
            mean, sd = composite_moments(self._task, beliefs, beliefs[0].numbered(X, index), k)
            return self._task.outcomes[k].outward(mean), sd
        mean, sd = expect(self._carried.doubt(history).doubted(k), *self._encoded(many, "predict"))
        return outward_within(self._task, history, mean, k), sd

    def predict_measurement(
        self, many: Iterable[Any], outcome: str | None = None, *, share: float = 0.9
    ) -> tuple[Floats, Floats, Floats]:
        """Median, lower and upper end of the interval that should hold nine of ten measurements at each of ``params``.

        Or another ``share`` of them. Noise is included. It comes from what was told alone, as `predict` does.

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
        (X, index), k = self._encoded(many, "predict_measurement"), self._number_of(outcome)
        if not 0.0 < as_finite_float(share, "share") < 1.0:
            raise InvalidInput(f"share must lie strictly between 0 and 1, such as 0.9, got {show(share)}.")
        return measurement_of(self._task, history, self._carried.doubt(history), X, index, k, share=float(share))

    def predict_left_out(self, outcome: str | None = None) -> tuple[tuple[int, ...], Floats, Floats, Floats, Floats]:
        """Leave-one-out predictions of each result: trials, measured values, medians, lower and upper ends.

        For a well calibrated model nine of ten results lie between the ends. With very many results only those that the
        model uses are shown. The hyperparameters are not fitted again.

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

    def _both(self, history: History) -> State:
        """The state with the posteriors to search by, and the beliefs for certificates."""
        self._carried.believe(history)
        return self._carried.doubt(history)

    def _encoded(self, many: Iterable[Any], what: str) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Encoded points, and the numbers of those that are candidates of a list."""
        if not isinstance(many, Iterable) or isinstance(many, str | Mapping):
            raise InvalidInput(
                f"{what} needs a list of params, got {show(many)}. For one point write {what}([params])."
            )
        task, domain = self._task, self._task.domain
        if isinstance(domain, FileTable):  # which row it is, if any, makes no difference there, and takes long to find
            X = np.array([domain.codes_at(params) for params in many]).reshape(-1, domain.dim)
            return X, np.full(len(X), UNLISTED, dtype=np.intp)
        places = [task.place(params) for params in many]
        X = np.array([(*place.x, *place.context) for place in places], dtype=np.float64)
        X = X.reshape(len(places), domain.dim + task.context_width)
        index = [UNLISTED if place.index is None else place.index for place in places]
        return X, np.array(index, dtype=np.intp)

    def _told_history(self, what: str) -> History:
        history = self._history()
        for k, outcome in enumerate(self._task.outcomes):
            if not len(history.series(k).y):
                which = "" if len(self._task.outcomes) == 1 else f" of {outcome.name}"
                raise InvalidInput(f"{what} needs at least one told value{which}; tell or add one first.")
        return history
