"""Was Ctrl-C pressed while SQLite called a Python function, so that its KeyboardInterrupt got lost?

sqlite3 swallows an exception of a function that SQL calls, and says only that one raised. That would otherwise mean that a
text is not valid UTF-8, so that the store is damaged.

Useful for: programs that Ctrl-C ends. Not useful for: servers, which shut down in ways of their own; a library leaves signals
alone. Invariant: one Ctrl-C interrupts once.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import NoReturn

_pressed = threading.Event()


def listen() -> None:
    """Record Ctrl-C from now on, if this is the main thread and the signal has its default handler."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)


def was_swallowed() -> bool:
    """Whether Ctrl-C was pressed since this was last asked: an error of sqlite3 then stands for it."""
    was = _pressed.is_set()
    _pressed.clear()
    return was


def _note(number: int, frame: FrameType | None) -> NoReturn:
    _pressed.set()
    signal.default_int_handler(number, frame)
