"""A generation: one build of the index, made with one analyser and one embedder, and its snapshots.

Useful for: loading, following the store, saving. Not useful for: choosing which build answers; see index.py.
Invariant: two generations never share a folder, and a snapshot is only read under the identity that wrote it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from omoide import _engine
from omoide.embed import Embedder
from omoide.embed.lexical import Lexical
from omoide.engine.backlog import Backlog
from omoide.engine.documents import read_batch, read_texts
from omoide.engine.keys import row_number
from omoide.store.protocol import Standing, Store
from omoide.text import Analyzer
from omoide.turns import about_to_wait

logger = logging.getLogger(__name__)

#: Changes read, analysed and applied at a time.
BATCH = 500
#: Memories to read again at a time, for names newer than they are: few enough not to keep a search waiting.
READ_AGAIN = 64
#: So many changes may be applied by a thread that must not wait, in an index in which no more is dead: the engine renumbers its ids,
#: which takes long, from thousands on.
QUICK_CHANGES, QUICK_DEAD = 64, 8_000
#: A snapshot is worth writing after this many changes, and at least 1/SNAPSHOT_SHARE of all before them, since writing it takes
#: longer the larger the store is.
SNAPSHOT_AFTER = 5_000
SNAPSHOT_SHARE = 8
#: With more changes than that to apply, it is worth looking for a snapshot by another process, which is loaded in a tenth of a
#: second.
ADOPT_AFTER = 1_000
#: A process that ends writes no snapshot for up to this many changes, and up to 1/UNSAVED_SHARE of all before them: the next
#: process applies them in a twentieth of the time of a snapshot, and in .05 s at most.
MOST_UNSAVED = 200
UNSAVED_SHARE = 500
#: Generations kept on the disk: the one that answers, and the one before or after it.
KEPT_GENERATIONS = 2
IDENTITY_FILE = "identity.json"
#: The engine's pointer to the snapshot in a generation's folder.
CURRENT_FILE = "CURRENT"

Progress = Callable[[int, int], None]
#: The form in which vectors are searched: 16-bit floats, or one byte a value, where floats measure again what the bytes find.
VectorStorage = Literal["f16", "i8"]


class Identity(NamedTuple):
    """What a build is made from; when any of it changes, a new build is needed."""

    store: str
    analyzer: str
    embedder: str
    searchable: str

    def __str__(self) -> str:
        return f"store {self.store}; analyzer {self.analyzer}; embedder {self.embedder}; searchable {self.searchable}"

    @property
    def folder_name(self) -> str:
        """The name of the generation's folder."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:16]


