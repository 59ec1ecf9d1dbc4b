"""Where the stores of a data folder lie: its own, and one for each tenant.

Useful for: whoever opens, backs up or checks all of a data folder. Not useful for: what is inside a store.
Invariant: no name of a tenant leads out of the folder, and no two lead to the same place, whatever is in them.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

STORE_FILE = "omoide.sqlite3"
#: The last writes, beside the file while the store is open and after a crash.
LOG_FILE = f"{STORE_FILE}-wal"
TENANTS_FOLDER = "tenants"

#: Names that are safe on every file system are the folder's name too; others are hashed, behind a sign of their own.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_HASHED = "~"
#: Every name `tenant_folder` gives.
FOLDER_NAME = re.compile(rf"{_PLAIN.pattern}|{_HASHED}[0-9a-f]{{32}}")


def tenant_folder(data: Path, tenant: str) -> Path:
    """The folder of a tenant by name; "" is the data folder itself."""
    if not tenant:
        return data
    if _PLAIN.fullmatch(tenant):
        return data / TENANTS_FOLDER / tenant
    digest = hashlib.sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()
    return data / TENANTS_FOLDER / f"{_HASHED}{digest[:32]}"


def folders_in(data: Path) -> list[Path]:
    """Every folder under `data` that holds a store, or the log that is left of one, the data folder itself first."""
    names = (STORE_FILE, LOG_FILE)
    tenants = sorted({file.parent for name in names for file in (data / TENANTS_FOLDER).glob(f"*/{name}")})
    return [folder for folder in (data, *tenants) if any((folder / name).is_file() for name in names)]
