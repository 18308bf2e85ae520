"""What "best" means for a task, what is recommended, and what is certified. One class per meaning.

A task says what is wanted as data; `meaning_of` is the one place that reads it. A goal, such as a level set, is its own
meaning. What a rule sees is in `regretless.optimizer.scene`.
"""

from dataclasses import dataclass
from typing import TypeAlias

from regretless.optimizer.certificate import Certificate, Certified
from regretless.optimizer.composed import certify_composite, recommend_composite
from regretless.optimizer.feasible import certify_feasible, recommend_feasible
from regretless.optimizer.front import Front, certify_front, recommend_front
from regretless.optimizer.goal import Asked, Meaning
from regretless.optimizer.history import History
from regretless.optimizer.proof import Proof, certify
from regretless.optimizer.recommendation import Choice, recommend, recommend_row
from regretless.optimizer.region import Classified
from regretless.optimizer.robust import certify_mean, certify_robust, recommend_robust
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, chosen_params
from regretless.risk import Expectation
from regretless.theory import SimulatedRegret

__all__ = ["Chosen", "meaning_of"]

#: What is recommended: a point, a Pareto set, or which points reach a level.
Chosen: TypeAlias = Choice | Front | Classified

#: Joint draws of a certificate where nothing is said: twenty for each setting of the model.
_DRAWS = 480


def meaning_of(task: Task) -> Meaning:
    """What "best" means for a task."""
    if task.objective.goal is not None:
        return task.objective.goal
    if task.scenarios is not None:
        return Robust()
    if len(task.objectives) > 1:
        return Pareto()
    if task.composite is not None:
        return Composed()
    return Feasible() if task.constraints else Maximise()


@dataclass(frozen=True, slots=True)
class Maximise(Meaning):
    """One objective: the largest mean, on a list that of the averaged belief, elsewhere that of the model to search by.

    Its certificate is a `Certificate`.
    """

    def recommend(self, task: Task, history: History, state: State) -> Choice:
        """The largest mean."""
        if self.is_own_choice(task, state):
            return recommend_row(task, history, state.doubted())
        return recommend(task, history, state.believed())

    def is_own_choice(self, task: Task, state: State) -> bool:
        """On a list with an averaged belief."""
        return task.domain.candidates is not None and bool(state.doubted().drawn)

    def certify(self, task: Task, history: History, state: State, chosen: Chosen | None, asked: Asked) -> Certificate:
        """The regret that is left, in the user's units."""
        assert chosen is None or isinstance(chosen, Choice)
        belief, objective, eps, draws = state.doubted(), task.objective, asked.eps, asked.draws
        if draws is None:  # blocks cannot be drawn together
            draws = _DRAWS if belief.fitted is None or belief.fitted.belief.blocks is None else 0
        limits = objective.limits.maximised(objective.sign)
        proof = certify(task, history, chosen, belief, limits=limits, eps=eps, draws=draws)
        return _as_certificate(task, history, proof, eps)


@dataclass(frozen=True, slots=True)
class Feasible(Meaning):
    """One objective under constraints on outcomes: a point, and a `FeasibleRegret`."""

    def recommend(self, task: Task, history: History, state: State) -> Choice:
        """The largest mean that is probably feasible."""
        return recommend_feasible(task, history, state)

    def certify(self, task: Task, history: History, state: State, chosen: Chosen | None, asked: Asked) -> Certified:
        """Against the best feasible candidate."""
        assert chosen is None or isinstance(chosen, Choice)
        asked.refuse()
        return certify_feasible(task, history, state, chosen)


@dataclass(frozen=True, slots=True)
class Pareto(Meaning):
    """Several objectives, with constraints or without: a Pareto set, and a `FrontRegret`."""

    def recommend(self, task: Task, history: History, state: State) -> Front:
        """The Pareto set of the means."""
        return recommend_front(task, history, state)

    def certify(self, task: Task, history: History, state: State, chosen: Chosen | None, asked: Asked) -> Certified:
        """What the set misses."""
        assert chosen is None or isinstance(chosen, Front)
        asked.refuse()
        return certify_front(task, history, state, chosen)


@dataclass(frozen=True, slots=True)
class Composed(Meaning):
    """A known function of several outcomes: the point of which most is expected, and a `CompositeRegret`."""

    def recommend(self, task: Task, history: History, state: State) -> Choice:
        """The largest expected value of the function."""
        return recommend_composite(task, history, state)

    def is_own_choice(self, task: Task, state: State) -> bool:  # noqa: ARG002
        """On a list."""
        return task.domain.candidates is not None

    def certify(self, task: Task, history: History, state: State, chosen: Chosen | None, asked: Asked) -> Certified:
        """Against the best candidate, by draws."""
        assert chosen is None or isinstance(chosen, Choice)
        asked.refuse()
        return certify_composite(task, history, state, chosen)


@dataclass(frozen=True, slots=True)
class Robust(Meaning):
    """Decisions in environments: one decision; of the mean a `Certificate`, of other aims a `RobustRegret`."""

    def recommend(self, task: Task, history: History, state: State) -> Choice:
        """The largest expected worth."""
        return recommend_robust(task, history, state)

    def is_own_choice(self, task: Task, state: State) -> bool:
        """The mean, on a list with an averaged belief."""
        listed = task.scenarios is not None and task.scenarios.rows is not None
        return isinstance(task.aim, Expectation) and listed and bool(state.doubted().drawn)

    def certify(self, task: Task, history: History, state: State, chosen: Chosen | None, asked: Asked) -> Certified:
        """Against the best decision."""
        assert chosen is None or isinstance(chosen, Choice)
        if isinstance(task.aim, Expectation):
            draws = _DRAWS if asked.draws is None else asked.draws
            proof = certify_mean(task, history, state, chosen, eps=asked.eps, draws=draws)
            return _as_certificate(task, history, proof, asked.eps)
        asked.refuse()
        return certify_robust(task, history, state, chosen)


def _as_certificate(task: Task, history: History, proof: Proof, eps: float | None) -> Certificate:
    """A proof in the user's units."""
    found, scale, simulated = proof.certificate, proof.scale, proof.certificate.simulated
    objective = task.objective
    params, row = chosen_params(task, proof.point)
    return Certificate(
        params=params,
        row=row,
        mean=float(objective.outward(proof.mean)),
        sd=scale * found.sd,
        bound=scale * found.bound,
        tail_sum=scale * found.tail_sum,
        pairwise=scale * found.pairwise,
        tree=scale * found.tree,
        lemma=scale * found.lemma,
        eps=eps,
        exceeds=found.exceeds,
        best=found.best,
        exact=task.domain.n_candidates is not None,
        trust=proof.calibration,
        objective=objective.name,
        model="given" if task.surrogate.method == "fixed" else "fitted",
        used=proof.used,
        told=len(history.series().y),
        limits=objective.limits.given,
        limits_hold=proof.limits_hold,
        simulated=None
        if simulated is None
        else SimulatedRegret(scale * simulated.estimate, scale * simulated.se, simulated.draws),
        settings=len(found.each),
        unsure=found.unsure,
    )
