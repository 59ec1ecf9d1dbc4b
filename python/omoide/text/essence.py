"""What of a text must be the same in another that says the same?

Useful for: passing over pairs of texts quickly. Not useful for: knowing that two texts say the same (memory/same.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from omoide._engine import Essence
from omoide.text.normalise import fold, variants

__all__ = ["Essence", "essences_of"]


def essences_of(texts: Sequence[str]) -> list[Essence]:
    """Of texts as they were written; width, case and character variants make no difference."""
    try:
        quick = variants().essences(texts)
    except UnicodeEncodeError:  # a lone surrogate
        quick = [None] * len(texts)
    return [Essence(fold(text)) if essence is None else essence for text, essence in zip(texts, quick, strict=True)]
