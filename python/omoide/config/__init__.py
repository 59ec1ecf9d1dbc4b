"""Settings: their list (settings), parsers of their values (values; of numbers and dates in a file, as_written), which source
takes precedence (in_force), and the machine's time zone, the default (zone).

Useful for: reading all settings of a process, once, at its start. Not useful for: values that change while it runs.
Invariant: below app.py nothing reads a setting from a file or a variable; settings arrive as arguments.
"""

from omoide.config.in_force import load, nearest
from omoide.config.settings import SETTINGS, Settings, flag_of, variables_of
from omoide.config.values import Secret, can_be_folder, is_text
from omoide.config.zone import machine_zone

__all__ = [
    "SETTINGS",
    "Secret",
    "Settings",
    "can_be_folder",
    "flag_of",
    "is_text",
    "load",
    "machine_zone",
    "nearest",
    "variables_of",
]
