"""Text -> vectors, by the embedder the user chose. Nothing here downloads while it embeds.

Useful for: the index, which keeps the vectors. Not useful for: ranking; that is the engine's.
Invariant: vectors of one (name, version) can be compared with each other, and with no others.
"""

from omoide.embed.lexical import Lexical
from omoide.embed.protocol import Embedder, EmbedderUnavailable, Kind, TextRefused, Vector

__all__ = ["Embedder", "EmbedderUnavailable", "Kind", "Lexical", "TextRefused", "Vector"]
