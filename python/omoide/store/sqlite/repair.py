"""Making a store sound again, in place, keeping everything that can be read.

Useful for: `omoide doctor --repair`. Not useful for: a store that is merely behind or busy. Invariant: a file that is
damaged is set aside, never written; what could be saved of it takes its place in one step. A disk that fails is no damage.
"""

from __future__ import annotations

import logging
import os
from datetime import datetime
from pathlib import Path

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
from omoide.store.sqlite.faults import RAISED, fault
from omoide.store.sqlite.salvage import salvage
from omoide.store.sqlite.store import SqliteStore

logger = logging.getLogger(__name__)

#: The ends of the names of what lies beside a database, in WAL mode.
_BESIDE = ("-wal", "-shm")


def repair(path: Path, *, now: datetime) -> list[str]:
    """What was done, a sentence each. Raises StoreError when nothing can be saved, or the store cannot be written."""
    done = _reindexed(path)
    if done is None:
        done = [_salvaged(path, now)]
    with SqliteStore(path) as store:
        return [*done, *store.mend()]


def _reindexed(path: Path) -> list[str] | None:
    """None: the damage is deeper than SQLite's own indexes."""
    try:
        with SqliteStore(path) as store:
            if not store.damage():
                return []
            store.reindex()
            return None if store.damage() else ["Rebuilt the indexes of the store."]
    except (StoreBusy, StoreFull, StoreReadOnly, StoreTooNew, StoreUnreachable):
        raise
    except (StoreError, Conflict) as error:  # a page that stands in two places has rows twice, which no index takes
        logger.warning("%s", error)
        return None


def _salvaged(path: Path, now: datetime) -> str:
    beside = path.with_name(path.name + ".salvaged")
    beside.unlink(missing_ok=True)
    try:
        saved = salvage(path, beside, now=now)
        if not saved["memories"]:
            raise StoreError(
                f"No memory could be read of {path}; it was left as it is.",
                hint="Restore the last backup, or try `sqlite3 FILE .recover`.",
            )
    except (*RAISED, StoreError, OSError) as error:
        beside.unlink(missing_ok=True)
        raise _meaning(error, path) from error
    aside = path.with_name(f"{path.name}.damaged-{now:%Y%m%dT%H%M%S}")
    _put_in_place(beside, path, aside)
    kept = ", ".join(f"{count:,} {table}" for table, count in saved.items() if count)
    return f"Saved {kept or 'nothing'}; the damaged file is kept as {aside.name}."


def _meaning(error: Exception, path: Path) -> OmoideError:
    if isinstance(error, OSError):
        return StoreUnreachable(
            f"The store {path} could not be copied to be repaired: {error.strerror}.", hint="Check the disk it is on."
        )
    return error if isinstance(error, StoreError) else fault(error, str(path))


def _put_in_place(saved: Path, path: Path, aside: Path) -> None:
    """With what was there before set aside. Killed anywhere in it, a store is at `path` that can be repaired again."""
    if path.exists():
        _name_too(path, aside)
    for end in _BESIDE:  # SQLite would take the old log for that of the new file
        if (file := Path(f"{path}{end}")).exists():
            file.rename(f"{aside}{end}")
    saved.replace(path)


def _name_too(path: Path, name: Path) -> None:
    try:
        os.link(path, name)
    except FileExistsError:
        raise
    except OSError:  # the file system gives a file one name only
        path.rename(name)
