"""Files in and out by the functions of `omoide.transfer`, as a program calls them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import omoide
from omoide.transfer import back_up, export, import_files, restore

TEXTS = {"昨日、京都で抹茶を飲んだ。", "我们决定用SQLite保存记忆。", "We parked on level two."}


def texts(folder: Path) -> set[str]:
    with omoide.open(folder) as memories:
        return {hit.memory.text for hit in memories.recall("").hits}


def test_a_store_goes_through_a_file_and_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "思い出.jsonl"
    with omoide.open(tmp_path / "here") as memories:
        memories.remember_many([omoide.Draft(text=text) for text in TEXTS])
        export(memories, str(file))
    with omoide.open(tmp_path / "there") as memories:
        done = import_files(memories, [str(file)])
        assert (done.count("memory", "added"), done.bad) == (len(TEXTS), [])
        assert import_files(memories, [file]).count("memory", "unchanged") == len(TEXTS)
    assert texts(tmp_path / "there") == TEXTS


def test_a_number_that_is_none_changes_nothing_when_it_comes_again(tmp_path: Path) -> None:
    with omoide.open(tmp_path / "here") as memories:
        memories.remember("京都の気温", extra={"気温": float("nan"), "温度": [float("inf"), {"深": float("nan")}]})
        export(memories, tmp_path / "all.jsonl")
        assert import_files(memories, [tmp_path / "all.jsonl"]).count("memory", "unchanged") == 1


def test_a_store_is_backed_up_while_it_is_open_and_restored_elsewhere(tmp_path: Path) -> None:
    with omoide.open(tmp_path / "here") as memories:
        memories.remember_many([omoide.Draft(text=text) for text in TEXTS])
        done = back_up(str(tmp_path / "here"), str(tmp_path / "备份.zip"))
    assert (done.stores, done.lacking) == (1, {})
    assert restore(str(tmp_path / "备份.zip"), str(tmp_path / "there")) == 1
    assert texts(tmp_path / "there") == TEXTS
    with pytest.raises(omoide.Conflict, match="it was left as it is"):
        restore(tmp_path / "备份.zip", tmp_path / "there")


@pytest.mark.parametrize("given", [5, "思い出", Path("笔记"), None])
def test_a_folder_is_not_the_memories_in_it(tmp_path: Path, given: Any) -> None:
    said = r"memories is .*; it has to be memories, as `omoide\.open` returns them\."
    with pytest.raises(omoide.InvalidArgument, match=said):
        export(given, tmp_path / "all.jsonl")
    with pytest.raises(omoide.InvalidArgument, match=said):
        import_files(given, [tmp_path])


def test_memories_of_one_scope_are_not_the_whole_store(tmp_path: Path) -> None:
    refused = pytest.raises(omoide.InvalidArgument, match="scope '茶' alone")
    with omoide.open(tmp_path / "here", scope="茶") as memories, refused:
        export(memories, tmp_path / "all.jsonl")
    assert not (tmp_path / "all.jsonl").exists()


@pytest.mark.parametrize("scope", ["茶", "研发", "team"])
def test_what_comes_into_memories_of_one_scope_stays_in_it(tmp_path: Path, scope: str) -> None:
    (tmp_path / "note.md").write_text("京都で抹茶を飲んだ。", encoding="utf-8")
    notes = [tmp_path / "note.md"]
    with omoide.open(tmp_path / "here", scope=scope) as memories:
        import_files(memories, notes)
        assert [hit.memory.scope for hit in memories.recall("抹茶").hits] == [scope]
        import_files(memories, notes, scope=f"{scope}：2024")
        assert [hit.memory.scope for hit in memories.recall("抹茶").hits] == [f"{scope}：2024"]
        with pytest.raises(omoide.InvalidArgument, match=f"'{scope}2' is outside of '{scope}'"):
            import_files(memories, notes, scope=f"{scope}2")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda memories, there: import_files(memories, "日記.md"),
            "files is '日記.md'; it has to be several, in a list.",
        ),
        (lambda memories, there: import_files(memories, there), "several, in a list."),
        (
            lambda memories, there: import_files(memories, [there, None]),
            "files is None; it has to be a path, as a text",
        ),
        (lambda memories, there: import_files(memories, ["笔记.md", b"x"]), "files is b'x'; it has to be a path"),
        (lambda memories, there: import_files(memories, [there, ""]), "files is ''; it has to be a path"),
        (lambda memories, there: back_up("", there), "data is ''; it has to be a path"),
        (lambda memories, there: export(memories, 3), "file is 3; it has to be a path"),
        (lambda memories, there: export(memories, "思い\0出.jsonl"), "it has to be a path, as a text or a Path"),
        (lambda memories, there: import_files(memories, ["笔\0记.md"]), "it has to be a path, as a text or a Path"),
        (lambda memories, there: back_up(there, None), "file is None; it has to be a path"),
        (lambda memories, there: back_up(("notes",), there), r"data is \('notes',\); it has to be a path"),
        (lambda memories, there: restore(there, 3), "data is 3; it has to be a path"),
    ],
)
def test_what_is_no_path_is_named(tmp_path: Path, call: Callable[..., object], said: str) -> None:
    there = tmp_path / "there"
    with omoide.open(tmp_path / "here") as memories, pytest.raises(omoide.InvalidArgument, match=said):
        call(memories, there)
    assert not there.exists()
