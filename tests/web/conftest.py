"""A bench with small studies, and people in front of it."""

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the page needs the extra web")
from starlette.testclient import TestClient

from regretless import Regret, Study
from regretless.lab.lab import lab_metadata
from regretless.web import Bench, Doors, create_app
from regretless.web.bench import study_id

HOST = "127.0.0.1:8734"


def value(params: Any) -> float:
    """What the lab would measure."""
    return 80.0 - (params["T"] - 60.0) ** 2 / 50.0 + 5.0 * (params["acid"] == "HCl")


def small(path: Path, name: str = "acids", results: int = 0, pending: int = 0, **settings: Any) -> None:
    """A table of 18 experiments."""
    rows = [{"T": T, "acid": acid} for T in range(20, 101, 10) for acid in ("HCl", "HNO3")]
    said = lab_metadata(file="acids.csv", row_name="line", batch=3, stop=Regret(0.5), dialect=None)
    with Study.open(
        path, name, space=rows, objective="yield", seed=1, metadata=said, author="Ada", **settings
    ) as study:
        for _ in range(results):
            trial = study.ask()
            study.tell(trial, value(trial.params))
        if pending:
            study.ask(pending)


class Person(TestClient):
    """Somebody with a browser, who is in."""

    def __init__(self, app: Any, doors: Doors, name: str = "") -> None:
        super().__init__(app, base_url=f"http://{HOST}", follow_redirects=False)
        self.cookies.set(doors.cookie_name, doors.cookie)
        if name:
            self.post("/who", data={"name": name})

    def goes(self, path: str) -> str:
        """The page there, which must be one."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def sends(self, path: str, **fields: Any) -> str:
        """A form; the page that follows."""
        answer = self.post(path, data=fields)
        assert answer.status_code == 303, answer.text
        return self.goes(answer.headers["location"].partition("#")[0])


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for what is computed beside: no test depends on how fast that is."""
    monkeypatch.setattr("regretless.web.pages.MOMENT", 120.0)
    monkeypatch.setattr("regretless.web.pages.GLANCE", 120.0)
    monkeypatch.setattr("regretless.web.actions.MOMENT", 120.0)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "lab.db"


@pytest.fixture
def doors() -> Doors:
    return Doors.at(8734)


@pytest.fixture
def bench(store: Path) -> Iterator[Bench]:
    made = Bench(store, report=lambda lab: f"<p>report of {len(lab.study)}</p>")
    with contextlib.closing(made):
        yield made


@pytest.fixture
def app(bench: Bench, doors: Doors) -> Any:
    return create_app(bench, doors)


@pytest.fixture
def ada(app: Any, doors: Doors) -> Person:
    return Person(app, doors, "Ada")


def base(name: str = "acids") -> str:
    """The address of a study."""
    return f"/s/{study_id(name)}"


def trials(store: Path, name: str = "acids") -> Any:
    """What is stored."""
    with Study.open(store, name, read_only=True) as study:
        return study.trials


def events(store: Path, name: str = "acids") -> Any:
    """What is on record."""
    with Study.open(store, name, read_only=True) as study:
        return study.events()


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)
