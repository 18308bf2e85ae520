"""The JSON API: the same checks as in Python, and the same suggestions."""

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from regretless import Study
from regretless.web.bench import study_id

from .conftest import HOST, events, small, trials, value


@pytest.fixture
def robot(app, doors) -> TestClient:
    client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
    client.headers["authorization"] = f"Bearer {doors.token}"
    return client


def at(end: str, name: str = "acids") -> str:
    return f"/api/v1/studies/{study_id(name)}/{end}"


def test_studies_are_listed(robot, store):
    small(store, results=2, pending=1)
    found = robot.get("/api/v1/studies").json()
    assert found == [{"id": study_id("acids"), "name": "acids", "trials": 3, "pending": 1, "events": 5}]


def test_a_robot_gets_what_python_gets(robot, store, tmp_path):
    small(store)
    small(tmp_path / "twin.db")
    with Study.open(tmp_path / "twin.db", "acids") as twin:
        for i in range(8):
            [mine] = robot.post(at("ask"), json={"key": f"round-{i:04d}"}).json()
            asked = twin.ask()
            assert (mine["number"], mine["params"], mine["zeta"]) == (asked.number, asked.params, asked.zeta)
            result = value(asked.params)
            twin.tell(asked, result)
            told = robot.post(at(f"trials/{asked.number}/tell"), json={"value": result, "author": "R2"}).json()
            assert (told["status"], told["value"]) == ("told", result)
        left = robot.get(at("certificate")).json()
        assert left["certificate"]["bound"] == pytest.approx(twin.certificate().bound, rel=1e-9)
    assert events(store)[-1].author == "R2"


def test_a_key_counts_once(robot, store):
    small(store)
    body = {"key": "one-request", "count": 2}
    first, second = (robot.post(at("ask"), json=body).json() for _ in range(2))
    assert first == second
    assert len(trials(store)) == 2
    assert robot.post(at("ask"), json={"key": "one-request", "count": 1}).status_code in (200, 409)


def test_telling_is_idempotent_and_does_not_change_the_past(robot, store):
    small(store, pending=1)
    for _ in range(2):
        assert robot.post(at("trials/0/tell"), json={"value": 81.2}).status_code == 200
    answer = robot.post(at("trials/0/tell"), json={"value": 18.2})
    assert answer.status_code == 409
    assert answer.json()["kind"] == "TrialConflict"
    amended = robot.post(at("trials/0/amend"), json={"value": 18.2, "reason": "typo"})
    assert amended.json()["value"] == 18.2
    assert [event.kind for event in events(store)] == ["asked", "told", "amended"]


@pytest.mark.parametrize(
    ("end", "body", "status"),
    [
        ("trials/0/tell", {}, 422),
        ("trials/0/tell", {"value": "x"}, 422),
        ("trials/0/tell", {"value": [1.0, 2.0], "sd": -1.0}, 422),
        ("trials/0/tell", {"value": {"nothing": 1.0}}, 422),
        ("trials/0/tell", {"value": 1.0, "extra": 1}, 422),
        ("trials/0/tell", {"value": 1.0, "author": "\n"}, 422),
        ("trials/99/tell", {"value": 1.0}, 404),
        ("trials/0/amend", {"value": 1.0}, 422),
        ("trials/0/amend", {"value": 1.0, "reason": "r"}, 409),
        ("ask", {"count": 1}, 422),
        ("ask", {"key": "short"}, 422),
        ("ask", {"key": "long-enough", "count": 0}, 422),
    ],
)
def test_bad_requests_change_nothing(robot, store, end, body, status):
    small(store, pending=1)
    answer = robot.post(at(end), json=body)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"kind", "error"}
    assert len(events(store)) == 1


@pytest.mark.parametrize("raw", ["NaN", "Infinity", "1e999"])
def test_numbers_are_finite(robot, store, raw):
    small(store, pending=1)
    headers = {"content-type": "application/json"}
    answer = robot.post(at("trials/0/tell"), content=f'{{"value": {raw}}}', headers=headers)
    assert answer.status_code == 422
    assert trials(store)[0].status == "pending"


def test_an_unknown_study_is_said_so(robot):
    assert robot.get("/api/v1/studies/000000000000/trials").status_code == 404
    assert robot.get("/api/v1/studies/x/trials").status_code == 422


def test_the_export_has_every_event(robot, store):
    small(store, results=2)
    record = robot.get(at("export")).json()
    assert [event["kind"] for event in record["events"]] == ["asked", "told", "asked", "told"]
    assert json.dumps(record)


def test_exhausted_is_a_conflict(robot, store):
    with Study.open(store, "acids", space=[{"T": 1}], objective="y", repeats="never", seed=1) as study:
        study.ask()
    answer = robot.post(at("ask"), json={"key": "one-request"})
    assert (answer.status_code, answer.json()["kind"]) == (409, "Exhausted")


def test_the_schema_names_every_path_and_loads_nothing_from_elsewhere(robot):
    schema = robot.get("/api/v1/openapi.json").json()
    assert set(schema["paths"]) == {
        "/studies",
        "/studies/{id}/trials",
        "/studies/{id}/ask",
        "/studies/{id}/trials/{number}/tell",
        "/studies/{id}/trials/{number}/amend",
        "/studies/{id}/certificate",
        "/studies/{id}/export",
    }
    assert robot.get("/api/v1/docs").status_code == 404


def test_the_client_in_the_examples_is_short():
    text = (Path(__file__).parents[2] / "examples" / "robot.py").read_text()
    client = re.search(r"class Robot:.*?(?=\ndef main)", text, re.S)[0]
    assert len([line for line in client.splitlines() if line.strip()]) <= 32
