"""Every attribute that a method assigns is one that its class begins with.

For the type checker, an attribute that only a later method assigns is declared there. If its name differs from the one that the
constructor sets, others go on reading what was set at the start.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "omoide"
CONSTRUCTORS = {"__init__", "__new__", "__enter__", "__aenter__"}
#: A base class of another package begins their attributes.
DERIVED = {"HttpConnection", "_Server"}


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name not in DERIVED:
                yield f"{path.relative_to(PACKAGE)}:{node.name}", node


def assigned(node: ast.ClassDef, *, by_constructors: bool) -> set[str]:
    """Attributes of self that its constructors assign, or its other methods."""
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    chosen = [each for each in methods if (each.name in CONSTRUCTORS) == by_constructors]
    return {
        each.attr
        for method in chosen
        for each in ast.walk(method)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }


def begun(node: ast.ClassDef) -> set[str]:
    """Attributes that the body of a class declares, or its constructors assign."""
    annotated = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    names = [target for each in node.body if isinstance(each, ast.Assign) for target in each.targets]
    declared = {each.id for each in (*annotated, *names) if isinstance(each, ast.Name)}
    return declared | assigned(node, by_constructors=True)


def test_what_a_method_assigns_the_class_or_its_base_begins_with() -> None:
    every = dict(classes())
    begun_by = {node.name: begun(node) for node in every.values()}
    found = {}
    for where, node in every.items():
        bases = [begun_by.get(each.id, set()) for each in node.bases if isinstance(each, ast.Name)]
        found[where] = assigned(node, by_constructors=False) - begun(node).union(*bases)
    assert {where: names for where, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("def __init__(self): self.came = 0\n def read(self): self.arrived = 1", {"arrived"}),
        ("def __init__(self): self.arrived = 0\n def read(self): self.arrived = 1", set()),
        ("arrived: float\n def read(self): self.arrived = 1", set()),
    ],
)
def test_an_attribute_under_two_names_is_found(body: str, found: set[str]) -> None:
    (node,) = ast.parse(f"class Lines:\n {body}").body
    assert isinstance(node, ast.ClassDef)
    assert assigned(node, by_constructors=False) - begun(node) == found
