"""The built-in embedder, `lexical`: hashed character n-grams and words, computed inside the engine.

It finds spelling variants and partial words that the word arm misses. It knows nothing of meaning: `SEMANTIC` is False,
and the server says so.
"""

from omoide._engine import LexicalEmbedder

NAME = "lexical"
DIMENSIONS = 1024
VERSION = LexicalEmbedder(DIMENSIONS).version
SEMANTIC = False
