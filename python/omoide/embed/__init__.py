"""Turns texts into vectors, by the embedder that the user chose. Embedding never downloads anything.

    protocol      what an embedder is, and how it fails
    choose        the user's choice: lexical (built in), static, onnx (with transformer_config) or http
    models        models on the disk; catalogue: those known by name; pull: downloads them; fingerprint: have they changed?
    wrapper       embedders that wrap another: cached (vector_files), batched, truncated, borrowed
    within        embeds within a time limit; known_dimensions: how long an endpoint's vectors are
    unavailable   takes the place of an embedder that is no longer available
    passages      where to cut a text that is too long for a model
    circuit_breaker   stops requests to a failing endpoint for a while

Useful for: the index, which keeps the vectors. Not useful for: ranking, which the engine does.
Invariant: vectors of one (name, version) can be compared with each other, and with no others.
"""

from omoide.embed.lexical import Lexical
from omoide.embed.protocol import Embedder, EmbedderUnavailable, Kind, TextRefused, Vector

__all__ = ["Embedder", "EmbedderUnavailable", "Kind", "Lexical", "TextRefused", "Vector"]
