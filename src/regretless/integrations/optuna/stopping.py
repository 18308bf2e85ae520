"""Stop a study of Optuna's when little regret is left, whatever its sampler."""

from typing import Any

import optuna
from optuna.study import Study as OptunaStudy
from optuna.trial import FrozenTrial, TrialState

from regretless.errors import InvalidInput
from regretless.integrations.optuna.distributions import Codec, newest
from regretless.integrations.optuna.importing import add_trial, codecs_of, study_of
from regretless.integrations.optuna.rows import outcomes_of
from regretless.optimizer import Certified, FrontRegret, Outcome, Regret, StopRule, check_stop
from regretless.spaces import as_space
from regretless.study import Study

__all__ = ["StopByRegret"]

#: User attributes: why the study stopped, what is recommended, and which trial confirms a recommendation.
STOPPED, RECOMMENDED, CONFIRMS = "regretless:stopped", "regretless:recommended", "regretless:confirms"
_logger = optuna.logging.get_logger(__name__)


class StopByRegret:
    """A callback of ``study.optimize`` that stops when the expected regret that is left is certified to be small.

    Parameters
    ----------
    when
        A `regretless.Regret` or `regretless.HypervolumeLeft`; a number is ``Regret(number)``, in the objective's units.
    confirm
        The certificate is about the recommended point, which need not be the best trial. True: it is run before the
        study stops, if it was not yet. With several objectives nothing is run.
    seed
        Of the points that stand for the space in the certificate.

    The sentence of the certificate is kept in ``study.user_attrs["regretless:stopped"]``, the recommended parameters in
    ``"regretless:recommended"``. Workers on the same storage stop when they read it. A study with conditional
    parameters has no certificate: it is never stopped, and a warning says so once.

    Examples
    --------
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> from regretless.integrations.optuna import RegretlessSampler
    >>> study = optuna.create_study(sampler=RegretlessSampler(seed=1))
    >>> f = lambda trial: (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2
    >>> study.optimize(f, n_trials=60, callbacks=[StopByRegret(0.001)])
    >>> len(study.trials) < 60, study.best_value < 0.001
    (True, True)
    """

    def __init__(self, when: StopRule | float, *, confirm: bool = True, seed: int = 0) -> None:
        self.when: StopRule = Regret(float(when)) if isinstance(when, int | float) else when
        check_stop(self.when)
        self.confirm = confirm
        self._seed = seed
        self._key: Any = None
        self._ours: Study | None = None
        self._added: set[int] = set()
        self._warned = False

    def __call__(self, study: OptunaStudy, trial: FrozenTrial) -> None:
        """Look at the certificate; enqueue the recommended point, or stop."""
        if STOPPED in study.user_attrs:  # by another worker
            study.stop()
            return
        trials = study._get_trials(deepcopy=False, use_cache=False)
        if any(CONFIRMS in other.user_attrs and not other.state.is_finished() for other in trials):
            return
        left = self._certificate(study, trials)
        if left is None:
            return
        if isinstance(left, FrontRegret):
            self._stop(study, left, None)
            return
        complete = [other for other in trials if other.state == TrialState.COMPLETE]
        recommended = self._outward(complete, left)
        was_run = any(recommended.items() <= other.params.items() for other in complete)
        if not self.confirm or was_run or CONFIRMS in trial.user_attrs:
            self._stop(study, left, recommended)
        else:
            study.enqueue_trial(recommended, user_attrs={CONFIRMS: True})

    def _stop(self, study: OptunaStudy, left: Certified, recommended: dict[str, Any] | None) -> None:
        if recommended is not None:
            study.set_user_attr(RECOMMENDED, recommended)
        study.set_user_attr(STOPPED, left.sentence)
        study.stop()

    def _certificate(self, study: OptunaStudy, trials: list[FrozenTrial]) -> Certified | None:
        """The certificate that permits stopping, from a study of ours that follows Optuna's."""
        complete = [other for other in trials if other.state == TrialState.COMPLETE]
        if not complete:
            return None
        distributions = newest(complete)
        if any(set(other.distributions) != set(distributions) for other in complete):
            if not self._warned:
                self._warned = True
                _logger.warning("The study has conditional parameters: there is no certificate, and it is not stopped.")
            return None
        try:
            codecs = codecs_of(complete)
        except InvalidInput:
            return None
        if all(codec.distribution.single() for codec in codecs.values()) or len(codecs) < len(distributions):
            return None
        outcomes = outcomes_of(study, complete, study.metric_names)
        ours = self._following(study, codecs, outcomes)
        for other in trials:
            if other.state.is_finished() and other.number not in self._added:
                add_trial(ours, other, codecs, outcomes)
                self._added.add(other.number)
        return ours.should_stop(self.when)

    def _following(self, study: OptunaStudy, codecs: dict[str, Codec], outcomes: tuple[Outcome, ...]) -> Study:
        """The study that follows, made anew where the space or the outcomes have changed."""
        key = (study.study_name, tuple((name, codec.distribution) for name, codec in codecs.items()), outcomes)
        if self._ours is None or self._key != key:
            space = as_space({name: codec.dimension for name, codec in codecs.items()})
            self._ours, self._key, self._added = study_of(outcomes, space, {"seed": self._seed}), key, set()
        return self._ours

    def _outward(self, complete: list[FrozenTrial], left: Any) -> dict[str, Any]:
        codecs = codecs_of(complete)
        return {name: codecs[name].outward(value) for name, value in left.params.items()}
