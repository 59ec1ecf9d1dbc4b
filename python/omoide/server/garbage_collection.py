"""How often the garbage collector of a serving process looks for reference cycles.

While a server starts, nearly everything that is made stays, the classes of imported modules above all: looking through it would
take a tenth of the start, and find a thousand small objects. Later, with Python's defaults, it would look through new objects at
every tenth search, and through all objects (some 70,000, mostly of modules, for a twentieth of a second) at every thousandth, and
find nothing: a search makes thousands of objects, but hardly any cycles.

Useful for: `omoide serve`. Not useful for: programs that use omoide as a library, who decide for themselves. Invariant: cycles
that are made once it serves are still found.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: New objects before the collector looks at them: more than one search holds at a time.
YOUNG = 10_000


@contextmanager
def paused() -> Iterator[None]:
    """Have the collector wait until `settle`, at most until the block ends."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def settle() -> None:
    """Have the collector ignore what is loaded by now, and look less often at new objects; called when everything is loaded: for
    several workers once for all, and again by each."""
    gc.freeze()
    gc.set_threshold(YOUNG)
    gc.enable()
