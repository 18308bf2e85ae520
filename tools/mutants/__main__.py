"""How many of the mistakes drawn at random do the tests notice? Try ``make mutants ARGS="--sample 300 --seed 1"``."""

import argparse
import json
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from .covering import Covering
from .operators import Mutant, mutants
from .trial import alive, copied, tried, warm

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("optimizer", "study", "acquisition", "theory")
COVERAGE, JUNIT = ROOT / ".coverage", ROOT / "out" / "tests.xml"


def sources(rooms: Sequence[str]) -> dict[str, str]:
    """The modules of some rooms, by their path from the root."""
    paths = [path for room in rooms for path in sorted((ROOT / "src/regretless" / room).rglob("*.py"))]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def sample(every: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """One mutant of each of ``size`` stretches of equal length, so that rooms and modules all have their share.

    They come in random order: a run that is broken off has tried a sample too.
    """
    rng = random.Random(seed)
    size = min(size, len(every))
    edges = [round(i * len(every) / size) for i in range(size + 1)]
    drawn = [every[rng.randrange(low, high)] for low, high in pairwise(edges)]
    rng.shuffle(drawn)
    return drawn


def wilson(killed: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson."""
    if not of:
        return 0.0, 1.0
    z, p = 1.96, killed / of
    middle, half = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)


def run(chosen: Sequence[Mutant], covering: Covering, out: Path, *, budget: float, jobs: int) -> list[dict[str, Any]]:
    """The verdict on each mutant, written down at once; each process works in a copy of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(jobs, initializer=_start, initargs=(folder,)) as pool,
    ):
        tests = [covering.of(mutant, budget=budget) for mutant in chosen]
        expected = [sum(covering.seconds[test] for test in some) for some in tests]
        verdicts = []
        list(pool.map(_check, [mutant.module for mutant in chosen[:jobs]], [some[:3] for some in tests[:jobs]]))
        for mutant, verdict in zip(chosen, pool.map(_try, chosen, tests, expected), strict=True):
            verdicts.append({**asdict(mutant), **verdict})
            out.write_text(json.dumps(verdicts, indent=1), encoding="utf-8")
            print(
                f"{verdict['verdict']:9} {verdict['cpu']:6.1f} s  {mutant.module}:{mutant.line} {mutant.operator}",
                flush=True,
            )
    return verdicts


_tree: Path


def _start(folder: str) -> None:
    global _tree
    _tree = copied(ROOT, Path(tempfile.mkdtemp(dir=folder)))
    warm()


def _check(module: str, tests: Sequence[str]) -> None:
    if tests:
        alive(module, tests, _tree)


def _try(mutant: Mutant, tests: Sequence[str], seconds: float) -> dict[str, Any]:
    verdict, by, cpu = tried(mutant, tests, _tree, seconds=seconds)
    return {"verdict": verdict, "by": by, "tests": len(tests), "cpu": round(cpu, 1)}


def report(verdicts: Sequence[dict[str, Any]], texts: dict[str, str]) -> str:
    """The share killed by room and by operator, and every survivor."""
    lines = []
    for head, key in (("room", _room), ("operator", lambda v: v["operator"])):
        groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for verdict in verdicts:
            groups[key(verdict)].append(verdict)
        lines += [f"| {head} | mutants | killed | share | 95 % |", "|---|---|---|---|---|"]
        lines += [_row(name, group) for name, group in sorted(groups.items())] + [_row("all", verdicts), ""]
    for verdict in verdicts:
        if not _dead(verdict):
            mutant = Mutant(**{name: verdict[name] for name in Mutant.__slots__})
            lines.append(f"{verdict['verdict']}, {verdict['tests']} tests: {mutant.shown(texts[mutant.module])}")
    return "\n".join(lines)


def _room(verdict: dict[str, Any]) -> str:
    return Path(verdict["module"]).parts[2]


def _dead(verdict: dict[str, Any]) -> bool:
    return verdict["verdict"] in ("killed", "timeout")


def _row(name: str, group: Iterable[dict[str, Any]]) -> str:
    dead = [_dead(verdict) for verdict in group]
    low, high = wilson(sum(dead), len(dead))
    return f"| {name} | {len(dead)} | {sum(dead)} | {sum(dead) / len(dead):.1%} | {low:.0%} to {high:.0%} |"


def main() -> None:
    """Draw, try, report."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--rooms", nargs="+", default=ROOMS, help=f"folders of the package ({' '.join(ROOMS)})")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests per mutant (60)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--coverage", type=Path, default=COVERAGE, help="data of `make coverage`")
    parser.add_argument("--junit", type=Path, default=JUNIT, help="its report of durations")
    parser.add_argument("--out", type=Path, help="verdicts as JSON (out/mutants-SEED.json)")
    wanted = parser.parse_args()
    if not wanted.coverage.exists() or not wanted.junit.exists():
        parser.error(f"{wanted.coverage} or {wanted.junit} is not there: run `make coverage` first.")
    texts = sources(wanted.rooms)
    every = [mutant for module, text in texts.items() for mutant in mutants(module, text)]
    print(
        f"{len(every)} mutants of {len(texts)} modules; {wanted.sample} are drawn with seed {wanted.seed}.", flush=True
    )
    covering = Covering.read(wanted.coverage, wanted.junit, texts)
    out = wanted.out or ROOT / "out" / f"mutants-{wanted.seed}.json"
    out.parent.mkdir(exist_ok=True)
    drawn = sample(every, wanted.sample, wanted.seed)
    print("\n" + report(run(drawn, covering, out, budget=wanted.budget, jobs=wanted.jobs), texts))


if __name__ == "__main__":
    main()
