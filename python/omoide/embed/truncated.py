"""Keeps the first numbers of another embedder's vectors, for models trained so that these matter most (Matryoshka)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from omoide.embed.protocol import NUMBER_BYTES, Embedder, Kind, Vector
from omoide.embed.wrapper import Wrapper
from omoide.errors import InvalidArgument, filled


class Truncated(Wrapper):
    """The first `dimensions` numbers of `inner`'s vectors. Raises InvalidArgument if these have fewer."""

    def __init__(self, inner: Embedder, dimensions: int) -> None:
        super().__init__(inner)
        self._wanted = dimensions
        self._check()

    @property
    def dimensions(self) -> int | None:
        """The wanted number, once the inner embedder is known to have as many."""
        has = self.inner.dimensions
        return None if has is None or has < self._wanted else self._wanted

    @property
    def version(self) -> str:
        """The inner one's, with how many numbers are kept."""
        return f"{self.inner.version} first {self._wanted}"

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        vectors = self.inner.embed(texts, kind)
        self._check()
        return [vector[: NUMBER_BYTES * self._wanted] for vector in vectors]

    def _check(self) -> None:
        has = self.inner.dimensions
        if has is not None and has < self._wanted:
            raise InvalidArgument(
                "embedder_dimensions",
                f"The vectors of {self.inner.name} have {has} numbers; the first {self._wanted} cannot be kept.",
                also=filled(
                    {
                        "ja": "{model} のベクトルは {has} 次元です。先頭の {wanted} 次元は使えません。",
                        "zh": "“{model}”的向量有 {has} 维，不能只用前 {wanted} 维。",
                    },
                    model=self.inner.name,
                    has=has,
                    wanted=self._wanted,
                ),
            )


def dimensions_kept(version: str) -> int | None:
    """How many numbers the `Truncated` with that version keeps; None if the version is that of another embedder."""
    found = re.search(r" first (\d+)\Z", version)
    return None if found is None else int(found[1])
