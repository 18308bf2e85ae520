"""What SECURITY.md promises is tested where it says."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_file_that_security_names_exists():
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[^`]*)`", page) + re.findall(r"\((docs/[^)#]*)", page)
    assert len(named) > 12
    assert [name for name in named if not (ROOT / name).exists()] == []
