"""Which package may import which, as ARCHITECTURE.md draws it, read from the sources."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "omoide"

#: Package -> packages it may import, besides itself and EVERYWHERE.
MAY_IMPORT = {
    "cli": "app embed server store transfer families text config",
    "server": "config exchange families text",
    "transfer": "memory store",
    "families": "memory dates text",
    "memory": "engine store text dates",
    "engine": "_engine embed store text",
    "embed": "_engine exchange",
    "chat": "exchange",
    "text": "_engine",
    "dates": "_engine",
    "store": "",
    "config": "",
    "exchange": "",
    "app": "chat config embed engine families memory server store text transfer",
}
EVERYWHERE: dict[str, set[str]] = {
    **{each: set() for each in ("model", "errors", "coalescing", "installed", "turns", "nesting", "traditional")},
    "bounded_yaml": {"nesting"},
}
ENTRY_POINTS = {"cli", "app", ""}

_SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA\s)\b", re.DOTALL
)


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    """`store` for omoide/store/..., `app` for omoide/app.py, "" for omoide/__init__.py; the program is the command line's."""
    first = path.relative_to(PACKAGE).parts[0]
    return {"__init__.py": "", "__main__.py": "cli"}.get(first, first.removesuffix(".py"))


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules a file imports, wherever in it."""
    return frozenset(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def packages_imported(path: Path) -> set[str]:
    packages = {name.split(".")[1] for name in imported(path) if name.startswith("omoide.")}
    return {"cli" if each == "__main__" else each for each in packages} - {"__version__"}


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_package_imports_only_those_it_may(path: Path) -> None:
    package = package_of(path)
    if package == "":
        return  # the public names come from everywhere
    everywhere = EVERYWHERE.get(package, EVERYWHERE.keys())
    allowed = {package, *everywhere, *MAY_IMPORT.get(package, "").split()}
    assert packages_imported(path) <= allowed


def test_every_package_is_drawn() -> None:
    packages = {package_of(path) for path in sources()} - {"", *EVERYWHERE}
    assert packages == MAY_IMPORT.keys()


def test_families_do_not_import_each_other() -> None:
    for path in sorted((PACKAGE / "families").rglob("*.py")):
        own = path.relative_to(PACKAGE / "families").parts[0]
        others = {name.split(".")[2] for name in imported(path) if name.startswith("omoide.families.")}
        assert others - {own, "tool"} == set(), path


def test_of_families_the_server_and_the_command_line_import_only_what_a_tool_is() -> None:
    for package in ("server", "cli"):
        for path in sorted((PACKAGE / package).rglob("*.py")):
            known = {name for name in imported(path) if name.startswith("omoide.families")}
            assert all(name.startswith("omoide.families.tool") for name in known), path


def test_only_entry_points_import_the_composition_root() -> None:
    for path in sources():
        if any(name.startswith("omoide.app") for name in imported(path)):
            assert package_of(path) in ENTRY_POINTS, path


def test_protocol_types_stay_at_the_rim() -> None:
    for path in sources():
        if any(re.match(r"(mcp|mcp_types|starlette|uvicorn)\b", name) for name in imported(path)):
            assert package_of(path) in {"server"}, path


def test_sql_stays_in_the_store() -> None:
    for path in sources():
        if package_of(path) == "store":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not _SQL.search(node.value), (path, node.lineno)
        assert "sqlite3" not in imported(path), path


def test_placeholders_of_statements_have_names_or_stand_in_order() -> None:
    """Python 3.12.0 to 3.12.3 call a numbered one with values in order deprecated: an error where warnings are errors."""
    for path in sources():
        if package_of(path) == "store":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    assert not re.search(r"\?\d", node.value), (path, node.lineno)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("omoide", ("mcp", "rich", "sudachipy", "omoide.app")),
        ("omoide.cli", ("omoide.text", "omoide.store", "omoide.app", "omoide._engine", "yaml", "rich")),
        ("omoide.cli.serving", ("omoide.dates.grammar", "sudachipy", "jsonschema", "jsonschema_rs", "mcp", "asyncio")),
        ("omoide.families.fegis", ("yaml",)),
    ],
)
def test_importing_it_loads_nothing_heavy(module: str, heavy: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*(name for name in {heavy} if name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


CRATES = {
    "omoide-python": {"omoide-text", "omoide-embed", "omoide-index", "omoide-search"},
    "omoide-search": {"omoide-index"},
    "omoide-index": set(),
    "omoide-text": set(),
    "omoide-embed": set(),
}


def test_crates_depend_downwards() -> None:
    told = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"],
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    packages = json.loads(told.stdout)["packages"]
    assert {package["name"] for package in packages} == CRATES.keys()
    for package in packages:
        ours = {
            each["name"]
            for each in package["dependencies"]
            if each["name"].startswith("omoide-") and each["kind"] is None
        }
        assert ours <= CRATES[package["name"]], package["name"]


def test_only_the_command_that_gets_models_can_download_one() -> None:
    getting = {path.name for path in sources() if any(name.startswith("omoide.embed.pull") for name in imported(path))}
    assert getting == {"models.py"}
    libraries = ("huggingface_hub", "model2vec", "sentence_transformers", "transformers")
    assert not [path for path in sources() for name in imported(path) if name.startswith(libraries)]
