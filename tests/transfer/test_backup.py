"""A data folder in one file, and back."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from omoide.app import open_memories
from omoide.cli import main
from omoide.errors import Conflict, InvalidArgument, NotFound, OmoideError, StoreBusy, StoreFull
from omoide.store.folder_lock import locked_folder
from omoide.store.layout import LOG_FILE, STORE_FILE, tenant_folder
from omoide.store.migrations import migrate, shipped
from omoide.transfer.backup import back_up, incomplete, restore
from omoide.transfer.files import files_of

TEXTS = ("京都で抹茶を飲んだ", "我们在北京喝茶", "we drank tea in London")
TENANTS = ("", "alice", "山田 太郎", "../../etc")


def fill(data: Path, clock: Any, tenants: tuple[str, ...] = ("",)) -> None:
    for tenant in tenants:
        with open_memories(tenant_folder(data, tenant), clock=clock) as memories:
            for text in TEXTS:
                memories.remember(f"{text} {tenant}")


def found(folder: Path) -> list[str]:
    with open_memories(folder) as memories:
        return sorted(hit.memory.text for hit in memories.recall("", limit=10_000).hits)


def test_every_store_comes_back_with_its_words(tmp_path: Path, clock: Any) -> None:
    data, file, other = tmp_path / "data", tmp_path / "思い出.zip", tmp_path / "別の所"
    fill(data, clock, TENANTS)
    (tenant_folder(data, "alice") / "words.txt").write_text("抹茶部\n", encoding="utf-8")
    assert back_up(data, file) == (file, len(TENANTS), {})
    assert restore(file, other) == len(TENANTS)
    for tenant in TENANTS:
        assert found(tenant_folder(other, tenant)) == sorted(f"{text} {tenant}" for text in TEXTS)
        assert tenant_folder(other, tenant).is_relative_to(other)
    assert (tenant_folder(other, "alice") / "words.txt").read_text(encoding="utf-8") == "抹茶部\n"
    assert sorted(path.name for path in other.iterdir()) == ["index", STORE_FILE, "tenants"]
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("name", ["alice.bak", "alice のコピー", "备份", "-", "...", "12:30"])
def test_a_copy_of_a_tenants_folder_beside_it_keeps_no_backup_from_being_restored(
    tmp_path: Path, clock: Any, name: str
) -> None:
    data, file, other = tmp_path / "data", tmp_path / "b.zip", tmp_path / "other"
    fill(data, clock, ("", "alice"))
    shutil.copytree(tenant_folder(data, "alice"), data / "tenants" / name)
    assert back_up(data, file).stores == restore(file, other) == 3
    assert found(other / "tenants" / name) == found(tenant_folder(other, "alice"))


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
def test_a_store_whose_folder_no_archive_can_name_keeps_no_other_from_being_backed_up(
    tmp_path: Path, clock: Any
) -> None:
    data, file = tmp_path / "data", tmp_path / "b.zip"
    fill(data, clock, ("", "alice"))
    named = data / "tenants" / os.fsdecode("控え".encode("shift_jis"))
    shutil.copytree(tenant_folder(data, "alice"), named)
    done = back_up(data, file)
    assert (done.file, done.stores, [*done.lacking]) == (incomplete(file), 2, [named])
    assert restore(done.file, tmp_path / "other") == 2


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
@pytest.mark.parametrize("name", ["控え".encode("shift_jis"), "备份".encode("gb18030"), b"sauvegard\xe9"])
def test_a_backup_may_go_to_a_folder_whose_name_is_not_utf_8(tmp_path: Path, clock: Any, name: bytes) -> None:
    fill(tmp_path / "data", clock, TENANTS)
    folder = tmp_path / os.fsdecode(name)
    folder.mkdir()
    assert back_up(tmp_path / "data", folder / "b.zip") == (folder / "b.zip", len(TENANTS), {})
    assert [each.name for each in folder.iterdir()] == ["b.zip"]
    assert restore(folder / "b.zip", folder / "data") == len(TENANTS)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that another user may use, and this process one whom rights hold for, even where it is root's."""
    user, umask = os.geteuid(), os.umask(0o022)
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        yield Path(folder)
        os.seteuid(user)
    os.umask(umask)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights are other ones")
