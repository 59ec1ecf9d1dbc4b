"""Many tenants on one server: a tenant's workspace is opened by the first call that enters it; the least recently entered are closed.

Useful for: HTTP with tokens that belong to tenants. Not useful for: one store; see workspaces.py. Invariant: at most `most`
workspaces stay open, beyond those with a call inside, so memory grows with the tenants at work, not with all there are.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import islice

from omoide.server.calls.translations import UsualLanguage
from omoide.server.calls.workspaces import Workspace
from omoide.turns import about_to_wait, held, must_not_wait

logger = logging.getLogger(__name__)

#: Closing a workspace writes the snapshot of its index, which threads of its own do. When MOST_CLOSING workspaces wait for them, a call
#: that may wait closes its workspace itself.
CLOSERS = 2
MOST_CLOSING = 16

Open = Callable[[str], AbstractContextManager[Workspace]]


class Tenants:
    """Workspaces by tenant. `open` gives a context manager that opens the workspace of a tenant and closes it."""

    def __init__(self, open: Open, *, most: int) -> None:
        self._open = open
        self._most = most
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._closers = ThreadPoolExecutor(CLOSERS, thread_name_prefix="omoide-closing")
        self._closing = threading.Semaphore(MOST_CLOSING)

    def __len__(self) -> int:
        """How many workspaces are open."""
        return len(self._slots)

    @contextmanager
    def enter(self, tenant: str) -> Iterator[Workspace]:
        """See workspaces.Workspaces."""
        slot = self._slot(tenant)
        try:
            yield slot.workspace(self._open)
        finally:
            for idle in self._leave(slot):
                self._close(idle)

    def language(self, tenant: str) -> UsualLanguage | None:
        """See workspaces.Workspaces. It may be asked while the workspace is being closed, or after."""
        with self._lock:
            slot = self._slots.get(tenant)
        return None if slot is None else slot.language

    def close(self) -> None:
        """Close all; nobody is inside."""
        with self._lock:
            slots, self._slots = [*self._slots.values()], OrderedDict()
        for slot in slots:
            slot.close()
        self._closers.shutdown()

    def _slot(self, tenant: str) -> _Slot:
        with self._lock:
            slot = self._slots.setdefault(tenant, _Slot(tenant))
            slot.inside += 1
            self._slots.move_to_end(tenant)
            return slot

    def _leave(self, slot: _Slot) -> list[_Slot]:
        """The least recently entered slots with nobody inside that are to be closed now."""
        with self._lock:
            slot.inside -= 1
            if not (slot.is_open or slot.inside):  # it could not be opened, so it must not count
                self._slots.pop(slot.tenant, None)
            too_many = max(0, len(self._slots) - self._most)
            idle = list(islice((each for each in self._slots.values() if not each.inside), too_many))
            for each in idle:
                # A call that comes from now on opens the store a second time, while this one is being closed.
                del self._slots[each.tenant]
            return idle

    def _close(self, slot: _Slot) -> None:
        if self._closing.acquire(blocking=False):
            self._closers.submit(slot.close).add_done_callback(lambda _: self._closing.release())
        elif must_not_wait():
            self._closers.submit(slot.close)
        else:
            slot.close()


class _Slot:
    """The way into a tenant's workspace: the first call opens it while others wait."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        self.inside = 0
        self._opening = threading.Lock()
        self._workspace: Workspace | None = None
        self._open = ExitStack()

    @property
    def is_open(self) -> bool:
        """Whether the workspace has been opened."""
        return self._workspace is not None

    @property
    def language(self) -> UsualLanguage | None:
        """What tells the language of Han characters in the workspace; None if it has not been opened."""
        return None if self._workspace is None else self._workspace.language

    def workspace(self, open: Open) -> Workspace:
        """The workspace, opened if it is not yet."""
        with held(self._opening):
            if self._workspace is None:
                about_to_wait()  # to read files, and perhaps to build an index
                self._workspace = self._open.enter_context(open(self.tenant))
            return self._workspace

    def close(self) -> None:
        """Close the workspace for good."""
        try:
            self._open.close()
        except Exception:
            logger.exception("a tenant's store could not be closed in good order")
