"""Small tables of the published form, made here; and the published ones where REGRETLESS_DATA names their folder."""

import functools
import hashlib
import http.server
import os
import threading

import numpy as np
import pytest

from regretless.errors import InvalidInput, MissingExtra
from regretless.problems import load, measurements, missing, table_names
from regretless.problems.measurements import FOLDER_VARIABLE, fetch, locate

# a repeat of the first input comes last, and the best single row (9) is not the best average (6)
TABLE = "a,b c,score\r\n1,0.5,9\r\n2,0.5,6\r\n2,0.25,1.5\r\n1,0.50,1"


def write(folder, file, text, *, bom=False):
    content = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    (folder / file).write_bytes(content)
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("bom", [False, True])
@pytest.mark.parametrize("ends", ["\r\n", "\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_repeats_are_averaged_in_order_of_first_appearance(tmp_path, bom, ends, last):
    digest = write(tmp_path, "P3HT_dataset.csv", TABLE.replace("\r\n", ends) + last, bom=bom)
    problem = load("p3ht", tmp_path, sha256=digest)
    assert problem.space.names == ("a", "b c")
    assert [problem.space.params(i) for i in range(3)] == [
        {"a": 1.0, "b c": 0.5},
        {"a": 2.0, "b c": 0.5},
        {"a": 2.0, "b c": 0.25},
    ]
    assert [problem(problem.space.params(i)) for i in range(3)] == [5.0, 6.0, 1.5]
    assert problem.optimum == 6.0
    assert problem.optimizers.tolist() == [[2.0, 0.5]]


def test_losses_are_negated(tmp_path):
    problem = load("perovskite", tmp_path, sha256=write(tmp_path, "Perovskite_dataset.csv", TABLE, bom=True))
    assert problem.optimum == -1.5
    assert problem({"a": 1, "b c": 0.5}) == -5.0
    assert problem.regret(-5.0) == 3.5


def test_the_folder_comes_from_the_environment(tmp_path, monkeypatch):
    digest = write(tmp_path, "Crossed barrel_dataset.csv", TABLE)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert load("crossed-barrel", sha256=digest).optimum == 6.0


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_folder_the_error_says_what_to_do(monkeypatch, tmp_path, value):
    monkeypatch.setattr(measurements, "_cache", lambda: tmp_path)
    if value is None:
        monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(FOLDER_VARIABLE, value)
    with pytest.raises(InvalidInput, match="data fetch`, or set the environment variable REGRETLESS_DATA"):
        load("agnp")


def test_a_missing_file_and_an_unknown_name_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        load("agnp", tmp_path)
    with pytest.raises(InvalidInput, match="Known are: agnp"):
        load("steel", tmp_path)


def test_a_changed_file_is_refused(tmp_path):
    digest = write(tmp_path, "AgNP_dataset.csv", TABLE)
    with pytest.raises(InvalidInput, match="not the published file"):
        load("agnp", tmp_path)
    write(tmp_path, "AgNP_dataset.csv", TABLE.replace("\r\n", "\n"))
    with pytest.raises(InvalidInput, match=digest):
        load("agnp", tmp_path, sha256=digest)


@pytest.mark.parametrize("text", ["", "a,b", "a,b\r\n1,x", "a,b\r\n1,2\r\n3", "a\r\n1", "a,b\r\n1,nan", "a,b\r\n1,2,3"])
def test_files_of_another_form_are_refused(tmp_path, text):
    with pytest.raises(InvalidInput, match="must h"):
        load("agnp", tmp_path, sha256=write(tmp_path, "AgNP_dataset.csv", text))


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012 (one server a test)

    def log_message(self, *_):
        self.asked.append(self.path)


@pytest.fixture
def locally_served(tmp_path, monkeypatch, loopback):
    """Two files behind a server of our own, an empty cache, and no folder named."""
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(measurements, "_cache", lambda: tmp_path / "cache")
    folder = tmp_path / "served"
    folder.mkdir()
    sources = dict(measurements._SOURCES)
    for name in ("crossed-barrel", "p3ht"):
        digest = write(folder, sources[name].file, TABLE)
        sources[name] = type(sources[name])(sources[name].file, digest, sources[name].minimise)
    monkeypatch.setattr(measurements, "_SOURCES", sources)
    Quiet.asked.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_fetch_once_then_load(locally_served):
    assert locate("crossed-barrel") is None
    assert missing(["crossed-barrel", "p3ht"]) == ("crossed-barrel", "p3ht")
    path = fetch("crossed-barrel", origin=locally_served)  # a space in its name
    assert fetch("crossed-barrel", origin=locally_served) == path == locate("crossed-barrel")
    assert len(Quiet.asked) == 1
    assert load("crossed-barrel").optimum == 6.0
    assert missing(["crossed-barrel", "p3ht"]) == ("p3ht",)


def test_a_folder_that_is_named_comes_before_the_cache(locally_served, tmp_path, monkeypatch):
    fetch("p3ht", origin=locally_served)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "elsewhere"))
    assert locate("p3ht") == tmp_path / "elsewhere" / "P3HT_dataset.csv"
    assert missing(["p3ht"]) == ("p3ht",)
    with pytest.raises(InvalidInput, match="cannot be read"):
        load("p3ht")


