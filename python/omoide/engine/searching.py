"""How a call runs a search: it blocks on the engine, unless its thread can answer other calls meanwhile (beside.py).

Useful for: `Index.search`. Not useful for: the query itself. Invariant: whoever searches holds no lock and is in no
transaction, since the thread may switch to a call that wants them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from omoide import _engine

Search = Callable[[_engine.Engine, _engine.Query], _engine.Hits]

searching: ContextVar[Search] = ContextVar("searching", default=_engine.Engine.search)
