"""The textrawl family: `query_memory` and four tools that store and forget. Deviations are listed in README.md."""

from omoide.families.textrawl.options import Options
from omoide.families.textrawl.tools import tools

__all__ = ["Options", "tools"]
