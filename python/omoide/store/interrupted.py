"""Has somebody pressed Ctrl-C where nobody was told?

sqlite3 swallows what is raised in a function that SQL calls, and says only that one raised: which else means that a text is
none, and that the store is damaged.

Useful for: programs, which are ended so. Not useful for: servers, which are asked to end in ways of their own; a library
leaves signals alone. Invariant: what was pressed once interrupts once.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import NoReturn

_pressed = threading.Event()


def listen() -> None:
    """Note it from here on, where it means what it always means."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)


def was_swallowed() -> bool:
    """Whether it was pressed, of which an error of sqlite3 is now the only sign."""
    was = _pressed.is_set()
    _pressed.clear()
    return was


def _note(number: int, frame: FrameType | None) -> NoReturn:
    _pressed.set()
    signal.default_int_handler(number, frame)
