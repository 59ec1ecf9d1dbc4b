"""The chronica door: entries saved and searched, in threads, newest first."""

from omoide.families.chronica.options import Options
from omoide.families.chronica.tools import tools

__all__ = ["Options", "tools"]