def test_a_download_that_is_not_the_published_file_is_refused_and_not_kept(locally_served, tmp_path):
    write(tmp_path / "served", "P3HT_dataset.csv", TABLE + "\r\n")
    with pytest.raises(InvalidInput, match="not the published file"):
        fetch("p3ht", origin=locally_served)
    assert locate("p3ht") is None
    with pytest.raises(InvalidInput, match="cannot be fetched"):
        fetch("agnp", origin=locally_served)  # 404


def test_fetching_without_pooch_names_the_extra(monkeypatch):
    monkeypatch.setattr(measurements, "_cache", lambda: None)
    with pytest.raises(MissingExtra, match=r"regretless\[paper\]"):
        fetch("agnp")


# name, coordinates, distinct inputs, optimum, optimal input, next best, mean and population sd of the averages
PUBLISHED = {
    "agnp": (
        5, 164, -0.14836082, (32.50117647, 16.0, 6.501176471, 4.501176471, 850.0), -0.169340, -0.512187, 0.195355,
    ),
    "autoam": (4, 100, 0.936549, (0.0, 1.55882615, -0.349834168, -0.328645365), 0.932613, 0.513623, 0.296771),
    "crossed-barrel": (4, 600, 46.711404976666664, (12.0, 150.0, 1.9, 1.4), 44.944861, 15.321938, 10.822079),
    "p3ht": (5, 178, 838.31, (46.92, 50.3, 1.53, 0.04, 1.23), 770.35, 223.648, 224.878),
    "perovskite": (3, 94, -27122.0, (0.18, 0.82, 0.0), -38893.0, -336190.533, 270188.309),
}  # fmt: skip


def test_every_table_is_described():
    assert tuple(PUBLISHED) == table_names()


@pytest.mark.skipif(not os.environ.get(FOLDER_VARIABLE), reason=f"{FOLDER_VARIABLE} does not name the data folder")
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables(name):
    dim, size, optimum, best, runner_up, mean, sd = PUBLISHED[name]
    problem = load(name)
    assert (len(problem.space.names), problem.space.n_candidates) == (dim, size)
    assert problem.optimum == pytest.approx(optimum, rel=1e-8)
    assert problem.optimizers.tolist() == [list(best)]
    values = np.array([problem(problem.space.params(i)) for i in range(size)])
    assert np.sort(values)[-2] == pytest.approx(runner_up, rel=1e-5)
    assert values.mean() == pytest.approx(mean, rel=1e-5)
    assert values.std() == pytest.approx(sd, rel=1e-5)
