"""Paths of the stores in a data folder: its own, and one for each tenant.

Useful for: opening, backing up or checking a whole data folder. Not useful for: what is inside a store.
Invariant: no tenant name, whatever is in it, leads out of the folder, and no two lead to the same place.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

STORE_FILE = "omoide.sqlite3"
#: The write-ahead log: beside the file while the store is open, and after a crash.
LOG_FILE = f"{STORE_FILE}-wal"
TENANTS_FOLDER = "tenants"

#: Names that are safe on every file system are used as they are; others are hashed, with _HASHED before the hash.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_HASHED = "~"


def tenant_folder(data: Path, tenant: str) -> Path:
    """The folder of the tenant with that name; "" is the data folder itself."""
    if not tenant:
        return data
    if _PLAIN.fullmatch(tenant):
        return data / TENANTS_FOLDER / tenant
    digest = hashlib.sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()
    return data / TENANTS_FOLDER / f"{_HASHED}{digest[:32]}"


def folders_in(data: Path) -> list[Path]:
    """Every folder in `data` with a store, or with a log whose store is gone; the data folder itself first."""
    names = (STORE_FILE, LOG_FILE)
    tenants = sorted({file.parent for name in names for file in (data / TENANTS_FOLDER).glob(f"*/{name}")})
    return [folder for folder in (data, *tenants) if any((folder / name).is_file() for name in names)]
