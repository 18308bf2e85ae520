"""From what was told to certificates, and to the decision to stop."""

from regretless.arrays import Floats
from regretless.optimizer import Choice, History, State, certify, doubt, predict_measurement, without_last
from regretless.spaces import Table
from regretless.study.certificate import Regret, RemainingRegret
from regretless.study.ledger import Ledger
from regretless.study.limits import Limits

__all__ = ["Certifier"]

#: Bounds that are remembered, so that patience costs one new certificate per look.
_BOUNDS_KEPT = 32


class Certifier:
    """Makes certificates, in the user's units and sign. ``state`` only saves time: see `regretless.optimizer.doubt`."""

    def __init__(self, ledger: Ledger, sign: float, objective: str, limits: Limits) -> None:
        self.state: State | None = None
        self._ledger = ledger
        self._sign = sign
        self._objective = objective
        self._limits = limits
        self._bounds: dict[tuple[bytes, bytes, bytes, bytes, int | None], float] = {}

    def certificate(
        self, history: History, choice: Choice | None, *, eps: float | None = None, draws: int = 0
    ) -> RemainingRegret:
        """The certificate of ``choice``; None: of the point that the model of the certificate itself expects most of.

        The second depends on the told values alone, so it can be computed again for any time in the past.
        """
        setup, limits = self._ledger.setup, self._limits.maximised(self._sign)
        self.state = doubt(setup, history, self.state)
        proof = certify(setup, history, choice, self.state, limits=limits, eps=eps, draws=draws)
        found, units = proof.certificate, proof.fit.hyperparameters.units
        mean, sd = units.restored(found.mean, found.sd)
        domain, space = setup.domain, setup.space
        return RemainingRegret(
            params=domain.params(proof.index) if isinstance(domain, Table) else domain.decode(proof.x),
            row=space.ids[proof.index] if isinstance(space, Table) else None,
            mean=self._sign * float(mean),
            sd=float(sd),
            bound=units.scale * found.bound,
            tail_sum=units.scale * found.tail_sum,
            pairwise=units.scale * found.pairwise,
            lemma=units.scale * found.lemma,
            eps=eps,
            exceeds=found.exceeds,
            best=found.best,
            exact=proof.index >= 0,
            trust=proof.calibration,
            objective=self._objective,
            model="given" if setup.surrogate.method == "fixed" else "fitted",
            used=proof.used,
            told=len(history.y),
            limits=self._limits.given,
            limits_hold=proof.limits_hold,
        )

    def measurement(self, history: History, X: Floats) -> tuple[Floats, Floats, Floats]:
        """Median, lower and upper end of what measurements at encoded points should give."""
        setup, limits = self._ledger.setup, self._limits.reaching(self._sign * history.y).maximised(self._sign)
        self.state = doubt(setup, history, self.state)
        median, low, high = predict_measurement(setup, self.state, X, limits=limits)
        return (median, low, high) if self._sign > 0.0 else (-median, -high, -low)

    def may_stop(self, when: Regret, history: History, left: RemainingRegret) -> bool:
        """Whether ``left``, the certificate now, and those before each of the last told values are small enough."""
        enough = when.threshold(left)
        if left.bound > enough or left.trust.light not in ("green", "amber") or len(history.y) < when.patience:
            return False
        self._bound(history)  # of use at the next look, when it is one of the past
        return all(self._bound(without_last(history, k)) <= enough for k in range(1, when.patience))

    def _bound(self, history: History) -> float:
        told, size = history.told, self._ledger.setup.space.size
        key = (told.trials.tobytes(), told.X.tobytes(), history.y.tobytes(), history.closed.tobytes(), size)
        if key not in self._bounds:
            if len(self._bounds) >= _BOUNDS_KEPT:
                del self._bounds[next(iter(self._bounds))]  # the oldest
            self._bounds[key] = self.certificate(history, None).bound
        return self._bounds[key]
