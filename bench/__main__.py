"""The command line: ``python -m bench {cost,regret,certificate,storage}``, from the repository root."""

import sys

from bench import certificate, cost, regret, storage


def main(arguments: list[str]) -> int:
    """Run the named benchmark."""
    commands = {
        "cost": cost.main,
        "regret": regret.main,
        "certificate": certificate.main,
        "storage": storage.main,
    }
    if not arguments or arguments[0] not in commands:
        print("usage: python -m bench {cost,regret,certificate,storage} [--help]", file=sys.stderr)
        return 2
    return commands[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
