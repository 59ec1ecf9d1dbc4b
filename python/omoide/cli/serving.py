"""What `omoide serve` is put together from: the memories behind a desk, and the guards in front of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from omoide.app import Opened, opened, tools, utc_now
from omoide.config import Settings
from omoide.errors import OmoideError
from omoide.server.desk import Desk
from omoide.server.places import OnePlace, furnish
from omoide.server.sessions import Sessions

if TYPE_CHECKING:  # what only HTTP needs is loaded by what only HTTP calls
    from omoide.server.guards import Guards, Keys
    from omoide.server.metrics import Metrics

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Served:
    """A desk, how many memories there are behind it, and what it lacks to serve (a sentence, "" for nothing)."""

    desk: Desk
    memories: int
    missing: Callable[[], str]


@contextmanager
def memories_served(settings: Settings, metrics: Metrics | None = None) -> Iterator[Served]:
    """The store of the data folder, its index being brought up in the background."""
    with opened(settings, watch=metrics.stages if metrics else None) as found:
        indexing = threading.Thread(target=_index, args=(found,), daemon=True)
        indexing.start()
        offered = tools(found.memories, settings)
        sessions = Sessions(utc_now, timedelta(minutes=settings.session_idle_minutes) if metrics else None)
        if metrics:
            metrics.show(lambda: _sizes(found))
        desk = Desk(offered, OnePlace(furnish(offered, sessions)), metrics)
        yield Served(desk, found.memories.counts().memories, lambda: _missing(found, indexing))


def keys(settings: Settings) -> Keys | None:
    """Who may come in; None: no token is asked for."""
    from omoide.server.tokens import OneToken

    return None if settings.token is None else OneToken(settings.token)


def guards(settings: Settings, keys: Keys | None, metrics: Metrics) -> Guards:
    """What stands in front of every request."""
    from omoide.server.guards import Guards, NoKeys
    from omoide.server.http import hosts
    from omoide.server.limits import Limits

    limits = Limits(settings.rate_limit, settings.concurrent_limit)
    return Guards(hosts(settings.host), keys or NoKeys(), limits, metrics.refused)


def _index(found: Opened) -> None:
    """Ahead of the first search, which would wait for it."""
    try:
        found.index.catch_up()
    except OmoideError as error:
        logger.warning("the index could not be prepared: %s", error)


def _missing(found: Opened, indexing: threading.Thread) -> str:
    state = found.index.state()
    return f"indexing: {state.applied:,} of {state.newest:,} changes" if indexing.is_alive() else ""


def _sizes(found: Opened) -> Iterable[tuple[str, str, float]]:
    """(name, meaning, value)."""
    state = found.index.state()
    yield "index_lag_changes", "Committed changes the index has not followed yet.", state.newest - state.applied
    yield "memories", "Memories indexed.", state.stats.documents
    yield "index_bytes", "The index in memory.", sum(size for _, size in state.stats.bytes)
    yield "store_bytes", "The store's file.", found.store.size()
