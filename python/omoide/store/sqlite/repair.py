"""Repairs a store in place, keeping everything that can be read.

Useful for: `omoide doctor --repair`. Not useful for: a store that is merely outdated or busy. Invariant: a damaged file is set
aside, never written to; the new file replaces it in one step. A failing disk does not count as damage. A repair holds the
folder's lock (store/folder_lock.py), so the remains of a repair that it finds there are those of one that was killed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from omoide.errors import (
    Conflict,
    OmoideError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
    StoreUnreachable,
)
from omoide.store.folder_lock import locked_folder
from omoide.store.sqlite.faults import RAISED, fault
from omoide.store.sqlite.opening import workshop_path
from omoide.store.sqlite.salvage import salvage
from omoide.store.sqlite.store import SqliteStore

#: Suffixes of the files beside a database in WAL mode.
_LOG_SUFFIXES = ("-wal", "-shm")


class _Damage(NamedTuple):
    """What SQLite found wrong with a file, a sentence, and whether any of it is left when its indexes are rebuilt."""

    found: str
    is_left: bool


def repair(path: Path, *, now: datetime) -> list[str]:
    """Repair the store at `path`, or the file that this links to; returns what was done, a sentence each. The caller must hold
    the lock of that file's folder. Raises StoreError if nothing can be saved, or the store cannot be written."""
    real = Path(os.path.realpath(path))
    begun = ["Removed what a repair left that was ended in the middle."] if _removed_remains(real) else []
    done = []
    if damage := _reindexed(real):
        done.append(f"Found: {damage.found}")
        is_link = path.is_symlink()
        done.append(_salvaged(real, now, link=is_link) if damage.is_left else "Rebuilt the indexes of the store.")
    with SqliteStore(real) as store:
        return [*begun, *done, *store.mend()]


def unfinished(path: Path) -> str:
    """A sentence about a repair of the store that is running or was killed; "" if there is none."""
    path = Path(os.path.realpath(path))
    if not os.path.exists(workshop_path(path)) and not any(_half_set_aside(path)):
        return ""
    try:
        with locked_folder(path.parent):
            return f"A repair of {path} was ended in the middle; `omoide doctor --repair` removes what it left."
    except StoreBusy as error:
        return str(error)


def _half_set_aside(path: Path) -> Iterator[Path]:
    """Second names of the file at `path`, which a repair gave it before it was killed. After a completed repair, such a name
    belongs to the old file."""
    for aside in path.parent.glob(f"{path.name}.damaged-*"):
        if path.exists() and aside.samefile(path):
            yield aside


def _removed_remains(path: Path) -> bool:
    """Remove the remains of a repair that was killed; returns whether there were any. The log goes back to its store, unless
    the store was written since: the log then belongs to an older state."""
    asides = list(_half_set_aside(path))
    for aside in asides:
        for end in _LOG_SUFFIXES:
            file, back = Path(f"{aside}{end}"), Path(f"{path}{end}")
            if file.exists() and not back.exists() and path.stat().st_mtime_ns <= file.stat().st_ctime_ns:
                file.rename(back)
        aside.unlink()
    existed = os.path.exists(workshop_path(path))
    shutil.rmtree(workshop_path(path), ignore_errors=True)
    return existed or bool(asides)


def _reindexed(path: Path) -> _Damage | None:
    """Rebuild SQLite's own indexes if the store is damaged; returns what was, None if nothing."""
    try:
        with SqliteStore(path) as store:
            if not (damage := store.damage()):
                return None
            store.reindex()
            return _Damage(damage[0], is_left=bool(store.damage()))
    except (StoreBusy, StoreFull, StoreReadOnly, StoreTooNew, StoreUnreachable):
        raise
    except (StoreError, Conflict) as error:  # a page referenced twice has its rows twice, which a unique index refuses
        return _Damage(error.message, is_left=True)  # its hint is to do what is being done


def _salvaged(path: Path, now: datetime, *, link: bool) -> str:
    aside = path.with_name(f"{path.name}.damaged-{now:%Y%m%dT%H%M%S}")
    workshop = workshop_path(path)
    try:
        workshop.mkdir(mode=0o700, exist_ok=True)
        target = workshop / path.name
        saved = salvage(path, target, now=now)
        if not saved["memories"]:
            raise StoreError(
                f"No memory could be read of {path}; it was left as it is.",
                hint="Restore the last backup, or try `sqlite3 FILE .recover`.",
                also={
                    "ja": "読み出せる記憶がなく、ファイルはそのままにしました。最後のバックアップを復元するか、"
                    "`sqlite3 FILE .recover` を試してください。",
                    "zh": "没有读出任何记忆，文件保持原样。请恢复最近的备份，或使用 `sqlite3 FILE .recover`。",
                },
            )
        _put_in_place(target, path, aside)
    except (*RAISED, StoreError, OSError) as error:
        raise _as_omoide_error(error, path) from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    kept = ", ".join(f"{count:,} {table}" for table, count in saved.items() if count)
    return f"Saved {kept or 'nothing'}; the damaged file is kept as {aside if link else aside.name}."


def _as_omoide_error(error: Exception, path: Path) -> OmoideError:
    if isinstance(error, OSError):
        return StoreUnreachable(
            f"The store {path} could not be repaired: {error.strerror}.", hint="Check the disk it is on."
        )
    return error if isinstance(error, StoreError) else fault(error, str(path))


def _put_in_place(saved: Path, path: Path, aside: Path) -> None:
    """Set the old file aside and put the new one in its place. If killed at any point, there is a store at `path` that can be
    repaired again."""
    if not path.exists():
        path.touch()  # the file set aside is then empty, and shows that this was begun
    _link_or_copy(path, aside)
    for end in _LOG_SUFFIXES:  # SQLite would take the old log for the new file's
        if (file := Path(f"{path}{end}")).exists():
            file.rename(f"{aside}{end}")
    saved.replace(path)


def _link_or_copy(path: Path, name: Path) -> None:
    try:
        os.link(path, name)
    except FileExistsError:
        raise
    except OSError:  # the file system has no hard links
        shutil.copyfile(path, name)
