"""A search over hyperparameters by cross-validation, in place of scikit-learn's random one."""

import warnings
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._split import _yields_constant_splits
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from regretless.errors import Exhausted
from regretless.integrations.sklearn.spaces import SearchSpace, as_search_space
from regretless.optimizer import Certified, Regret
from regretless.study import Study, Trial

__all__ = ["RegretlessSearchCV"]


class RegretlessSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Search over hyperparameters with cross-validation, each candidate chosen by what the earlier ones gave.

    Parameters
    ----------
    estimator
        What is fitted.
    param_distributions
        By name of the parameter: bounds such as ``(1e-3, 1e3, "log")`` or ``(1, 9)``, a list of values of any kind, a
        frozen distribution of SciPy, a dimension of scikit-optimize or of ours; or a list of such mappings.
    n_iter
        How many candidates are tried; fewer where a finite space has no more.
    n_points
        How many candidates are chosen at a time. With n_jobs, so many times the folds run in parallel. Another number
        gives other candidates.
    stop_when
        A `regretless.Regret`: stop when little enough regret is left.
    metric
        Which of several metrics is searched by; None is the one that ``refit`` names.
    rule, n_initial
        As for `regretless.Study`.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, random_state, error_score, return_train_score
        As for ``RandomizedSearchCV``. A candidate whose score is not a number counts as failed and is kept away from.

    Attributes
    ----------
    best_params_, best_score_, best_estimator_, cv_results_, ...
        As of ``RandomizedSearchCV``.
    recommended_params_
        Where the model expects the best score. ``best_params_`` is what happened to have the best.
    certificate_
        How much recommending them costs at most, in expectation, under the model: a statement about this
        cross-validation score.
    stopped_by_
        The certificate that ended the search, or None.
    study_
        The `regretless.Study` behind the search.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> space = {"C": (1e-2, 1e3, "log"), "gamma": (1e-4, 1.0, "log")}
    >>> search = RegretlessSearchCV(SVC(), space, n_iter=12, random_state=1)
    >>> bool(search.fit(*load_iris(return_X_y=True)).best_score_ > 0.97)
    True
    >>> sorted(search.recommended_params_)
    ['C', 'gamma']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSearchCV._parameter_constraints,
        "param_distributions": "no_validation",
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "n_points": [Interval(Integral, 1, None, closed="left")],
        "stop_when": [Regret, None],
        "metric": [str, None],
        "rule": "no_validation",
        "n_initial": [Interval(Integral, 0, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 50,
        n_points: int = 1,
        stop_when: Regret | None = None,
        metric: str | None = None,
        rule: Any = None,
        n_initial: int | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.n_points = n_points
        self.stop_when = stop_when
        self.metric = metric
        self.rule = rule
        self.n_initial = n_initial
        self.random_state = random_state
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    @property
    def recommended_params_(self) -> dict[str, Any]:
        """Where the model expects the best score."""
        check_is_fitted(self)
        return self._search_space.params(self.study_.recommend().params)

    @property
    def certificate_(self) -> Certified:
        """How much recommending costs at most, in expectation, given the scores."""
        check_is_fitted(self)
        return self.study_.certificate()

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]], *, callback_ctx: Any = None) -> None:
        if not _yields_constant_splits(self._checked_cv_orig):
            warnings.warn(
                "cv draws other folds for each candidate, so their scores differ by chance. Give the splitter a "
                "random_state.",
                stacklevel=3,
            )
        self._search_space: SearchSpace = as_search_space(self.param_distributions)
        seed = self.random_state
        if seed is None or not isinstance(seed, Integral):
            seed = check_random_state(seed).randint(2**31 - 1)
        self.study_ = Study(
            self._search_space.space, objective="score", rule=self.rule, n_initial=self.n_initial, seed=int(seed)
        )
        self.stopped_by_: Certified | None = None
        search = callback_ctx.subcontext(task_name="search", max_subtasks=None).call_on_fit_task_begin(estimator=self)
        _Run(self, evaluate_candidates, search).go()
        search.call_on_fit_task_end(estimator=self)


class _Run:
    """One search. scikit-learn raises where all fits of a batch failed, and forgets the batch.

    Such candidates are failed trials. They are handed in once more with the next batch, so that ``cv_results_`` has
    them.
    """

    def __init__(self, search: RegretlessSearchCV, evaluate: Callable[..., dict[str, Any]], context: Any) -> None:
        self.search, self.study, self.space = search, search.study_, search._search_space
        self.evaluate, self.context = evaluate, context
        self.rows = 0  # of cv_results_
        self.all_failed: list[Trial] = []

    def go(self) -> None:
        """Ask, evaluate and tell."""
        search, error = self.search, None
        while (done := len(self.study)) < search.n_iter:
            try:
                batch = self.study.ask(min(search.n_points, search.n_iter - done))
            except Exhausted:
                break
            error = self._evaluated(batch) or error
            if search.stop_when is not None and (left := self.study.should_stop(search.stop_when)) is not None:
                search.stopped_by_ = left
                break
        if error is not None and self.rows == 0:
            raise error
        if self.all_failed:
            warnings.warn(
                f"{len(self.all_failed)} candidates failed in every fold after the last one that did not: they are "
                f"in study_.trials and not in cv_results_. The last error: {error}",
                FitFailedWarning,
                stacklevel=5,
            )

    def _evaluated(self, batch: list[Trial]) -> ValueError | None:
        """Tell the scores of a batch; the error where all of its fits failed."""
        again = self.all_failed if self.rows else []
        try:
            results = self._scores([*again, *batch])
        except ValueError as error:
            if self.search.error_score == "raise" or not str(error).lstrip().startswith("All the"):
                raise
            for trial in batch:
                self.study.tell(trial, failed=True)
            self.all_failed += batch
            return error
        scores = results[f"mean_test_{self._metric(results)}"][self.rows + len(again) :]
        self.rows += len(again) + len(batch)
        self.all_failed = self.all_failed[len(again) :]
        for trial, score in zip(batch, scores, strict=True):
            if np.isfinite(score):
                self.study.tell(trial, float(score))
            else:
                self.study.tell(trial, failed=True)
        return None

    def _scores(self, trials: Sequence[Trial]) -> dict[str, Any]:
        context = self.context.subcontext(
            task_name="batch", max_subtasks=len(trials) * self.search.n_splits_, sequential_subtasks=False
        ).call_on_fit_task_begin(estimator=self.search)
        results = self.evaluate([self.space.params(trial.params) for trial in trials], callback_ctx=context)
        context.call_on_fit_task_end(estimator=self.search)
        return results

    def _metric(self, results: dict[str, Any]) -> str:
        """The metric that is searched by."""
        known = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
        wanted = self.search.metric
        if wanted is None:
            wanted = "score" if known == ["score"] else self.search.refit
        if wanted not in known:
            raise ValueError(
                f"which metric to search by must be said: give metric= one of {', '.join(map(repr, known))}; "
                f"got {wanted!r}."
            )
        return str(wanted)
