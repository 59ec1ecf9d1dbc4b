"""What is an embedder, and how does it fail?

Useful for: writing another one; tests/contract/test_embedder.py holds every one to this. Not useful for: choosing one;
see choose.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Protocol

from omoide.errors import InvalidArgument, Unavailable

#: Some models embed what is looked for otherwise than what is to be found.
Kind = Literal["query", "passage"]
#: 32-bit floats, little end first: `dimensions` of them. Of any length: the index compares directions.
Vector = bytes

#: Bytes of one number of a vector.
NUMBER_BYTES = 4


class Embedder(Protocol):
    """Text -> vectors. Safe from any thread."""

    @property
    def name(self) -> str:
        """What the user chose, without secrets: `static:potion-multilingual-128M`."""
        ...

    @property
    def version(self) -> str:
        """Another one whenever the vector of any text may be another."""
        ...

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None while an endpoint has never answered. Once known, it stays."""
        ...

    @property
    def semantic(self) -> bool:
        """Whether texts that mean the same without sharing letters are near each other."""
        ...

    @property
    def weight(self) -> float:
        """What its ranking counts in the fusion beside that of words (1)."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """Longest text that is embedded whole, in tokens of the model; longer ones are cut into passages. None: any."""
        ...

    @property
    def instant(self) -> bool:
        """Whether it embeds thousands of texts a second: a search may wait for it."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """A vector for each text, in their order; the zero vector for a blank one.

        Raises EmbedderUnavailable (nothing can be embedded now), TextRefused (one of the texts never can).
        """
        ...

    def close(self) -> None:
        """Let go of connections and files."""
        ...


class EmbedderUnavailable(Unavailable):
    """The embedder cannot be asked now; asking again is worth it after `retry_after` seconds."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        retry_after: float = 5.0,
        also: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message, hint=hint, also=also)
        self.retry_after = retry_after


class TextRefused(InvalidArgument):
    """The embedder does not take this text, now or later."""

    def __init__(self, message: str, *, also: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__("text", message, also=also)


def packed(numbers: Iterable[float]) -> Vector:
    """A vector of these numbers."""
    return array("f", numbers).tobytes()


def unpacked(vector: Vector) -> Sequence[float]:
    """The numbers of a vector."""
    return array("f", vector)


def well_formed(texts: Iterable[str]) -> list[str]:
    """The texts with a question mark for each half of a character, which no encoding can hold."""
    return [text.encode("utf-8", "replace").decode() for text in texts]


def zero(dimensions: int) -> Vector:
    """The vector of a text that says nothing."""
    return bytes(NUMBER_BYTES * dimensions)
