"""How often a process that serves looks for objects that nothing but one another holds.

As it begins, the interpreter would look through what is new at every tenth search, and through every object there is (some
70,000, mostly of modules, for a twentieth of a second) at every thousandth, with nothing to be found: a search makes
thousands of objects and hardly any that hold one another.

Useful for: `omoide serve`, once, when everything is loaded. Not useful for: programs that use omoide as a library; how
often they look is theirs to say. Invariant: what comes later is looked at still.
"""

from __future__ import annotations

import gc

#: New objects, more than one search holds at a time, before they are looked at.
YOUNG = 10_000


def settle() -> None:
    """Never look again at what is there by now, and seldom at what comes."""
    gc.freeze()
    gc.set_threshold(YOUNG)
