"""Alternatives for words: tantivy, bm25s, SQLite FTS5.

They get ready-made words, joined by spaces if a library wants text; no word contains a space.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from bench.engine.texts import K1, B

WRITER_BYTES = 256_000_000


class WordPeer(ABC):
    """Built once. Raises ImportError if the library is not installed."""

    name: str
    #: With more texts than this, building takes minutes, and many times the memory of the others.
    most = 2_000_000

    @abstractmethod
    def __init__(self, texts: Sequence[Sequence[str]]) -> None: ...

    @abstractmethod
    def best(self, words: Sequence[str], count: int) -> list[int]:
        """Ids, best first."""


class Tantivy(WordPeer):
    name = "tantivy"

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        import tantivy

        self._library = tantivy
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("id", stored=True, fast=True)
        schema.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
        self._schema = schema.build()
        index = tantivy.Index(self._schema)
        writer = index.writer(WRITER_BYTES, 1)
        for number, words in enumerate(texts):
            writer.add_document(tantivy.Document(id=number, body=" ".join(words)))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def best(self, words: Sequence[str], count: int) -> list[int]:
        query = self._library.Query
        terms = [(self._library.Occur.Should, query.term_query(self._schema, "body", word)) for word in words]
        found = self._searcher.search(query.boolean_query(terms), count, count=False).hits
        return [self._searcher.doc(address)["id"][0] for _, address in found]


class Bm25s(WordPeer):
    name = "bm25s"
    most = 200_000

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        import bm25s

        self._index: Any = bm25s.BM25(method="lucene", k1=K1, b=B)
        self._index.index([list(words) for words in texts], show_progress=False)

    def best(self, words: Sequence[str], count: int) -> list[int]:
        documents, _ = self._index.retrieve([list(words)], k=count, show_progress=False, n_threads=0)
        found: list[int] = documents[0].tolist()
        return found


class Fts5(WordPeer):
    name = "SQLite FTS5"

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._store = sqlite3.connect(":memory:", check_same_thread=False)
        self._store.execute("CREATE VIRTUAL TABLE texts USING fts5(body, content='', tokenize='unicode61')")
        rows = ((number, " ".join(words)) for number, words in enumerate(texts))
        self._store.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", rows)

    def best(self, words: Sequence[str], count: int) -> list[int]:
        asked = " OR ".join(f'"{word}"' for word in words)
        rows = self._store.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (asked, count))
        return [row[0] for row in rows]


PEERS: tuple[type[WordPeer], ...] = (Tantivy, Bm25s, Fts5)
