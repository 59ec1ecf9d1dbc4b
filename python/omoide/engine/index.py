"""The index of one store: answers queries as of the last change committed by any process.

A search first applies the changes committed since the last one. Thanks to snapshots, the next process need not analyse old
memories again. When the analyser or the embedder is not the one that the index on the disk was built with, that index goes on
answering (and following) while a new one is built in the background; then the new one takes over.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from omoide import _engine
from omoide.embed import Embedder, EmbedderUnavailable, TextRefused
from omoide.embed.choose import identity_of
from omoide.embed.within import EmbedWithin
from omoide.engine.background import BackgroundWork
from omoide.engine.conditions import Texts, compile_condition
from omoide.engine.documents import SEARCHABLE, keys_of
from omoide.engine.embedders import Embedders, missing_vectors, still_waiting
from omoide.engine.filling import Filling, FillingState
from omoide.engine.generation import (
    BATCH,
    READ_AGAIN,
    SNAPSHOT_AFTER,
    Generation,
    Identity,
    Progress,
    VectorStorage,
    other_builds,
    remove_old,
)
from omoide.engine.keys import row_numbers
from omoide.engine.names import spellings, unaccented
from omoide.engine.patience import OutOfPatience, index_behind, patience
from omoide.engine.preparing import Embedded, Prepared, prepare, visibility
from omoide.engine.reindex import Reindex, ReindexState
from omoide.engine.right_of_way import RightOfWay
from omoide.engine.searching import searching
from omoide.errors import StoreError, not_stored
from omoide.model.condition import Condition
from omoide.model.query import MissingArm, Query
from omoide.model.relation import Ref
from omoide.store.protocol import KnownIn, Reader, Standing, Store
from omoide.text import Analyzer, Excerpt, fold, fold_name
from omoide.text.detect import has_han, is_everyday_japanese, language_of
from omoide.text.offsets import Span
from omoide.traditional import message_language
from omoide.turns import about_to_wait, held, is_hurried, waiting

logger = logging.getLogger(__name__)

#: If vectors are slow to make, the wanted build answers from the start only if it is at most this many changes behind;
#: otherwise it catches up in the background.
MOST_BEHIND = 200
#: The first search after up to so many new memories waits for their vectors, unless a step takes longer than PATIENCE_SECONDS.
MOST_AWAITED = 16
PATIENCE_SECONDS = 0.5
#: A search that has so few changes to apply asks no writer to wait: it takes no longer than a write.
FEW_CHANGES = 16
#: How long a write waits for a search that applies the changes before it.
WRITER_PATIENCE_SECONDS = 0.25
#: A search that has been applying changes for so long loses its right of way: it is far behind, and would keep slowing writers down.
#: If it lost it within the patience of a write, writers could again write faster than searches follow.
RIGHT_OF_WAY_SECONDS = 3.0


class IndexState(NamedTuple):
    """The state of the index. `applied`, `newest` and `snapshot` are change numbers: the last one applied to the index, the
    store's last one, and the last one in the snapshot on the disk."""

    applied: int
    newest: int
    snapshot: int
    analyzer: str
    embedder: str
    semantic: bool
    storage: VectorStorage
    stats: _engine.Stats
    filling: FillingState
    missing: str | None  #: why vectors that are wanted are not being searched
    reindexing: ReindexState | None
    refused: str  #: why a damaged snapshot was not used; "" where there was none


class Alike(NamedTuple):
    """(key, cosine) of the documents nearest to a text. `missing`: why not all could be compared; `is_answered`: whether the
    embedder answered at all."""

    found: list[tuple[int, float]]
    missing: MissingArm | None
    is_answered: bool = True


@dataclass(slots=True)
class AnswerLanguage:
    """A callable that detects the language to answer in. A dataclass, so that it compares equal for the same question, as two
    functions would not."""

    question: str
    lang: str | None
    default: str | None
    majority: str | None = field(compare=False)

    def __call__(self) -> str:
        """ja, zh or zh-Hant, else en."""
        said = self.lang or _usual(self.question, self.default, self.majority)
        return message_language(language_of(self.question, said), self.question, self.lang) or "en"


