"""The fegis door: `SearchMemory`, and storing tools described by a YAML archetype."""

from omoide.families.fegis.archetype import load_archetype
from omoide.families.fegis.options import Options
from omoide.families.fegis.tools import tools

__all__ = ["Options", "load_archetype", "tools"]
