"""A chat model behind an OpenAI-compatible address, where an operator has set one. Nothing else here uses a network.

Useful for: putting found memories into words (`reconstruct`). Not useful for: searching, embedding.
"""

from omoide.chat.endpoint import ChatEndpoint

__all__ = ["ChatEndpoint"]
