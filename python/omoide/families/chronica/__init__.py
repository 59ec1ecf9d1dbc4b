"""The chronica family: tools that save and search entries, in threads, newest first."""

from omoide.families.chronica.options import Options
from omoide.families.chronica.tools import tools

__all__ = ["Options", "tools"]
