"""What a door refuses, it can tell in three languages."""

import ast
from collections.abc import Iterator
from pathlib import Path

import omoide

FAMILIES = Path(omoide.__file__).parent / "families"


def _refusals() -> Iterator[tuple[str, dict[str | None, ast.expr]]]:
    """(where, keyword arguments) of each InvalidArgument that a family makes."""
    for file in sorted(FAMILIES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "InvalidArgument":
                yield f"{file.name}:{node.lineno}", {each.arg: each.value for each in node.keywords}


def test_every_refusal_of_a_family_has_words_in_japanese_and_chinese() -> None:
    refusals = list(_refusals())
    assert len(refusals) > 20
    assert not [where for where, given in refusals if "also" not in given]