@pytest.mark.parametrize("closed", ["tenants", "tenants/alice"])
def test_stores_in_a_folder_that_this_user_may_not_enter_are_named_and_the_others_backed_up(
    place: Path, clock: Any, closed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file, user = place / "data", place / "思い出.zip", os.geteuid()
    fill(data, clock, ("", "alice", "bob"))
    commands = ["backup", "--data", str(data), str(file)], ["doctor", "--data", str(data)]
    assert [main(each) for each in commands] == [0, 0]  # also imports what another user may not read
    capsys.readouterr()
    former, others = file.read_bytes(), 1 if closed == "tenants" else 2
    for each in (data, data / "tenants", data / "tenants" / "bob"):
        each.chmod(0o755)
    (data / closed).chmod(0)
    if user == 0:
        os.seteuid(65534)
    assert [main(each) for each in commands] == [1, 1]
    os.seteuid(user)
    told = capsys.readouterr()
    refused = f"The store {data / closed / STORE_FILE} cannot be opened."
    assert f"omoide: without {data / closed}: {refused}" in told.err
    assert f"{incomplete(file)}: {others} of {others + 1} stores" in told.out
    assert f"BAD  store        {refused}" in told.out
    assert file.read_bytes() == former
    assert restore(incomplete(file), place / "other") == others


@pytest.mark.parametrize("harm", ["page", "empty", "foreign", "gone"])
def test_a_store_that_cannot_be_copied_keeps_no_other_from_being_and_no_backup_that_has_it_is_replaced(
    tmp_path: Path, clock: Any, harm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file, other = tmp_path / "data", tmp_path / "思い出.zip", tmp_path / "別の所"
    fill(data, clock, TENANTS)
    back_up(data, file)
    former, store = file.read_bytes(), tenant_folder(data, "alice") / STORE_FILE
    whole = store.read_bytes()
    if harm == "gone":
        store.rename(store.with_name(LOG_FILE))
    else:
        page = whole[:4096] + bytes([0x0D, 0xFF]) * 2048 + whole[8192:]
        store.write_bytes({"page": page, "empty": b"", "foreign": "これは記憶ではない。".encode() * 1000}[harm])
    assert main(["backup", "--data", str(data), str(file)]) == 1
    told = capsys.readouterr()
    assert str(store.parent) in told.err
    assert told.out.startswith(f"{file}.incomplete: 3 of 4 stores, ")
    assert file.read_bytes() == former
    assert restore(incomplete(file), other) == 3
    for tenant in set(TENANTS) - {"alice"}:
        assert found(tenant_folder(other, tenant)) == sorted(f"{text} {tenant}" for text in TEXTS)
    assert {path.name for path in tmp_path.iterdir()} == {"data", file.name, incomplete(file).name, "別の所"}


@pytest.mark.skipif(sys.platform == "win32", reason="there, no process can be given a limit of its files' size")
@pytest.mark.parametrize(
    ("language", "said"), [("ja", "{file} を読み書きできません"), ("zh", "无法读写“{file}”"), ("en", "{file}: {why}.")]
)
@pytest.mark.parametrize("command", ["backup", "export"])
def test_a_file_that_cannot_grow_is_named_and_not_the_store(
    tmp_path: Path, clock: Any, capsys: pytest.CaptureFixture[str], command: str, language: str, said: str
) -> None:
    import resource

    with open_memories(tmp_path / "data", clock=clock) as memories:
        for text in TEXTS:
            memories.remember(text * 2000)
    (file := tmp_path / "out").write_text("earlier")
    told = ["--language", language] if language != "en" else []
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, limits[1]))
    try:
        code = main([command, str(file), "--data", str(tmp_path / "data"), *told])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    shown = capsys.readouterr().err
    assert (code, file.read_text()) == (1, "earlier")
    assert said.format(file=file, why=os.strerror(errno.EFBIG)) in shown
    assert STORE_FILE not in shown
    assert {path.name for path in tmp_path.iterdir()} == {"data", "out"}


