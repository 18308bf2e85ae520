"""The mistakes: what is changed in a module, one place at a time, each as a replacement of a stretch of its text.

The operators are those of mutmut and cosmic-ray, with one or two changes per place rather than all that could be made:
eleven replacements of each ``+`` would fill a sample with mistakes that nobody could overlook. Left alone are texts,
annotations, decorators, the arguments of a ``raise`` (its removal is a mutant, its wording is none) and code for type
checkers.
"""

import ast
from dataclasses import dataclass

BOUNDARY = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
OPPOSITE = {
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
ARITHMETIC = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "/",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with the text from ``start`` to ``end`` (in characters) replaced by ``text``."""

    module: str
    operator: str
    line: int
    start: int
    end: int
    text: str
    lines: tuple[int, ...]  # a test that runs one of them may notice

    def applied(self, source: str) -> str:
        """The text of the module with the mistake. It has as many lines as before."""
        changed = source[: self.start] + self.text + source[self.end :]
        missing = source.count("\n", self.start, self.end) - self.text.count("\n")
        return changed[: self.start + len(self.text)] + "\\\n" * missing + changed[self.start + len(self.text) :]

    def shown(self, source: str) -> str:
        """Where it is and what it changes, on one line."""
        before = " ".join(source[self.start : self.end].split())
        return f"{self.module}:{self.line}  {self.operator}: {before[:70]}  ->  {self.text[:70]}"


def mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of one module, in the order of their places."""
    found = _Places(module, source)
    found.visit(ast.parse(source))
    return sorted(found.mutants, key=lambda m: (m.start, m.end, m.operator))


class _Places(ast.NodeVisitor):
    """Walks through a module and collects its mutants."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source, self.mutants = module, source, list[Mutant]()
        rows = source.splitlines(keepends=True)
        self._starts = [0]
        for row in rows:
            self._starts.append(self._starts[-1] + len(row))
        self._rows = [row.encode() for row in rows]
        self._lines: tuple[int, ...] = ()  # of the statement; of the function whose defaults these are
        self._defaults = False

    def _at(self, row: int, column: int) -> int:
        """A place of `ast`, which counts bytes, in characters."""
        return self._starts[row - 1] + len(self._rows[row - 1][:column].decode())

    def _span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self.source[start:end]

    def _add(self, operator: str, node: ast.expr | ast.stmt | ast.keyword, start: int, end: int, text: str) -> None:
        self.mutants.append(Mutant(self.module, operator, node.lineno, start, end, text, self._lines))

    def _replace(self, operator: str, node: ast.expr | ast.stmt, text: str) -> None:
        self._add(operator, node, *self._span(node), text)

    def _between(self, operator: str, whole: ast.expr, left: ast.expr, right: ast.expr, sign: str, new: str) -> None:
        """Another sign between two operands, around which there may be brackets, comments and line ends."""
        start, end = self._span(left)[1], self._span(right)[0]
        place = self.source.find(sign, start, end)
        if "#" not in self.source[start:end]:
            self._add(operator, whole, place, place + len(sign), new)

    def visit(self, node: ast.AST) -> None:
        """Notes which lines a statement has; one with a body: those of its head."""
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = max(body[0].lineno - 1, node.lineno) if body else node.end_lineno
            self._lines = tuple(range(node.lineno, (end or node.lineno) + 1))
        super().visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for sign, right in zip(node.ops, node.comparators, strict=True):
            written = _WRITTEN[type(sign)]
            if type(sign) in BOUNDARY:
                self._between("boundary", node, left, right, written, BOUNDARY[type(sign)])
            self._between("comparison", node, left, right, written, OPPOSITE[type(sign)])
            left = right
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC and not _is_text(node.left) and not _is_text(node.right):
            new = ARITHMETIC[type(node.op)]
            self._between("arithmetic", node, node.left, node.right, _WRITTEN[type(node.op)], new)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between("boolean", node, left, right, old, new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace("not removed", node, f"bool({self._text(node.operand)})")
        elif isinstance(node.op, ast.USub | ast.Invert):
            self._replace("sign removed", node, f"({self._text(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        kind = "default" if self._defaults else "constant"
        if isinstance(node.value, bool):
            self._replace(kind, node, str(not node.value))
        elif isinstance(node.value, int):
            self._replace(kind, node, str(node.value + 1))
        elif isinstance(node.value, float):
            self._replace(kind, node, repr(2.0 * node.value if node.value else 1.0))

    def visit_Call(self, node: ast.Call) -> None:
        plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
        if len(plain) == len(node.args) >= 2 and self._text(plain[0]) != self._text(plain[1]):
            start, end = self._span(plain[0])[0], self._span(plain[1])[1]
            between = self.source[self._span(plain[0])[1] : self._span(plain[1])[0]]
            if "#" not in between:
                self._add("swapped", node, start, end, self._text(plain[1]) + between + self._text(plain[0]))
        for keyword in node.keywords:
            if keyword.arg is not None:
                start, end = self._span(keyword)
                rest = self.source[end:].lstrip()
                end += len(self.source[end:]) - len(rest) + 1 if rest.startswith(",") else 0
                self._add("keyword removed", keyword, start, end, "")
        self.generic_visit(node)

    def _condition(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            self._replace("condition", test, f"(not ({self._text(test)}))")

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._condition(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._condition(test)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring, or ...
        self._replace("statement removed", node, "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._replace("raise removed", node, "pass")

    def visit_Break(self, node: ast.Break) -> None:
        self._replace("break", node, "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace("continue", node, "break")

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._replace("statement removed", node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._replace("statement removed", node, "pass")
        if type(node.op) in ARITHMETIC and not _is_text(node.value):
            sign = _WRITTEN[type(node.op)] + "="
            place = self.source.find(sign, *(self._span(node.target)[1], self._span(node.value)[0]))
            self._add("arithmetic", node, place, place + len(sign), ARITHMETIC[type(node.op)] + "=")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        arguments = node.args
        self._lines, self._defaults = tuple(range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)), True
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        self._defaults = False
        for statement in node.body:
            self.visit(statement)


_WRITTEN: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
