"""A file that is written whole or not at all.

Useful for: what people keep, such as backups and exports. Not useful for: the store and its index, which have ways of
their own. Invariant: FILE is what it was before, until all of the new one is on the disk.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from omoide.errors import InvalidArgument

_SQLITE_HEAD = b"SQLite format 3\0"
#: Ends of names that SQLite gives to what lies beside a database, also when it comes later.
_OF_A_DATABASE = ("-wal", "-shm")


@contextmanager
def written_whole(file: Path, place: Callable[[Path], Path] = lambda file: file) -> Iterator[Path]:
    """A name beside `file` to write to; when the block ends that file takes its place, when it raises it is removed. `place` is
    asked at the end for another place beside `file`, where it is not to be that.

    Raises InvalidArgument (nothing may take the place of what is there), OSError, which names the file.
    """
    file = Path(os.path.realpath(file))  # a link leads there afterwards as before
    _require_replaceable(file)
    # With the number of this process: two may write the same file at once, and the last one ends up there.
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        if file.exists():
            partial.touch(0o600)  # until it is whole, nobody else reads what not everybody could read before
        yield partial
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        if file.exists():
            shutil.copymode(file, partial)  # who may read it, whoever could read the one before
        partial.replace(place(file))
    except OSError as error:
        with suppress(OSError):  # one that cannot be written cannot always be removed
            partial.unlink(missing_ok=True)
        of_another = error.filename is not None and str(error.filename) != str(partial)
        raise error if of_another else OSError(error.errno, error.strerror, str(file)) from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _require_replaceable(file: Path) -> None:
    if not file.parent.is_dir():
        raise InvalidArgument("file", f"There is no folder {file.parent}.", hint="Make it first.")
    if file.is_dir():
        raise InvalidArgument("file", f"{file} is a folder.", hint="Name a file in it.")
    if file.exists() and not file.is_file():
        raise InvalidArgument("file", f"{file} is no file that another could replace.", hint="Name an ordinary file.")
    if file.is_file() and _head(file) == _SQLITE_HEAD:
        raise InvalidArgument("file", f"{file} is a database; it was left as it is.", hint="Name another file.")
    database, end = file.name[:-4], file.name[-4:]
    if end in _OF_A_DATABASE and (of := file.with_name(database)).is_file() and _head(of) == _SQLITE_HEAD:
        raise InvalidArgument("file", f"{file} is part of a database; it was left as it is.", hint="Name another file.")


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE_HEAD))
