"""The contextplus family: `search_memory_graph` and six tools that build, walk and clean the graph. Deviations: README.md.

It has no options: the store decides where memories are, and no provider of vectors is needed.
"""

from omoide.families.contextplus.tools import tools

__all__ = ["tools"]
