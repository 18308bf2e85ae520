"""What `python -m bench regret` prints."""

import io

from bench.regret import _medians, _print_in_full
from rich.console import Console


def test_no_name_is_lost_in_a_narrow_terminal():
    final = {f"function-{k}": {"regretless": [0.00012, 0.00013], "botorch-logei": [130.0, 140.0]} for k in range(12)}
    table = _medians("title", final, ["regretless", "botorch-logei"], {"regretless": 1.0, "botorch-logei": 2.0})
    text = io.StringIO()
    _print_in_full(Console(file=text, width=40), table)
    lines = text.getvalue().splitlines()
    (ours,) = (line for line in lines if line.startswith(" Regretless"))
    (theirs,) = (line for line in lines if line.startswith(" BoTorch LogEI"))
    assert ours.split()[1:] == ["0.00013"] * 12 + ["1.00"]
    assert theirs.split()[2:] == ["1.4e+02"] * 12 + ["2.00"]
