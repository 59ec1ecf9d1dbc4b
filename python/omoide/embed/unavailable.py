"""Takes the place of an embedder that an index was built with and that is no longer available.

Useful for: an old build that answers by words while its successor is made. Invariant: it embeds nothing; its error message
may be shown to anybody, and names no folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NoReturn

from omoide.embed.protocol import EmbedderUnavailable, Kind
from omoide.errors import filled

#: Why it is missing.
Why = Literal["unset", "lost", "replaced"]
_WHY: Mapping[Why, Mapping[str, str]] = {
    "unset": {"en": "is not set any more", "ja": "もう設定されていません", "zh": "现已不再设置"},
    "lost": {"en": "cannot be had any more", "ja": "もう利用できません", "zh": "现已无法取得"},
    "replaced": {
        "en": "has been replaced by another version",
        "ja": "別の版に置き換えられました",
        "zh": "已被另一个版本取代",
    },
}
_SAID: Mapping[str, str] = {
    "en": "The index was built with {name}, which {why}.",
    "ja": "索引の作成に使われた {name} は{why}。",
    "zh": "建立索引所用的“{name}”{why}。",
}


class UnavailableEmbedder:
    """Has the name and version of the missing embedder."""

    semantic = False
    weight = 0.0
    dimensions = None
    max_tokens = None
    instant = False

    def __init__(self, name: str, version: str, why: Why) -> None:
        self.name = name
        self.version = version
        self._why = why

    def embed(self, texts: Sequence[str], kind: Kind) -> NoReturn:
        """Raises EmbedderUnavailable."""
        url = self.name.removeprefix("http:")
        name = url if "://" in url else self.name
        said = filled(_SAID, name=name, why=_WHY[self._why])
        raise EmbedderUnavailable(said.pop("en"), retry_after=60.0, also=said)

    def close(self) -> None:
        """Does nothing."""
