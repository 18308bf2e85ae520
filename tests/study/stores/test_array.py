"""The workers of ``sbatch --array`` as the how-to has them: independent programs on one study in PostgreSQL."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regretless import Study

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "workers.md"


@pytest.mark.slow
def test_workers_of_an_array_one_of_which_is_killed(server, tmp_path):
    (script,) = re.findall(r"```python\n(# worker.py\n.*?)```", PAGE.read_text(), flags=re.S)
    script = script.replace("lease=60.0", "lease=3.0").replace(
        "def evaluate(params):\n", "def evaluate(params):\n    __import__('time').sleep(0.1)\n"
    )
    (tmp_path / "worker.py").write_text(script)
    place = server.new_database()
    environment = {**os.environ, "STUDY": place}
    workers = [
        subprocess.Popen([sys.executable, "worker.py"], cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
        for _ in range(3)
    ]

    def told():
        try:
            with Study.open(place, "array", read_only=True) as study:
                return sum(trial.status == "told" for trial in study.trials)
        except Exception:  # nobody has made it yet
            return 0

    while told() < 8:
        assert any(worker.poll() is None for worker in workers)
        time.sleep(0.1)
    workers[0].send_signal(signal.SIGKILL)
    for worker in workers:
        worker.wait(timeout=120)
        worker.stderr.close()
    assert [worker.returncode for worker in workers] == [-signal.SIGKILL, 0, 0]
    with Study.open(place, "array") as study:
        trials = study.trials
        assert [trial.number for trial in trials] == list(range(len(trials)))
        ended = [event.number for event in study.events() if event.kind in ("told", "failed", "released")]
        assert len(ended) == len(set(ended))
        assert 40 <= sum(trial.status == "told" for trial in trials) <= 42
        assert len({event.data["worker"] for event in study.events() if event.kind == "told"}) == 3
        pending = [trial.number for trial in trials if trial.status == "pending"]
        assert len(pending) <= 1  # of the one that was killed, if the others were done before its lease ended
