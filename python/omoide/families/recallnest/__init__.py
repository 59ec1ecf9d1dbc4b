"""The recallnest door: `search_memory` and `store_memory`. Deviations are listed in README.md."""

from omoide.families.recallnest.options import Options
from omoide.families.recallnest.tools import tools

__all__ = ["Options", "tools"]