def test_a_backup_for_which_the_disk_has_no_room_names_no_folder_that_is_gone(
    tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    fill(tmp_path / "data", clock)
    (file := tmp_path / "写し.zip").write_text("earlier")
    monkeypatch.setattr("omoide.store.sqlite.file._copy", full)
    with pytest.raises(StoreFull) as caught:
        back_up(tmp_path / "data", file)
    assert str(tmp_path / "data" / STORE_FILE) in caught.value.message
    assert ".backup-" not in str(caught.value)
    assert file.read_text() == "earlier"
    assert {path.name for path in tmp_path.iterdir()} == {"data", file.name}


@pytest.mark.parametrize("year", [1970, 2150])
def test_files_of_any_age_are_backed_up(tmp_path: Path, clock: Any, year: int) -> None:
    fill(tmp_path / "data", clock)
    words = tmp_path / "data" / "words.txt"
    words.write_text("抹茶部\n", encoding="utf-8")
    os.utime(words, (datetime(year, 1, 1, tzinfo=timezone.utc).timestamp(),) * 2)
    back_up(tmp_path / "data", tmp_path / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "other")
    assert (tmp_path / "other" / "words.txt").read_text(encoding="utf-8") == "抹茶部\n"


def test_a_backup_is_restored_where_the_file_system_knows_no_links_and_still_overwrites_nothing(
    tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(source), None, str(target))

    fill(tmp_path / "data", clock)
    (tmp_path / "data" / "words.txt").write_text("抹茶部\n", encoding="utf-8")
    back_up(tmp_path / "data", tmp_path / "b.zip")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "words.txt").write_text("龙井\n", encoding="utf-8")
    monkeypatch.setattr(os, "link", no_links)
    restore(tmp_path / "b.zip", tmp_path / "other")
    assert found(tmp_path / "other") == sorted(f"{text} " for text in TEXTS)
    with pytest.raises(Conflict, match="left as it is"):
        restore(tmp_path / "b.zip", tmp_path / "taken")
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["words.txt"]
    assert (tmp_path / "taken" / "words.txt").read_text(encoding="utf-8") == "龙井\n"


