"""What a page costs: a study of 500 trials and 100,000 candidates, and ten people at one file for ten minutes."""

import os
import random
import threading
import time

import numpy as np
import pytest

from regretless import Study

from .conftest import Person, base, events, small, trials, value


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path, rng = tmp_path_factory.mktemp("large") / "lab.db", np.random.default_rng(0)
    rows = [dict(zip("abcd", row, strict=True)) for row in rng.random((100_000, 4)).round(4).tolist()]
    with Study.open(path, "large", space=rows, objective="yield", seed=1) as study:
        for i in range(500):
            study.add(row=i, value=80.0 - 50.0 * sum((x - 0.4) ** 2 for x in rows[i].values()), key=f"result-{i}")
    return path


@pytest.mark.slow
def test_a_large_study_renders_in_half_a_second_of_cpu(large, doors):
    from regretless.web import Bench, create_app

    bench = Bench(large)
    ada = Person(create_app(bench, doors), doors, "Ada")
    at = base("large")
    for path in (at, f"{at}/trials", f"{at}/candidates", "/"):
        ada.goes(path)  # the model is fitted, the certificate computed
    for path in (at, f"{at}/trials", f"{at}/candidates", "/"):
        began = time.process_time()
        ada.goes(path)
        spent = time.process_time() - began
        print(f"{path.replace(at, 'study')}: {spent:.3f} s")
        assert spent < 0.5, path
    bench.close()


@pytest.mark.slow
def test_ten_people_lose_and_double_nothing(app, doors, store):
    """Each asks, records, corrects and looks for REGRETLESS_MINUTES; all that was acknowledged is stored once."""
    small(store, results=4)
    end = time.monotonic() + 60.0 * float(os.environ.get("REGRETLESS_MINUTES", "10"))
    told: dict[int, float] = {}
    wrong: list[str] = []
    done: list[str] = []
    lock = threading.Lock()

    def work(name: str) -> None:
        person, rng = Person(app, doors, name), random.Random(name)
        while time.monotonic() < end:
            try:
                _act(person, rng)
            except AssertionError as error:
                wrong.append(str(error)[:300])

    def _act(person: Person, rng: random.Random) -> None:
        roll = rng.random()
        if roll < 0.15:
            key = f"{rng.random()}-key"
            for _ in range(rng.choice((1, 2))):  # a double click
                person.sends(f"{base()}/ask", key=key, count=str(rng.choice((1, 3))) if roll < 0.0 else "2")
        elif roll < 0.5:
            waiting = [trial for trial in trials(store) if trial.status == "pending"]
            if waiting:
                trial = rng.choice(waiting)
                result = round(value(trial.params) + rng.gauss(0.0, 0.5), 3)
                answer = person.post(f"{base()}/t/{trial.number}/record", data={"v0": str(result), "do": "record"})
                assert answer.status_code in (303, 409), answer.text
                if answer.status_code == 303:
                    with lock:
                        told.setdefault(trial.number, result)
                        assert told[trial.number] == result, "two results of one trial were taken"
        elif roll < 0.55:
            key = f"{rng.random()}-ran"
            fields = {"key": key, "p0": str(rng.randrange(20, 101, 10)), "p1": "HCl", "v0": "70.5", "do": "record"}
            for _ in range(2):
                person.sends(f"{base()}/ran/record", **fields)
            done.append(key)
        else:
            path = rng.choice(("", "/trials", "/candidates", "/sheet", "/pulse?seq=1"))
            person.goes(base() + path)

    threads = [threading.Thread(target=work, args=(f"person {i}",)) for i in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    stored = trials(store)
    for number, result in told.items():
        assert stored[number].value == result
    kept = events(store)
    assert [event.seq for event in kept] == list(range(1, len(kept) + 1))
    assert sum(event.kind == "added" for event in kept) == len(done)
    numbers = [event.number for event in kept if event.kind == "told"]
    assert len(numbers) == len(set(numbers)) == len(told) + 4
    print(f"{len(kept)} events, {len(told)} results of {len(stored)} trials, {len(done)} added")
