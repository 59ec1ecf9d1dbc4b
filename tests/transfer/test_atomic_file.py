"""A backup or an export is written whole or not at all, and takes the place of nothing else."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.cli import main
from omoide.errors import InvalidArgument
from omoide.store.layout import STORE_FILE
from omoide.transfer.atomic_file import written_atomically


def database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE 茶 (名)")


PLACES: list[tuple[str, Callable[[Path], None], str]] = [
    ("a folder", Path.mkdir, "is a folder"),
    ("a device or a pipe", lambda path: os.mkfifo(path), "is no file that another could replace"),
    ("a link to one", lambda path: path.symlink_to("/dev/null"), "is no file that another could replace"),
    ("a database", database, "is a database; it was left as it is"),
    ("a link into a folder that is not there", lambda path: path.symlink_to("无/备份"), "There is no folder"),
]


@pytest.mark.parametrize(("make", "said"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
@pytest.mark.parametrize("command", ["backup", "export"])
def test_what_is_no_file_to_be_replaced_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, make: Callable[[Path], None], said: str
) -> None:
    with open_memories(tmp_path / "data") as memories:
        memories.remember("京都で抹茶を飲んだ")
    file = tmp_path / "思い出"
    make(file)
    before = file.lstat()
    assert main([command, str(file), "--data", str(tmp_path / "data")]) == 2
    assert said in capsys.readouterr().err
    assert (file.lstat().st_ino, file.lstat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no folder in which nobody can make a file")
@pytest.mark.parametrize("command", ["backup", "export"])
@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en_US.UTF-8", "Name a file in a folder that this user may write to."),
        ("ja_JP.UTF-8", "このユーザーが書き込めるフォルダーのファイルを指定してください。"),
        ("zh_CN.UTF-8", "请指定此用户可以写入的文件夹中的文件。"),
    ],
)
def test_a_folder_that_takes_no_file_is_told_with_what_to_do(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    locale: str,
    said: str,
) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember("京都で抹茶を飲んだ")
    monkeypatch.setenv("LC_ALL", locale)
    assert main([command, "/proc/x.zip", "--data", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "omoide: /proc/x.zip cannot be written: No such file or directory.\n" in told
    assert said in told


@pytest.mark.parametrize("command", ["backup", "export"])
def test_a_pipe_is_called_as_it_was_given(tmp_path: Path, command: str) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember("京都で抹茶を飲んだ")
    program = [sys.executable, "-m", "omoide", command, "/dev/stdout", "--data", str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "omoide: /dev/stdout is no file that another could replace.\n" in done.stderr


@pytest.mark.parametrize("command", ["backup", "export"])
def test_what_a_link_leads_to_is_replaced_and_who_may_read_it_stays(tmp_path: Path, command: str) -> None:
    with open_memories(tmp_path / "data") as memories:
        memories.remember("京都で抹茶を飲んだ")
    there, link = tmp_path / "別の円盤" / "备份", tmp_path / "latest"
    there.parent.mkdir()
    there.write_text("前の")
    there.chmod(0o600)
    link.symlink_to(there)
    assert main([command, str(link), "--data", str(tmp_path / "data")]) == 0
    assert link.is_symlink()
    assert there.read_bytes() != "前の".encode()
    assert there.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in there.parent.iterdir()] == ["备份"]


def test_what_others_may_not_read_they_cannot_read_while_it_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "思い出.jsonl"
    file.write_text("前の", encoding="utf-8")
    for rights in (0o600, 0o400, 0o640):
        file.chmod(rights)
        with written_atomically(file) as partial:
            partial.write_text("新的", encoding="utf-8")
            assert partial.stat().st_mode & 0o777 == 0o600
        assert (file.read_text(encoding="utf-8"), file.stat().st_mode & 0o777) == ("新的", rights)


@pytest.mark.parametrize("command", ["backup", "export"])
@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_the_log_of_a_store_that_is_open_is_not_replaced(tmp_path: Path, command: str, end: str) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember("昨日の抹茶")
        assert main([command, f"{tmp_path / STORE_FILE}{end}", "--data", str(tmp_path)]) == 2
    with open_memories(tmp_path) as memories:
        assert len(memories.recall("抹茶").hits) == 1


@pytest.mark.parametrize("command", ["backup", "export"])
def test_a_store_is_not_overwritten_with_its_own_backup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with open_memories(tmp_path) as memories:
        memories.remember("我们在北京喝龙井茶")
    assert main([command, str(tmp_path / STORE_FILE), "--data", str(tmp_path)]) == 2
    assert main([command, str(tmp_path / "无" / "x.zip"), "--data", str(tmp_path)]) == 2
    assert "There is no folder" in capsys.readouterr().err
    with open_memories(tmp_path) as memories:
        assert len(memories.recall("龙井").hits) == 1


def test_what_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_text("before")

    def half() -> None:
        with written_atomically(file) as partial:
            partial.write_text("half")
            raise OSError(28, "no room")

    with pytest.raises(OSError, match="no room") as caught:
        half()
    assert caught.value.filename == str(file)
    assert [path.name for path in tmp_path.iterdir()] == ["all.jsonl"]
    assert file.read_text() == "before"


def test_two_who_write_the_same_file_do_not_write_into_each_other(tmp_path: Path) -> None:
    with written_atomically(tmp_path / "b") as partial:
        assert str(os.getpid()) in partial.name
        partial.write_text("先")
    assert (tmp_path / "b").read_text() == "先"


def test_the_folder_of_a_file_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="There is no folder"), written_atomically(tmp_path / "無" / "b"):
        pass


def test_two_threads_that_write_one_file_at_once_do_not_mix_what_they_write(tmp_path: Path) -> None:
    file = tmp_path / "備份"
    with written_atomically(file) as one:
        one.write_text("抹茶", encoding="utf-8")
        with written_atomically(file) as other:
            other.write_text("龙井", encoding="utf-8")
        assert file.read_text("utf-8") == "龙井"
    assert file.read_text("utf-8") == "抹茶"
    assert [*tmp_path.iterdir()] == [file]
