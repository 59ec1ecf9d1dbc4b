"""The fegis family: `SearchMemory`, and storing tools that a YAML archetype describes."""

from omoide.families.fegis.archetype import load_archetype
from omoide.families.fegis.options import Options
from omoide.families.fegis.tools import tools

__all__ = ["Options", "load_archetype", "tools"]
