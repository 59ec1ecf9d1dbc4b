"""Text -> vectors. One embedder is built in; it needs no network and no model, and is not semantic."""
