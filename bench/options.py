"""Types of the workloads' arguments, which refuse unusable values before anything is measured."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path


def at_least(least: int) -> Callable[[str], int]:
    """The type of a whole number that is not smaller."""

    def number(word: str) -> int:
        if not word.isdecimal() or int(word) < least:
            raise ArgumentTypeError(f"{word!r} is no whole number from {least} on")
        return int(word)

    return number


def duration(word: str) -> float:
    """A positive number of seconds."""
    try:
        found = float(word)
    except ValueError:
        found = 0.0
    if not 0.0 < found < 1e6:
        raise ArgumentTypeError(f"{word!r} is no number of seconds above 0")
    return found


def new_file(word: str) -> Path:
    """A file that is written at the end, perhaps hours later: its folder must exist."""
    path = Path(word).absolute()
    if not path.parent.is_dir():
        raise ArgumentTypeError(f"there is no folder for {word}")
    return path
