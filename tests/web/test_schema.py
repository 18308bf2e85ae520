"""Whatever is sent to the API, it answers; never with an error of ours. Ten thousand requests made from the schema."""

import json
import os
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from regretless.web.bench import study_id

from .conftest import HOST, events, small

schemathesis = pytest.importorskip("schemathesis")

#: Requests in all; the seven operations get equally many.
REQUESTS = int(os.environ.get("REGRETLESS_REQUESTS", "10000"))


def send(client: TestClient, case: Any, known: str, real: bool) -> Any:
    """A request as schemathesis made it; ``real`` puts a study that is there, and a trial that may be, in its path."""
    path = case.path
    places = {"id": known, "number": str(abs(hash(str(case.body))) % 8)} if real else case.path_parameters
    for name, text in (places or {}).items():
        path = path.replace(f"{{{name}}}", str(text))
    path = "/api/v1" + re.sub(r"[^\x21-\x7e]|[?#\\]", "_", path)
    headers = {"content-type": "application/json"}
    if isinstance(case.body, type(schemathesis.core.NOT_SET)):
        return client.request(case.method, path)
    body = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode("utf-8", "replace")
    return client.request(case.method, path, content=body, headers=headers)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
def test_no_request_is_an_error_of_ours(app, doors, store, mode):
    small(store, results=4, pending=2, repeats="never")  # ends after 18 trials: thousands of fits test nothing more
    client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False, follow_redirects=False)
    client.headers["authorization"] = f"Bearer {doors.token}"
    schema = schemathesis.openapi.from_dict(client.get("/api/v1/openapi.json").json())
    operations = [result.ok() for result in schema.get_all_operations()]
    if mode == "NEGATIVE":  # what cannot be wrong has no parameters
        operations = [each for each in operations if each.path_parameters]
    seen: Counter[int] = Counter()
    for operation in operations:
        cases = operation.as_strategy(generation_mode=getattr(schemathesis.GenerationMode, mode))

        @settings(
            max_examples=-(-REQUESTS // (2 * len(operations))),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases, real=st.booleans())
        def ask(case: Any, real: bool) -> None:
            answer = send(client, case, study_id("acids"), real)
            seen[answer.status_code] += 1
            assert answer.status_code < 500, (case.method, case.path, case.body, answer.text)
            assert answer.headers["x-content-type-options"] == "nosniff"

        ask()
    print(mode, dict(seen))
    assert seen[200] > 0 or mode == "NEGATIVE"
    assert seen[422] > 0
    assert [event.seq for event in events(store)] == list(range(1, len(events(store)) + 1))
