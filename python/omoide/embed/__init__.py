"""Text -> vectors, by the embedder that the user chose. Nothing here downloads while it embeds.

    protocol      what an embedder is, and how it fails
    choose        the user's choice: lexical (built in), static, onnx (with transformer_config) or http
    models        models on the disk; catalogue: those known by name; pull: gets them; fingerprint: are they still the same?
    around        embedders that wrap another: cached (vector_files), remembered, gathered, hurried, truncated, lent
    absent        stands in for an embedder that cannot be had any more
    passages      where a text too long for a model is cut
    breaker       leaves an endpoint that fails alone for a while

Useful for: the index, which keeps the vectors. Not useful for: ranking, which the engine does.
Invariant: vectors of one (name, version) can be compared with each other, and with no others.
"""

from omoide.embed.lexical import Lexical
from omoide.embed.protocol import Embedder, EmbedderUnavailable, Kind, TextRefused, Vector

__all__ = ["Embedder", "EmbedderUnavailable", "Kind", "Lexical", "TextRefused", "Vector"]
