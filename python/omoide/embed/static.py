"""`static:<name or folder>`: a table of one vector a token (model2vec, or sentence-transformers' StaticEmbedding), in Rust.

As fast as a table look-up; a text's vector is the mean of its tokens', so word order makes no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from omoide._engine import EngineError, StaticEmbedder
from omoide.embed.fingerprint import fingerprint
from omoide.embed.models import unusable
from omoide.embed.protocol import Kind, Vector, well_formed

#: The mean of several hundred tokens is about everything, and so about nothing.
MAX_TOKENS = 256


class Static:
    """See the module. Raises InvalidArgument for a folder without a static model."""

    semantic = True
    #: Good BM25 beats static multilingual vectors if questions share words with their answers (MIRACL); the vectors add answers
    #: that share none.
    weight = 0.3
    instant = True

    def __init__(self, name: str, folder: Path) -> None:
        try:
            self._native = StaticEmbedder(folder)
        except EngineError as error:
            raise unusable(folder, f"{error}.", "`omoide models list` names what is here.") from None
        self.name = f"static:{name}"
        self.version = fingerprint(folder)
        self.dimensions = self._native.dimensions
        self.max_tokens = min(self._native.max_tokens or MAX_TOKENS, MAX_TOKENS)

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        return self._native.embed(well_formed(texts))

    def close(self) -> None:
        """Does nothing; the table is freed with the object."""
