"""The textrawl door: `query_memory`, `remember_fact`, `relate_entities`. Deviations are listed in README.md."""

from omoide.families.textrawl.options import Options
from omoide.families.textrawl.tools import tools

__all__ = ["Options", "tools"]
