"""`omoide backup`: copies every store of the data folder into one file, also while servers write."""

from __future__ import annotations

import argparse
import sys

from omoide.cli.common import Commands, add_command, legible, named_file, settings_of, waited_for

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
        done = back_up(settings_of(arguments).data, arguments.file)
    for folder, error in done.lacking.items():
        print(legible(f"omoide: without {folder}: {error}"), file=sys.stderr)
    if done.lacking:
        print(f"omoide: {arguments.file} was not written; a backup of all other stores is beside it", file=sys.stderr)
    of_all = f" of {done.stores + len(done.lacking)}" if done.lacking else ""
    stores = f"{done.stores}{of_all} store{'s' if done.stores > 1 or of_all else ''}"
    print(f"{done.file}: {stores}, {done.file.stat().st_size:,} bytes")
    return 1 if done.lacking else 0
