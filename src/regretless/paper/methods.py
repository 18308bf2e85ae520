"""The methods that race: how each is called, which colour it has in every figure, and rules from outside."""

import hashlib
import importlib
import importlib.metadata
import inspect
from collections.abc import Iterable
from dataclasses import dataclass

from regretless.acquisition import RULES, UCB, Rule
from regretless.errors import InvalidInput
from regretless.paper.jobs import Unit
from regretless.study.codec import RULES_GROUP as ENTRY_POINTS

__all__ = ["ENTRY_POINTS", "Method", "as_methods", "outside", "rule_of"]

# Okabe and Ito's eight colours and two of Paul Tol's; neighbours also differ in their dashes.
_LOOKS = {
    "irgp-ucb": ("IRGP-UCB", "#D55E00", "-"),
    "gp-ucb": ("GP-UCB", "#0072B2", "-"),
    "rgp-ucb": ("RGP-UCB", "#56B4E9", "--"),
    "ei": ("EI", "#000000", "-"),
    "ts": ("TS", "#E69F00", "--"),
    "pims": ("PIMS", "#009E73", "-"),
    "mes": ("MES", "#CC79A7", "-"),
    "jes": ("JES", "#882255", "--"),
    "ats": ("ATS", "#767676", "-."),
    "est": ("EST", "#B8A800", "-."),
    "tight": ("IRGP-UCB, tight law", "#E69F00", "--"),
    "anytime": ("GP-UCB, anytime", "#009E73", "-"),
}
_OWN = ("#332288", "#44AA99", "#AA4499", "#999933", "#661100")


@dataclass(frozen=True, slots=True)
class Method:
    """A method: ``key`` names its results, ``rule`` is empty or the ``module:Class`` it comes from."""

    key: str
    label: str
    colour: str
    dash: str
    rule: str = ""


def as_methods(names: Iterable[str], rules: Iterable[str] = (), *, own: bool = True) -> tuple[Method, ...]:
    """Methods by name; with ``own`` also the rules given as ``module:Class`` and those of installed entry points.

    >>> [m.label for m in as_methods(["ei", "irgp-ucb"])]
    ['EI', 'IRGP-UCB']
    """
    methods = [Method(name, *_LOOKS.get(name, (name, "#000000", "-"))) for name in names]
    installed = (point.value for point in importlib.metadata.entry_points(group=ENTRY_POINTS))
    for number, spec in enumerate(dict.fromkeys([*rules, *installed]) if own else ()):
        rule = outside(spec)
        methods.append(Method(_key(rule), rule.name, _OWN[number % len(_OWN)], ":", spec))
    return tuple(methods)


def outside(spec: str) -> Rule:
    """The rule of a class given as ``module:Class``, made without arguments."""
    module, _, name = spec.partition(":")
    if not module or not name:
        raise InvalidInput(f"a rule is given as module:Class, such as own_rule:Annealed; got {spec!r}.")
    try:
        rule = getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError, TypeError) as error:
        raise InvalidInput(
            f"the rule {spec!r} cannot be made: {error}. The module must be installed or lie in the current folder, "
            "and the class must need no arguments."
        ) from error
    if not isinstance(rule, Rule) or not isinstance(getattr(rule, "name", None), str):
        raise InvalidInput(f"{spec!r} is no rule. Derive it from regretless.Rule and give it a name.")
    return rule


def rule_of(unit: Unit) -> Rule:
    """The rule of a unit; upper confidence bounds take the law that its settings name."""
    if unit.rule:
        return outside(unit.rule)
    kind = RULES[unit.method]
    return kind(unit.settings["confidence"]) if issubclass(kind, UCB) else kind()


def _key(rule: Rule) -> str:
    """The rule's name with a mark of its source and settings: an edited rule is another method."""
    source = inspect.getsource(inspect.getmodule(type(rule)) or type(rule))
    return f"{rule.name}-{hashlib.sha256((source + repr(rule)).encode()).hexdigest()[:8]}"
