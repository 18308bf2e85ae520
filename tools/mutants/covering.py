"""Which tests run a line, and what they cost: from a coverage run that noted the tests (`make coverage`)."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from .operators import Mutant

#: Blocks of a page build on each other, and tests of the web need plugins of pytest that are slow to load.
_LEFT_OUT = ("docs/", "README", "tests/web/", "tests/integrations/")


@dataclass(frozen=True, slots=True)
class Covering:
    """``tests[module][line]`` are the tests that ran the line, none if it ran at import; ``seconds`` what each took."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    @classmethod
    def read(cls, coverage: Path, junit: Path, modules: Iterable[str]) -> "Covering":
        """From the data of coverage.py and the report of pytest."""
        data = CoverageData(str(coverage))
        data.read()
        seconds = {
            f"{case.get('classname')}.{case.get('name')}": float(case.get("time", 0.0))
            for case in ET.parse(junit).iter("testcase")
            if not len(case)  # a child says that it failed or was skipped
        }
        tests = {module: _plain(data.contexts_by_lineno(module)) for module in modules}
        return cls(tests, {test: seconds.get(_in_junit(test), 1.0) for test in _all(tests)})

    def of(self, mutant: Mutant, *, budget: float) -> list[str]:
        """The tests that may notice a mutant, promising and cheap ones first, as many as ``budget`` seconds allow.

        What runs at import only (a constant of a module, a field of a class) may be noticed by any test of the module.
        """
        lines = self.tests[mutant.module]
        found = {test for line in mutant.lines for test in lines.get(line, [])}
        if not found and any(line in lines for line in mutant.lines):
            found = {test for tests in lines.values() for test in tests}
        chosen, spent = [], 0.0
        for test in sorted(found, key=lambda test: (self.seconds[test] * _distance(test, mutant.module), test)):
            spent += self.seconds[test]
            if spent > budget and chosen:
                break
            chosen.append(test)
        return chosen


def _distance(test: str, module: str) -> float:
    """A test of the module's own room is worth four times the time."""
    room, name = Path(module).parts[2], Path(module).stem
    if test.startswith((f"tests/{room}/test_{name}", module)):
        return 0.1
    return 0.25 if test.startswith(f"tests/{room}/") else 1.0


def _plain(contexts: dict[int, list[str]]) -> dict[int, list[str]]:
    """Without the phase that pytest-cov notes, without imports, and without tests that cannot be run by themselves."""
    return {
        line: sorted({test.rpartition("|")[0] for test in tests if test and not test.startswith(_LEFT_OUT)})
        for line, tests in contexts.items()
    }


def _all(tests: dict[str, dict[int, list[str]]]) -> set[str]:
    return {test for lines in tests.values() for row in lines.values() for test in row}


def _in_junit(test: str) -> str:
    """As pytest names a test in its report: ``tests.gp.test_fit.test_it[1]``."""
    path, _, name = test.partition("::")
    return f"{path.removesuffix('.py').replace('/', '.')}.{name.replace('::', '.')}"
