"""Memories in and out of files: JSON lines, triples, notes in Markdown and plain text, our own export, and backups.

Useful for: moving a store, feeding it a corpus, backing it up as text. Not useful for: one memory at a time (`memory`).
Invariant: a file brought in twice adds nothing twice, and a row that cannot be used is named, never dropped in silence.
"""

from omoide.transfer.backup import back_up, restore
from omoide.transfer.dump import export
from omoide.transfer.load import import_files

__all__ = ["back_up", "export", "import_files", "restore"]
