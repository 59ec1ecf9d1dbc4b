"""Text -> vectors, by the embedder the user chose. Nothing here downloads while it embeds.

    protocol      what an embedder is, and how it fails
    choose        which one the user chose: of the kinds lexical (built in), static, onnx (with transformer_config), http
    models        those on the disk, known by name from a catalogue, had by pull; fingerprint: still the same ones?
    around        one around another: cached (vector_files), remembered, gathered, hurried, truncated, lent; absent: one that is
                  gone
    passages      where a text too long for a model is cut
    breaker       when an endpoint that fails is left alone

Useful for: the index, which keeps the vectors. Not useful for: ranking; that is the engine's.
Invariant: vectors of one (name, version) can be compared with each other, and with no others.
"""

from omoide.embed.lexical import Lexical
from omoide.embed.protocol import Embedder, EmbedderUnavailable, Kind, TextRefused, Vector

__all__ = ["Embedder", "EmbedderUnavailable", "Kind", "Lexical", "TextRefused", "Vector"]
