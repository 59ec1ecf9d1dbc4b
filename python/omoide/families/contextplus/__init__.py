"""The contextplus door: `search_memory_graph` and six tools that make, walk and clean the graph. Deviations: README.md.

An operator has nothing to choose about it: the store decides where memories live, and no provider of vectors is needed.
"""

from omoide.families.contextplus.tools import tools

__all__ = ["tools"]
