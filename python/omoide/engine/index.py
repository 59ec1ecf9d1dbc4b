"""The index of one store: answers queries as of the last committed change, whoever made it.

A search first catches up with whatever any process has committed. Snapshots spare the next process the analysis of old
memories. When the analyser or the embedder is another than the one the index was built with, the index found on the disk
goes on answering (and following) while a new one is built beside it in the background; then the new one takes over.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from omoide import _engine
from omoide.embed import builtin
from omoide.engine.conditions import compile_condition
from omoide.engine.documents import SEARCHABLE, keys_of
from omoide.engine.generation import SNAPSHOT_AFTER, Generation, Identity, Progress, others, tidy
from omoide.engine.reindex import Reindex, ReindexState
from omoide.errors import NotFound
from omoide.model.condition import Condition
from omoide.model.query import NeighbourWalk, Query, RankWalk
from omoide.model.relation import Ref
from omoide.store.protocol import Reader, Store
from omoide.text import Analyzer, Excerpt, Spelling, Word, fold

logger = logging.getLogger(__name__)

#: How deep each arm of a ranked search goes, at least.
CANDIDATES = 200


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
    reindexing: ReindexState | None
    refused: str  #: why the snapshot on the disk was not used, where one was damaged


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query ready for the engine, and how its terms were written."""

    query: _engine.Query
    spelling: Spelling
    engine: _engine.Engine


