"""Group commit: writers of one process share transactions, so that several are synced to the disk at once.

Useful for: many threads that write a little each; a sync of the disk takes longer than their work. Not useful for: a single
writer, which gets a transaction of its own and waits for nobody.
Invariant: a block sees what earlier blocks of its group wrote; if it raises, only its own writes are rolled back. `write`
returns when the whole group is on the disk; if the commit fails, it raises in every thread of the group.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field

from omoide.errors import OmoideError, StoreBusy, StoreError
from omoide.store.sqlite.faults import fault
from omoide.turns import Turns, about_to_wait, waiting

#: Most blocks in one transaction: more would keep other processes waiting.
MOST_BLOCKS = 64

Begin = Callable[[float], AbstractContextManager[sqlite3.Connection]]


@dataclass(slots=True)
class _Group:
    """An open transaction."""

    connection: sqlite3.Connection
    lent: AbstractContextManager[sqlite3.Connection]
    blocks: int = 0
    committed: threading.Event = field(default_factory=threading.Event)
    error: OmoideError | None = None


class GroupCommit:
    """`where` is the store's path, for errors."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._turns = Turns()
        self._open: _Group | None = None

    @contextmanager
    def block(self, begin: Begin, patience: float) -> Iterator[sqlite3.Connection]:
        """A connection to write with inside the block; its writes are on the disk when the block has ended. Waits up to
        `patience` seconds for other threads, and as long again for other processes.

        `begin(patience)` waits up to `patience` seconds for other processes and lends a connection inside a new write
        transaction; its block is left after the commit, or with the error. It is not kept: it is the store's, which is to be freed
        when it is closed, not when the garbage collector comes by.

        Raises StoreBusy, StoreError.
        """
        about_to_wait()  # announced before others may depend on this commit
        if not self._turns.take(patience):
            raise StoreBusy(f"Another thread kept writing to the store {self._where}.", hint="Try again.")
        group = self._join(begin, patience)
        try:
            if group.blocks > 1:  # not for the first: a savepoint makes SQLite copy each page that changes after it
                group.connection.execute("SAVEPOINT block")
            yield group.connection
        except BaseException:
            self._undo(group)
            self._pass(group)
            raise
        self._pass(group)
        if not group.committed.is_set():
            with waiting():
                group.committed.wait()
        if group.error is not None:
            raise group.error

    def _join(self, begin: Begin, patience: float) -> _Group:
        """The open group, or a new one."""
        if self._open is None:
            try:
                lent = begin(patience)
                self._open = _Group(lent.__enter__(), lent)
            except BaseException:
                self._turns.leave()
                raise
        self._open.blocks += 1
        return self._open

    def _undo(self, group: _Group) -> None:
        if group.connection.in_transaction:  # else SQLite has rolled everything back, as it does on a full disk
            with suppress(sqlite3.Error):
                group.connection.execute("ROLLBACK TO block" if group.blocks > 1 else "ROLLBACK")

    def _pass(self, group: _Group) -> None:
        """Pass the open transaction to the next waiting thread; commit if there is none, or the group is full."""
        if group.connection.in_transaction:
            if group.blocks > 1:
                with suppress(sqlite3.Error):
                    group.connection.execute("RELEASE block")
            if group.blocks < MOST_BLOCKS and self._turns.hand_on():
                return
        self._open = None
        try:
            self._end(group)
        finally:
            group.committed.set()
            self._turns.leave()

    def _end(self, group: _Group) -> None:
        group.error = self._commit(group.connection)
        if group.error is not None and group.connection.in_transaction:
            with suppress(sqlite3.Error):  # the pool closes a connection that could not be rolled back
                group.connection.execute("ROLLBACK")
        with suppress(OmoideError):
            group.lent.__exit__(None if group.error is None else type(group.error), group.error, None)

    def _commit(self, connection: sqlite3.Connection) -> OmoideError | None:
        if not connection.in_transaction:
            return StoreError(
                f"The transaction on {self._where} was rolled back after an error; nothing of it was kept.",
                hint="Write again.",
            )
        try:
            with waiting():
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            return fault(error, self._where)
        return None
