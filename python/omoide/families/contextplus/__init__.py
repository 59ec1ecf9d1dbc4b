"""The contextplus door: `search_memory_graph` and six tools that make, walk and clean the graph. Deviations: README.md."""

from omoide.families.contextplus.options import Options
from omoide.families.contextplus.tools import tools

__all__ = ["Options", "tools"]
