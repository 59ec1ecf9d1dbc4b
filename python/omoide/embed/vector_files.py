"""The files of one embedder's cache: vectors by a key of 16 bytes.

Each process writes a pair of files of its own and reads those of all: `<name>.vectors`, the vectors one after the other, and
`<name>.keys`, the key of each with a checksum of its vector. Neither needs a lock; a vector half-written in a crash has no
key or a wrong checksum, and counts as absent. If there are many files, the next process to open them merges them. The only
lock, `making`, is for processes that would make the same vectors at the same time.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from omoide.embed.protocol import NUMBER_BYTES, Vector
from omoide.turns import waiting

try:
    import fcntl
except ImportError:  # Windows: there, processes may make the same vectors
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

KEY_BYTES = 16
RECORD_BYTES = KEY_BYTES + 4
#: More files than this are merged.
MOST_FILES = 8
PUT_TOGETHER_AT_A_TIME = 1_000
LOCK_FILE = "making"
#: When files are merged, the oldest vectors beyond this are dropped.
MOST_BYTES = 2 << 30


class VectorFiles:
    """See the module. Safe from any thread. If the folder cannot be written, nothing is kept."""

    def __init__(self, folder: Path, dimensions: int, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._vector_bytes = NUMBER_BYTES * dimensions
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[Path, int, int]] = {}
        self._own: tuple[Path, FileIO, FileIO] | None = None
        self._readers: dict[Path, BinaryIO] = {}
        self._known: dict[Path, int] = {}  # how many keys of a file have been read
        self._load()

    def __len__(self) -> int:
        return len(self._places)

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Vector]:
        """The vectors of those keys that are stored."""
        with self._lock:
            found = ((key, self._read(*self._places[key])) for key in keys if key in self._places)
            return {key: vector for key, vector in found if vector is not None}

    @contextmanager
    def making(self) -> Iterator[None]:
        """A lock across processes: others that would make vectors wait until the block has made them. If the lock file cannot
        be opened, the block runs without it."""
        try:
            lock = (self._folder / LOCK_FILE).open("ab")
        except OSError:
            lock = None
        if lock is None or fcntl is None:
            yield
            return
        with lock:
            with waiting():
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def refresh(self) -> None:
        """Read what other processes have stored since."""
        with self._lock:
            for path in self._stored():
                self._places.update(self._keys_of(path))

    def put(self, vectors: Mapping[bytes, Vector]) -> None:
        """Store vectors by key."""
        try:
            with self._lock:
                self._write(vectors)
        except OSError as error:
            logger.warning("%s cannot be written: %s", self._folder, error)

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            own = () if self._own is None else self._own[1:]
            for file in (*own, *self._readers.values()):
                file.close()
            self._own = None
            self._readers.clear()

    def _load(self) -> None:
        stored = self._stored()
        for path in stored:
            self._places.update(self._keys_of(path))
        if len(stored) > MOST_FILES:
            self._put_together(stored)

    def _stored(self) -> list[Path]:
        """Files of vectors, the oldest first."""
        try:
            found = list(self._folder.glob("*.vectors"))
            return sorted(found, key=lambda path: (path.stat().st_mtime, path.name))
        except OSError:
            return []

    def _keys_of(self, path: Path) -> dict[bytes, tuple[Path, int, int]]:
        """The places of keys that were added to a file since it was last read."""
        first = self._known.get(path, 0)
        try:
            whole = path.stat().st_size // self._vector_bytes
            with path.with_suffix(".keys").open("rb") as file:
                file.seek(first * RECORD_BYTES)
                records = file.read((whole - first) * RECORD_BYTES) if whole > first else b""
        except OSError:
            return {}
        found = {}
        for at in range(len(records) // RECORD_BYTES):
            record = records[at * RECORD_BYTES : (at + 1) * RECORD_BYTES]
            found[record[:KEY_BYTES]] = path, first + at, int.from_bytes(record[KEY_BYTES:], "little")
        self._known[path] = first + len(records) // RECORD_BYTES
        return found

    def _read(self, path: Path, at: int, checksum: int) -> Vector | None:
        try:
            if path not in self._readers:
                self._readers[path] = path.open("rb")
            file = self._readers[path]
            file.seek(at * self._vector_bytes)
            vector = file.read(self._vector_bytes)
        except OSError:
            return None
        return vector if len(vector) == self._vector_bytes and zlib.crc32(vector) == checksum else None

    def _write(self, vectors: Mapping[bytes, Vector]) -> None:
        if self._own is not None and not self._own[0].exists():  # another process has merged it
            self._own = None
        path, content, keys = self._own or self._begin()
        first = content.tell() // self._vector_bytes
        sums = [zlib.crc32(vector) for vector in vectors.values()]
        try:
            # The key is written after its vector: a crash between leaves a vector that is never found.
            _write_whole(content, b"".join(vectors.values()))
            records = (key + each.to_bytes(4, "little") for key, each in zip(vectors, sums, strict=True))
            _write_whole(keys, b"".join(records))
        except OSError:
            self._cut_to_whole(path, content, keys)
            raise
        self._places.update((key, (path, first + at, sums[at])) for at, key in enumerate(vectors))

    def _cut_to_whole(self, path: Path, content: FileIO, keys: FileIO) -> None:
        """Remove what a failed write has left, so that each key that follows stands at the place of its vector. Raises OSError;
        the next vectors then go to new files."""
        self._own = None
        whole = keys.tell() // RECORD_BYTES
        for file, size in ((keys, RECORD_BYTES), (content, self._vector_bytes)):
            file.truncate(file.seek(whole * size))
        self._own = path, content, keys

    def _begin(self) -> tuple[Path, FileIO, FileIO]:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{os.getpid()}-{secrets.token_hex(4)}.vectors"
        # Without buffers, which would hold what a full disk has refused and write it later.
        self._own = path, FileIO(path, "w"), FileIO(path.with_suffix(".keys"), "w")
        return self._own

    def _put_together(self, stored: list[Path]) -> None:
        """Write the newest vectors to one file and remove the others. Vectors that another process is writing to one of these
        are made again when needed."""
        newest = list(self._places)[-(self._most_bytes // self._vector_bytes) :]
        self._places = {key: self._places[key] for key in newest}
        try:
            for at in range(0, len(newest), PUT_TOGETHER_AT_A_TIME):
                self._write(self.get(newest[at : at + PUT_TOGETHER_AT_A_TIME]))
        except OSError as error:
            logger.warning("%s cannot be written: %s", self._folder, error)
            return
        for path in stored:
            if path in self._readers:
                self._readers.pop(path).close()
            for each in (path.with_suffix(".keys"), path):
                each.unlink(missing_ok=True)


def _write_whole(file: FileIO, content: bytes) -> None:
    """Write all of it; the system may take it in several parts. Raises OSError, after which a part may be in the file."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
