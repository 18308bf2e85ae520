"""Mutants: small mistakes put into the code one at a time, to see which of them the tests notice.

``python -m tools.mutants --help``; [](docs/adr/0114-mutants.md) says why this is not mutmut or cosmic-ray.
"""
