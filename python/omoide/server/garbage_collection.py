"""How often the garbage collector of a serving process looks for reference cycles.

With Python's defaults it would look through new objects at every tenth search, and through all objects (some 70,000, mostly of
modules, for a twentieth of a second) at every thousandth, and find nothing: a search makes thousands of objects, but hardly any
cycles.

Useful for: `omoide serve`, once, when everything is loaded. Not useful for: programs that use omoide as a library, who decide
for themselves. Invariant: cycles that are made later are still found.
"""

from __future__ import annotations

import gc

#: New objects before the collector looks at them: more than one search holds at a time.
YOUNG = 10_000


def settle() -> None:
    """Have the collector ignore what is loaded by now, and look less often at new objects."""
    gc.freeze()
    gc.set_threshold(YOUNG)
