"""Writes a file completely or not at all.

Useful for: what people keep, such as backups and exports. Not useful for: the store and its index, which have ways of
their own. Invariant: the old file stays until all of the new one is on the disk.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from omoide.errors import InvalidArgument, filled, joined, system_refused

_SQLITE_HEAD = b"SQLite format 3\0"
#: Suffixes of the files that SQLite puts beside a database, now or later.
_OF_A_DATABASE = ("-wal", "-shm")
#: What the system says of a folder in which it makes no file.
_NO_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT)
_ANOTHER_PLACE = {
    "ja": "このユーザーが書き込めるフォルダーのファイルを指定してください。",
    "zh": "请指定此用户可以写入的文件夹中的文件。",
}


@contextmanager
def written_atomically(file: Path, place: Callable[[Path], Path] = lambda file: file) -> Iterator[Path]:
    """Yields a path beside `file` to write to. When the block ends, that file replaces `file`; when it raises, it is removed.
    `place(file)`, called at the end, may choose another path beside `file` to replace.

    Raises InvalidArgument (`file` cannot be replaced, or its folder takes no file), OSError, which names the file.
    """
    if file.exists() and not (file.is_file() or file.is_dir()):  # /dev/stdout leads to a pipe, which has no path
        raise _irreplaceable(file, "is no file that another could replace.", "Name a regular file.")
    file = Path(os.path.realpath(file))  # a link is kept
    _require_replaceable(file)
    # With the process id and a random part, so that processes (also of two containers) and threads may write the same file at
    # once; the last one wins.
    partial = file.with_name(f"{file.name}.{os.getpid()}-{token_hex(4)}.partial")
    try:
        if file.exists():
            partial.touch(0o600)  # until it gets the mode of the old file, which others may not be allowed to read
        yield partial
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        if file.exists():
            shutil.copymode(file, partial)
        partial.replace(place(file))
    except OSError as error:
        with suppress(OSError):  # where writing fails, removing may fail, too
            partial.unlink(missing_ok=True)
        if error.filename is not None and str(error.filename) != str(partial):
            raise
        raise _unwritable(file, error) from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _require_replaceable(file: Path) -> None:
    if not file.parent.is_dir():
        also = filled(
            {
                "ja": "フォルダー {folder} がありません。先に作ってください。",
                "zh": "没有文件夹“{folder}”。请先建立该文件夹。",
            },
            folder=file.parent,
        )
        raise InvalidArgument("file", f"There is no folder {file.parent}.", hint="Make it first.", also=also)
    if file.is_dir():
        raise _irreplaceable(file, "is a folder.", "Name a file in it.")
    if file.is_file() and _head(file) == _SQLITE_HEAD:
        raise _irreplaceable(file, "is a database; it was left as it is.", "Name another file.")
    database, end = file.name[:-4], file.name[-4:]
    if end in _OF_A_DATABASE and (of := file.with_name(database)).is_file() and _head(of) == _SQLITE_HEAD:
        raise _irreplaceable(file, "is part of a database; it was left as it is.", "Name another file.")


def _unwritable(file: Path, error: OSError) -> InvalidArgument | OSError:
    """The error for a file that could not be written: one of the file's place, if that is why."""
    if error.errno not in _NO_PLACE:
        return OSError(error.errno, error.strerror, str(file))
    also = joined(system_refused(error, file), _ANOTHER_PLACE)
    message = f"{file} cannot be written: {error.strerror}."
    return InvalidArgument("file", message, hint="Name a file in a folder that this user may write to.", also=also)


def _irreplaceable(file: Path, why: str, hint: str) -> InvalidArgument:
    also = filled(
        {
            "ja": "{file} は置き換えられません（フォルダー、装置、データベースなど）。別のファイル名を指定してください。",
            "zh": "不能替换“{file}”（文件夹、设备或数据库等）。请指定其他文件名。",
        },
        file=file,
    )
    return InvalidArgument("file", f"{file} {why}", hint=hint, also=also)


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE_HEAD))
