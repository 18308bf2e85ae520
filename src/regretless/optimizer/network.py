"""Objectives at the end of a network of stages, each measured: what goes into which, and how a stage is modelled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from regretless.arrays import Floats, show
from regretless.errors import InvalidInput
from regretless.optimizer.composite import Composite, Target
from regretless.spaces import Domain, Mixed

__all__ = ["Network", "Wire", "as_composite", "stage_domain", "wires_of"]


@dataclass(frozen=True, slots=True)
class Network:
    """An objective that is the last output of a network of stages, or a known function of their outputs.

    Each stage gets a model of its own, of its output as a function of its own inputs. Outputs are measured and told by
    name; they may be noisy, but a stage is taken to get what was measured of the one before.

    Parameters
    ----------
    stages
        The output of each stage by name, with its inputs: parameters of the space, and outputs of other stages.
    function
        The objective, as a known function of the outputs by name; see `Composite`. It may be a `Target`. None: the
        output of the one stage that no other one uses.
    name
        What the objective is called. If left out: ``"value"`` of a function, else ``"final"`` and the last output.

    Examples
    --------
    >>> line = Network({"grain": ["heat", "time"], "strength": ["grain", "load"]})
    >>> line.name, float(line({"grain": 2.0, "strength": 7.0}))
    ('final strength', 7.0)
    """

    stages: Mapping[str, Sequence[str]]
    function: Callable[[Mapping[str, Floats]], Any] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.stages, Mapping) or not self.stages:
            raise InvalidInput(
                "Network needs stages with their inputs, such as {'grain': ['heat'], 'strength': ['grain', 'load']}, "
                f"got {show(self.stages)}."
            )
        stages = {name: _inputs(name, inputs) for name, inputs in self.stages.items()}
        object.__setattr__(self, "stages", _in_order(stages))
        last = self.last
        if self.function is None and len(last) > 1:
            raise InvalidInput(
                f"{', '.join(last)} are inputs of no other stage: one must be the last. Leave the others out, or say "
                "what the objective is: Network(stages, lambda y: y['a'] - y['b'])."
            )
        if self.name == "":
            object.__setattr__(self, "name", f"final {last[0]}" if self.function is None else "value")
        if self.name in self.inputs:
            raise InvalidInput(f"name {self.name!r} is an input of a stage; the objective is called otherwise.")
        self._composite()  # checks the rest

    @property
    def of(self) -> tuple[str, ...]:
        """The outputs, each after those it depends on."""
        return tuple(self.stages)

    @property
    def inputs(self) -> frozenset[str]:
        """Everything that is an input of a stage."""
        return frozenset(name for inputs in self.stages.values() for name in inputs)

    @property
    def last(self) -> tuple[str, ...]:
        """The stages that no other one uses."""
        return tuple(name for name in self.stages if name not in self.inputs)

    @property
    def signs(self) -> None:
        """None: nothing is said about where it is monotone."""
        return

    def __call__(self, values: Mapping[str, Floats]) -> Floats:
        """The objective, checked."""
        return self._composite()(values)

    def _composite(self) -> Composite:
        function, last = self.function, self.last[0]
        return Composite((lambda values: values[last]) if function is None else function, self.of, self.name)

    def check(self, parameters: Sequence[str], constants: frozenset[str]) -> None:
        """Refuse what does not go with the parameters of a space, of which some are constant."""
        clash = [name for name in self.of if name in parameters]
        if clash:
            raise InvalidInput(f"{clash[0]!r} is a parameter, and so is no output of a stage: rename one of them.")
        unknown = [name for name in sorted(self.inputs) if name not in parameters and name not in self.stages]
        if unknown:
            stage = next(name for name, inputs in self.stages.items() if unknown[0] in inputs)
            raise InvalidInput(
                f"the stage {stage!r} has the input {unknown[0]!r}, which is neither a parameter "
                f"({', '.join(parameters)}) nor another stage ({', '.join(self.of)})."
            )
        unused = [name for name in parameters if name not in self.inputs | constants]
        if unused:
            raise InvalidInput(
                f"{', '.join(unused)}: an input of no stage, and so without any effect. Add it to the inputs of the "
                "stage it acts on, or take it out of the space."
            )
        idle = [name for name, inputs in self.stages.items() if constants.issuperset(inputs)]
        if idle:
            raise InvalidInput(f"the stage {idle[0]!r} has constant inputs only: there is nothing to model.")

    def to_data(self) -> dict[str, Any]:
        """As plain JSON: stages in their order; the function as `Composite.to_data` has it."""
        stages = [[name, list(inputs)] for name, inputs in self.stages.items()]
        function = {} if self.function is None else self._composite().to_data()
        return {**function, "stages": stages, "name": self.name}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], resolve: Callable[[str], Callable[..., Any]]) -> "Network":
        """What was written so; ``resolve`` finds a function by its name."""
        function: Any = None
        if "target" in data:
            function = Target({name: tuple(pair) for name, pair in data["target"].items()})
        elif "function" in data:
            function = resolve(data["function"])
        return cls(dict(data["stages"]), function, data["name"])


@dataclass(frozen=True, slots=True)
class Wire:
    """What a stage sees: columns of an encoded point, then outcomes of the same trial, by their numbers."""

    columns: tuple[int, ...]
    outcomes: tuple[int, ...]


def as_composite(objective: Any) -> Composite | Network | None:
    """An objective that is computed from what is measured; None where it is none."""
    if isinstance(objective, Target):
        return Composite(objective, objective.of, name="match")
    return objective if isinstance(objective, Composite | Network) else None


def wires_of(network: Network, domain: Domain) -> tuple[Wire | None, ...]:
    """Of every outcome: None of the objective, which is computed."""
    varying = [name for name in domain.names if name not in domain.constants]
    column, number = {name: j for j, name in enumerate(varying)}, {name: k for k, name in enumerate(network.of, 1)}
    return None, *(
        Wire(
            tuple(column[name] for name in inputs if name in column),
            tuple(number[name] for name in inputs if name in number),
        )
        for inputs in network.stages.values()
    )


@cache
def stage_domain(n_levels: tuple[int, ...]) -> Mixed:
    """A space of the inputs of a stage, which nobody searches: its model asks what kind they are."""
    return Mixed({f"input {j}": list(map(str, range(n))) if n else (0.0, 1.0) for j, n in enumerate(n_levels)})


def _inputs(name: Any, inputs: Any) -> tuple[str, ...]:
    found = () if isinstance(inputs, str) or not isinstance(inputs, Sequence) else tuple(inputs)
    named = all(isinstance(each, str) and each for each in (name, *found))
    if not named or not found or len(set(found)) != len(found):
        raise InvalidInput(
            f"the inputs of the stage {show(name)} must be a list of different names, such as ['heat', 'time'], got "
            f"{show(inputs)}."
        )
    return found


def _in_order(stages: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The stages, each after those it depends on, else in the order they are given."""
    left, ordered = dict(stages), {}
    while left:
        ready = [name for name, inputs in left.items() if not any(each in left for each in inputs)]
        if not ready:
            raise InvalidInput(
                f"{', '.join(left)} wait for each other: a stage cannot have an input that depends on its own output."
            )
        ordered[ready[0]] = left.pop(ready[0])
    return ordered
