"""Backup and restore of a data folder: a ZIP archive with a copy of every store, and the users' words and synonyms.

Useful for: `omoide backup` and `omoide restore`. Not useful for: reading memories elsewhere (dump.py).
Invariant: a backup has one committed state of each store, even while others write, and gets its name when it is complete; one
that lacks a store never replaces an earlier one. Everything is checked before it is restored; nothing is overwritten.
"""

from __future__ import annotations

import lzma
import os
import re
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from omoide.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    StoreError,
    StoreFull,
    StoreTooNew,
    filled,
    no_file,
    no_store,
)
from omoide.memory import argument_types
from omoide.store.folder_lock import locked_folder
from omoide.store.layout import STORE_FILE, TENANTS_FOLDER, folders_in
from omoide.store.sqlite import StoreFile
from omoide.transfer.atomic_file import written_atomically

#: Files that users keep beside a store.
WORDS_FILES = ("words.txt", "synonyms.txt")
#: The names of files in a backup. A tenant's folder may have any name: people make copies of it beside it.
_NAME = re.compile(rf"({TENANTS_FOLDER}/(?!\.\.?/)[^/\\]+/)?({'|'.join(map(re.escape, (STORE_FILE, *WORDS_FILES)))})")
_CHUNK_BYTES = 1024 * 1024
#: What reading a damaged ZIP archive may raise.
_DAMAGED = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, RuntimeError, ValueError),
)
#: The folder where a restore unpacks its files, and in it the list of them, which is written when all have been checked.
_RESTORING, _MANIFEST_FILE = ".restoring", "ready"
_NOTHING_RESTORED = "Name a file that `omoide backup` wrote; nothing was restored."


class BackedUp(NamedTuple):
    """The file written, how many stores are in it, and for those that are not, the error by folder."""

    file: Path
    stores: int
    lacking: Mapping[Path, StoreError]


def back_up(data: Path | str, file: Path | str) -> BackedUp:
    """Write every store under `data` into `file`, which is replaced once everything is written. If a store cannot be copied
    (because it is damaged, say), the others are written to the file `incomplete(file)`, and `file` stays as it is.

    Raises NotFound (no store), InvalidArgument (`file` cannot be replaced, or its folder takes no file), StoreError (no store can be
    copied, or there is no room), OSError.
    """
    data, file = argument_types.path("data", data), argument_types.path("file", file)
    folders = folders_in(data)
    if not folders:
        raise no_store(data.absolute(), "Name its folder with --data.")
    lacking: dict[Path, StoreError] = {}
    with written_atomically(file, lambda file: incomplete(file) if lacking else file) as partial:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
            for folder in folders:
                if error := _try_add(archive, folder, folder.relative_to(data), partial.parent):
                    lacking[folder] = error
        if len(lacking) == len(folders):
            raise next(iter(lacking.values()))
    return BackedUp(incomplete(Path(os.path.realpath(file))) if lacking else file, len(folders) - len(lacking), lacking)


def incomplete(file: Path) -> Path:
    """The path for a backup that lacks a store."""
    return file.with_name(f"{file.name}.incomplete")


def restore(file: Path | str, data: Path | str) -> int:
    """Restore the stores of a backup into a folder without any; returns how many. Continues a restore of the same backup that
    was killed while it moved them there.

    Raises Conflict (there is a store), InvalidArgument (not a backup, or a damaged one), StoreFull, StoreBusy (another restore
    is running there).
    """
    file, data = argument_types.path("file", file), argument_types.path("data", data)
    if data.exists() and not data.is_dir():
        words = {
            "ja": "{data} はファイルなので、そのままにしました。--data でフォルダーを指定してください。",
            "zh": "“{data}”是文件，未作更改。请用 --data 指定文件夹。",
        }
        also = filled(words, data=data.absolute())
        raise Conflict(
            f"{data.absolute()} is a file; it was left as it is.", hint="Name a folder with --data.", also=also
        )
    if folders_in(data) and not unfinished(data):
        raise _holds_a_store(data)
    with _open_archive(file) as archive:
        names = _names(archive, file)
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked_folder(data):
            staged = _staged(archive, names, file, data)
            for name in sorted(names, key=lambda name: name.endswith(STORE_FILE)):
                if (staged / name).exists():  # else a restore that was killed has moved it already
                    _move_into_place(staged / name, data / name)
            shutil.rmtree(staged / TENANTS_FOLDER, ignore_errors=True)
            shutil.rmtree(staged)  # the list is removed last: while it is there, the restore counts as unfinished
    return sum(name.endswith(STORE_FILE) for name in names)


def unfinished(data: Path) -> bool:
    """Whether a restore into the folder began to move stores there and did not finish."""
    return (data / _RESTORING / _MANIFEST_FILE).is_file()


