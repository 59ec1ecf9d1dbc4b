"""Paths of the stores in a data folder: its own, and one for each tenant.

Useful for: opening, backing up or checking a whole data folder. Not useful for: what is inside a store.
Invariant: no tenant name, whatever is in it, leads out of the folder, and no two lead to the same place.
"""

from __future__ import annotations

import hashlib
import re
import stat
from pathlib import Path

STORE_FILE = "omoide.sqlite3"
#: The write-ahead log: beside the file while the store is open, and after a crash.
LOG_FILE = f"{STORE_FILE}-wal"
TENANTS_FOLDER = "tenants"

#: Names that are safe on every file system are used as they are; others are hashed, with _HASHED before the hash.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_HASHED = "~"
#: What is raised where there certainly is no file; other errors mean that this user may not look.
ABSENT = (FileNotFoundError, NotADirectoryError)


def tenant_folder(data: Path, tenant: str) -> Path:
    """The folder of the tenant with that name; "" is the data folder itself."""
    if not tenant:
        return data
    if _PLAIN.fullmatch(tenant):
        return data / TENANTS_FOLDER / tenant
    digest = hashlib.sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()
    return data / TENANTS_FOLDER / f"{_HASHED}{digest[:32]}"


def folders_in(data: Path) -> list[Path]:
    """Every folder in `data` with a store, with a log whose store is gone, or where this user may not look for one; the data folder
    itself first."""
    return [folder for folder in (data, *_tenants_in(data / TENANTS_FOLDER)) if _may_hold_a_store(folder)]


def _tenants_in(folder: Path) -> list[Path]:
    """What is in the folder of the tenants; the folder itself if that cannot be listed."""
    try:
        return sorted(folder.iterdir())
    except ABSENT:
        return []
    except OSError:
        return [folder]


def _may_hold_a_store(folder: Path) -> bool:
    return any(may_be_file(folder / name) for name in (STORE_FILE, LOG_FILE))


def may_be_file(path: Path) -> bool:
    """Whether there is a regular file, or this user may not look: reading it then tells why not."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except ABSENT:
        return False
    except OSError:
        return True