def test_a_backup_taken_while_others_write_is_one_state_of_theirs(tmp_path: Path, clock: Any) -> None:
    data, ended = tmp_path / "data", threading.Event()
    with open_memories(data, clock=clock) as memories:

        def write() -> None:
            for number in range(100_000):
                if ended.is_set():
                    return
                memories.remember_many([memories_draft(f"{number} {half}") for half in ("前", "後")])

        writing = threading.Thread(target=write)
        writing.start()
        try:
            for number in range(3):
                back_up(data, tmp_path / f"{number}.zip")
        finally:
            ended.set()
            writing.join()
    sizes = []
    for number in range(3):
        restore(tmp_path / f"{number}.zip", tmp_path / str(number))
        texts = found(tmp_path / str(number))
        assert set(texts) == {f"{n} {half}" for n in range(len(texts) // 2) for half in ("前", "後")}
        sizes.append(len(texts))
    assert sizes == sorted(sizes)


def memories_draft(text: str) -> Any:
    from omoide.model.memory import Draft

    return Draft(text=text)


def test_the_log_that_is_left_of_a_store_is_not_read_into_a_restored_one(tmp_path: Path, clock: Any) -> None:
    fill(tmp_path / "data", clock)
    back_up(tmp_path / "data", tmp_path / "backup.zip")
    log = tmp_path / "other" / LOG_FILE
    log.parent.mkdir()
    log.write_bytes("别的记忆".encode())
    with pytest.raises(Conflict, match="There is a store"):
        restore(tmp_path / "backup.zip", tmp_path / "other")
    assert [*log.parent.iterdir()] == [log]


@pytest.mark.parametrize("tenant", TENANTS)
def test_a_store_that_is_there_is_left_as_it_is(tmp_path: Path, clock: Any, tenant: str) -> None:
    fill(tmp_path / "data", clock)
    back_up(tmp_path / "data", tmp_path / "b.zip")
    other = tmp_path / "other"
    with open_memories(tenant_folder(other, tenant), clock=clock) as memories:
        memories.remember("前からあるもの")
    with pytest.raises(Conflict, match="left as it is"):
        restore(tmp_path / "b.zip", other)
    assert found(tenant_folder(other, tenant)) == ["前からあるもの"]


@pytest.mark.parametrize("name", ["words.txt", STORE_FILE])
def test_a_link_that_leads_nowhere_is_left_as_it_is(tmp_path: Path, clock: Any, name: str) -> None:
    fill(tmp_path / "data", clock)
    (tmp_path / "data" / "words.txt").write_text("抹茶部\n", encoding="utf-8")
    back_up(tmp_path / "data", tmp_path / "b.zip")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / name).symlink_to(tmp_path / "无")
    with pytest.raises(Conflict, match="There is a file"):
        restore(tmp_path / "b.zip", tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == [name]


def restore_killed_after(puts: int, file: Path, data: Path, monkeypatch: pytest.MonkeyPatch, *, between: bool) -> None:
    """In a process that ends behind so many files that were put in their place; `between`: before the last has one name again."""
    counted, kill = iter(range(puts)), Path.unlink if between else os.link

    def end_or(*given: Any) -> None:
        if next(counted, None) is None:
            os._exit(9)
        kill(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Path if between else os, "unlink" if between else "link", end_or)
        if not (child := os.fork()):
            restore(file, data)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


@pytest.mark.parametrize("puts", range(6))
@pytest.mark.parametrize("between", [False, True])
def test_a_restore_that_is_killed_goes_on_where_it_is_run_again(
    tmp_path: Path,
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    puts: int,
    between: bool,
) -> None:
    data, file, other = tmp_path / "data", tmp_path / "思い出.zip", tmp_path / "别处"
    fill(data, clock, TENANTS)
    for name in ("words.txt", "synonyms.txt"):
        (tenant_folder(data, "山田 太郎") / name).write_text("抹茶部\n", encoding="utf-8")
    back_up(data, file)
    restore_killed_after(puts, file, other, monkeypatch, between=between)
    main(["doctor", "--data", str(other)])
    if puts > 2:
        assert "BAD  restore      A restore into this folder was ended in the middle" in capsys.readouterr().out
    assert main(["restore", str(file), "--data", str(other)]) == 0
    assert "4 stores restored" in capsys.readouterr().out
    for tenant in TENANTS:
        assert found(tenant_folder(other, tenant)) == sorted(f"{text} {tenant}" for text in TEXTS)
    assert (tenant_folder(other, "山田 太郎") / "words.txt").read_text(encoding="utf-8") == "抹茶部\n"
    assert main(["doctor", "--data", str(other)]) == 0
    with pytest.raises(Conflict, match="There is a store"):
        restore(file, other)
    assert not [*other.glob(".*")]


def test_what_was_stored_beside_a_killed_restore_is_left_as_it_is(
    tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, file, another, other = tmp_path / "data", tmp_path / "思い出.zip", tmp_path / "b.zip", tmp_path / "别处"
    fill(data, clock, TENANTS)
    back_up(data, file)
    fill(data, clock)
    back_up(data, another)
    restore_killed_after(1, file, other, monkeypatch, between=False)
    with pytest.raises(Conflict, match="of a restore of another backup"):
        restore(another, other)
    with open_memories(tenant_folder(other, "山田 太郎"), clock=clock) as memories:
        memories.remember("前からあるもの")
    with pytest.raises(Conflict, match="left as it is"):
        restore(file, other)
    assert "前からあるもの" in found(tenant_folder(other, "山田 太郎"))


@pytest.mark.parametrize("puts", [1, 3])
def test_where_what_a_killed_restore_had_put_was_moved_away_all_of_it_is_restored(
    tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch, puts: int
) -> None:
    data, file, other = tmp_path / "data", tmp_path / "思い出.zip", tmp_path / "别处"
    fill(data, clock, TENANTS)
    back_up(data, file)
    restore_killed_after(puts, file, other, monkeypatch, between=False)
    (other / STORE_FILE).rename(tmp_path / "old")
    if puts > 1:
        with pytest.raises(Conflict, match="There is a store"):  # the tenants'
            restore(file, other)
        (other / "tenants").rename(tmp_path / "tenants.old")
    assert restore(file, other) == len(TENANTS)
    for tenant in TENANTS:
        assert found(tenant_folder(other, tenant)) == sorted(f"{text} {tenant}" for text in TEXTS)


def test_two_restores_into_one_folder_are_not_at_work_at_once(tmp_path: Path, clock: Any) -> None:
    fill(tmp_path / "data", clock)
    back_up(tmp_path / "data", tmp_path / "b.zip")
    (tmp_path / "other").mkdir()
    with locked_folder(tmp_path / "other"), pytest.raises(StoreBusy, match="repaired or restored by another process"):
        restore(tmp_path / "b.zip", tmp_path / "other")
    assert not list((tmp_path / "other").glob("*"))


def rewritten(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    with zipfile.ZipFile(file) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def add(name: str, content: bytes = b"x") -> Callable[[Path], None]:
    return lambda file: rewritten(file, lambda entries: entries.update({name: content}))


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 0xFF
    file.write_bytes(bytes(content))


def packed_otherwise(file: Path) -> None:
    """The head of what is packed says that it is of another kind."""
    content = bytearray(file.read_bytes())
    for head, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.find(head) + at] = zipfile.ZIP_BZIP2
    file.write_bytes(content)


def zeroed(file: Path) -> None:
    def zero(entries: dict[str, bytes]) -> None:
        entries[STORE_FILE] = entries[STORE_FILE][:8192] + bytes(len(entries[STORE_FILE]) - 8192)

    rewritten(file, zero)


def with_a_lost_page(file: Path) -> None:
    """The store can be opened and read."""
    with TemporaryDirectory() as folder, zipfile.ZipFile(file) as archive:
        store = Path(archive.extract(STORE_FILE, folder))
        with closing(sqlite3.connect(store, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("DELETE FROM sqlite_master WHERE type = 'index' AND sql > ''")
        content = store.read_bytes()
    add(STORE_FILE, content)(file)


BAD: list[tuple[str, Callable[[Path], Any], type[OmoideError], str]] = [
    ("no file", Path.unlink, NotFound, "There is no file"),
    ("text", lambda file: file.write_text("思い出"), InvalidArgument, "damaged, or not a backup"),
    ("cut", lambda file: file.write_bytes(file.read_bytes()[:-200]), InvalidArgument, "damaged, or not a backup"),
    ("flipped", flip, InvalidArgument, "damaged"),
    ("packed otherwise", packed_otherwise, InvalidArgument, "damaged, or not a backup: Invalid data stream"),
    ("leads out", add("../omoide.sqlite3"), InvalidArgument, "not a backup of omoide: it holds '../omoide.sqlite3'"),
    ("absolute", add("/etc/passwd"), InvalidArgument, "it holds '/etc/passwd'"),
    ("a level up", add("tenants/../omoide.sqlite3"), InvalidArgument, "it holds 'tenants/../omoide.sqlite3'"),
    ("deep", add("tenants/../../x/omoide.sqlite3"), InvalidArgument, "not a backup"),
    ("backslash", add("tenants\\x\\omoide.sqlite3"), InvalidArgument, "not a backup"),
    ("settings", add("omoide.yaml", b"host: 0.0.0.0"), InvalidArgument, "it holds 'omoide.yaml'"),
    ("no store", lambda file: rewritten(file, dict.clear), InvalidArgument, "it holds no store"),
    ("another database", add(STORE_FILE, b"SQLite format 3\0" + bytes(4096)), InvalidArgument, "a damaged store"),
    ("zeroed pages", zeroed, InvalidArgument, "a damaged store"),
    ("a lost page", with_a_lost_page, InvalidArgument, "a damaged store"),
]


@pytest.mark.parametrize(("change", "kind", "said"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_what_is_not_a_whole_backup_restores_nothing(
    tmp_path: Path, clock: Any, change: Callable[[Path], Any], kind: type[OmoideError], said: str
) -> None:
    file, other = tmp_path / "b.zip", tmp_path / "other"
    fill(tmp_path / "data", clock)
    back_up(tmp_path / "data", file)
    change(file)
    with pytest.raises(kind) as caught:
        restore(file, other)
    assert said in caught.value.message
    assert not list(other.glob("*"))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happened_to_an_archive_it_is_refused_or_restored_whole(tmp_path: Path, clock: Any, seed: int) -> None:
    dice, file, other = random.Random(seed), tmp_path / "b.zip", tmp_path / "other"
    fill(tmp_path / "data", clock)
    back_up(tmp_path / "data", file)
    whole = file.read_bytes()
    for _ in range(40):
        hurt = bytearray(whole)
        for _ in range(dice.choice((1, 30))):
            hurt[dice.randrange(len(hurt))] = dice.randrange(256)
        file.write_bytes(
            dice.choice((hurt, hurt[: dice.randrange(1, len(hurt))], whole[-dice.randrange(1, len(hurt)) :]))
        )
        try:
            restore(file, other)
        except (InvalidArgument, StoreFull):  # the latter where it declares more than there is room for
            assert not list(other.glob("*"))
        else:
            assert found(other) == sorted(f"{text} " for text in TEXTS)
            shutil.rmtree(other)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "data", clock)
    back_up(tmp_path / "data", tmp_path / "b.zip")
    add("words.txt", bytes(50_000_000))(tmp_path / "b.zip")
    assert (tmp_path / "b.zip").stat().st_size < 200_000
    small = shutil.disk_usage(tmp_path)._replace(free=10_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: small)
    with pytest.raises(StoreFull, match="nothing was restored"):
        restore(tmp_path / "b.zip", tmp_path / "other")
    assert not list((tmp_path / "other").glob("*"))


def older(data: Path, schema: int) -> Path:
    """A store as the first `schema` migrations left it, with one memory."""
    data.mkdir(parents=True)
    with closing(sqlite3.connect(data / STORE_FILE, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, "", shipped()[:schema], now=datetime(2025, 1, 1, tzinfo=timezone.utc))
        connection.execute(
            "INSERT INTO memories (id, text, category, tags, scope, source, importance, confidence, stored_at, updated_at,"
            " status, links_refs, parameters, frames, extra) VALUES ('1', '龙井茶と抹茶', 'fact', '[]', 'global', '', .5, .5, 0,"
            " 0, 'active', '[]', '{}', '{}', '{}')"
        )
        connection.execute("INSERT INTO changes (kind, number, at) VALUES ('memory', 1, 0)")
    return data / STORE_FILE


@pytest.mark.parametrize("schema", range(1, len(shipped())))
def test_a_store_that_an_older_omoide_wrote_is_backed_up_as_it_is_and_restored(tmp_path: Path, schema: int) -> None:
    before = older(tmp_path / "data", schema).read_bytes()
    back_up(tmp_path / "data", tmp_path / "b.zip")
    assert (tmp_path / "data" / STORE_FILE).read_bytes() == before
    restore(tmp_path / "b.zip", tmp_path / "other")
    assert found(tmp_path / "other") == ["龙井茶と抹茶"]


def test_a_backup_of_an_empty_store_or_of_a_later_omoide_is_not_restored(tmp_path: Path) -> None:
    file = older(tmp_path / "data", 1)
    back_up(tmp_path / "data", tmp_path / "b.zip")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 999")
    add(STORE_FILE, file.read_bytes())(tmp_path / "b.zip")
    with pytest.raises(InvalidArgument, match=r"is of a newer omoide: .*schema 999.* Upgrade omoide, and") as raised:
        restore(tmp_path / "b.zip", tmp_path / "other")
    assert "新しい版" in raised.value.also["ja"]
    assert "更新版本" in raised.value.also["zh"]
    add(STORE_FILE, b"")(tmp_path / "b.zip")
    with pytest.raises(InvalidArgument, match="is empty"):
        restore(tmp_path / "b.zip", tmp_path / "other")


def test_a_folder_or_a_device_is_not_said_to_be_missing(tmp_path: Path) -> None:
    (folder := tmp_path / "備份.zip").mkdir()
    for place, said in (
        (folder, "is a folder, not a backup"),
        (Path("/dev/null"), "is a device or pipe, not a backup"),
    ):
        with pytest.raises(InvalidArgument, match=said) as raised:
            restore(place, tmp_path / "other")
        assert all(str(place) in raised.value.also[language] for language in ("ja", "zh"))
        assert not (tmp_path / "other" / STORE_FILE).exists()


def test_a_file_is_no_folder_to_restore_into(tmp_path: Path, clock: Any) -> None:
    fill(tmp_path / "data", clock)
    back_up(tmp_path / "data", tmp_path / "b.zip")
    with pytest.raises(Conflict, match="is a file"):
        restore(tmp_path / "b.zip", tmp_path / "b.zip")


def test_without_a_store_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no store"):
        back_up(tmp_path, tmp_path / "b.zip")
    assert not list(tmp_path.glob("*"))


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_why_nothing_was_restored_is_told_in_japanese_and_chinese_too(tmp_path: Path, language: str) -> None:
    (place := tmp_path / "ファイル").touch()
    with pytest.raises(Conflict) as raised:
        restore(tmp_path / "思い出.zip", place)
    assert str(place) in raised.value.also[language]
    assert "--data" in raised.value.also[language]


@pytest.mark.parametrize("language", ["ja", "zh"])
@pytest.mark.parametrize(
    ("suffix", "step"),
    [
        (".json", "jq -c '.[]' FILE"),
        (".gz", "zcat FILE | omoide import -"),
        (".zip", "`omoide restore`"),
        (".csv", "`omoide import - < FILE`"),
    ],
)
def test_what_to_do_with_a_file_of_another_kind_is_told_in_japanese_and_chinese_too(
    tmp_path: Path, suffix: str, step: str, language: str
) -> None:
    (file := tmp_path / f"思い出{suffix}").touch()
    with pytest.raises(InvalidArgument) as raised:
        files_of([file])
    assert step in raised.value.hint
    assert step in raised.value.also[language]
