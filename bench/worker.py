"""One unit in a process of its own: the specification comes in as JSON, the result goes out into a file."""

import json
import sys
import warnings
from pathlib import Path

from bench import outcome_tasks, tasks


def main() -> None:
    """Run the task that standard input names."""
    warnings.simplefilter("ignore")  # what peers say about their own use of other packages
    spec = json.load(sys.stdin)
    module = outcome_tasks if spec["task"] in outcome_tasks.__all__ else tasks
    result = getattr(module, spec["task"])(**spec["arguments"])
    Path(sys.argv[1]).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
