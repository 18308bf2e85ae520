"""What a terminal shows of a pass over a huge table."""

import io
import sys

import pytest

from regretless.study.passes import PassLine


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("seconds", "shown"), [(2.9, False), (3.0, True)])
def test_a_long_pass_has_a_line_with_its_share(monkeypatch, seconds, shown):
    monkeypatch.setattr(sys, "stderr", Terminal())
    line = PassLine()
    line("certificate", 0, 1_000_000, seconds)
    line("certificate", 500_000, 1_000_000, 1.5)  # once it is shown it goes on to its end
    line("certificate", 1_000_000, 1_000_000, 0.0)
    said = sys.stderr.getvalue()
    assert (said != "") == shown
    if shown:
        head, rest = said.split("\n", 1)
        assert head == "certificate: one pass over 1,000,000 rows, about 3 s"
        assert [part.strip() for part in rest.split("\r")[1:]] == [
            f"certificate [{'.' * 30}] 0 %, 3 s left",
            f"certificate [{'#' * 15}{'.' * 15}] 50 %, 2 s left",
            f"certificate [{'#' * 30}] 100 %, done",
        ]
        assert said.endswith("\n")


def test_elsewhere_than_on_a_terminal_nothing_is_said(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    PassLine()("certificate", 0, 1_000_000, 60.0)
    assert sys.stderr.getvalue() == ""