def _holds_a_store(data: Path) -> Conflict:
    return Conflict(
        f"There is a store in {data.absolute()}; it was left as it is.",
        hint="Restore into another folder with --data, or move that store away first.",
        also=filled(
            {
                "ja": "{data} にはすでに記憶の保存先があり、そのままにしました。--data で別のフォルダーに復元するか、先に移してください。",
                "zh": "“{data}”中已有记忆的存储，未作更改。请用 --data 恢复到另一个文件夹，或先将它移走。",
            },
            data=data.absolute(),
        ),
    )


def _staged(archive: zipfile.ZipFile, names: list[str], file: Path, data: Path) -> Path:
    """Unpack and check the archive, unless a killed restore has; returns the folder with the files still to be moved. Raises as
    `restore`."""
    staged, manifest = data / _RESTORING, _manifest(archive)
    existing = {name for name in names if os.path.lexists(data / name)}
    if unfinished(data) and (staged / _MANIFEST_FILE).read_bytes() == manifest:
        if _is_complete(names, existing, staged, data):
            return staged
    elif folders_in(data):
        raise Conflict(
            f"There is a store in {data.absolute()}, of a restore of another backup that was ended in the middle.",
            hint="Restore that backup again, which goes on; or restore this one into another folder with --data.",
            also=filled(
                {
                    "ja": "{data} には、途中で終わった別のバックアップの復元による保存先があります。そのバックアップをもう一度復元すれば"
                    "続きから進みます。こちらは --data で別のフォルダーに復元してください。",
                    "zh": "“{data}”中有另一个备份恢复到中途的存储。再次恢复那个备份即可继续；此备份请用 --data 恢复到另一个文件夹。",
                },
                data=data.absolute(),
            ),
        )
    for name in sorted(existing):
        raise _already_exists(data / name)
    shutil.rmtree(staged, ignore_errors=True)
    try:
        _unpack(archive, names, file, staged)
        with written_atomically(staged / _MANIFEST_FILE) as listed:
            listed.write_bytes(manifest)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    return staged


def _is_complete(names: list[str], existing: set[str], staged: Path, data: Path) -> bool:
    """Whether a killed restore has all these files, unpacked or moved. `existing`: those that exist in `data`. Raises Conflict if
    not, and there is a store."""
    unmoved = {name for name in names if (staged / name).exists()}
    moved = {name for name in existing if name not in unmoved or _are_same_file(staged / name, data / name)}
    stores = {(folder / STORE_FILE).relative_to(data).as_posix() for folder in folders_in(data)}
    if stores <= moved and unmoved | moved == {*names}:
        return True
    if stores:
        raise _holds_a_store(data)
    return False


def _manifest(archive: zipfile.ZipFile) -> bytes:
    """Identifies a backup: the names, checksums and sizes of its files."""
    return "".join(f"{info.filename} {info.CRC:08x} {info.file_size}\n" for info in archive.infolist()).encode()


def _unpack(archive: zipfile.ZipFile, names: list[str], file: Path, staged: Path) -> None:
    """Unpack everything and check it. Raises InvalidArgument (a damaged archive or store), StoreFull."""
    staged.mkdir(mode=0o700)
    _require_room(archive, staged)
    for name in names:
        _extract(archive, name, staged / name, file)
    for folder in folders_in(staged):
        _require_sound(folder / STORE_FILE, file)


def _try_add(archive: zipfile.ZipFile, folder: Path, inside: Path, scratch_parent: Path) -> StoreError | None:
    """Add a store; returns the error if it cannot be copied. Raises StoreFull or OSError: the backup itself
    cannot be written."""
    try:
        _add(archive, folder, inside, scratch_parent)
    except StoreFull:
        raise
    except StoreError as error:
        return error
    except UnicodeEncodeError:
        return StoreError("The name of its folder is not UTF-8, as names in an archive are.")
    return None


def _add(archive: zipfile.ZipFile, folder: Path, inside: Path, scratch_parent: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=scratch_parent) as scratch:
        copy = Path(scratch) / STORE_FILE
        with StoreFile(folder / STORE_FILE) as store:
            store.copy_to(copy)
        archive.write(copy, (inside / STORE_FILE).as_posix())
    for name in WORDS_FILES:
        if (folder / name).is_file():
            archive.write(folder / name, (inside / name).as_posix())


@contextmanager
def _open_archive(file: Path) -> Iterator[zipfile.ZipFile]:
    if not file.is_file():
        if file.exists():
            raise _not_a_backup(file, f"is a {'folder' if file.is_dir() else 'device or pipe'}, not a backup.")
        raise NotFound(f"There is no file {file}.", also=no_file(file))
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except _DAMAGED as error:
        raise _not_a_backup(file, f"is damaged, or not a backup: {error}.") from error


