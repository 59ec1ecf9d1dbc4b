"""A fingerprint of a model on the disk, without reading hundreds of megabytes at each start.

It is a hash of the sizes and names of all files, of all of small ones, and of blocks spread over large ones. Not useful for:
finding a damaged file; `omoide models list --check` reads everything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from omoide.embed.models import files_of

#: Files of up to this size are read whole.
SMALL_BYTES = 4_000_000
BLOCKS = 64
BLOCK_BYTES = 4_096


def fingerprint(folder: Path) -> str:
    """The fingerprint, 16 hexadecimal digits."""
    found = hashlib.sha256()
    for path in sorted(files_of(folder)):
        size = path.stat().st_size
        found.update(f"{path.relative_to(folder).as_posix()} {size}\n".encode())
        for block in _blocks(path, size):
            found.update(block)
    return found.hexdigest()[:16]


def _blocks(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        if size <= SMALL_BYTES:
            yield file.read()
            return
        for at in range(BLOCKS):
            file.seek((size - BLOCK_BYTES) * at // (BLOCKS - 1))
            yield file.read(BLOCK_BYTES)
