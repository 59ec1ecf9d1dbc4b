"""What must two texts share to say the same?

Useful for: ruling out most pairs of texts quickly, first by the essences of a whole page (`essences_of`), then by the wording of those
with the same essence. Not useful for: deciding that two texts say the same (memory/statements.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from omoide import _engine
from omoide._engine import Wording
from omoide.text.normalise import fold, variants

__all__ = ["Wording", "essences_of", "wording_of"]


def essences_of(texts: Sequence[str]) -> list[int]:
    """The essence of each text, given as it was written; width, case and character variants make no difference."""
    try:
        essences = variants().essences(texts)
    except UnicodeEncodeError:  # a lone surrogate
        essences = [None] * len(texts)
    return [
        _engine.essence(fold(texts[place])) if essence is None else essence for place, essence in enumerate(essences)
    ]


def wording_of(text: str) -> Wording:
    """The wording of a text, given as it was written; width, case and character variants make no difference."""
    return Wording(fold(text))
