"""The store itself: opens the file, gives each thread one transaction at a time, and closes it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from omoide.coalescing import SharedCheck, changed
from omoide.errors import StoreError, StoreReadOnly
from omoide.model.memory import Memory
from omoide.store.migrations import require_not_outgrown, shipped
from omoide.store.protocol import Standing
from omoide.store.sqlite import checksum, damaged_values, orphans
from omoide.store.sqlite.cache import MemoryCache
from omoide.store.sqlite.check import CHECK_FILE, damage_in, mend, problems_in
from omoide.store.sqlite.connections import Connections, open_file, open_memory
from omoide.store.sqlite.faults import Redact, Redacted
from omoide.store.sqlite.group_commit import GroupCommit
from omoide.store.sqlite.lock_wait import patiently
from omoide.store.sqlite.opening import Place, can_write
from omoide.store.sqlite.session import Clock, Session
from omoide.store.sqlite.transactions import LAST_SEQ, STANDING, SqliteReader, SqliteWriter

S = TypeVar("S", bound=Session)

#: The checks of rows, in order: valid values, checksums, references.
CHECKS = (*damaged_values.CHECKS, *checksum.CHECKS, *orphans.CHECKS)

#: After so many changes, the cache of memories begins anew.
MOST_CHANGES = 1_000


class _ThreadSession(threading.local):
    """The open session of a thread, if any."""

    session: Session | None = None


class _Glance:
    """The block of `glance`. `seen`: the state that all reads in the block see; None before the first. `variable`: what
    holds the present glance."""

    __slots__ = ("_before", "_variable", "seen")

    def __init__(self, variable: ContextVar[_Glance | None]) -> None:
        self._variable = variable
        self.seen: object = None

    def __enter__(self) -> None:
        self._before = self._variable.set(self)

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._before)


#: A glance inside another: does nothing.
_PART = nullcontext()


class SqliteStore:
    """One tenant's memories in one SQLite file, which any number of threads and processes may share.

        with SqliteStore("notes/omoide.db") as store, store.write() as writer:
            writer.put_memory(Draft(id="1", text="昨日、京都で抹茶を飲んだ。"), now=now)

    `":memory:"` keeps everything in memory, for tests. A store that this user cannot write is opened for reading.
    `busy_seconds` is how long a transaction waits for others; `max_bytes` bounds the file (beyond it: StoreFull). Once the
    store is open, `redact` turns each StoreError, whose message contains the path, into one for callers who must not see it. Raises
    StoreReadOnly, StoreTooNew, StoreBusy, StoreError.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        clock: Callable[[], datetime] | None = None,
        read_only: bool = False,
        busy_seconds: float = 30.0,
        max_bytes: int | None = None,
        redact: Redact | None = None,
    ) -> None:
        self._clock = clock or _utc_now
        self._redacted = Redacted(None)
        self._where = str(path)
        self._busy_seconds = busy_seconds
        self._thread_session = _ThreadSession()
        self._glance: ContextVar[_Glance | None] = ContextVar("glance", default=None)
        self._state_check: SharedCheck[object] = SharedCheck()
        self._group = GroupCommit(self._where)
        self._history_in: object = None
        self._cache = MemoryCache()
        self._last_standing: tuple[object, Standing] = (None, Standing(0, ""))
        if self._where == ":memory:":
            self._read_only = False
            self._connections: Connections = open_memory(busy_seconds, max_bytes, shipped(), now=self._clock())
        else:
            self._read_only = read_only or not can_write(Path(path))
            place = Place(Path(path).absolute(), self._read_only, busy_seconds, max_bytes)
            self._connections = open_file(place, shipped(), now=self._clock())
        try:
            with self.read() as reader:
                self._id = str(reader.value("SELECT value FROM meta WHERE key = 'id'"))
        except BaseException:  # the caller has no store to close
            self.close()
            raise
        self._redacted = Redacted(redact)

    def __repr__(self) -> str:
        return f"SqliteStore({self._where!r})"

    @property
    def id(self) -> str:
        """See Store."""
        return self._id

    @property
    def read_only(self) -> bool:
        """Whether it was opened with `read_only`, or cannot be written by this user."""
        return self._read_only

    @contextmanager
    def read(self) -> Iterator[SqliteReader]:
        """A read transaction: sees what was committed when the block began. Raises StoreError inside another block of this
        thread."""
        self._refuse_nesting()
        with self._redacted, self._connections.lend() as connection:
            patiently(lambda: _begin_reading(connection), self._busy_seconds, self._where)
            try:
                with self._session_on(connection, SqliteReader) as reader:
                    yield reader
            finally:
                with suppress(sqlite3.Error):  # the pool closes a connection that is still in its transaction
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self, patience: float | None = None) -> Iterator[SqliteWriter]:
        """A write transaction: on the disk when the block has ended, rolled back when it raises.

        Threads that write at the same time share a transaction of SQLite, each block in turn (group_commit.py).

        Raises StoreReadOnly, StoreBusy, StoreFull, StoreTooNew (a newer omoide has upgraded the store meanwhile), and
        StoreError inside another block of this thread.
        """
        self._refuse_nesting()
        try:
            with (
                self._redacted,
                self._block(patience) as connection,
                self._session_on(connection, SqliteWriter) as writer,
            ):
                yield writer
        finally:
            changed()
            if (glance := self._glance.get()) is not None:
                glance.seen = None

    def last_seq(self) -> int:
        """The number of the last committed change; inside a transaction of this thread, as the transaction sees it."""
        if (session := self._session()) is not None:
            return int(session.value(LAST_SEQ))
        with self._redacted, self._connections.lend() as connection:
            return int(patiently(lambda: connection.execute(LAST_SEQ).fetchone()[0], self._busy_seconds, self._where))

    def standing(self) -> Standing:
        """See the protocol."""
        state = self.state()
        last = self._last_standing  # another thread may set that of an earlier state at any time
        if state != last[0]:
            with self._redacted, self._connections.lend() as connection:
                row = patiently(lambda: connection.execute(STANDING).fetchone(), self._busy_seconds, self._where)
            self._last_standing = last = state, Standing(*row)
        return last[1]

    def state(self) -> object:
        """See the protocol."""
        glance = self._glance.get()
        if glance is None:
            return self._state()
        if glance.seen is None:
            glance.seen = self._state_check.latest(self._state)
        return glance.seen

    def glance(self) -> AbstractContextManager[None]:
        """See the protocol."""
        return _Glance(self._glance) if self._glance.get() is None else _PART

    def memories(self, numbers: Sequence[int]) -> list[Memory | None]:
        """See the protocol."""
        state = self.state()
        found = self._cache.get(state, numbers)
        if all(found):  # the usual case
            return found
        with self.read() as reader:
            standing = self._follow_changes(reader, state)
            cached = dict(zip(numbers, self._cache.get_at(standing, numbers), strict=True))
            read = reader.memories_by_number(number for number, memory in cached.items() if memory is None)
        self._cache.put(standing, read)
        return list(map((cached | read).get, numbers))

    def _follow_changes(self, reader: SqliteReader, state: object) -> Standing:
        """Drop what has changed from the cache; returns where the store stands. `state`: that of the file before the read began."""
        since, standing = self._cache.standing, reader.standing()
        self._cache.follow(since, state, standing, _changed_memories(reader, since, standing))
        return standing

    def _state(self) -> object:
        with self._redacted:
            return patiently(self._connections.state, self._busy_seconds, self._where)

    def problems(self) -> list[str]:
        """What is wrong with the file, or else with its rows, a sentence each; reads all of it."""
        if damage := self.damage():
            return damage
        with self.read() as reader:
            return list(problems_in(reader, CHECKS))

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file; reads all of it."""
        with self.read() as reader:
            return damage_in(reader.rows(CHECK_FILE))

    def size(self) -> int:
        """Bytes of the file, without the log of recent writes."""
        with self.read() as reader:
            return int(reader.value("PRAGMA page_count")) * int(reader.value("PRAGMA page_size"))

    def reindex(self) -> None:
        """Rebuild SQLite's own indexes."""
        with self.write() as writer:
            writer.rows("REINDEX")

    def mend(self) -> list[str]:
        """Mend what `problems` finds in the rows; returns what was done, a sentence each."""
        with self.write() as writer:
            done = list(mend(writer, CHECKS))
            if done:  # texts may have changed, and reminders
                writer.rows("UPDATE memory_entities SET said = NULL")
                writer.mark_reminders_anew()
            return done

    def close(self) -> None:
        """Close the file; a transaction in progress may end first. Safe to repeat."""
        self._connections.close()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refuse_nesting(self) -> None:
        if self._session() is not None:
            raise StoreError(
                "This thread is already inside a transaction of this store.",
                hint="Use the reader or writer it has; a writer also reads.",
            )

    def _session(self) -> Session | None:
        return self._thread_session.session

    def _block(self, patience: float | None) -> AbstractContextManager[sqlite3.Connection]:
        if self._read_only:
            raise StoreReadOnly(
                f"The store {self._where} is open for reading only; nothing was written.",
                hint="Make the file and its folder writable for this user, then open it again.",
            )
        return self._group.block(self._transaction, self._busy_seconds if patience is None else patience)

    @contextmanager
    def _transaction(self, patience: float) -> Iterator[sqlite3.Connection]:
        """A write transaction, left after the commit. The first one on a file begins a new history."""
        with self._connections.lend() as connection:
            patiently(lambda: connection.execute("BEGIN IMMEDIATE"), patience, self._where)
            require_not_outgrown(connection, self._where, shipped())
            if self._history_in != (file := self._connections.file()):
                SqliteWriter(connection, self._where, self._clock).begin_history(str(uuid4()))
            yield connection
            self._history_in = file

    @contextmanager
    def _session_on(
        self, connection: sqlite3.Connection, kind: Callable[[sqlite3.Connection, str, Clock], S]
    ) -> Iterator[S]:
        session = self._thread_session.session = kind(connection, self._where, self._clock)
        try:
            yield session
        finally:
            self._thread_session.session = None
            session.end()


def _begin_reading(connection: sqlite3.Connection) -> None:
    """Begin, and read once: the first read determines which state a reader sees."""
    connection.execute("BEGIN")
    try:
        connection.execute(LAST_SEQ).fetchone()
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _changed_memories(reader: SqliteReader, since: Standing, now: Standing) -> Iterable[int] | None:
    """The numbers of the memories that have changed between two standings; None: all may have."""
    if now == since:  # the usual case
        return ()
    if not reader.goes_on_from(since):
        return None
    changes = reader.changes_since(since.seq, MOST_CHANGES)
    return [each.number for each in changes if each.kind == "memory"] if len(changes) < MOST_CHANGES else None


def _utc_now() -> datetime:
    return datetime.now(timezone.utc)
