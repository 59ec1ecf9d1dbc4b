"""The index of one store: loads its snapshot or rebuilds, follows the store's changes, answers queries.

A search first catches up with whatever any process has committed. Snapshots spare the next process the analysis of old
memories; they carry the identity of store, analyser and embedder, so that one of another kind is never read.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from omoide import _engine
from omoide.embed import builtin
from omoide.engine.conditions import compile_condition
from omoide.engine.documents import keys_of, read_batch
from omoide.errors import NotFound
from omoide.model.condition import Condition
from omoide.model.query import NeighbourWalk, Query, RankWalk
from omoide.model.relation import Ref
from omoide.store.protocol import Reader, Store
from omoide.text import Analyzer, Spelling

logger = logging.getLogger(__name__)

#: Changes read, analysed and applied at a time.
BATCH = 500
#: A snapshot is worth writing when this many changes have come since the last.
SNAPSHOT_AFTER = 5_000
#: How deep each arm of a ranked search goes, at least.
CANDIDATES = 200

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class IndexState:
    """Where the index stands: change number, the store's newest, the snapshot's, sizes by part."""

    applied: int
    newest: int
    snapshot: int
    analyzer: str
    embedder: str
    semantic: bool
    stats: _engine.Stats


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query ready for the engine, and how its terms were written."""

    query: _engine.Query
    spelling: Spelling


class Index:
    """See the module. Safe from any thread: one follows the store at a time, searches run side by side.

    `folder` is where snapshots live; None keeps none.
    """

    def __init__(self, store: Store, analyzer: Analyzer, folder: Path | None = None) -> None:
        self._store = store
        self._analyzer = analyzer
        self._folder = folder
        self._following = threading.Lock()
        self._engine = self._load()
        self._snapshot = self._engine.applied

    @property
    def identity(self) -> str:
        """What a snapshot must have been made from to be of use."""
        return f"store {self._store.id}; analyzer {self._analyzer.version}; embedder {builtin.NAME} {builtin.VERSION}"

    def prepare(self, query: Query, reader: Reader, *, limit: int) -> Prepared:
        """Analyse the query's text and compile its conditions against `reader`. Raises InvalidArgument."""
        analysis = self._analyzer.query(query.text)
        walk = query.walk
        native = _engine.Query(
            folded=analysis.folded,
            words=[(word.term, word.weight, word.start, word.end) for word in analysis.words],
            filter=compile_condition(query.where, reader),
            limit=limit,
            candidates=max(CANDIDATES, limit),
            word_weight=query.weights.words if "words" in query.arms else 0.0,
            vector_weight=query.weights.vectors * builtin.WEIGHT if "vectors" in query.arms else 0.0,
            page_rank=_page_rank(walk) if isinstance(walk, RankWalk) else None,
            breadth_first=_breadth_first(walk) if isinstance(walk, NeighbourWalk) else None,
            ascending=query.order == "oldest",
        )
        return Prepared(native, Spelling(query.text, analysis))

    def search(self, prepared: Prepared) -> _engine.Hits:
        """Answer as of the last change applied (`catch_up` first). One call into the engine."""
        return self._engine.search(prepared.query)

    def neighbours(
        self,
        start: Ref,
        reader: Reader,
        *,
        depth: int,
        relations: frozenset[str] | None,
        limit: int,
        where: Condition | None,
    ) -> list[_engine.Neighbour]:
        """Breadth-first from one memory or entity, as of the last change applied. Raises NotFound."""
        keys = keys_of(reader, [start])
        if start not in keys:
            raise NotFound(f"No {start.kind} with the id {start.id!r}.")
        allowed = None if where is None else compile_condition(where, reader)
        types = None if relations is None else sorted(relations)
        return self._engine.neighbours(keys[start], depth=depth, types=types, limit=limit, filter=allowed)

    def catch_up(self, progress: Progress | None = None) -> int:
        """Apply every change committed so far; returns the change number the index then stands at."""
        newest = self._store.last_seq()
        if self._engine.applied == newest:
            return newest
        with self._following:
            # Asked again: while this thread waited, another may have followed further than `newest`.
            newest = self._store.last_seq()
            if self._engine.applied > newest:
                self._start_over()
            self._follow(newest, progress)
        self._snapshot_if_worth_it()
        return self._engine.applied

    def state(self) -> IndexState:
        """See IndexState."""
        return IndexState(
            applied=self._engine.applied,
            newest=self._store.last_seq(),
            snapshot=self._snapshot,
            analyzer=self._analyzer.version,
            embedder=f"{builtin.NAME} {builtin.VERSION}",
            semantic=builtin.SEMANTIC,
            stats=self._engine.stats(),
        )

    def save(self) -> None:
        """Write a snapshot if anything has changed since the last; a folder that cannot be written is only logged."""
        if self._folder is None or self._engine.applied == self._snapshot:
            return
        at = self._engine.applied
        try:
            self._engine.save(self._folder, self.identity)
        except (_engine.EngineError, OSError) as error:
            logger.warning("index snapshot not written: %s", error)
        else:
            self._snapshot = at

    def _load(self) -> _engine.Engine:
        if self._folder is None:
            return _empty()
        try:
            return _engine.Engine.load(self._folder, self.identity)
        except _engine.SnapshotError as error:
            logger.info("rebuilding the index: %s", error)
            return _empty()

    def _start_over(self) -> None:
        """The store is behind the index: it was restored from a backup, or replaced. Its rows are the truth."""
        logger.warning("the store went back from change %d; rebuilding the index", self._engine.applied)
        self._engine = _empty()
        self._snapshot = 0

    def _follow(self, newest: int, progress: Progress | None) -> None:
        start = self._engine.applied
        while self._engine.applied < newest:
            with self._store.read() as reader:
                changes = reader.changes_since(self._engine.applied, BATCH)
                if not changes:
                    return
                batch = read_batch(reader, changes, self._analyzer)
            self._engine.apply(
                changes[-1].seq,
                documents=batch.documents,
                nodes=batch.nodes,
                edges=batch.edges,
                removed=batch.removed,
                removed_edges=batch.removed_edges,
            )
            if progress is not None:
                progress(self._engine.applied - start, newest - start)

    def _snapshot_if_worth_it(self) -> None:
        if self._engine.applied - self._snapshot >= SNAPSHOT_AFTER:
            self.save()


def _empty() -> _engine.Engine:
    return _engine.Engine(dimensions=builtin.DIMENSIONS, lexical=True)


def _page_rank(walk: RankWalk) -> _engine.PageRank:
    return _engine.PageRank(damping=walk.damping, hit_seeds=walk.hit_seeds, weight=walk.weight)


def _breadth_first(walk: NeighbourWalk) -> _engine.BreadthFirst:
    types = None if walk.relations is None else sorted(walk.relations)
    return _engine.BreadthFirst(depth=walk.depth, types=types, limit=walk.limit)