class Index:
    """See the module. Safe from any thread: one follows the store at a time, searches run side by side.

    `folder` is where snapshots live; None keeps none.
    """

    def __init__(self, store: Store, analyzer: Analyzer, folder: Path | None = None) -> None:
        self._store = store
        self._analyzer = analyzer
        self._folder = folder
        self._following = threading.Lock()
        self._reindex: Reindex | None = None
        self._serving = self._first()

    @property
    def identity(self) -> Identity:
        """What the index is to be made from."""
        embedder = f"{builtin.NAME} {builtin.VERSION}"
        return Identity(store=self._store.id, analyzer=self._analyzer.version, embedder=embedder, searchable=SEARCHABLE)

    def prepare(self, query: Query, reader: Reader, *, limit: int) -> Prepared:
        """Analyse the query's text and compile its conditions against `reader`. Raises InvalidArgument."""
        serving = self._serving
        question = serving.analyzer.query(query.text, query.lang)
        walk = query.walk
        native = _engine.Query(
            folded=question.folded,
            words=_weighted(question.words),
            alternatives=_weighted(question.alternatives),
            readings=_weighted(question.readings),
            also=question.also,
            filter=compile_condition(query.where, reader),
            limit=limit,
            candidates=max(CANDIDATES, limit),
            word_weight=query.weights.words if "words" in query.arms else 0.0,
            vector_weight=query.weights.vectors * builtin.WEIGHT if "vectors" in query.arms else 0.0,
            page_rank=_page_rank(walk) if isinstance(walk, RankWalk) else None,
            breadth_first=_breadth_first(walk) if isinstance(walk, NeighbourWalk) else None,
            ascending=query.order == "oldest",
        )
        return Prepared(native, Spelling(query.text, question), serving.engine)

    def excerpt(self, text: str, terms: Iterable[str], *, width: int, lang: str | None) -> Excerpt:
        """What to show of a found text: see Analyzer.excerpt."""
        return self._serving.analyzer.excerpt(text, terms, width, lang)

    def alike(self, text: str, reader: Reader, *, where: Condition, limit: int) -> list[tuple[int, float]]:
        """(key, cosine) of the documents whose vectors are nearest to the one the text had, were it stored too."""
        (vector,) = builtin.embed([fold(text)])
        near = _engine.Query(
            vector=vector,
            filter=compile_condition(where, reader),
            limit=limit,
            candidates=limit,
            word_weight=0.0,
            vector_weight=1.0,
        )
        return [(hit.key, hit.cosine or 0.0) for hit in self._serving.engine.search(near).hits]

    def search(self, prepared: Prepared) -> _engine.Hits:
        """Answer as of the last change applied (`catch_up` first). One call into the engine."""
        return prepared.engine.search(prepared.query)

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
        return self._serving.engine.neighbours(keys[start], depth=depth, types=types, limit=limit, filter=allowed)

    def catch_up(self, progress: Progress | None = None) -> int:
        """Apply every change committed so far; returns the change number the index then stands at."""
        self._renew_analyzer()
        if self._reindex is None and self._serving.identity != self.identity:
            self._begin_reindex()
        if self._serving.stands_at(self._store.standing()):
            return self._serving.engine.applied
        with self._following:
            # Asked now: while this thread waited, another may have followed.
            self._serving.follow(self._store, self._store.last_seq(), progress)
        self._serving.save_if_worth_it()
        return self._serving.engine.applied

    def state(self) -> IndexState:
        """See IndexState."""
        serving = self._serving
        return IndexState(
            applied=serving.engine.applied,
            newest=self._store.last_seq(),
            snapshot=serving.snapshot,
            analyzer=serving.identity.analyzer,
            embedder=serving.identity.embedder,
            semantic=builtin.SEMANTIC,
            stats=serving.engine.stats(),
            reindexing=self._reindex.state() if self._reindex is not None else None,
            refused=serving.refused,
        )

    def save(self) -> None:
        """Write a snapshot if anything has changed since the last."""
        self._serving.save()

    def close(self) -> None:
        """End a build in the background, keeping what it has done, and write a snapshot."""
        if self._reindex is not None:
            self._reindex.stop()
        self.save()

    def wait_for_reindex(self, timeout: float | None = None) -> bool:
        """Wait until no build runs in the background; False when it takes longer than `timeout` seconds."""
        reindex = self._reindex
        return reindex is None or reindex.wait(timeout)

    def _first(self) -> Generation:
        """The build that answers first: the wanted one, or another on the disk while the wanted one is far behind."""
        wanted = Generation(self.identity, self._analyzer, self._folder)
        if self._store.last_seq() - wanted.engine.applied <= SNAPSHOT_AFTER and wanted.snapshot:
            return wanted
        for identity in others(self._folder, wanted.identity):
            found = Generation(identity, self._analyzer.resembling(identity.analyzer), self._folder)
            if found.engine.applied > wanted.engine.applied:
                return found
        return wanted

    def _renew_analyzer(self) -> None:
        """The user's words and synonyms may have changed. Synonyms act at once; words when they are indexed."""
        renewed = self._analyzer.renewed()
        if renewed is not self._analyzer:
            self._analyzer = renewed
            if self._serving.identity.analyzer == renewed.version:
                self._serving.analyzer = renewed

    def _begin_reindex(self) -> None:
        with self._following:
            if self._reindex is None and self._serving.identity != self.identity:
                wanted = Generation(self.identity, self._analyzer, self._folder)
                self._reindex = Reindex(self._store, wanted, self._switch)
                self._reindex.start()

    def _switch(self) -> None:
        """The new build takes over, at the newest change."""
        with self._following:
            assert self._reindex is not None
            new = self._reindex.generation
            new.follow(self._store, self._store.last_seq())
            self._serving, self._reindex = new, None
        logger.info("the new index answers: %s", new.identity)
        new.save()
        tidy(self._folder, new.identity)


def _weighted(words: Iterable[Word]) -> list[tuple[str, float, int, int]]:
    return [(word.term, word.weight, word.start, word.end) for word in words]


def _page_rank(walk: RankWalk) -> _engine.PageRank:
    return _engine.PageRank(damping=walk.damping, hit_seeds=walk.hit_seeds, weight=walk.weight)


def _breadth_first(walk: NeighbourWalk) -> _engine.BreadthFirst:
    types = None if walk.relations is None else sorted(walk.relations)
    return _engine.BreadthFirst(depth=walk.depth, types=types, limit=walk.limit)
