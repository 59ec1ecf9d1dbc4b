"""`omoide backup`: every store of the data folder in one file, also while servers write."""

from __future__ import annotations

import argparse

from omoide.cli.common import Commands, add_command, named_file, settings_of, waited_for

_EXAMPLES = """\
  omoide backup 思い出.zip
  omoide backup --data /srv/omoide /backup/$(date +%F).zip
  omoide restore 思い出.zip --data ~/別の所      and back
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(
        commands, "backup", run, help="copy every store into one file while servers write", examples=_EXAMPLES
    )
    made.add_argument("file", type=named_file, metavar="FILE", help="file to write; replaced when all of it is written")


def run(arguments: argparse.Namespace) -> int:
    """Back up."""
    from omoide.transfer.backup import back_up

    with waited_for("copying the stores"):
        stores = back_up(settings_of(arguments).data, arguments.file)
    print(f"{arguments.file}: {stores} store{'s' if stores > 1 else ''}, {arguments.file.stat().st_size:,} bytes")
    return 0
