"""Making a store sound again, in place, keeping everything that can be read.

Useful for: `omoide doctor --repair`. Not useful for: a store that is merely behind or busy. Invariant: a file that is
damaged is set aside, never written; what could be saved of it takes its place in one step.
"""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path

from omoide.errors import StoreBusy, StoreError, StoreFull, StoreReadOnly, StoreTooNew
from omoide.store.sqlite.faults import RAISED, fault
from omoide.store.sqlite.salvage import salvage
from omoide.store.sqlite.store import SqliteStore

logger = logging.getLogger(__name__)

#: The ends of the names of a database's files, in WAL mode.
_FILES = ("-wal", "-shm", "")


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
    except (StoreBusy, StoreFull, StoreReadOnly, StoreTooNew):
        raise
    except StoreError as error:
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
    except (*RAISED, StoreError) as error:
        beside.unlink(missing_ok=True)
        raise error if isinstance(error, StoreError) else fault(error, str(path)) from error
    aside = path.with_name(f"{path.name}.damaged-{now:%Y%m%dT%H%M%S}")
    for end in _FILES:
        if (file := Path(f"{path}{end}")).exists():
            file.rename(f"{aside}{end}")
    beside.rename(path)
    kept = ", ".join(f"{count:,} {table}" for table, count in saved.items() if count)
    return f"Saved {kept or 'nothing'}; the damaged file is kept as {aside.name}."
