"""A robot that takes experiments from the page's API and tells what came out; standard library only.

Start the page with `regretless serve lab.db`, and the robot with the address it prints:
`python examples/robot.py "http://127.0.0.1:8734/?token=..."`. Without one, it makes and serves a study of its own.
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any
from urllib.parse import parse_qs, urlsplit

from regretless import Study


class Robot:
    """Everything a robot needs to know of the API."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.base, self.token = f"http://{parts.netloc}/api/v1", parse_qs(parts.query)["token"][0]

    def call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps({**body, "author": "robot"}).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers)) as answer:
            return json.load(answer)

    def run(self, study: str, rounds: int) -> None:
        for i in range(rounds):  # the key makes a request count once, also when the network fails after it
            for trial in self.call(f"/studies/{study}/ask", {"key": f"robot-round-{i:04d}", "count": 2}):
                value = self.measure(trial["params"])
                told = self.call(f"/studies/{study}/trials/{trial['number']}/tell", {"value": value})
                print(f"trial {told['number']}: {told['params']} -> {told['value']:.2f}")
            standing = self.call(f"/studies/{study}/certificate")
            if standing["stop"]:
                break
        print(standing["advice"])

    def measure(self, params: dict[str, Any]) -> float:
        """The experiment: yours to fill in."""
        return float(80.0 - (params["T"] - 62.0) ** 2 / 40.0 - 3.0 * (params["acid"] == "HNO3"))


def main(address: str) -> None:
    """Work on the first study there is."""
    robot = Robot(address)
    robot.run(robot.call("/studies")[0]["id"], rounds=12)


def own_bench() -> None:
    """A study of our own, served by a process of our own."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [{"T": T, "acid": acid} for T in range(20, 101, 4) for acid in ("HCl", "HNO3")]
        stop = {"eps": 0.5, "relative": None, "patience": 2}
        Study.open(f"{folder}/lab.db", "acids", space=rows, objective="yield", seed=1, metadata={"stop": stop}).close()
        command = [sys.executable, "-m", "regretless", "serve", f"{folder}/lab.db", "--port", "0", "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                main(_ready(next(line.strip() for line in server.stdout if "token=" in line)))
            finally:
                server.terminate()


def _ready(address: str) -> str:
    """The address, once somebody answers there."""
    for _ in range(300):
        try:
            Robot(address).call("/studies")
        except OSError:
            time.sleep(0.1)
        else:
            break
    return address


if __name__ == "__main__":
    if len(sys.argv) > 1 and "token=" in sys.argv[1]:
        main(sys.argv[1])
    else:
        own_bench()
