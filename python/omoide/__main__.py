"""The program `omoide`, and `python -m omoide`: the command line, which Ctrl-C ends without a traceback, also while it is loaded."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command that the program was called with; returns the exit code."""
    try:
        from omoide.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("omoide: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
