"""A function never has the name of its module: it would hide it."""

import ast
import pkgutil
from pathlib import Path

import regretless

SOURCE = Path(regretless.__file__).parent


def packages():
    return [SOURCE, *(path.parent for path in SOURCE.rglob("*/__init__.py"))]


def test_no_package_exports_the_name_of_one_of_its_modules():
    hidden = []
    for package in packages():
        tree = ast.parse((package / "__init__.py").read_text())
        lists = [
            node.value
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and "__all__" in ast.unparse(node)
        ]
        exported = {n.value for value in lists for n in ast.walk(value) if isinstance(n, ast.Constant)}
        modules = {module.name for module in pkgutil.iter_modules([str(package)])}
        hidden += [f"{package.name}.{name}" for name in exported & modules]
    assert not hidden
    assert len(packages()) > 15
