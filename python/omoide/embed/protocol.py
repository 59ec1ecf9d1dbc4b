"""The interface of embedders, and their errors.

Useful for: writing another one; tests/contract/test_embedder.py tests every one. Not useful for: choosing one; see choose.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Protocol

from omoide.errors import InvalidArgument, Unavailable

#: Some models embed queries otherwise than the passages to find.
Kind = Literal["query", "passage"]
#: `dimensions` little-endian 32-bit floats. They need not be normalised, as the index compares directions.
Vector = bytes

#: Bytes of one number of a vector.
NUMBER_BYTES = 4
#: The `weight` of transformers beside words, whose weight is the part of the query they cover. With the vectors of a small model,
#: on three labelled sets, the fused ranking is at most .01 below the better of the two.
TRANSFORMER_WEIGHT = 0.5


class Embedder(Protocol):
    """Turns texts into vectors. Safe from any thread."""

    @property
    def name(self) -> str:
        """What the user chose, without secrets: `static:potion-multilingual-128M`."""
        ...

    @property
    def version(self) -> str:
        """Must change whenever the vector of any text may change."""
        ...

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector has; None while an endpoint has never answered. Once known, it does not change."""
        ...

    @property
    def semantic(self) -> bool:
        """Whether texts that mean the same without sharing letters are near each other."""
        ...

    @property
    def weight(self) -> float:
        """The weight of its ranking in the fusion, where that of words is 1."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """The longest text that is embedded whole, in tokens of the model; longer ones are cut into passages. None: any."""
        ...

    @property
    def instant(self) -> bool:
        """Whether it embeds thousands of texts a second, so that a search may wait for it."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """A vector for each text, in order; the zero vector for a blank text.

        Raises EmbedderUnavailable (nothing can be embedded now), TextRefused (one of the texts can never be embedded).
        """
        ...

    def close(self) -> None:
        """Close connections and files."""
        ...


class EmbedderUnavailable(Unavailable):
    """The embedder does not work now; it is worth trying again after `retry_after` seconds."""

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
    """The embedder does not accept this text, now or later."""

    def __init__(self, message: str, *, also: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__("text", message, also=also)


def packed(numbers: Iterable[float]) -> Vector:
    """The vector with these numbers."""
    return array("f", numbers).tobytes()


def unpacked(vector: Vector) -> Sequence[float]:
    """The numbers of a vector."""
    return array("f", vector)


def well_formed(texts: Iterable[str]) -> list[str]:
    """The texts with each lone surrogate, which UTF-8 cannot encode, replaced by a question mark."""
    return [text.encode("utf-8", "replace").decode() for text in texts]


def zero(dimensions: int) -> Vector:
    """The vector of a blank text."""
    return bytes(NUMBER_BYTES * dimensions)
