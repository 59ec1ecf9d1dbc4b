"""The manifest of a family: `requirements.tsv` beside its tests, and what the tests cite."""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path


def required(folder: Path) -> list[str]:
    """The ids of the manifest, in its order."""
    with (folder / "requirements.tsv").open(encoding="utf-8", newline="") as file:
        return [row["id"] for row in csv.DictReader(file, delimiter="\t")]


def cited(folder: Path) -> dict[str, set[str]]:
    """By test: the ids that its marks cite, those of its single rows included."""
    return {
        f"{path.name}: {test.name}": set(_ids_in(test)) for path in folder.glob("test_*.py") for test in _tests_in(path)
    }


def _tests_in(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def _ids_in(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    calls = (node for mark in test.decorator_list for node in ast.walk(mark) if isinstance(node, ast.Call))
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "requirement":
            yield from (argument.value for argument in call.args if isinstance(argument, ast.Constant))
