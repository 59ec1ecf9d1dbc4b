"""Caches vectors: those of passages on the disk, those of queries in memory. If several processes of a store need the same
vectors at the same time, one of them makes them.

Useful for: embedders that cost time or money. Not useful for: instant ones.
Invariant: the key of a vector is the embedder's name and version and the text's bytes; the cache may be deleted.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from omoide.embed.protocol import Embedder, Kind, Vector
from omoide.embed.vector_files import VectorFiles
from omoide.embed.wrapper import Wrapper

#: How many queries' vectors stay in memory.
QUERIES = 2_048
#: So many passages are embedded at a time and kept, so that a failure does not cost those of a long text that were made before.
KEPT_TOGETHER = 64


class Cached(Wrapper):
    """`inner` with a cache. `folder` None keeps nothing on the disk."""

    def __init__(self, inner: Embedder, folder: Path | None) -> None:
        super().__init__(inner)
        self._folder = folder
        self._lock = threading.Lock()
        self._files: VectorFiles | None = None
        self._queries: OrderedDict[str, Vector] = OrderedDict()

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        return self._queries_of(texts) if kind == "query" else self._passages_of(texts)

    def close(self) -> None:
        """Close the files and the inner one."""
        with self._lock:
            if self._files is not None:
                self._files.close()
                self._files = None
        super().close()

    def _queries_of(self, texts: Sequence[str]) -> list[Vector]:
        with self._lock:
            known = {text: self._queries[text] for text in texts if text in self._queries}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known |= zip(missing, self.inner.embed(missing, "query"), strict=True)
        with self._lock:
            self._queries.update(known)
            for text in known:
                self._queries.move_to_end(text)
            while len(self._queries) > QUERIES:
                self._queries.popitem(last=False)
        return [known[text] for text in texts]

    def _passages_of(self, texts: Sequence[str]) -> list[Vector]:
        wanted = dict(zip(map(_key, texts), texts, strict=True))
        files = self._open()
        known = {} if files is None else files.get(wanted)
        if len(known) < len(wanted):
            # For a single text it is not worth waiting for other processes.
            with files.making() if files is not None and len(wanted) - len(known) > 1 else nullcontext():
                known |= self._embedded({key: text for key, text in wanted.items() if key not in known})
        return [known[_key(text)] for text in texts]

    def _embedded(self, wanted: Mapping[bytes, str]) -> dict[bytes, Vector]:
        """The vectors, made unless another process has made them by now."""
        files = self._open()
        if files is not None:
            files.refresh()
        found = {} if files is None else files.get(wanted)
        missing = [key for key in wanted if key not in found]
        for start in range(0, len(missing), KEPT_TOGETHER):
            keys = missing[start : start + KEPT_TOGETHER]
            vectors = dict(zip(keys, self.inner.embed([wanted[key] for key in keys], "passage"), strict=True))
            found |= vectors
            files = files or self._open()
            if files is not None:
                files.put(vectors)
        return found

    def _open(self) -> VectorFiles | None:
        """The files; None while the length of vectors is not known, or without a folder."""
        dimensions = self.inner.dimensions
        if self._folder is None or dimensions is None:
            return None
        with self._lock:
            if self._files is None:
                identity = hashlib.sha256(f"{self.name} {self.version}".encode()).hexdigest()[:16]
                self._files = VectorFiles(self._folder / identity, dimensions)
            return self._files


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
