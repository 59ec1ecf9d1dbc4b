"""What of a text must be the same in another that says the same?

Useful for: passing over pairs of texts quickly. Not useful for: knowing that two texts say the same (memory/same.py).
"""

from __future__ import annotations

from omoide._engine import Essence
from omoide.text.normalise import fold


def essence_of(text: str) -> Essence:
    """Of a text as it was written; width, case and character variants make no difference."""
    return Essence(fold(text))
