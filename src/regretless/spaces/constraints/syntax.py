"""The text of a constraint, read into a tree by recursive descent. No text is ever executed.

    constraint  = and { "or" and }
    and         = not { "and" not }
    not         = "not" not | "(" constraint ")" | comparison
    comparison  = sum relation sum { relation sum } | NAME ["not"] "in" "[" value { "," value } "]"
    sum         = term { ("+" | "-") term }
    term        = factor { ("*" | "/") factor }
    factor      = ("+" | "-") factor | power
    power       = atom [ "**" factor ]
    atom        = NUMBER | NAME | FUNCTION "(" sum { "," sum } ")" | "(" sum ")" | TEXT | True | False | None

A name that is not a plain word stands in backticks: `` `content (%)` ``.
"""

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from regretless.errors import InvalidInput
from regretless.spaces.constraints.expression import (
    FUNCTIONS,
    All,
    Any_,
    Call,
    Comparison,
    Constant,
    Member,
    Name,
    Not,
    Number,
    Operation,
    Tree,
)
from regretless.spaces.scalars import Scalar, did_you_mean, listed

__all__ = ["read_constraint"]

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<quoted>`[^`]*`)
    | (?P<text>'[^']*'|"[^"]*")
    | (?P<word>[^\W\d]\w*)
    | (?P<op>\*\*|<=|>=|==|!=|[-+*/()\[\],<>=])
    )""",
    re.VERBOSE,
)
_RELATIONS = ("<=", ">=", "==", "!=")
_WORDS = ("and", "or", "not", "in", "True", "False", "None")
_LONGEST = 600  # numbers, names and signs
_DEEPEST = 50  # levels of brackets, signs and powers
_EXAMPLE = "Write it like 'x + y <= 1', '2*a - b >= 0', '0 <= x - y <= 2' or \"solvent != 'water' or T <= 100\""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def read_constraint(text: str) -> Tree:
    """The tree of a constraint.

    >>> read_constraint("x + `content (%)` <= 1")
    Comparison(op='<=', left=Operation(op='+', left=Name(name='x'), right=Name(name='content (%)')), right=Number(value=1.0))
    """  # noqa: E501
    reader = _Reader(text)
    tree = reader.constraint()
    if reader.token.kind != "end":
        reader.fail(f"{reader.token.text!r} is not expected there")
    return tree


class _Reader:
    """One pass over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._next = 0
        self._depth = 0

    @property
    def token(self) -> _Token:
        return self._tokens[self._next]

    def fail(self, why: str, at: int | None = None) -> NoReturn:
        place = self.token.at if at is None else at
        raise InvalidInput(f"constraint {self._text!r}, character {place + 1}: {why}. {_EXAMPLE}.")

    def constraint(self) -> Tree:
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Any_(tuple(parts))

    def _and(self) -> Tree:
        parts = [self._not()]
        while self._take("and"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _not(self) -> Tree:
        self._deeper()
        try:
            if self._take("not"):
                return Not(self._not())
            if self.token.text == "(" and self._brackets_a_condition():
                self._take("(")
                inner = self.constraint()
                self._expect(")")
                return inner
            return self._comparison()
        finally:
            self._depth -= 1

    def _brackets_a_condition(self) -> bool:
        """Whether the bracket that opens here holds comparisons, not a number."""
        depth = 0
        for token in self._tokens[self._next :]:
            depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "op" else 0
            if depth == 0:
                return False
            if (token.kind == "op" and token.text in (*_RELATIONS, "<", ">", "=")) or (
                token.kind == "word" and token.text in ("and", "or", "not", "in")
            ):
                return True
        return False

    def _comparison(self) -> Tree:
        start = self.token.at
        left = self._sum()
        negated = self.token.text == "not" and self._tokens[self._next + 1].text == "in"
        if negated:
            self._take("not")
        if self._take("in"):
            if not isinstance(left, Name):
                self.fail("only a parameter can be 'in' a list", start)
            return Member(left.name, self._values(), not negated)
        parts: list[Tree] = []
        while self.token.kind == "op" and self.token.text in (*_RELATIONS, "<", ">", "="):
            op = self._relation()
            right = self._sum()
            parts.append(Comparison(op, left, right))
            left = right
        if not parts:
            self.fail("a comparison such as <=, >= or == is missing")
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _relation(self) -> str:
        op = self.token.text
        if op in ("<", ">"):
            self.fail(
                f"write {op}= in place of {op}: a set without its border has no largest value, and rounding could not "
                f"tell the two apart. For whole numbers, n < 5 is n <= 4"
            )
        if op == "=":
            self.fail("write == for equality")
        self._take(op)
        return op

    def _values(self) -> tuple[Scalar, ...]:
        closing = "]" if self._take("[") else ")"
        if closing == ")":
            self._expect("(")
        values: list[Scalar] = []
        while not self._take(closing):
            if values:
                self._expect(",")
            values.append(self._literal())
        if not values:
            self.fail("the list is empty")
        return tuple(values)

    def _literal(self) -> Scalar:
        sign = -1.0 if self._take("-") else 1.0
        atom = self._atom()
        if isinstance(atom, Number):
            number = sign * atom.value
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        if not isinstance(atom, Constant) or sign < 0:
            self.fail("a list holds numbers and texts in quotes")
        return atom.value

    def _sum(self) -> Any:
        left = self._term()
        while self.token.kind == "op" and self.token.text in ("+", "-"):
            op = self.token.text
            self._take(op)
            left = Operation(op, self._numeric(left), self._numeric(self._term()))
        return left

    def _term(self) -> Any:
        left = self._factor()
        while self.token.kind == "op" and self.token.text in ("*", "/"):
            op = self.token.text
            self._take(op)
            left = Operation(op, self._numeric(left), self._numeric(self._factor()))
        return left

    def _factor(self) -> Any:
        self._deeper()
        try:
            if self._take("-"):
                part = self._numeric(self._factor())
                return Number(-part.value) if isinstance(part, Number) else Operation("*", Number(-1.0), part)
            if self._take("+"):
                return self._numeric(self._factor())
            base = self._atom()
            if self._take("**"):
                return Operation("**", self._numeric(base), self._numeric(self._factor()))
            return base
        finally:
            self._depth -= 1

    def _atom(self) -> Any:
        token = self.token
        self._next += token.kind != "end"
        match token.kind:
            case "number":
                return Number(float(token.text))
            case "text":
                return Constant(token.text[1:-1])
            case "quoted":
                return Name(token.text[1:-1])
            case "word" if token.text in ("True", "False", "None"):
                return Constant({"True": True, "False": False, "None": None}[token.text])
            case "word" if token.text not in _WORDS:
                return self._call(token) if self._take("(") else Name(token.text)
            case "op" if token.text == "(":
                inner = self._sum()
                self._expect(")")
                return inner
        what = "the text ends too early" if token.kind == "end" else f"{token.text!r} is not expected there"
        return self.fail(what, token.at)

    def _call(self, name: _Token) -> Call:
        if name.text not in FUNCTIONS:
            hint = did_you_mean(name.text, FUNCTIONS)
            self.fail(f"there is no function {name.text!r}; there are {listed(list(FUNCTIONS))}{hint}", name.at)
        arguments = [self._numeric(self._sum())]
        while self._take(","):
            arguments.append(self._numeric(self._sum()))
        self._expect(")")
        _, least, most = FUNCTIONS[name.text]
        if not least <= len(arguments) <= most:
            self.fail(f"{name.text} takes {least} number{'s or more' * (most > least)}, got {len(arguments)}", name.at)
        return Call(name.text, tuple(arguments))

    def _numeric(self, part: Any) -> Any:
        if isinstance(part, Constant):
            self.fail(f"{part.value!r} is no number to compute with")
        return part

    def _take(self, text: str) -> bool:
        token = self.token
        if token.text == text and token.kind in ("op", "word"):
            self._next += 1
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._take(text):
            self.fail(f"{text!r} is missing")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self.fail(f"there are more than {_DEEPEST} brackets and signs inside each other")

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        at = 0
        end = len(self._text.rstrip())
        while at < end:
            found = _TOKEN.match(self._text, at)
            if found is None or found.lastgroup is None:
                begin = at + len(self._text[at:]) - len(self._text[at:].lstrip())
                raise InvalidInput(
                    f"constraint {self._text!r}, character {begin + 1}: {self._text[begin]!r} cannot be read. Names "
                    f"that are not plain words stand in backticks, as in `content (%)`. {_EXAMPLE}."
                )
            begin = found.start(found.lastgroup)
            tokens.append(_Token(found.lastgroup, found.group(found.lastgroup), begin))
            at = found.end()
            if len(tokens) > _LONGEST:
                raise InvalidInput(f"a constraint may have up to {_LONGEST} numbers, names and signs. Write several.")
        if not tokens:
            raise InvalidInput(f"a constraint must not be empty. {_EXAMPLE}.")
        return [*tokens, _Token("end", "", end)]
