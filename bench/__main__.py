"""The command line, from the repository root: ``python -m bench`` and the name of a benchmark."""

import sys

from bench import (
    certificate,
    composites,
    cost,
    dims,
    fidelities,
    floor,
    hosts,
    large,
    levels,
    networks,
    outcomes,
    regret,
    robust,
    storage,
    tables,
    workers,
)


def main(arguments: list[str]) -> int:
    """Run the named benchmark."""
    commands = {
        "cost": cost.main,
        "regret": regret.main,
        "outcomes": outcomes.main,
        "fidelities": fidelities.main,
        "hosts": hosts.main,
        "certificate": certificate.main,
        "floor": floor.main,
        "storage": storage.main,
        "workers": workers.main,
        "large": large.main,
        "levels": levels.main,
        "composites": composites.main,
        "dims": dims.main,
        "networks": networks.main,
        "robust": robust.main,
        "tables": tables.main,
    }
    if not arguments or arguments[0] not in commands:
        print(f"usage: python -m bench {{{','.join(commands)}}} [--help]", file=sys.stderr)
        return 2
    return commands[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
