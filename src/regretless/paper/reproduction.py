"""From names of experiments to results, figures, tables and the report."""

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.errors import InvalidInput
from regretless.paper.claims import Claim
from regretless.paper.experiments import EXPERIMENTS, units_of
from regretless.paper.jobs import Unit, to_csv
from regretless.paper.methods import Method, as_methods
from regretless.paper.report import Chapter, make_report
from regretless.paper.results import Results
from regretless.paper.runner import Work, crew, do, progress
from regretless.paper.settings import Settings, read_settings
from regretless.paper.store import Store, write_bytes, write_text
from regretless.plots.canvas import load
from regretless.sheets import write_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Reproduction", "reproduce"]

#: Rough CPU seconds of a unit, for the time left: methods that sample many paths are dear.
_DEAR = {"jes": 8.0, "mes": 5.0, "ts": 2.5, "pims": 2.5, "est": 1.5, "ats": 1.5}
_SECONDS = {
    "synthetic": 0.08,
    "functions": 1.5,
    "materials": 1.5,
    "linear-regret": 2.0,
    "bounds": 5.0,
    "stopping": 1.0,
    "beyond": 6.0,
}


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came out: where the report is, the claims by experiment, CPU seconds, and what was left out and why."""

    report: Path
    claims: dict[str, tuple[Claim, ...]]
    core_seconds: dict[str, float]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    settings: Settings
    methods: tuple[Method, ...]
    units: list[Unit]
    store: Store


def reproduce(
    names: Iterable[str] = (),
    *,
    out: Path,
    quick: bool = False,
    jobs: int = 1,
    rules: Sequence[str] = (),
    dask: str | None = None,
    show_progress: bool | None = None,
) -> Reproduction:
    """Run experiments (all of them, if none is named) and write results, figures, tables and report below ``out``.

    Units that are done already, with the same settings and the same code, are not done again. ``rules`` are further
    methods as ``module:Class``. ``jobs`` processes work at a time, or the Dask cluster at the address ``dask``; the
    numbers do not depend on it.
    """
    load("matplotlib.pyplot")  # at once: after half an hour of work is no time to learn that it is missing
    if jobs < 1:
        raise InvalidInput(f"jobs must be 1 or more, got {jobs}.")
    plans, notes = _plans(_chosen(names), out, quick, rules)
    works: list[Work] = [
        (unit, plan.store.write, _guess(unit)) for plan in plans for unit in plan.units if not plan.store.has(unit)
    ]
    try:
        if works:
            with (
                crew(jobs, dask) as workers,
                progress(sum(guess for _, _, guess in works), show=show_progress) as report,
            ):
                do(works, workers, report)
    finally:
        for plan in plans:
            if plan.store.folder.exists():
                plan.store.write_manifest(plan.settings, plan.units)
    chapters = [_chapter(plan, out, rules) for plan in plans]
    report_path = out / "report.html"
    write_text(report_path, make_report(chapters, notes=notes))
    write_text(out / "claims.csv", _claims_csv(chapters))
    seconds = {chapter.settings.experiment: chapter.manifest["core_seconds"] for chapter in chapters}
    _write_manifest(out, plans, seconds)
    claims = {chapter.settings.experiment: chapter.claims for chapter in chapters}
    return Reproduction(report_path, claims, seconds, tuple(notes))


def _chosen(names: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(names)) or list(EXPERIMENTS)
    for name in wanted:
        if name not in EXPERIMENTS:
            raise InvalidInput(f"no experiment is called {name!r}. There are: {', '.join(EXPERIMENTS)}.")
    return sorted(wanted, key=list(EXPERIMENTS).index)


def _plans(names: list[str], out: Path, quick: bool, rules: Sequence[str]) -> tuple[list[_Plan], list[str]]:
    plans, notes = [], []
    for name in names:
        settings = read_settings(name, quick=quick)
        methods = as_methods(settings.methods, rules, own=EXPERIMENTS[name].own)
        units, sentence = units_of(settings, methods)
        if sentence:
            notes.append(sentence)
        if units:
            plans.append(_Plan(settings, methods, units, Store.open(out, settings)))
    return plans, notes


def _guess(unit: Unit) -> float:
    return _SECONDS.get(unit.experiment, 0.1) * _DEAR.get(unit.method, 1.0)


def _chapter(plan: _Plan, out: Path, rules: Sequence[str]) -> Chapter:
    """Figures, tables and claims of one experiment, from its store alone."""
    experiment = EXPERIMENTS[plan.settings.experiment]
    if not plan.store.matches():
        raise InvalidInput(
            f"the results in {plan.store.folder} are not what their manifest says. Remove that folder and run again."
        )
    columns = {(unit.problem, unit.method, unit.seed): plan.store.read(unit) for unit in plan.units}
    results = Results(plan.settings, plan.methods, columns)
    for name, table in experiment.tables(results).items():
        write_text(out / "curves" / f"{name}.csv", to_csv(table))
    images = {}
    for name, figure in experiment.figures(results).items():
        images[name] = _save(figure, out / "figures" / name)
    options = [*(["--quick"] if plan.settings.quick else []), *(f"--rule {rule}" for rule in rules if experiment.own)]
    command = " ".join(["regretless paper", experiment.name, *options])
    manifest = plan.store.write_manifest(plan.settings, plan.units)
    return Chapter(plan.settings, tuple(experiment.claims(results)), images, manifest, command)


def _save(figure: "Figure", stem: Path) -> bytes:
    """Write PNG and PDF; the PNG is returned. No dates inside: the same results give the same files."""
    content = {}
    for suffix, metadata in (("png", {"Software": None}), ("pdf", {"CreationDate": None, "Producer": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, dpi=150, metadata=metadata)
        content[suffix] = buffer.getvalue()
        write_bytes(stem.with_name(f"{stem.name}.{suffix}"), content[suffix])
    load("matplotlib.pyplot").close(figure)
    return content["png"]


def _claims_csv(chapters: list[Chapter]) -> str:
    rows = (
        {
            "experiment": chapter.settings.experiment,
            "claim": claim.says,
            "found": claim.number,
            "verdict": claim.verdict,
            "note": claim.note or None,
        }
        for chapter in chapters
        for claim in chapter.claims
    )
    text = io.StringIO()
    write_csv(text, ("experiment", "claim", "found", "verdict", "note"), rows)
    return text.getvalue()


def _write_manifest(out: Path, plans: list[_Plan], seconds: dict[str, float]) -> None:
    content = {
        "experiments": {
            plan.settings.experiment: {
                "results": plan.store.folder.relative_to(out).as_posix(),
                "core_seconds": seconds[plan.settings.experiment],
                "identity": dict(plan.store.identity),
            }
            for plan in plans
        },
        "core_seconds": round(sum(seconds.values()), 1),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_text(out / "manifest.json", json.dumps(content, indent=1) + "\n")
