"""From ask to stored trial: a suggestion is computed from the stored events, and stored if these are still valid."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from regretless._version import __version__
from regretless.errors import Exhausted, StoreBusy, TrialConflict
from regretless.optimizer import Suggestion, fit_to_data, hyperparameters_to_data, kept, params_of, suggest
from regretless.study.carried import Carried
from regretless.study.journal import Event
from regretless.study.ledger import Ledger, Recorder
from regretless.study.trial import Trial
from regretless.study.values import Told

__all__ = ["Asker", "suggestion_data"]

#: Attempts before giving up because others wrote in between; askers take turns, so a second one is rare.
_ATTEMPTS = 50


class Asker:
    """Makes suggestions and stores them."""

    def __init__(self, recorder: Recorder, carried: Carried) -> None:
        self._recorder = recorder
        self._carried = carried

    def ask(self, count: int, key: str) -> list[Trial]:
        """The trials of a request: those stored under its key, or new ones, as many as there are candidates left."""
        ledger = self._recorder.ledger
        with self._recorder.journal.turn():
            self._recorder.refresh()
            self._give_up()
            for _ in range(_ATTEMPTS):
                known = ledger.keys.get(key)
                if known is not None:
                    return _of_request(ledger, known, count, key)
                asked = self._try(count, key)
                if asked:
                    return asked
        raise StoreBusy(
            f"others changed the study {_ATTEMPTS} times while one was computed. Nothing was stored. Try again."
        )

    def _try(self, count: int, key: str) -> list[Trial]:
        """Compute, then store unless others wrote in between; no trials if they did."""
        ledger = self._recorder.ledger
        mark = ledger.mark()
        try:
            drafts = self._drafts(count, key)
        finally:
            ledger.back(mark)
        holds = True

        def decide(missed: Sequence[Event]) -> list[Event]:
            nonlocal holds
            holds = holds and _still_holds(ledger, missed, drafts)
            ledger.extend(missed)
            if not holds:  # also if an earlier attempt of this very request was stored
                return []
            return [replace(draft, seq=ledger.seq + 1 + i) for i, draft in enumerate(drafts)]

        done = self._recorder.journal.write(mark.seq, decide)
        ledger.extend(done)
        return [ledger.trials[event.number] for event in done if event.number is not None]

    def _give_up(self) -> None:
        """Fail trials whose lease has expired after the last retry: their worker is gone."""
        recorder, ledger = self._recorder, self._recorder.ledger

        def decide() -> list[Event]:
            events = []
            for number in self._ended(again=False):
                leases = ledger.offers.get(number, 0) + 1
                reason = f"its lease ended {leases} time{'s' if leases > 1 else ''}: no worker came back with a result"
                names, there = [outcome.name for outcome in ledger.task.outcomes], ledger.trials[number].values
                _, data = Told(dict.fromkeys(name for name in names if name not in there)).on_record(ledger.task)
                events.append(
                    recorder.event("failed", number, worker=recorder.worker, leases=leases, reason=reason, **data)
                )
            return events

        if self._ended(again=False):
            recorder.record(decide)

    def _ended(self, *, again: bool) -> list[int]:
        """Pending trials whose lease has expired: those to offer again, or those with no retries left."""
        recorder, ledger = self._recorder, self._recorder.ledger
        if not any(ledger.leases.values()):  # do not read the store's clock without need
            return []
        ended = ledger.ended_leases(recorder.clock.read())
        return [number for number in ended if (ledger.offers.get(number, 0) < recorder.retries) == again]

    def _drafts(self, count: int, key: str) -> list[Event]:
        """Trials whose lease has expired, then new suggestions, each made with the earlier ones pending."""
        recorder, ledger = self._recorder, self._recorder.ledger
        seen = ledger.seq
        common = {"worker": recorder.worker, "key": key}
        ended = self._ended(again=True)[:count]
        drafts = [recorder.event("offered", number, lease=recorder.lease(), **common) for number in ended]
        for _ in range(count - len(drafts)):
            task, history, carried = ledger.task, ledger.history(), self._carried
            carried.state = kept(task, history, carried.state)
            try:
                suggestion, carried.state = suggest(task, history, len(ledger.trials), carried.state)
            except Exhausted:
                if not drafts:
                    raise
                break
            data = suggestion_data(suggestion, ledger)
            drafts.append(
                recorder.event(
                    "asked",
                    len(ledger.trials),
                    **data,
                    seen=seen,
                    version=__version__,
                    lease=recorder.lease(),
                    **common,
                )
            )
            ledger.extend(drafts[-1:])
        return drafts


def suggestion_data(suggestion: Suggestion, ledger: Ledger) -> dict[str, Any]:
    """A suggestion as it is recorded, in the user's units and sign."""
    task, point, record = ledger.task, suggestion.point, dict(suggestion.record)
    for outcome, (mean, sd) in zip(task.outcomes, suggestion.expected, strict=False):  # none for designs
        which = "" if outcome is task.objective else f"[{outcome.name}]"
        record |= {f"mean{which}": outcome.outward(mean), f"sd{which}": sd}
    if suggestion.subset is not None:
        record |= {"used": float(suggestion.subset[0]), "told": float(suggestion.subset[1])}
    params, row = params_of(task, point, suggestion.context)
    fits = [fit_to_data(fit, new=fit != newest) for fit, newest in zip(suggestion.fits, ledger.fits, strict=False)]
    names = [outcome.name for outcome in task.outcomes[1:]]
    several = {"fits": dict(zip(names, fits[1:], strict=False)), "reference": suggestion.reference} if names else {}
    return {
        "params": params,
        "row": row,
        "index": point.index,
        **({} if point.index is not None else {"x": point.x.tolist()}),
        **({"context": list(suggestion.context)} if suggestion.context else {}),
        "source": suggestion.source,
        "record": record,
        "fit": fits[0] if fits else None,
        **({} if suggestion.survey is None else {"survey": hyperparameters_to_data(suggestion.survey)}),
        **several,
        "jitter": suggestion.jitter,
        "fallback": suggestion.fallback,
    }


def _still_holds(ledger: Ledger, missed: Sequence[Event], drafts: Sequence[Event]) -> bool:
    """Whether suggestions may still be stored: others have only added results of pending trials.

    Those make a suggestion no worse than it was, and its record says which events it was made from. All else could
    make two trials of one number, or a suggestion of what is pending, tried or excluded.
    """
    offered = {draft.number for draft in drafts if draft.kind == "offered"}
    return all(
        event.kind in ("told", "failed")
        and event.number is not None
        and ledger.trials[event.number].status == "pending"
        and event.number not in offered
        for event in missed
        if event.seq > ledger.seq
    )


def _of_request(ledger: Ledger, numbers: Sequence[int], count: int, key: str) -> list[Trial]:
    if len(numbers) > count:
        raise TrialConflict(
            f"key {key!r} was used for {len(numbers)} trials, now {count} are asked for. Use another key."
        )
    return [ledger.trials[number] for number in numbers]
