"""Pages to look at. None of them changes anything."""

import io
import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from regretless.drawing import map_figure, overview_of
from regretless.errors import InvalidInput, UnknownTrial
from regretless.lab.export import trials_table
from regretless.lab.lab import Lab
from regretless.lab.text import number, objectives_of
from regretless.sheets import write_csv
from regretless.sheets.workbook import check_openpyxl, write_workbook
from regretless.spaces import FileTable
from regretless.study import Study, Trial
from regretless.web.bench import Desk
from regretless.web.candidates import PER_PAGE, candidate_page
from regretless.web.render import bench_of, page
from regretless.web.views import best_words, cards_of, history_of, lines_of, status_word, why_of

__all__ = [
    "asked",
    "candidates",
    "csv_file",
    "desk_of",
    "figures",
    "pulse",
    "ran",
    "report",
    "sheet",
    "standing",
    "studies",
    "study",
    "trial",
    "trial_of",
    "trials",
    "why",
    "xlsx_file",
]

#: Seconds that a page waits for what is computed beside; small studies are ready by then.
MOMENT = 1.5
#: Seconds that the list of studies waits for each.
GLANCE = 0.3
#: Trials per page, and what may have become of them.
_LINES = 100
_STATUSES = ("pending", "measured", "failed", "released", "excluded")


def desk_of(request: Request) -> Desk:
    """The study of the address."""
    return bench_of(request).desk(request.path_params["id"])


def trial_of(lab: Lab, request: Request) -> Trial:
    """The trial of the address."""
    n = int(request.path_params["n"])
    if n >= len(lab.study):
        raise UnknownTrial(f"there is no trial {n} in this study; it has {len(lab.study)}, numbered from 0.")
    return lab.study.trials[n]


def studies(request: Request) -> Response:
    """All studies: best, pending, regret left and the light of each."""
    bench, rows = bench_of(request), []
    for which in bench.names():
        desk = bench.desk(which)
        with desk.at() as lab:
            seq, facts = lab.study.seq, _counted(lab.study)
            best = best_words(lab.study)
            aims = "; ".join(outcome.wanted for outcome in lab.study.outcomes)
        found, fresh = desk.standing(seq, wait=GLANCE)
        rows.append({"desk": desk, "facts": facts, "best": best, "aims": aims, "standing": found, "fresh": fresh})
    return page(request, "studies.html", rows=rows, busy=not all(row["fresh"] for row in rows))


def study(request: Request) -> Response:
    """One study: the certificate, and the next experiments."""
    return page(request, "study.html", **_study(request))


def standing(request: Request) -> Response:
    """The certificate alone, for a page that waits for it."""
    return page(request, "_standing.html", **_study(request, at_once=True))


def _study(request: Request, *, at_once: bool = False) -> dict[str, Any]:
    desk = desk_of(request)
    with desk.at() as lab:
        seq = lab.study.seq
    found, fresh = desk.standing(seq, wait=0.0 if at_once else MOMENT)
    with desk.at() as lab:
        expected = {} if found is None else found.expected
        cards = cards_of(lab, lab.pending, expected, desk.events)
        return {
            **_common(desk, lab),
            "standing": found,
            "fresh": fresh,
            "certifying": desk.certifying(seq),
            "cards": cards,
            "asking": desk.asking(),
            "best": lab.study.best,
            "batch": lab.batch,
            "busy": not fresh or desk.certifying(seq) or bool(desk.asking()),
        }


def asked(request: Request) -> Response:
    """The cards of one request for suggestions, for a page that waits for them."""
    desk, key = desk_of(request), request.path_params["key"]
    running = [ask for ask in desk.asking() if ask.key == key]
    with desk.at() as lab:
        mine = [n for n, events in desk.events.items() if any(event.data.get("key") == key for event in events)]
        waiting = [lab.study.trials[n] for n in mine if lab.study.trials[n].status == "pending"]
        cards = cards_of(lab, waiting, {}, desk.events)
        error = "" if running or not desk.known(("ask", key)) else desk.job(("ask", key), lambda _: ()).error
        return page(request, "_asked.html", **_common(desk, lab), cards=cards, running=running, key=key, error=error)


def pulse(request: Request) -> Response:
    """Whether others did something since a page was made."""
    desk = desk_of(request)
    since = request.query_params.get("seq", "")
    with desk.at() as lab:
        new = lab.study.seq - int(since) if since.isascii() and since.isdecimal() and len(since) < 12 else 0
        people = sorted({event.author for event in desk.later(lab.study.seq - max(new, 0))}) if new > 0 else []
        return page(request, "_pulse.html", **_common(desk, lab), new=max(new, 0), people=people)


def sheet(request: Request) -> Response:
    """Pending experiments, to be printed and taken to the bench."""
    return page(request, "sheet.html", **_study(request))


def trials(request: Request) -> Response:
    """Every trial; filtered by what became of it, and by words."""
    desk, query = desk_of(request), request.query_params
    with desk.at() as lab:
        lines = lines_of(lab, desk.events)
        words = query.get("q", "").casefold().split()
        status, start = query.get("status", ""), _whole(query.get("from", ""))
        kept = [
            line
            for line in lines
            if (not status or line.status == status) and all(word in _text(line.trial, line.author) for word in words)
        ]
        counts = {word: sum(line.status == word for line in lines) for word in _STATUSES}
        return page(
            request,
            "trials.html",
            **_common(desk, lab),
            lines=kept[start : start + _LINES],
            total=len(kept),
            start=start,
            per=_LINES,
            counts=counts,
            chosen=status,
            q=query.get("q", ""),
        )


