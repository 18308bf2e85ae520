"""One unit in a process of its own: the specification comes in as JSON, the result goes out into a file."""

import json
import sys
import warnings
from pathlib import Path

from bench import tasks


def main() -> None:
    """Run the task that standard input names."""
    warnings.simplefilter("ignore")  # what peers say about their own use of other packages
    spec = json.load(sys.stdin)
    result = getattr(tasks, spec["task"])(**spec["arguments"])
    Path(sys.argv[1]).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
