"""What people do: each is an event of the study, and doing it twice changes nothing twice."""

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from regretless.errors import InvalidInput, TrialConflict
from regretless.lab.lab import Lab
from regretless.lab.results import contradicted, in_words, on_record, told
from regretless.lab.text import point
from regretless.sheets import Value
from regretless.study import Trial
from regretless.web.bench import Desk
from regretless.web.forms import reason_in, results_in, settings_in, text_in, who_in, whole_in
from regretless.web.guard import LARGEST_FILE
from regretless.web.pages import MOMENT, _common, desk_of, trial_of
from regretless.web.render import WHO, author_of, bench_of, page, see

__all__ = [
    "add_row",
    "amend",
    "ask",
    "certify",
    "exclude",
    "exclude_row",
    "include",
    "include_row",
    "ran",
    "record",
    "taking",
    "who",
]

#: Experiments that may be asked for at once.
_MOST = 100
#: Events that are results.
_RESULTS = ("told", "failed", "amended", "added", "added_outside")

Action = Callable[[Request, FormData], Response]


def taking(action: Action) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint for a form, with limits on what a form may be; the work is done in a thread."""

    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=1, max_fields=400, max_part_size=LARGEST_FILE) as form:
            return await run_in_threadpool(action, request, form)

    endpoint.__name__ = action.__name__
    endpoint.__doc__ = action.__doc__
    return endpoint


def who(request: Request, form: FormData) -> Response:
    """Say who sits there."""
    name, study = who_in(form), text_in(form, "study")
    answer = RedirectResponse(f"/s/{study}" if study in bench_of(request).names() else "/", status_code=303)
    answer.set_cookie(WHO, quote(name), max_age=31_536_000, httponly=True, samesite="strict", path="/")
    return answer


def ask(request: Request, form: FormData) -> Response:
    """Ask for the next experiments; they are chosen beside."""
    desk, key = desk_of(request), _key(form)
    with desk.at() as lab:
        count = whole_in(form, "count", least=1, most=_MOST, default=lab.batch)
    job = desk.ask(key, count, author_of(request), wait=MOMENT)
    if job.error:
        return see(request, f"/s/{desk.id}", job.error, "problem")
    return see(request, f"/s/{desk.id}#next")


def certify(request: Request, form: FormData) -> Response:  # noqa: ARG001
    """Ask for the certificate of a table in a file; it is computed beside, and nothing is changed."""
    desk = desk_of(request)
    with desk.at() as lab:
        seq = lab.study.seq
    desk.certify(seq, wait=MOMENT)
    return see(request, f"/s/{desk.id}")


def record(request: Request, form: FormData) -> Response:
    """Record what came out of an experiment, that it failed, or that it will not be run."""
    desk, what = desk_of(request), text_in(form, "do")
    with desk.at(author_of(request)) as lab:
        trial = trial_of(lab, request)
        if what == "release":
            lab.study.release(trial.number, text_in(form, "reason"))
            return see(request, f"/s/{desk.id}", f"Trial {trial.number} is released; it may be suggested again.")
        values = _all_failed(lab, trial) if what == "failed" else results_in(form, lab)
        if not values:
            raise InvalidInput(f"type the result of trial {trial.number}, or say that it failed.")
        other = {} if trial.status == "released" else contradicted(trial, values)
        if other:
            return _conflict(request, desk, lab, trial, values)
        try:
            after = lab.study.tell(trial.number, **told(values))
        except TrialConflict:  # somebody was faster, by less than this request took
            return _conflict(request, desk, lab, lab.study.trials[trial.number], values)
        return see(request, f"/s/{desk.id}", f"Recorded trial {after.number}: {lab.described(after)}.")


def _all_failed(lab: Lab, trial: Trial) -> dict[str, Value]:
    """Nothing came out: of what is still to come, or of all where all is there."""
    missing = [name for name in lab.outcomes if name not in trial.values]
    return dict.fromkeys(missing or lab.outcomes, "failed")


def _conflict(request: Request, desk: Desk, lab: Lab, trial: Trial, values: Mapping[str, Value]) -> Response:
    """Two results of one trial: both are shown, and a reason decides."""
    known = on_record(trial)
    rows = [
        (k, name, in_words(known.get(name)), in_words(values[name]))
        for k, name in enumerate(lab.outcomes)
        if name in values
    ]
    ended = [event for event in desk.events.get(trial.number, ()) if event.kind in _RESULTS]
    first = ended[-1] if ended else None
    return page(request, "conflict.html", 409, **_common(desk, lab), trial=trial, rows=rows, first=first)


def amend(request: Request, form: FormData) -> Response:
    """Correct a result; what it was before stays on record."""
    desk = desk_of(request)
    with desk.at(author_of(request)) as lab:
        trial, reason = trial_of(lab, request), reason_in(form)
        if text_in(form, "do") == "failed":
            after = lab.study.amend(trial.number, failed=True, reason=reason)
        else:
            values = results_in(form, lab)
            if not values:
                raise InvalidInput("type what the result should have been.")
            new = {name: value for name, value in values.items() if name in trial.values}
            late = {name: value for name, value in values.items() if name not in trial.values}
            after = lab.study.amend(trial.number, **told(new), reason=reason) if new else trial
            after = lab.study.tell(trial.number, **told(late)) if late else after
        return see(request, f"/s/{desk.id}/t/{after.number}", f"Trial {after.number} is now {lab.described(after)}.")


def exclude(request: Request, form: FormData) -> Response:
    """Set a result aside."""
    desk = desk_of(request)
    with desk.at(author_of(request)) as lab:
        trial = lab.study.exclude(trial_of(lab, request).number, reason_in(form))
        return see(
            request, f"/s/{desk.id}/t/{trial.number}", f"The result of trial {trial.number} is not used any more."
        )


def include(request: Request, form: FormData) -> Response:
    """Use a result again."""
    desk = desk_of(request)
    with desk.at(author_of(request)) as lab:
        trial = lab.study.include(trial_of(lab, request).number, text_in(form, "reason"))
        return see(request, f"/s/{desk.id}/t/{trial.number}", f"The result of trial {trial.number} is used again.")


def ran(request: Request, form: FormData) -> Response:
    """Record an experiment that was not the suggested one."""
    desk, key = desk_of(request), _key(form)
    with desk.at(author_of(request)) as lab:
        given = text_in(form, "instead")
        instead = next((t for t in lab.pending if str(t.number) == given), None)
        try:
            params = settings_in(form, lab)
            values = results_in(form, lab)
            failed = text_in(form, "do") == "failed"
            if not values and not failed:
                raise InvalidInput("type the result, or say that it failed.")
            result = {"failed": True} if failed else told(values)
            added = lab.study.add(params, **result, key=key)
        except InvalidInput as error:
            typed = {name: value for name, value in form.items() if isinstance(value, str)}
            return page(request, "ran.html", 422, **_common(desk, lab), instead=instead, typed=typed, error=str(error))
        said = f"Recorded trial {added.number}: {lab.described(added)}."
        if added.note is not None:
            said += f" Note: {added.note}. If it was typed wrong, set it aside."
        if instead is not None and not instead.values:
            lab.study.release(instead.number, f"trial {added.number} was run instead")
            said += f" Trial {instead.number} is released."
        return see(request, f"/s/{desk.id}", said)


def exclude_row(request: Request, form: FormData) -> Response:
    """Never suggest a candidate again."""
    desk = desk_of(request)
    with desk.at(author_of(request)) as lab:
        name = _candidate(lab, form)
        lab.study.exclude_row(name, reason_in(form))
        return see(request, f"/s/{desk.id}/candidates", f"{_named(lab, name)} will not be suggested.")


def include_row(request: Request, form: FormData) -> Response:
    """Let a candidate be suggested again."""
    desk = desk_of(request)
    with desk.at(author_of(request)) as lab:
        name = _candidate(lab, form)
        lab.study.include_row(name, text_in(form, "reason"))
        return see(request, f"/s/{desk.id}/candidates", f"{_named(lab, name)} may be suggested again.")


def add_row(request: Request, form: FormData) -> Response:
    """Add a candidate to a table."""
    desk = desk_of(request)
    with desk.at(author_of(request)) as lab:
        space = lab.study.space
        if not space.has_rows:
            raise InvalidInput("this study has no list of candidates: everything within its bounds may be tried.")
        params = settings_in(form, lab)
        row = {name: params.get(name, space.params_of(space.at_index(0))[name]) for name in space.names}
        new = lab.study.extend([row], reason=text_in(form, "reason"))
        said = (
            f"{lab.row_name} {new[0]} was added."
            if new
            else "That experiment is in the table already. Nothing was changed."
        )
        return see(request, f"/s/{desk.id}/candidates", said)


def _candidate(lab: Lab, form: FormData) -> object:
    space, index = lab.study.space, whole_in(form, "index", least=0, most=2_000_000_000, default=-1)
    if not 0 <= index < (space.n_candidates or 0):
        raise InvalidInput("there is no such candidate.")
    return space.name_of(index)


def _named(lab: Lab, name: object) -> str:
    return f"{lab.row_name} {name}" if lab.has_rows else point(None, name if isinstance(name, dict) else {})


def _key(form: FormData) -> str:
    """What makes a form count once, however often it is sent."""
    key = text_in(form, "key")
    if not (8 <= len(key) <= 100 and key.isascii() and key.isprintable()):
        raise InvalidInput("this form has lost its key. Go back, reload the page, and send it again.")
    return key