def _usual(text: str, default: str | None, majority: str | None) -> str | None:
    """What a text of Han characters that Japanese and Chinese share is taken for: see Index.usual_language."""
    return default or (majority if majority and is_everyday_japanese(text) else None)


class _Stopped(Exception):
    """Background work was told to end."""


@dataclass(slots=True, eq=False)
class _Awaited:
    """What one thread waits for: that the changes up to `seq` are applied."""

    seq: int
    is_applied: bool = False


class Index:
    """See the module. Safe from any thread: one at a time follows the store, searches run in parallel.

    `folder` holds the snapshots; None keeps none. `embedder_by_identity` returns the embedder that a build on the
    disk was made with. `storage`: the form in which vectors are searched. `timeout_seconds`: how long a call waits for an index that
    is far behind; None: until it has caught up.
    """

    def __init__(
        self,
        store: Store,
        analyzer: Analyzer,
        folder: Path | None = None,
        *,
        embedder: Embedder | None = None,
        embedder_by_identity: Callable[[str], Embedder] | None = None,
        storage: VectorStorage = "f16",
        timeout_seconds: float | None = None,
    ) -> None:
        self._store = store
        self._analyzer = analyzer
        self._folder = folder
        self._embedders = Embedders(embedder, embedder_by_identity)
        self._embed_within = EmbedWithin()
        self._storage = storage
        self._timeout_seconds = timeout_seconds
        self._follow_lock = threading.Lock()
        self._awaited: list[_Awaited] = []
        self._right_of_way = RightOfWay(folder)
        self._identity_cache: tuple[Analyzer, Identity] | None = None
        self._reindex: Reindex | None = None
        self._serving = self._initial_build()
        self._filling = Filling(store, self._serving.backlog)
        self._rereading = BackgroundWork(
            "read", lambda stop: self._serving.read_all_again(store, stop), "mentions of new names could not be linked"
        )
        self._catching_up = BackgroundWork("catch-up", self._catch_up_until, "the index could not follow the store")

    @property
    def identity(self) -> Identity:
        """What the index is to be built from. Every search reads this, so the value is cached until the analyser or the
        identity of the embedder changes."""
        analyzer, embedder, cached = self._analyzer, identity_of(self._embedders.usable), self._identity_cache
        if cached is None or cached[0] is not analyzer or cached[1].embedder != embedder:
            identity = Identity(
                store=self._store.id, analyzer=analyzer.version, embedder=embedder, searchable=SEARCHABLE
            )
            cached = self._identity_cache = analyzer, identity
        return cached[1]

    # --- searching

    def embed(self, query: Query) -> Embedded:
        """Make the query's vector, unless the engine does so itself. May wait a few seconds for the network."""
        return self._embedders.embed(query, self._serving)

    def prepare(
        self,
        query: Query,
        reader: Texts,
        *,
        limit: int,
        embedded: Embedded | None = None,
        known_in: KnownIn | None = None,
        aside: Sequence[Span] = (),
    ) -> Prepared:
        """Analyse the query's text and compile its conditions against `reader`. `embedded`: what `embed` gave, where that was
        called before the read began; `known_in`: limits the graph to what one scope knows; `aside`: places of the text that tell
        when, not what, so that their words weigh little unless there are no others. Raises InvalidArgument."""
        embedded = embedded or self.embed(query)
        return prepare(query, reader, embedded, limit=limit, known_in=known_in, aside=aside)

    def usual_language(self, text: str, *, whole: bool = True) -> str | None:
        """What a text of Han characters that Japanese and Chinese share is taken for: what the analyser was told, else Japanese if
        it could be and more of the texts indexed so far are Japanese than Chinese, which counts only if the caller may see the
        `whole` store; else None, and None for a text without Han characters."""
        return None if not has_han(text) else _usual(text, self._analyzer.language, self._majority() if whole else None)

    def answer_language(self, question: str, lang: str | None, *, whole: bool = True) -> Callable[[], str]:
        """The language to answer in, computed when the result is called, as most answers never need it: ja, zh or zh-Hant, else en.
        If the question has only Han characters that all three share, `lang` decides, or the usual language, else it is taken
        for Chinese."""
        # Every search calls this, and questions in English are answered in English whatever is stored.
        majority = self._majority() if whole and not question.isascii() else None
        return AnswerLanguage(question, lang, self._analyzer.language, majority)

    def _majority(self) -> str | None:
        _, japanese, chinese, _ = self._serving.engine.texts_by_writing()
        return "ja" if japanese > chinese else None

    def excerpt(self, text: str, terms: Iterable[str], *, width: int, lang: str | None) -> Excerpt:
        """The part of a found text to show: see Analyzer.excerpt."""
        return self._serving.analyzer.excerpt(text, terms, width, lang)

    def alike(self, text: str, reader: Reader, *, where: Condition, limit: int) -> Alike:
        """The documents whose vectors are nearest to that of the text, embedded as a passage; none if the embedder makes no
        vector of it."""
        serving = self._serving
        waiting_count = len(serving.backlog)
        try:
            vector = None if serving.embeds_itself else self._embed_within.embed(serving.embedder, [text])[0]
        except (EmbedderUnavailable, TextRefused) as error:
            logger.warning("nothing is alike for now: %s", error)
            return Alike([], missing_vectors(error), is_answered=isinstance(error, TextRefused))
        query = _engine.Query.of(
            _engine.Question(fold(text)),
            evenly=True,
            vector=vector,
            filter=compile_condition(where, reader),
            limit=limit,
            candidates=limit,
            word_weight=0.0,
            vector_weight=1.0,
        )
        hits = serving.engine.search(query).hits
        return Alike([(hit.key, hit.cosine or 0.0) for hit in hits], still_waiting(waiting_count))

    def entities_named(self, name: str) -> list[int]:
        """Row numbers of the entities with that name; variants of characters, and accents, make no difference."""
        engine = self._serving.engine
        all_spellings = (each for name in unaccented((name,)) for each in spellings(fold_name(name)))
        return row_numbers({key for each in all_spellings for key in engine.nodes_named(each)})

    def search(self, prepared: Prepared) -> _engine.Hits:
        """Answer as of the last change applied (`catch_up` first). One call into the engine."""
        return searching.get()(prepared.serving.engine, prepared.query)

    def neighbours(
        self,
        start: Ref,
        reader: Reader,
        *,
        depth: int,
        relations: frozenset[str] | None,
        limit: int,
        where: Condition | None,
        known_in: KnownIn | None = None,
    ) -> list[_engine.Neighbour]:
        """Breadth-first from one memory or entity, as of the last change applied; `known_in` as in `prepare`. Raises NotFound."""
        keys = keys_of(reader, [start])
        if start not in keys:
            raise not_stored(start.kind, start.id)
        compiled = None if where is None else compile_condition(where, reader)
        types = None if relations is None else sorted(relations)
        return self._serving.engine.neighbours(
            keys[start],
            depth=depth,
            types=types,
            limit=limit,
            filter=compiled,
            visibility=visibility(known_in, reader),
        )

    # --- following the store
    #
    # catch_up           all changes, however long that takes
    # catch_up_in_time   the same within the timeout: for a search
    # follow_in_time     without linking new names to older memories: for look-ups
    # follow_for_write   not at all where it is far behind: for a write
    #
    # They meet in `_follow`, where one thread at a time applies the changes that any waits for.

    def catch_up(self, progress: Progress | None = None) -> int:
        """Apply every change committed so far, however long that takes; returns the change number the index then stands at."""
        self._follow_newest(progress, None)
        self._read_again()
        return self._serving.engine.applied

    def catch_up_in_time(self) -> None:
        """`catch_up` for a call that somebody waits for. Raises IndexBehind (it takes longer than the timeout, and goes on in the
        background)."""
        self.follow_in_time()
        self._read_again()

    def follow_in_time(self) -> None:
        """Like `catch_up_in_time`, but without linking new names to older memories: enough to look up names and similar texts."""
        self._follow_newest(None, self._timeout_seconds)

    def follow_for_write(self) -> None:
        """`follow_in_time` for a write, which can do without the index. Raises IndexBehind; where it is more than a step behind, at
        once: a write may ask several times, and its client would have given up by then."""
        if self._timeout_seconds is not None:
            applied, newest = self._serving.engine.applied, self._store.standing().seq
            if newest - applied > BATCH:
                self._catching_up.begin()
                raise index_behind(applied, newest, None)
        self.follow_in_time()

    def _follow_newest(self, progress: Progress | None, seconds: float | None) -> None:
        self._renew_analyzer()
        self._embedders.probe_in_background()
        if self._reindex is None and self._serving.identity != self.identity:
            self._begin_reindex()
        standing = self._store.standing()
        if not self._serving.stands_at(standing):
            if not self._serving.follows_quickly(standing.seq):
                about_to_wait()
            if seconds is None:
                self._follow(standing, progress, None)
            else:
                self._follow_within(seconds, standing)
        self._fill()

    def _follow_within(self, seconds: float, standing: Standing) -> None:
        """`_follow` for a call that waits so many seconds. Raises IndexBehind (it takes longer, and goes on in the background)."""
        mine = patience(seconds, self._serving.engine.applied)
        try:
            self._follow(standing, mine.check, seconds)
        except TimeoutError as error:
            behind = mine.behind(self._serving.engine.applied, standing.seq)
            if isinstance(error, OutOfPatience):  # else another thread goes on
                self._catching_up.begin()
            raise behind from None

    def _follow(self, standing: Standing, progress: Progress | None, seconds: float | None) -> None:
        """Apply the changes up to `standing`, or wait until another thread has done so. Raises TimeoutError (that has taken so many
        seconds), and what `progress` raises."""
        awaited = _Awaited(standing.seq)
        self._awaited.append(awaited)
        try:
            with held(self._follow_lock, seconds):
                if not awaited.is_applied and not self._serving.stands_at(standing):
                    self._apply_awaited(progress)
        finally:
            self._awaited.remove(awaited)
        self._serving.save_if_worth_it()

    def _catch_up_until(self, stop: threading.Event) -> None:
        """Go on, for calls that wait no longer."""

        def go_on(_applied: int, _missing: int) -> None:
            if stop.is_set():
                raise _Stopped

        with suppress(_Stopped):
            self.catch_up(go_on)

    def _apply_awaited(self, progress: Progress | None) -> None:
        """Apply the changes up to the newest that a thread waits for; not what has been written since, as beside a busy writer that
        would never end."""
        group = [*self._awaited]
        newest = max(each.seq for each in group)
        has_many = newest - self._serving.engine.applied > FEW_CHANGES

        def step_done(applied: int, missing: int) -> None:
            self._right_of_way.end_after(RIGHT_OF_WAY_SECONDS)
            if progress is not None:
                progress(applied, missing)

        with self._right_of_way.taken() if has_many and is_hurried() else nullcontext():
            self._serving.follow(self._store, newest, step_done)
        for each in group:
            each.is_applied = True

    def let_search_catch_up(self) -> None:
        """To be called before a write: wait while a search, in any process, applies the changes before it, but not for long."""
        if not self._right_of_way.is_free:
            with waiting():
                self._right_of_way.give_way(WRITER_PATIENCE_SECONDS)

    def _read_again(self) -> None:
        """Link new names to the older memories that mention them: a few at once, more in the background."""
        if self._serving.read_again(self._store, READ_AGAIN):
            self._rereading.begin()

    def _fill(self) -> None:
        """Have missing vectors made in the background; wait for a few, if the embedder answers."""
        filling, serving = self._filling, self._serving
        if serving.embeds_itself:  # no vector is ever missing
            return
        backlog = serving.backlog
        filling.begin()
        if len(backlog) <= MOST_AWAITED and not filling.is_failing:
            filling.wait_while_progressing(PATIENCE_SECONDS)

    # --- its state and its end

    def state(self) -> IndexState:
        """See IndexState."""
        serving = self._serving
        return IndexState(
            applied=serving.engine.applied,
            newest=self._store.last_seq(),
            snapshot=serving.snapshot,
            analyzer=serving.identity.analyzer,
            embedder=serving.identity.embedder,
            semantic=serving.embedder.semantic,
            storage=serving.storage,
            stats=serving.engine.stats(),
            filling=self._filling.state(),
            missing=self.missing,
            reindexing=self._reindex.state() if self._reindex is not None else None,
            refused=serving.refused,
        )

    def save(self) -> None:
        """Write a snapshot if anything has changed since the last, and the store still exists. After a store is removed, none
        of its text should remain, and an index without its store would keep a new store from being created."""
        try:
            self._store.last_seq()
        except StoreError as error:
            logger.warning("index snapshot not written: %s", error)
        else:
            self._serving.save()

    def close_embedder(self) -> None:
        """Close the embedder ahead of `close`, which then need not wait for one that hangs. Vectors that are being made are left to
        the next process: not for a short one, which would never come to their end."""
        self._embedders.close()

    def close(self) -> None:
        """Stop background work, saving the progress of a new build, and write a snapshot if that is worth it."""
        if self._reindex is not None:
            self._reindex.stop()
        self._catching_up.stop()
        self._filling.stop()
        self._rereading.stop()
        if not self._serving.can_skip_snapshot:
            self.save()
        self._right_of_way.close()
        self._embedders.close()

    def wait_for_vectors(self, timeout: float | None = None) -> bool:
        """Wait until no vectors are being made; False after `timeout` seconds."""
        return self._filling.wait(timeout)

    @property
    def missing(self) -> str | None:
        """Why the last question was answered without vectors; None if it was answered with them."""
        missing = self._embedders.missing
        return None if missing is None else missing.reason

    def wait_for_reindex(self, timeout: float | None = None) -> bool:
        """Wait until no build runs in the background; False after `timeout` seconds."""
        reindex = self._reindex
        return reindex is None or reindex.wait(timeout)

    # --- builds

    def _initial_build(self) -> Generation:
        """The build that answers at the start: the wanted one or, while that is far behind, another found on the disk."""
        embedder = self._embedders.usable
        wanted = Generation(self.identity, self._analyzer, embedder, self._folder, self._storage)
        # The first search waits until the build has caught up, which must take next to nothing if vectors are slow to make.
        tolerated = SNAPSHOT_AFTER if embedder.instant else MOST_BEHIND
        if self._store.last_seq() - wanted.engine.applied <= tolerated and wanted.snapshot:
            return wanted
        for identity in other_builds(self._folder, wanted.identity):
            analyzer = self._analyzer.resembling(identity.analyzer)
            other = Generation(identity, analyzer, self._embedders.of(identity.embedder), self._folder, self._storage)
            if other.engine.applied > wanted.engine.applied:
                return other
        return wanted

    def _renew_analyzer(self) -> None:
        """Take up changes to the user's words.txt and synonyms.txt. Synonyms act at once, words after a new build."""
        renewed = self._analyzer.renewed()
        if renewed is not self._analyzer:
            self._analyzer = renewed
            self._share_synonyms(self._serving)

    def _share_synonyms(self, generation: Generation) -> None:
        """Have the build answer with the present synonyms, and with the words that it was made with."""
        same = generation.identity.analyzer == self._analyzer.version
        generation.analyzer = self._analyzer if same else generation.analyzer.with_synonyms_of(self._analyzer)

    def _begin_reindex(self) -> None:
        about_to_wait()  # loading what an earlier process has built of it takes time
        with held(self._follow_lock):
            if self._reindex is None and self._serving.identity != self.identity:
                wanted = Generation(self.identity, self._analyzer, self._embedders.usable, self._folder, self._storage)
                self._reindex = Reindex(self._store, wanted, self._take_over)
                self._reindex.start()

    def _take_over(self) -> None:
        """Answer from the new build from now on, once it has followed up to the newest change."""
        with self._follow_lock:
            assert self._reindex is not None
            new = self._reindex.generation
            new.follow(self._store, self._store.last_seq())
            self._filling.stop()
            self._serving, self._reindex = new, None
            self._share_synonyms(new)  # they may have changed since it was begun
            self._filling = Filling(self._store, new.backlog)
        logger.info("the new index answers: %s", new.identity)
        new.save()
        remove_old(self._folder, new.identity)
