"""Files that were made to harm: what an import, an export, a settings file or an archetype file can reach and cost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide import app
from omoide.app import open_memories
from omoide.cli import main
from omoide.config import load
from tests.reliability.nasty import STRINGS
from tests.server.conftest import OMOIDE, environment

MEGABYTE = 1024**2
#: What a command may take: enough for the dictionaries, far too little for any bomb.
ADDRESS_BYTES = 3_000 * MEGABYTE


def run(*arguments: str, timeout: float = 60, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command with bounded memory and time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))

    return subprocess.run(
        [*OMOIDE, *arguments],
        capture_output=True,
        text=True,
        env=environment(**variables),
        timeout=timeout,
        preexec_fn=limit,
    )


def texts(data: Path) -> list[str]:
    with open_memories(data) as memories:
        return [hit.memory.text for hit in memories.recall("", limit=1_000).hits]


LINES: list[tuple[str, str, str]] = [
    ("deep", '{"text": ' + "[" * 100_000 + "]" * 100_000 + "}", ""),
    ("deep extra", '{"text": "深い", "extra": ' + '{"a":' * 50_000 + "1" + "}" * 50_000 + "}", ""),
    ("huge number", '{"text": "数", "importance": ' + "9" * 5_000 + "}", ""),
    ("infinity", '{"text": "無限", "importance": Infinity}', ""),
    ("half a character", '{"text": "半分 \\ud800"}', ""),
    ("not UTF-8", '{"text": "\udcff"}', ""),
    ("a path as id", '{"id": "../../../etc/passwd", "text": "道"}', "道"),
    ("SQL as id", '{"id": "\'; DROP TABLE memories; --", "text": "注入"}', "注入"),
    ("NUL", '{"text": "空\\u0000文字"}', "空\0文字"),
    ("a key of Python", '{"text": "鍵", "__class__": "x", "__proto__": {}}', "鍵"),
]


@pytest.mark.parametrize("can_be_used", [False, True])
def test_a_line_that_cannot_be_used_is_named_and_the_next_one_imported(tmp_path: Path, can_be_used: bool) -> None:
    rows = [row for row in LINES if bool(row[2]) is can_be_used]
    files, data = [tmp_path / f"{name}.jsonl" for name, _, _ in rows], tmp_path / "data"
    for file, (name, line, _) in zip(files, rows, strict=True):
        file.write_bytes(f'{line}\n{{"text": "{name} の次の行"}}\n'.encode("utf-8", "surrogateescape"))
    done = run("import", *map(str, files), "--data", str(data))
    assert "Traceback" not in done.stderr
    expected = [text for name, _, stored in rows for text in (stored, f"{name} の次の行") if text]
    assert sorted(texts(data)) == sorted(expected)
    assert (done.returncode == 0) is can_be_used
    assert [f"{name}.jsonl:1:" in done.stderr for name, _, _ in rows] == [not can_be_used] * len(rows)


def test_a_folder_that_leads_back_into_itself_is_read_once(tmp_path: Path) -> None:
    notes, data = tmp_path / "notes", tmp_path / "data"
    notes.mkdir()
    (notes / "a.md").write_text("# 茶\n抹茶を飲んだ\n", encoding="utf-8")
    (notes / "loop").symlink_to(notes, target_is_directory=True)
    assert run("import", str(notes), "--data", str(data)).returncode == 0
    assert len(texts(data)) == 1


def test_devices_and_pipes_are_not_waited_for(tmp_path: Path) -> None:
    notes, data = tmp_path / "notes", tmp_path / "data"
    notes.mkdir()
    os.mkfifo(notes / "pipe.md")
    (notes / "zero.txt").symlink_to("/dev/zero")
    (notes / "a.txt").write_text("抹茶を飲んだ", encoding="utf-8")
    run("import", str(notes), "--data", str(data), timeout=30)
    assert texts(data) == ["抹茶を飲んだ"]


@pytest.mark.parametrize("command", ["serve", "tools"])
def test_an_archetype_that_is_a_pipe_is_not_waited_for(tmp_path: Path, command: str) -> None:
    pipe = tmp_path / "道具.yaml"
    os.mkfifo(pipe)
    done = run(command, "--archetype", str(pipe), "--data", str(tmp_path / "data"), timeout=30)
    assert done.returncode == 2
    assert "is not a regular file" in done.stderr


def laughs(depth: int = 12) -> str:
    """Aliases of aliases: a few hundred bytes that mean 10^12 values."""
    rows = ["a0: &a0 [" + "笑," * 10 + "]"]
    rows += [f"a{n}: &a{n} [" + f"*a{n - 1}," * 10 + "]" for n in range(1, depth)]
    return "\n".join(rows)


BOMBS: dict[str, Callable[[], str]] = {
    "laughs": lambda: laughs() + "\ntitle: x\nversion: '1'\nparameters: *a11\ntools: *a11\nzone: *a11\n",
    "deep": lambda: "zone: " + "[" * 20_000 + "]" * 20_000,
    "wide": lambda: "zone: [" + "[]," * 20_000 + "]",
    "long": lambda: "zone: " + "茶" * 3_000_000,
    "object": lambda: "zone: !!python/object/apply:os.system ['touch /tmp/omoide-was-here']",
    "merge": lambda: "a: &a\n  <<: *a\nzone: x",
}


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("which", ["settings", "archetype"])
def test_a_yaml_bomb_is_an_error_message(tmp_path: Path, which: str, bomb: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    file = data / "omoide.yaml" if which == "settings" else tmp_path / "archetype.yaml"
    file.write_text(BOMBS[bomb](), encoding="utf-8")
    variables = {} if which == "settings" else {"ARCHETYPE_PATH": str(file)}
    done = run("tools", "--data", str(data), timeout=60, **variables)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert len(done.stderr) < 5_000
    assert not Path("/tmp/omoide-was-here").exists()


@pytest.mark.parametrize(
    "which", [name for name in STRINGS if name not in ("lone surrogate", "reversed pair", "empty", "space")]
)
def test_an_export_comes_back_whatever_is_in_it(tmp_path: Path, which: str) -> None:
    text = f"茶 {STRINGS[which]} 茶"[:4_000]
    settings = load({"data": str(tmp_path / "data")}, {})
    with app.opened(settings) as found:
        found.memories.remember(text, title=text[:100], tags=(text[:50],), id=f"id {STRINGS[which][:50]}".strip())
        before = found.memories.recall("", limit=10).hits[0].memory
    assert main(["export", str(tmp_path / "x.jsonl"), "--data", str(settings.data)]) == 0
    assert all(json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").split("\n") if line)
    assert main(["import", str(tmp_path / "x.jsonl"), "--data", str(tmp_path / "other")]) == 0
    with open_memories(tmp_path / "other") as memories:
        after = memories.recall("", limit=10).hits[0].memory
    assert (after.id, after.text, after.title, after.tags) == (before.id, before.text, before.title, before.tags)


@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        ("一行.jsonl", 200 * MEGABYTE, ":1: The line is longer than"),
        ("笔记.md", 2 * ADDRESS_BYTES, ": The file is larger than"),
        ("note.txt", 2 * ADDRESS_BYTES, ": The file is larger than"),
    ],
)
def test_a_file_or_line_that_is_too_large_is_named_and_the_next_file_is_imported(
    tmp_path: Path, name: str, size: int, said: str
) -> None:
    bomb, other = tmp_path / name, tmp_path / "other.jsonl"
    with bomb.open("wb") as file:
        file.truncate(size)
    other.write_text('{"text": "次のファイル"}\n', encoding="utf-8")
    done = run("import", str(bomb), str(other), "--data", str(tmp_path / "data"))
    assert done.returncode == 1, done.stderr
    assert f"{bomb}{said} 67,108,864 bytes" in done.stderr
    assert "1 could not be imported" in done.stderr
    assert texts(tmp_path / "data") == ["次のファイル"]
