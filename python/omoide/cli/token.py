"""`omoide token`: makes a token for a tenant and adds it to the file that `serve --tokens` reads."""

from __future__ import annotations

import argparse

from omoide.cli.common import Commands, add_command, named_file, text

_EXAMPLES = """\
  omoide token tokens.jsonl alice      may read and write alice's memories
  omoide token tokens.jsonl 山田 --name 閲覧用 --rights read
  omoide serve --http --tokens tokens.jsonl

The token is shown once; the file keeps its hash. Delete its line to withdraw
it, also while a server runs.
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(commands, "token", run, help="make a token for a tenant", examples=_EXAMPLES, settings=())
    made.add_argument(
        "file", type=named_file, metavar="FILE", help="file of tokens to add the token to; created if absent"
    )
    made.add_argument(
        "tenant",
        metavar="TENANT",
        type=text,
        help="tenant whose memories it is for; the tenant's store is created when first used",
    )
    made.add_argument("--name", type=text, metavar="NAME", help="name of the token in the log (default: the tenant)")
    made.add_argument(
        "--rights",
        choices=("write", "read", "metrics", "all"),
        default="write",
        metavar="write|read|metrics|all",
        help="what the token allows (default: write)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Make the token and print it."""
    from omoide.server.access.tokens import issue
    from omoide.server.access.visitor import Visitor

    visitor = Visitor(arguments.name or arguments.tenant, arguments.tenant, arguments.rights)
    issue(arguments.file, visitor, lambda token: print(token, flush=True))
    return 0
