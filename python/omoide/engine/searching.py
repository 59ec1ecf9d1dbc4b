"""How the engine is asked: it is waited for, unless the thread has other calls to go on with meanwhile (beside.py).

Useful for: `Index.search`. Not useful for: what is asked. Invariant: whoever searches holds no lock, and is in no transaction:
the thread may go on with something that wants them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from omoide import _engine

Search = Callable[[_engine.Engine, _engine.Query], _engine.Hits]

searching: ContextVar[Search] = ContextVar("searching", default=_engine.Engine.search)
