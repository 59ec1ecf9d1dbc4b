"""Import, export and backup: JSON lines, triples, notes in Markdown and plain text, our own export, and backups.

Useful for: moving a store, importing a corpus, a backup as text. Not useful for: one memory at a time (`memory`).
Invariant: importing a file twice adds nothing twice; a row that cannot be used is reported, never dropped silently.
"""

from omoide.transfer.backup import back_up, restore
from omoide.transfer.dump import export
from omoide.transfer.load import import_files

__all__ = ["back_up", "export", "import_files", "restore"]
