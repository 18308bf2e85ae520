"""The lab's loop with the study on a server that several machines share."""

import json
import os

import pytest

from .bench import SCOPE, fill_in

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address():
    if os.environ.get("REGRETLESS_TEST_POSTGRES") == "skip":
        pytest.skip("REGRETLESS_TEST_POSTGRES=skip")
    from tests.study.stores.postgres import Server

    server = Server()
    yield server.new_database()
    server.close()


def test_the_loop_on_a_server(run, lab, scope, address):
    run("init", "scope.csv", "--objective", "yield", "--seed", 1, "--batch", 2, "--study", address)
    (lab / "other.csv").write_text(SCOPE)
    run("init", "other.csv", "--objective", "yield", "--seed", 1, "--study", address)
    assert "holds 2 studies: other, scope" in run("suggest", "--study", address, code=2).stderr
    here = ("--study", address, "--name", "scope")
    run("suggest", *here, "--out", "r.csv")
    fill_in(lab / "r.csv")
    run("record", "r.csv", *here)
    status = json.loads(run("status", *here, "--format", "json").stdout)
    assert status["counts"]["measured"] == 2
    assert "2 of 2 suggestions match" in run("replay", *here).stderr
    assert not list(lab.glob("*.db"))
    said = run("status", "--study", "postgresql://me:secret@127.0.0.1:1/none", code=1)
    assert "secret" not in said.stdout + said.stderr
