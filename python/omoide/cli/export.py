"""`omoide export`: writes everything that is stored as JSON lines."""

from __future__ import annotations

import argparse
from pathlib import Path

from omoide.cli.common import Commands, add_command, in_utf8, path, settings_of, waited_for

_EXAMPLES = """\
  omoide export 思い出.jsonl            to a file, replaced once all is written
  omoide export | gzip > backup.gz      to stdout
  omoide import 思い出.jsonl --data 別  and back, into another store
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(
        commands, "export", run, help="write everything that is stored as JSON lines", examples=_EXAMPLES
    )
    made.add_argument("file", nargs="?", type=path, metavar="FILE", help="file to write (-, or no FILE: stdout)")


def run(arguments: argparse.Namespace) -> int:
    """Export one snapshot of the store."""
    from omoide.app import opened, require_store
    from omoide.transfer.dump import dump, write

    settings = settings_of(arguments)
    require_store(settings)
    with opened(settings) as found, found.store.read() as reader:
        if arguments.file in (None, Path("-")):
            in_utf8().writelines(f"{line}\n" for line in dump(reader))
        else:
            with waited_for("writing all that is stored"):
                write(dump(reader), arguments.file)
    return 0
