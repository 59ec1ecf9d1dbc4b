"""The use cases: remember, recall, relate, observe, thread, remind, forget, as plain blocking functions.

Useful for: everything a door or a program wants of the memories. Not useful for: wire shapes (families) or SQL (store).
"""

from omoide.memory.memories import Memories
from omoide.memory.remember import Disposition, Remembered

__all__ = ["Disposition", "Memories", "Remembered"]
