"""Every tool, setting, command and error has its entry in docs/."""

import argparse
import ast
import os
import re
import subprocess
import sys
from dataclasses import fields
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, walk_packages

import pytest

import omoide
from omoide import errors
from omoide.app import tools
from omoide.cli import COMMANDS, parser
from omoide.config import SETTINGS, Settings, flag_of, load, variables_of
from omoide.families.tool import Tool
from omoide.memory import Memories
from tests.embed.endpoint import running

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def entries(name: str) -> set[str]:
    """What stands first in the rows of the tables of a page."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


def test_every_tool_is_documented_with_when_it_is_offered_and_no_other(memories: Memories, tmp_path: Path) -> None:
    settings = load({"data": str(tmp_path)}, {})
    offered = {(tool.name, tool.family, _when(tool)) for tool in tools(memories, settings)}
    text = (DOCS / "tools.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| (\w+) \| ([a-z ]+) \|", text, re.MULTILINE)) == offered


def _when(tool: Tool) -> str:
    return "on request" if tool.on_request else "always"


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_documented_with_its_variables_and_flag(name: str) -> None:
    (row,) = [
        line for line in (DOCS / "configuration.md").read_text("utf-8").splitlines() if line.startswith(f"| `{name}` ")
    ]
    cells = [cell.strip() for cell in row.split("|")]
    assert tuple(re.findall("`([^`]+)`", cells[2])) == variables_of(name)
    assert cells[3] == (f"`{flag_of(name)}`" if SETTINGS[name].flag else "none")


DEFAULTS = {
    each.name: each.default
    for each in fields(Settings)
    if isinstance(each.default, (int, float, str)) and each.default != ""
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_who_sets_what_is_documented_as_the_default_changes_nothing(tmp_path: Path, name: str) -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    (written,) = re.findall(rf"^\| `{name}` \|[^|]+\|[^|]+\| `?([^|`]+)`? \|", text, re.MULTILINE)
    assert getattr(load({"data": str(tmp_path), name: written}, {}), name) == DEFAULTS[name]


def all_actions() -> list[argparse.Action]:
    """The arguments of every command."""
    (commands,) = (each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    return [action for command in commands.choices.values() for action in command._actions]


def test_no_setting_is_documented_that_is_not_there() -> None:
    assert entries("configuration.md") == SETTINGS.keys()


def test_every_command_is_documented() -> None:
    assert {entry.split()[1] for entry in entries("cli.md")} == set(COMMANDS)


#: (flag, how --help writes its value), of all commands.
FLAGS = {
    (flag, action.metavar)
    for action in all_actions()
    for flag in action.option_strings
    if flag.startswith("--") and action.nargs != 0
}


def test_the_help_of_every_flag_says_what_its_value_is() -> None:
    assert [flag for flag, metavar in FLAGS if not metavar] == []


def test_docs_write_the_values_of_flags_as_the_help_does() -> None:
    pages = (page for page in DOCS.glob("*.md") if page.name != "benchmarks.md")  # the benches have flags of their own
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    written = re.findall(r"`(--[a-z-]+) ([A-Z]+|[a-z]+\\?\|[a-z\\|]+)`", text)
    documented = {(flag, value.replace("\\", "")) for flag, value in written}
    assert len(documented) > 15
    assert documented - FLAGS == set()


def said(source: str) -> list[str]:
    """The texts in a module that a user may come to read: all but docstrings."""
    tree = ast.parse(source)
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in described)
    return [node.value for node in constants if isinstance(node.value, str)]


def test_no_message_names_a_page_that_a_wheel_does_not_contain() -> None:
    pages = re.compile(r"\bdocs/|\b(README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\b")
    modules = (ROOT / "python").rglob("*.py")
    texts = [(path.name, text) for path in modules for text in said(path.read_text(encoding="utf-8"))]
    assert len(texts) > 5_000
    assert [(name, text) for name, text in texts if pages.search(text)] == []
    code = [line for path in (ROOT / "rust").rglob("src/**/*.rs") for line in path.read_text("utf-8").splitlines()]
    assert [line for line in code if pages.search(line.partition("//")[0])] == []


def test_every_error_code_is_documented() -> None:
    codes = {
        kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.OmoideError)
    }
    assert codes == entries("clients.md")


def test_the_tests_that_show_what_is_promised_are_there() -> None:
    named = re.findall(r"`([a-z]+/test_\w+\.py)`", (DOCS / "reliability.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    assert [name for name in named if not (ROOT / "tests" / name).is_file()] == []
    attacks = {path.name for path in (ROOT / "tests" / "reliability").glob("test_*.py")}
    assert attacks <= {name.partition("/")[2] for name in named}


def test_every_module_that_the_walk_through_the_code_names_is_there() -> None:
    sources = [path for folder in ("python/omoide", "rust", "tests") for path in (ROOT / folder).rglob("*.[pr][ys]")]
    named = re.findall(r"`([\w/-]+\.(?:py|rs))`", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    assert [each for each in named if not any(str(path).endswith(f"/{each}") for path in sources)] == []


def modules_of(package: str) -> set[str]:
    return {each.name for each in iter_modules(import_module(package).__path__)}


def packages_that_list_their_modules() -> list[str]:
    """The large packages, but for the command line, whose modules are its commands; and those of the server."""
    packages = [
        each.name for each in walk_packages(omoide.__path__, "omoide.") if each.ispkg and each.name != "omoide.cli"
    ]
    return [package for package in packages if len(modules_of(package)) > 12 or package.startswith("omoide.server")]


@pytest.mark.parametrize("package", packages_that_list_their_modules())
def test_the_docstring_of_a_large_package_names_each_of_its_modules(package: str) -> None:
    described = import_module(package).__doc__ or ""
    assert modules_of(package) - set(re.findall(r"\w+", described)) == set()


@pytest.mark.parametrize("crate", ["omoide-index", "omoide-search", "omoide-text"])
def test_the_page_of_a_large_crate_names_each_of_its_modules(crate: str) -> None:
    page = (ROOT / "rust" / crate / "src" / "lib.rs").read_text(encoding="utf-8")
    modules = set(re.findall(r"^(?:pub )?mod (\w+);", page, re.MULTILINE)) - {"error"}
    assert len(modules) > 12
    assert modules - set(re.findall(r"`(\w+)`", "\n".join(re.findall("^//!.*", page, re.MULTILINE)))) == set()


@pytest.mark.parametrize(
    "page",
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", *(f"docs/{p.name}" for p in DOCS.glob("*.md"))],
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_the_example_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"```python\n(.+?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    shown = capsys.readouterr().out.splitlines()
    assert [expected in line for expected, line in zip(("抹茶", "SQLite", "level two"), shown, strict=True)] == [
        True
    ] * 3


def test_the_commands_that_the_readme_shows_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    (commands,) = re.findall(r"```sh\n(omoide search .+?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {name: value for name, value in os.environ.items() if not name.startswith("OMOIDE_")}
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        capture_output=True,
        encoding="utf-8",
        env={**variables, "HOME": str(tmp_path), "PATH": path},
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = ("昨日、京都で抹茶を飲んだ。", "Stored memory ", "会议改到星期三", "memory    added 1 ")
    assert [each in done.stdout for each in said] == [True] * len(said)
    assert len((tmp_path / "backup.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_the_example_of_the_page_on_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"```python\n(.+?)```", (DOCS / "python.md").read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    found, refused = capsys.readouterr().out.splitlines()
    assert "会議は水曜日に変わった。" in found
    assert refused.startswith("not_found No memory with the id 'no-such-id'.")


def test_the_example_of_the_page_on_answers_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"```python\n(.+?)```", (DOCS / "answers.md").read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.endswith("(and 1 alike)")
    assert last.endswith(" tokens, 0 left out")


def test_the_period_that_the_page_on_python_names_as_people_do_can_be_searched(tmp_path: Path) -> None:
    (row,) = [line for line in (DOCS / "python.md").read_text("utf-8").splitlines() if "memories.moment" in line]
    named, condition = re.findall(r"`([^`]+)`", row)
    stored = datetime(2026, 3, 5, tzinfo=timezone.utc)  # a Thursday, and the week after it a Wednesday
    with omoide.open(tmp_path, clock=lambda: datetime(2026, 3, 11, tzinfo=timezone.utc), zone=timezone.utc) as memories:
        memories.remember("会議は水曜日に変わった。", stored_at=stored)
        memories.remember("今週の会議は中止。")
        for words in ("先週", "上周", "last week"):
            scope: dict[str, object] = {"memories": memories}
            exec(named.replace("先週", words), scope)
            where = eval(condition, {"Within": omoide.Within, **scope})
            assert [hit.memory.stored_at for hit in memories.recall("会議", where=where).hits] == [stored]


def test_the_examples_of_the_page_on_embedders_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoints, own = re.findall(r"```python\n(.+?)```", (DOCS / "embedders.md").read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    with running() as endpoint:
        exec(endpoints.replace("http://localhost:11434/v1", endpoint.url), {})
    assert "vectors" in capsys.readouterr().out
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(tmp_path / "own")
    exec(own, {})
    assert "vectors" in capsys.readouterr().out
    assert {body["model"] for body in endpoint.bodies} == {"bge-m3"}


def test_settings_of_commands_do_not_change_what_a_program_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "omoide.yaml").write_text("scope: project:a\nzone: Asia/Tokyo\n", encoding="utf-8")
    monkeypatch.setenv("OMOIDE_EMBEDDER", "http://127.0.0.1:9/v1")
    with omoide.open(tmp_path, zone=timezone.utc) as memories:
        assert memories.remember("山と川").memory.scope == "global"
        assert memories.stats()["embedder"]["semantic"] is False