def trial(request: Request) -> Response:
    """One trial: what is on record of it, and how to correct it."""
    desk = desk_of(request)
    with desk.at() as lab:
        found = trial_of(lab, request)
        common, history = _common(desk, lab), history_of(desk.events.get(found.number, ()))
    job = _why(desk, found, MOMENT)
    common["busy"], word = job.running, status_word(found)
    return page(request, "trial.html", **common, trial=found, history=history, word=word, why=job)


def why(request: Request) -> Response:
    """Why a trial was suggested, for its card; computed beside."""
    desk = desk_of(request)
    with desk.at() as lab:
        found = trial_of(lab, request)
        common = _common(desk, lab)
    return page(request, "_why.html", **common, trial=found, why=_why(desk, found, MOMENT))


def _why(desk: Desk, trial: Trial, wait: float) -> Any:
    return desk.job(("why", trial.number), lambda lab: why_of(lab, lab.study.trials[trial.number]), wait=wait)


def ran(request: Request) -> Response:
    """A form for an experiment that was not the suggested one."""
    desk, given = desk_of(request), request.query_params.get("instead", "")
    with desk.at() as lab:
        instead = next((t for t in lab.pending if str(t.number) == given), None)
        return page(request, "ran.html", **_common(desk, lab), instead=instead, typed={}, error="")


def candidates(request: Request) -> Response:
    """What may be tried."""
    desk, query = desk_of(request), request.query_params
    start = _whole(query.get("from", ""))
    found = candidate_page(desk, query.get("q", ""), query.get("show", ""), start, wait=MOMENT)
    with desk.at() as lab:
        common = {**_common(desk, lab), "busy": found.searching}
        grows = lab.has_rows and not isinstance(lab.study.space, FileTable)
    return page(request, "candidates.html", **common, found=found, per=PER_PAGE, grows=grows)


def figures(request: Request) -> Response:
    """Figures, each with the table behind it; drawn beside."""
    desk, query = desk_of(request), request.query_params
    with desk.at() as lab:
        common, seq, names = _common(desk, lab), lab.study.seq, list(lab.study.space.names)
        outcomes = lab.outcomes
    outcome = query.get("outcome", outcomes[0])
    if outcome not in outcomes:
        raise InvalidInput(f"there is no outcome of that name; there are {', '.join(outcomes)}.")
    key: tuple[Any, ...] = ("figures", seq, outcome)
    drawn = desk.job(key, lambda other: overview_of(other.study, outcome, other.stop), wait=MOMENT)
    pair = [query.get("x", ""), query.get("y", "")]
    if drawn.value is not None and not all(pair):
        pair = list(drawn.value.pair)
    chart = None
    if len(pair) == 2 and all(pair) and drawn.value is not None:
        if not set(pair) <= set(names) or pair[0] == pair[1]:
            raise InvalidInput("choose two different factors for the map.")
        first, second = pair
        key = ("map", seq, outcome, first, second)
        chart = desk.job(key, lambda other: map_figure(other.study, first, second, outcome), wait=MOMENT)
    common["busy"] = drawn.running or (chart is not None and chart.running)
    shown: dict[str, Any] = {"drawn": drawn, "chart": chart, "pair": pair, "outcome": outcome, "names": names}
    return page(request, "figures.html", **common, **shown)


def csv_file(request: Request) -> Response:
    """Every trial as CSV, as the lab's own file was written; formulas are made harmless."""
    desk, stream = desk_of(request), io.StringIO(newline="")
    with desk.at() as lab:
        write_csv(stream, *trials_table(lab), lab.dialect)
    return _attached(desk, stream.getvalue().encode(), "csv", "text/csv; charset=utf-8")


def xlsx_file(request: Request) -> Response:
    """Every trial as an Excel workbook."""
    desk = desk_of(request)
    check_openpyxl(desk.name)
    with desk.at() as lab:
        content = write_workbook(f"{desk.name}.xlsx", *trials_table(lab))
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return _attached(desk, content, "xlsx", kind)


def report(request: Request) -> Response:
    """The report, written beside."""
    desk, write = desk_of(request), bench_of(request).report
    if write is None:
        raise InvalidInput("reports are not to be had here.")
    with desk.at() as lab:
        common, seq = _common(desk, lab), lab.study.seq
    found = desk.job(("report", seq), write, wait=MOMENT)
    if found.value is None or "hx-request" in request.headers:  # a page that waits for it is told that it is ready
        return page(request, "report.html", **{**common, "busy": found.running}, found=found)
    return _attached(desk, found.value.encode(), "html", "text/html; charset=utf-8")


def _attached(desk: Desk, content: bytes, suffix: str, kind: str) -> Response:
    stem = re.sub(r"[^A-Za-z0-9._-]+", "_", desk.name).strip("._") or "study"
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="{stem}.{suffix}"'}
    )


def _common(desk: Desk, lab: Lab) -> dict[str, Any]:
    """What every page of a study needs."""
    return {
        "desk": desk,
        "base": f"/s/{desk.id}",
        "seq": lab.study.seq,
        "outcomes": lab.study.outcomes,
        "several": lab.several,
        "aims": "; ".join(outcome.wanted for outcome in objectives_of(lab.study)),
        "row_name": lab.row_name,
        "space": lab.study.space,
        "counted": _counted(lab.study),
        "busy": False,
    }


def _counted(study: Study) -> dict[str, int]:
    found = {"measured": 0, "pending": 0, "failed": 0}
    for each in study.trials:
        word = status_word(each)
        if word in found:
            found[word] += 1
    return found


def _text(trial: Trial, author: str) -> str:
    """What a search looks at."""
    settings = " ".join(f"{name}={number(value)}" for name, value in trial.params.items())
    return f"{trial.number} {trial.row if trial.row is not None else ''} {settings} {author}".casefold()


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
