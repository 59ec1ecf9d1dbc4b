"""How fast is the native engine, compared with the alternatives? Answers are checked, then timed in turn.

Libraries that are not installed are skipped and named: `pip install 'omoide[bench]'` installs them all.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.engine.measure import Row
from bench.engine.report import HEADINGS, Run, cells
from bench.engine.works import SIZES, WORKS


def main(argv: Sequence[str]) -> int:
    """Run the workloads and print a table for each."""
    options = _parser().parse_args(argv)
    console = Console(width=max(150, Console().width))
    rows: list[Row] = []
    for name in options.works or WORKS:
        made = list(WORKS[name](SIZES[options.size]))
        rows += made
        console.print(_table(name, made))
        if options.out is not None:  # after each workload: a run takes long, and an interrupted one keeps its results
            console.print(f"written: {Run(options.size, rows).write(options.out)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench engine", description=__doc__)
    parser.add_argument("works", nargs="*", type=_known, metavar="WORK", help=f"{', '.join(WORKS)} (default: all)")
    parser.add_argument("--size", choices=SIZES, default="small", help="how much data (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the report and every timing in a folder below")
    return parser


def _known(name: str) -> str:
    if name not in WORKS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(WORKS)}")
    return name


def _table(name: str, rows: Sequence[Row]) -> Table:
    table = Table(*HEADINGS, title=name)
    for row in rows:
        table.add_row(*cells(row, rows))
    return table
