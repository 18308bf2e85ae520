"""What `import regretless` gives, and what it costs."""

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import regretless
import regretless.errors

PUBLIC = [
    "ATS",
    "EI",
    "EST",
    "GPUCB",
    "HVI",
    "IRGPUCB",
    "JES",
    "MES",
    "PIMS",
    "RGPUCB",
    "TS",
    "ATSc",
    "BoundingBoxes",
    "Box",
    "Categorical",
    "Certificate",
    "Certified",
    "Chebyshev",
    "ConstrainedEI",
    "Event",
    "Exhausted",
    "FeasibleRegret",
    "Fixed",
    "Float",
    "FrontRegret",
    "HypervolumeLeft",
    "Int",
    "InvalidInput",
    "JointRule",
    "Mixed",
    "Mixture",
    "Optimistic",
    "Ordinal",
    "Outcome",
    "Penalised",
    "Recommendation",
    "Regret",
    "RegretlessError",
    "Replayed",
    "Result",
    "Rule",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "StoreTooNew",
    "StoreUnreachable",
    "Study",
    "StudyConflict",
    "Surrogate",
    "Table",
    "Trial",
    "TrialConflict",
    "TrustRegion",
    "UnknownStudy",
    "UnknownTrial",
    "UntrustedCode",
    "__version__",
    "maximize",
    "minimize",
    "replay",
    "Composite",
    "CompositeRegret",
    "CompositeTS",
    "Quantile",
    "Target",
    "Fidelity",
    "Goal",
    "LevelSet",
    "Misclassified",
    "Network",
    "RandomStraddle",
    "Region",
    "RegionLoss",
    "CVaR",
    "Environment",
    "Expectation",
    "MeanMinusStd",
    "Perturbation",
    "RobustRegret",
    "RobustUCB",
    "WeightSet",
    "WorstCase",
]

HEAVY = ["torch", "pandas", "matplotlib", "sqlalchemy", "scipy.stats", "rich", "click", "polars", "alembic", "psycopg"]


def python(code: str, **env: str) -> str:
    command, own = [sys.executable, "-c", code], {**os.environ, **env} if env else None
    return subprocess.run(command, capture_output=True, text=True, check=True, env=own).stdout


def test_public_names():
    assert sorted(regretless.__all__) == sorted(PUBLIC)
    assert len(set(regretless.__all__)) == len(regretless.__all__)
    assert all(hasattr(regretless, name) for name in PUBLIC)
    assert all(getattr(regretless, name).__doc__ for name in PUBLIC)


def arguments(f):
    return {name: p for name, p in inspect.signature(f).parameters.items() if name not in ("self", "args", "kwargs")}


def test_minimize_takes_what_maximize_takes():
    assert arguments(regretless.minimize) == arguments(regretless.maximize)
    with pytest.raises(TypeError, match="'n_trails'"):
        regretless.minimize(lambda x: x[0], [(0.0, 1.0)], n_trails=5)


@pytest.mark.parametrize("name", ["maximize", "open"])
def test_what_is_said_of_a_study_reads_the_same_everywhere(name):
    """The same names, types and defaults; `Study.open` has None for what an existing study need not be told."""
    of_study = arguments(regretless.Study)
    taken = arguments(regretless.maximize if name == "maximize" else regretless.Study.open)
    missing = set(of_study) - set(taken)
    assert missing == ({"direction", "goal", "environment"} if name == "maximize" else set())
    for each in sorted(set(of_study) & set(taken) - {"space"}):
        here, there = of_study[each], taken[each]
        if here.default is not None and name == "open":
            assert there.default is None
            assert there.annotation == here.annotation | None
        else:
            assert (there.annotation, there.default) == (here.annotation, here.default)


def test_what_is_run_reads_the_same_everywhere():
    of_run, taken = arguments(regretless.Study.optimize), arguments(regretless.maximize)
    assert set(of_run) <= set(taken)
    assert all(taken[name].default == of_run[name].default for name in of_run)


def test_nothing_heavy_is_imported():
    loaded = json.loads(
        python(f"import regretless, sys, json; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))")
    )
    assert loaded == []


def test_nothing_heavy_is_needed_to_optimise():
    code = (
        "import regretless, sys, json;"
        "regretless.maximize(lambda x: float(x[0]), [(0.0, 1.0)], 6, seed=0);"
        f"print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    )
    assert json.loads(python(code)) == []


def test_importing_alone_loads_nothing_of_the_core():
    """Names are imported when they are used: tools that only look at the version or the help need not wait."""
    loaded = json.loads(python("import regretless, sys, json; print(json.dumps(sorted(sys.modules)))"))
    assert not {"numpy", "scipy", "regretless.study"} & set(loaded)


def test_every_public_name_is_in_the_reference():
    """By itself, or among the errors, which are listed as a module."""
    page = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"auto(?:class|function):: (?:\w+\.)*(\w+)", page))
    assert set(PUBLIC) - listed - set(regretless.errors.__all__) == {"__version__"}
    assert ".. automodule:: regretless.errors\n   :members:" in page


def test_every_name_is_known_to_type_checkers():
    """The stub is what is imported from, so that the two cannot differ; only the version stands in both."""
    stub = (Path(regretless.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
    assert {line.split(" as ")[1].rstrip(",") for line in stub.splitlines() if " as " in line} | {"__version__"} == set(
        PUBLIC
    )


def test_the_first_use_of_a_name_loads_of_scipy_what_every_run_needs():
    """`scipy` loads its rooms when they are used: the searches, integrals and statistics of it are not needed yet."""
    late = ["scipy.optimize", "scipy.integrate", "scipy.stats", "scipy.spatial", "scipy.sparse.linalg"]
    code = (
        f"import regretless, sys, json; regretless.maximize; print(json.dumps([m for m in {late} if m in sys.modules]))"
    )
    assert json.loads(python(code)) == []


@pytest.mark.slow  # a time: on a busy machine it says nothing
def test_importing_costs_little_more_than_numpy_and_scipy(tmp_path):
    """CPU seconds, the least of several runs in turns: the import alone, and with the first use of a name."""
    compiled = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}  # as installed packages are
    timed = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
    base = timed.format("numpy, scipy.linalg, scipy.optimize, scipy.special")
    alone, used = timed.format("regretless"), timed.format("regretless; regretless.maximize")
    python(used, **compiled)
    times: dict[str, list[float]] = {base: [], alone: [], used: []}
    for _ in range(5):
        for code in times:
            times[code].append(float(python(code, **compiled)))
    assert min(times[alone]) <= 0.1 * min(times[base])
    assert min(times[used]) <= 1.3 * min(times[base])
