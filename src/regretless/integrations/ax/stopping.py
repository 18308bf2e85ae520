"""A global stopping strategy of Ax that goes by our certificate, whichever nodes made the trials."""

from typing import Any

from ax.core.experiment import Experiment
from ax.global_stopping.strategies.base import BaseGlobalStoppingStrategy

from regretless.integrations.ax.experiments import read_experiment
from regretless.integrations.records import imported
from regretless.optimizer import Regret

__all__ = ["StopByRegret"]


class StopByRegret(BaseGlobalStoppingStrategy):
    """Stop once the expected regret that is left is certified to be small.

    Parameters
    ----------
    eps
        How little is little enough, in the objective's units.
    relative
        Or as a share, as for `regretless.Regret`; with several objectives in widths of the front.
    patience
        So many small certificates in a row; None is the default of `regretless.Regret`.
    min_trials, inactive_when_pending_trials
        As for Ax's ``BaseGlobalStoppingStrategy``.
    seed
        Of the points that stand for the space in the certificate.

    The message is the sentence of the certificate. It is about the *recommended* point, which need not be the best
    trial: the message names it, so that it can be run.
    """

    def __init__(
        self,
        eps: float | None = None,
        *,
        relative: float | None = None,
        patience: int | None = None,
        min_trials: int = 5,
        inactive_when_pending_trials: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__(min_trials=min_trials, inactive_when_pending_trials=inactive_when_pending_trials)
        more: dict[str, Any] = {} if patience is None else {"patience": patience}
        self.when = Regret(eps, relative, **more)
        self.eps, self.relative, self.patience, self.seed = eps, relative, patience, seed

    def _should_stop_optimization(self, experiment: Experiment) -> tuple[bool, str]:
        study = imported(read_experiment(experiment, experiment.lookup_data()), seed=self.seed).study
        left = study.should_stop(self.when)
        if left is None:
            return False, "The certified regret is not small enough yet."
        return True, str(left)
