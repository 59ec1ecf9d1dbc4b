"""What may be given to a workload: types of arguments, which tell before anything is measured what cannot be used."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path


def at_least(least: int) -> Callable[[str], int]:
    """A whole number."""

    def number(word: str) -> int:
        if not word.isdecimal() or int(word) < least:
            raise ArgumentTypeError(f"{word!r} is no whole number from {least} on")
        return int(word)

    return number


def duration(word: str) -> float:
    """More than none."""
    try:
        found = float(word)
    except ValueError:
        found = 0.0
    if not 0.0 < found < 1e6:
        raise ArgumentTypeError(f"{word!r} is no number of seconds above 0")
    return found


def new_file(word: str) -> Path:
    """One that is written at the end, hours later perhaps: its folder has to be there."""
    path = Path(word).absolute()
    if not path.parent.is_dir():
        raise ArgumentTypeError(f"there is no folder for {word}")
    return path
