"""A file of JSON lines as rows with their places. A line that cannot be read is a row that says why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from omoide.transfer.codec import Row


@dataclass(frozen=True, slots=True)
class Bad:
    """A row or file that cannot be used: `place` is file:line, `reason` a sentence."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A row and where it stands."""

    place: str
    row: Row


def rows(lines: Iterable[bytes], name: str) -> Iterator[Placed | Bad]:
    """Every line that is not blank. `name` is the file's, for places."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _row(line, f"{name}:{number}")


def _row(line: bytes, place: str) -> Placed | Bad:
    try:
        row = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        return Bad(place, f"It is not UTF-8 (byte {error.start + 1} of the line).")
    except RecursionError:
        return Bad(place, "It is nested too deeply.")
    except ValueError as error:
        return Bad(place, f"It is not JSON: {error}.")
    if not isinstance(row, dict):
        return Bad(place, "It is not a JSON object.")
    if _half_character(line, row):
        return Bad(place, "It holds half of a character (a lone surrogate), which is no text.")
    return Placed(place, row)


def _half_character(line: bytes, row: Row) -> bool:
    """Only an escape can write one."""
    if b"\\ud" not in line.lower():
        return False
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")
