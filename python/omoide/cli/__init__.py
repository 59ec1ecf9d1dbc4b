"""The command line: `omoide serve | import | export | backup | restore | search | stats | doctor | token | tools`, one file a command.

Exit codes: 0 done; 1 something failed, or part of the input could not be used; 2 the command cannot be carried out as
it was given; 130 interrupted. Answers go to stdout, everything else to stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import omoide
from omoide.cli import backup, doctor, export, import_, models, restore, search, serve, stats, token, tools
from omoide.errors import InvalidArgument, NotFound, OmoideError

COMMANDS = (serve, import_, export, backup, restore, search, stats, doctor, models, token, tools)

_EXAMPLES = """\
examples:
  omoide serve                              serve one client on stdin and stdout
  omoide serve --http                       serve http://127.0.0.1:8765/mcp
  omoide import notes/ corpus.jsonl         bring in notes (Markdown, text) and JSON lines
  omoide search 京都で飲んだお茶            find in Japanese,
  omoide search 上周的会议                  in Chinese,
  omoide search "where did we park"         in English
  omoide export all.jsonl                   everything, as JSON lines
  omoide backup all.zip                     every store, while servers write

Every command has --help. The store is in ~/.omoide unless --data or OMOIDE_DATA names another folder.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except OmoideError as error:
        print("\n".join(part for part in (f"omoide: {error.message}", error.hint) if part), file=sys.stderr)
        return 2 if isinstance(error, (InvalidArgument, NotFound)) else 1
    except BrokenPipeError:  # the reader of our output has seen enough, as in `omoide export | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        print("omoide: interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"omoide: {error}", file=sys.stderr)
        return 1
    return code


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    made = argparse.ArgumentParser(
        prog="omoide",
        description="Memory search for AI agents, in Japanese, Chinese and English.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"omoide {omoide.__version__}")
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return made