def _not_a_backup(file: Path, why: str) -> InvalidArgument:
    also = filled(
        {
            "ja": "{file} は壊れているか、omoide のバックアップではありません。`omoide backup` が書いたファイルを指定してください。"
            "何も復元していません。",
            "zh": "“{file}”已损坏，或不是 omoide 的备份。请指定由 `omoide backup` 写出的文件。没有恢复任何内容。",
        },
        file=file,
    )
    return InvalidArgument("file", f"{file} {why}", hint=_NOTHING_RESTORED, also=also)


def _names(archive: zipfile.ZipFile, file: Path) -> list[str]:
    if any(info.header_offset < 0 for info in archive.infolist()):
        raise zipfile.BadZipFile("its list of files leads out of it")
    names = archive.namelist()
    strange = [name for name in names if not _NAME.fullmatch(name)]
    if strange or STORE_FILE not in {Path(name).name for name in names} or len(set(names)) < len(names):
        what = f"it holds {strange[0]!r}" if strange else "it holds no store, or one twice"
        raise _not_a_backup(file, f"is not a backup of omoide: {what}.")
    return names


def _require_room(archive: zipfile.ZipFile, data: Path) -> None:
    needed, free = sum(info.file_size for info in archive.infolist()), shutil.disk_usage(data).free
    if needed > free:
        raise StoreFull(
            f"The backup needs {needed:,} bytes and {free:,} are free; nothing was restored.",
            hint="Free some space, or restore to another disk with --data.",
            also=filled(
                {
                    "ja": "バックアップには {needed} バイト必要ですが、空きは {free} バイトです。何も復元していません。"
                    "空きを作るか、--data で別のディスクに復元してください。",
                    "zh": "备份需要 {needed} 字节，可用空间为 {free} 字节。没有恢复任何内容。请清理空间，或用 --data 恢复到其他磁盘。",
                },
                needed=f"{needed:,}",
                free=f"{free:,}",
            ),
        )


def _extract(archive: zipfile.ZipFile, name: str, target: Path, file: Path) -> None:
    """Unpack one file, but no more bytes than the archive declares; `zipfile` compares the checksum at the end."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    remaining = archive.getinfo(name).file_size
    try:
        with archive.open(name) as packed, target.open("wb") as unpacked:
            while chunk := packed.read(_CHUNK_BYTES):
                remaining -= len(chunk)
                if remaining < 0:
                    raise _not_a_backup(file, f"is damaged: {name} is larger than it says.")
                unpacked.write(chunk)
            unpacked.flush()
            os.fsync(unpacked.fileno())
    except OSError as error:
        if error.errno is None:  # raised by a decompressor, not by the system
            raise zipfile.BadZipFile(str(error)) from error
        raise OSError(error.errno, error.strerror, str(target)) from error


def _require_sound(store_file: Path, file: Path) -> None:
    try:
        with StoreFile(store_file) as store:
            problems = store.damage()
    except StoreTooNew as error:
        raise _of_a_newer_version(file, error) from error
    except StoreError as error:
        problems = [error.message]
    if problems:
        raise _not_a_backup(file, f"holds a damaged store: {problems[0]}")


def _of_a_newer_version(file: Path, error: StoreTooNew) -> InvalidArgument:
    words = {
        "ja": "{file} は新しい版の omoide のバックアップです。omoide を更新してから復元してください。何も復元していません。",
        "zh": "“{file}”是更新版本的 omoide 的备份。请更新 omoide 后再恢复。没有恢复任何内容。",
    }
    hint = "Upgrade omoide, and restore it then; nothing was restored."
    message = f"{file} is of a newer omoide: {error.message}"
    return InvalidArgument("file", message, hint=hint, also=filled(words, file=file))


def _already_exists(target: Path) -> Conflict:
    words = {
        "ja": "{target} はすでにあり、そのままにしました。先に移してください。",
        "zh": "文件“{target}”已存在，未作更改。请先将它移走。",
    }
    message = f"There is a file {target} already; it was left as it is."
    return Conflict(message, hint="Move it away first.", also=filled(words, target=target))


def _move_into_place(source: Path, target: Path) -> None:
    """Move a file. Raises Conflict if another file is there."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        _move(source, target)
    except FileExistsError:
        if not _are_same_file(source, target):
            raise _already_exists(target) from None
        source.unlink()


def _are_same_file(source: Path, target: Path) -> bool:
    """Whether both names are of one file: a killed restore had linked it already."""
    return target.exists() and source.samefile(target)


def _move(source: Path, target: Path) -> None:
    """Move a file, atomically where the file system has hard links (those of USB sticks have none). Raises FileExistsError."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        if target.exists():
            raise FileExistsError from None
        source.rename(target)
    else:
        source.unlink()
