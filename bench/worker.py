"""One unit in a process of its own: the specification comes in as JSON, the result goes out into a file."""

import json
import sys
import warnings
from pathlib import Path

from bench import fidelity_tasks, outcome_tasks, tasks, tuning


def main() -> None:
    """Run the task that standard input names."""
    warnings.simplefilter("ignore")  # what peers say about their own use of other packages
    spec = json.load(sys.stdin)
    module = next(each for each in (fidelity_tasks, outcome_tasks, tuning, tasks) if spec["task"] in each.__all__)
    result = getattr(module, spec["task"])(**spec["arguments"])
    Path(sys.argv[1]).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
