"""The folder tools/ is not part of the package: it is found from the repository root, and an sdist does not have it."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
collect_ignore_glob = [] if (ROOT / "tools").is_dir() else ["test_*.py"]
