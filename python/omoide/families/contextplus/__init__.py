"""The contextplus door: `search_memory_graph`, `upsert_memory_node`, `create_relation`. Deviations: README.md."""

from omoide.families.contextplus.options import Options
from omoide.families.contextplus.tools import tools

__all__ = ["Options", "tools"]