class Generation:
    """See the module. `folder` holds all generations of an index; None keeps no snapshots. A snapshot with another `storage` is
    converted when it is opened.

    One thread at a time may follow; any may search and save.
    """

    def __init__(
        self,
        identity: Identity,
        analyzer: Analyzer,
        embedder: Embedder,
        folder: Path | None,
        storage: VectorStorage = "f16",
    ) -> None:
        self.identity = identity
        self.analyzer = analyzer
        self.embedder = embedder
        #: Whether the engine makes the vectors.
        self.embeds_itself = isinstance(embedder, Lexical)
        self.folder = None if folder is None else folder / identity.folder_name
        self.storage = storage
        self.refused = ""
        self._pointer = b""
        self._edges_removed = 0
        self.engine = self._load()
        self.backlog = Backlog(self.engine, embedder)
        self.snapshot = self._vectors_saved = 0
        self._removals_saved = self._removals
        #: Whether the snapshot on the disk is to be replaced, whoever wrote it.
        self._must_save = False
        self._count_as_saved()
        self._save_lock = threading.Lock()
        self._save_thread: threading.Thread | None = None
        #: How often the engine's contents changed, and how often they had when no text was left to be read again. Two numbers, since
        #: one thread may apply changes between another's finding that none is left and its noting so.
        self._steps = 0
        self._linked_at_step = -1

    def stands_at(self, standing: Standing) -> bool:
        """Whether all changes of the store are applied. An index may also be ahead of a store that lost its last changes."""
        return self.engine.stands_at(standing.seq, standing.history)

    def follows_quickly(self, newest: int) -> bool:
        """Whether applying all changes up to `newest` is likely to take less than ten milliseconds; `step` finds out whether what was
        written is longer than usual."""
        few = 0 < newest - self.engine.applied <= QUICK_CHANGES
        return few and self.embeds_itself and self.engine.dead <= QUICK_DEAD

    def follow(self, store: Store, newest: int, progress: Progress | None = None) -> None:
        """Apply every change up to `newest`. Raises WouldWait (see `step`)."""
        start = self.engine.applied
        self._adopt_newer(store, newest)
        while self.step(store, newest):
            if progress is not None:
                progress(self.engine.applied - start, newest - start)
            if self.engine.applied >= newest:
                return
            self._adopt_newer(store, newest)

    def step(self, store: Store, newest: int, batch_size: int = BATCH) -> bool:
        """Apply the next batch of at most `batch_size` changes; False when there is none up to `newest`.

        An instant embedder makes the vectors at once; for others the memories go to the backlog. Raises WouldWait in a thread that
        must not wait, before anything has changed, if the changes take long to apply.
        """
        with store.read() as reader:
            if not reader.goes_on_from(_standing_of(self.engine)):
                about_to_wait()
                self._start_over()
            if self.engine.applied >= newest:
                return False
            changes = reader.changes_since(self.engine.applied, batch_size)
            if not changes:
                return False
            batch = read_batch(reader, changes, self.analyzer)
            history = reader.history(batch.seq)
        self.engine.apply(
            batch.seq,
            documents=batch.documents,
            nodes=batch.nodes,
            edges=batch.edges,
            removed=batch.removed,
            removed_edges=batch.removed_edges,
            history=history,
        )
        self._steps += 1
        self._edges_removed += len(batch.removed_edges)
        if not self.embeds_itself:
            self.backlog.note((row_number(document.key) for document in batch.documents), batch.seq)
            if self.embedder.instant:
                self.backlog.make(store, batch_size)
        return True

    def read_again(self, store: Store, most: int) -> bool:
        """Link names that were added or removed to the older memories that may mention them, up to `most` at a time; False when
        none is left. Raises WouldWait in a thread that must not wait, if any is left."""
        step = self._steps
        if self._linked_at_step == step:
            return False
        applied = self.engine.applied
        keys = self.engine.waiting(most)
        if keys:
            about_to_wait()
            with store.read() as reader:
                texts = read_texts(reader, keys)
            self.engine.read_again(applied, texts)
        is_linked = len(keys) < most and self.engine.applied == applied
        if is_linked:
            self._linked_at_step = step
        return not is_linked

    def read_all_again(self, store: Store, stop: threading.Event) -> None:
        """Call `read_again` until no memory is left or `stop` is set."""
        while not stop.is_set() and self.read_again(store, READ_AGAIN):
            pass

    def save_if_worth_it(self) -> None:
        """Write a snapshot if enough has changed since the last, in a thread of its own: searches and writes go on meanwhile, and
        the process does not end before it is written."""
        changes, vectors = self.engine.applied - self.snapshot, self.engine.vectors - self._vectors_saved
        is_saving = self._save_thread is not None and self._save_thread.is_alive()
        enough = max(SNAPSHOT_AFTER, self.snapshot // SNAPSHOT_SHARE)
        if not is_saving and max(0, changes) + max(0, vectors) >= enough:
            self._save_thread = threading.Thread(target=self._save, args=(enough - 1,), name="omoide-snapshot")
            self._save_thread.start()

    def save(self) -> None:
        """Write a snapshot if anything has changed since the last that should not be left to the next process; a folder that cannot
        be written to is only logged."""
        self._save(self._most_left)

    def _save(self, most_missing: int) -> None:
        """Write a snapshot, unless the one on the disk, perhaps another process's, lacks at most so many changes and vectors."""
        with self._save_lock:
            # What is removed after this may be missing in a snapshot by another process up to the same change.
            removals = self._removals
            engine, applied = self.engine, self.engine.applied
            is_saved = (applied, engine.vectors) == (self.snapshot, self._vectors_saved) and not self._must_save
            if self.folder is None or is_saved:
                return
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._write_identity(self.folder / IDENTITY_FILE)
                most = None if self._must_save else most_missing
                saved = engine.save(self.folder, str(self.identity), most_missing=most)
            except (_engine.EngineError, OSError) as error:
                logger.warning("index snapshot not written into %s: %s", self.folder, error)
                return
            if engine is self.engine:  # else the store was restored meanwhile, and the snapshot is of another history
                self.snapshot, self._vectors_saved, self._must_save = saved.applied, saved.vectors, False
                if saved.applied >= applied:
                    self._removals_saved = removals

    @property
    def can_skip_snapshot(self) -> bool:
        """Whether a process that ends may skip the snapshot, as the next applies so few changes in a fraction of the time."""
        return 0 < self.engine.applied - self.snapshot <= self._most_left and not self._must_save

    @property
    def _most_left(self) -> int:
        """How many changes a process that ends may leave to the next: none after something was removed or replaced, as an older
        snapshot still holds its text."""
        if self._removals != self._removals_saved or not self.embedder.instant:
            return 0
        return min(MOST_UNSAVED, self.engine.applied // UNSAVED_SHARE)

    @property
    def _removals(self) -> tuple[int, int]:
        """(documents and nodes, edges) that were removed or replaced so far."""
        return self.engine.dead, self._edges_removed

    def _adopt_newer(self, store: Store, newest: int) -> None:
        """If many changes are missing, and another process has written a snapshot that has many of them, go on from that. Not
        where vectors are slow to make, as those made here since the last snapshot would be lost."""
        is_far_behind = newest - self.engine.applied > ADOPT_AFTER and self.embedder.instant
        if not is_far_behind or self._read_pointer() == self._pointer:
            return
        loaded = self._load()
        if loaded.applied > self.engine.applied + ADOPT_AFTER:
            with store.read() as reader:
                is_of_store = reader.goes_on_from(_standing_of(loaded))
            if is_of_store:
                self._go_on_with(loaded)

    def _go_on_with(self, engine: _engine.Engine) -> None:
        self.engine = engine
        self.backlog.start_over(engine)
        self._count_as_saved()
        self._steps += 1

    def _count_as_saved(self) -> None:
        """Take the engine for what the disk has: it was just loaded, or is empty."""
        self.snapshot, self._vectors_saved = self.engine.applied, self.engine.vectors
        self._must_save = self.engine.converted
        self._removals_saved = self._removals

    def _start_over(self) -> None:
        """Begin with an empty index, to be built from the store."""
        logger.warning("the store was put back to before change %d; rebuilding the index", self.engine.applied)
        self._go_on_with(self._empty_engine())
        # The snapshot on the disk may be of the changes that are lost.
        self._must_save = True

    def _write_identity(self, path: Path) -> None:
        """Write the identity to a temporary file and rename it to `path`, which another process may be reading."""
        temporary = path.with_name(f"{path.name}.{threading.get_ident()}")
        try:
            temporary.write_text(json.dumps(self.identity._asdict(), ensure_ascii=False), encoding="utf-8")
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def _load(self) -> _engine.Engine:
        if self.folder is None:
            return self._empty_engine()
        self._pointer = self._read_pointer()
        try:
            return _engine.Engine.load(
                self.folder, str(self.identity), lexical=self.embeds_itself, codes=self._has_codes
            )
        except _engine.EngineError as error:  # also where a file is missing, or may not be read
            if not _is_missing(self.folder / CURRENT_FILE):
                self.refused = str(error)
            logger.info("no snapshot to begin with: %s", error)
            return self._empty_engine()

    def _read_pointer(self) -> bytes:
        """What the pointer to the current snapshot contains; b"" if there is none."""
        try:
            return b"" if self.folder is None else (self.folder / CURRENT_FILE).read_bytes()
        except OSError:
            return b""

    def _empty_engine(self) -> _engine.Engine:
        dimensions = self.embedder.dimensions or 1
        return _engine.Engine(dimensions=dimensions, lexical=self.embeds_itself, codes=self._has_codes)

    @property
    def _has_codes(self) -> bool:
        return self.storage == "i8"


def _standing_of(engine: _engine.Engine) -> Standing:
    """Where the store stood when the engine had the same changes."""
    return Standing(engine.applied, engine.history)


def _is_missing(file: Path) -> bool:
    """Whether the file certainly does not exist; False if this user may not look into the folder."""
    try:
        file.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def other_builds(folder: Path | None, wanted: Identity) -> Iterator[Identity]:
    """The identities of other builds of the same store on the disk, the last saved first."""
    for each in _newest_first(folder):
        identity = _read_identity(each / IDENTITY_FILE)
        if identity is not None and identity != wanted and identity.store == wanted.store:
            yield identity


def remove_old(folder: Path | None, in_use: Identity) -> None:
    """Remove old generations, so that the disk holds the one in use and at most one other."""
    kept = 1
    for each in _newest_first(folder):
        if each.name == in_use.folder_name:
            continue
        if kept >= KEPT_GENERATIONS:
            shutil.rmtree(each, ignore_errors=True)
        kept += 1


def _newest_first(folder: Path | None) -> list[Path]:
    """Folders of generations, the last saved first; none where the index has no folder."""
    try:
        folders = [] if folder is None else [each.parent for each in folder.glob(f"*/{IDENTITY_FILE}")]
        return sorted(folders, key=lambda each: each.stat().st_mtime, reverse=True)
    except OSError:
        return []


def _read_identity(path: Path) -> Identity | None:
    """The identity in a generation's folder; None if it cannot be read, or the folder is not named after it."""
    try:
        identity = Identity(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return identity if identity.folder_name == path.parent.name else None
