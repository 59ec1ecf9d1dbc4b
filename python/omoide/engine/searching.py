"""How a call runs a search: it blocks in the engine, unless its thread can answer other calls meanwhile (interleaving.py).

Useful for: `Index.search`. Not useful for: building queries. Invariant: a call holds no lock and no transaction while it
searches, since the thread may switch to another call that needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from omoide import _engine

Search = Callable[[_engine.Engine, _engine.Query], _engine.Hits]

searching: ContextVar[Search] = ContextVar("searching", default=_engine.Engine.search)
