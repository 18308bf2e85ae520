"""A small scope and the bench that measures it."""

import signal

from regretless import Study

SCOPE = "solvent,T,yield\n" + "".join(
    f"{solvent},{T},\n" for solvent in ("water", "ethanol", "toluene") for T in range(20, 100, 10)
)


def yield_of(solvent, T):
    """What the bench would say."""
    return round({"water": 40.0, "ethanol": 70.0, "toluene": 55.0}[solvent] - 0.02 * (float(T) - 60.0) ** 2, 3)


def fill_in(path, measure=yield_of, rows=None):
    """Type the results into the file of a round, as a lab does; ``rows`` limits how many."""
    head, *lines = path.read_text().splitlines()
    names = head.split(",")
    filled = []
    for i, line in enumerate(lines):
        cells = dict(zip(names, line.split(","), strict=True))
        if rows is None or i < rows:
            cells["yield"] = repr(measure(cells["solvent"], cells["T"]))
        filled.append(",".join(cells[name] for name in names))
    path.write_text("\n".join([head, *filled]) + "\n")
    return path


def heed_signals():
    """For a child to begin with: a test run in the background has it ignore Ctrl-C, as shells do."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def trials(lab, name="scope"):
    """What the study beside a file has by now."""
    with Study.open(lab / f"{name}.study.db", name) as study:
        return study.trials
