"""`omoide restore`: puts the stores of a backup into a folder that has none."""

from __future__ import annotations

import argparse

from omoide.cli.common import Commands, add_command, path, settings_of, waited_for
from omoide.errors import counted

_EXAMPLES = """\
  omoide restore 思い出.zip --data ~/別の所
  mv ~/.omoide ~/.omoide.old && omoide restore backup.zip
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(
        commands, "restore", run, help="restore a backup into a folder that has no store", examples=_EXAMPLES
    )
    made.add_argument("file", type=path, metavar="FILE", help="backup that `omoide backup` wrote")


def run(arguments: argparse.Namespace) -> int:
    """Restore."""
    from omoide.transfer.backup import restore

    data = settings_of(arguments).data
    with waited_for("checking and restoring the stores"):
        stores = restore(arguments.file, data)
    print(f"{data.absolute()}: {counted(stores, 'store', 'stores')} restored; the index is made at the first search")
    return 0
