"""A file of JSON lines as rows with their places. A line that cannot be read is a row that says why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isinf
from typing import BinaryIO

from omoide.errors import half_in, half_of_a_character, shown
from omoide.transfer.codec import Row
from omoide.transfer.items import MARK

#: A longer line, or file of notes, is not read: it would be held in memory several times over, and the longest text that is
#: stored is a fraction of it however it is written.
MOST_BYTES = 64 * 1024 * 1024

_WIDE = "It is {0}. Convert it, as `iconv -f {1} -t UTF-8` does, and import it again."
_GZIP = "It is compressed. Unpack it, as in `zcat FILE | omoide import -`."
#: What is said of lists, beside what is wrong.
OF_A_LIST = "`jq -c '.[]' FILE | omoide import -` takes the objects of a list."
#: What files begin with that are no UTF-8 from the first line to the last, and what is said of them, once.
#: The longer beginnings first: UTF-32 begins as UTF-16 does.
_OTHERS: Mapping[bytes, str] = {
    **dict.fromkeys((b"\xff\xfe\0\0", b"\0\0\xfe\xff"), _WIDE.format("UTF-32", "UTF-32")),
    b"{\0\0\0": _WIDE.format("UTF-32", "UTF-32LE"),
    b"\0\0\0{": _WIDE.format("UTF-32", "UTF-32BE"),
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), _WIDE.format("UTF-16", "UTF-16")),
    b"{\0": _WIDE.format("UTF-16", "UTF-16LE"),
    b"\0{": _WIDE.format("UTF-16", "UTF-16BE"),
    b"\x1f\x8b": _GZIP,
}
#: What is valid UTF-8 and yet no text in it, and what it is instead: old mail, and English in wider units without a mark.
_MAIL = {
    re.compile(r"\x1b\$[@B]"): "ISO-2022-JP",
    re.compile(r"\x1b\$\)[AG]"): "ISO-2022-CN",
    re.compile(r"\x1b\$\)C"): "ISO-2022-KR",
}
_NO_TEXT = {**_MAIL, re.compile("\0\0\0"): "UTF-32LE or UTF-32BE", re.compile("\0"): "UTF-16LE or UTF-16BE"}


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


def of_another_kind(content: bytes) -> str | None:
    """Why what begins so cannot be read as UTF-8, where that is known by its first bytes."""
    return next((said for head, said in _OTHERS.items() if content.startswith(head)), None)


def looks_like(text: str, known: Mapping[re.Pattern[str], str] = _NO_TEXT) -> str | None:
    """The encoding that a text was in, where it was read as UTF-8 and is no text so."""
    return next((name for mark, name in known.items() if mark.search(text)), None)


def rows(file: BinaryIO, name: str) -> Iterator[Placed | Bad]:
    """Every line that is not blank. `name` is the file's, for places. A file of another kind is one Bad, not one a line."""
    for number, line in enumerate(_lines(file), start=1):
        if number == 1 and line is not None and (reason := of_another_kind(line)):
            yield Bad(name, reason)
            return
        place = f"{name}:{number}"
        if line is None:
            yield Bad(place, f"The line is longer than {MOST_BYTES:,} bytes.")
        elif line.strip():
            yield _row(line, place)


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """None for a line that is too long."""
    while line := file.readline(MOST_BYTES + 1):
        fits = len(line) <= MOST_BYTES
        yield line if fits else None
        while not fits and line and not line.endswith(b"\n"):
            line = file.readline(MOST_BYTES)


def _row(line: bytes, place: str) -> Placed | Bad:
    constants: list[str] = []
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")  # what is cut off in a string is that, not a line's end in one
        row = json.loads(text, parse_constant=_noted(constants), parse_float=_finite)
    except UnicodeDecodeError as error:
        return Bad(
            place, f"It is not UTF-8 (byte {error.start + 1} of the line). Convert the file and import it again."
        )
    except RecursionError:
        return Bad(place, "It is nested too deeply.")
    except json.JSONDecodeError as error:
        if other := looks_like(text, _MAIL):  # zeros may be what a torn file has
            return Bad(place, f"It is not UTF-8: it looks like {other}. Convert the file and import it again.")
        return Bad(place, f"It is not JSON: {error.msg}: character {error.pos + 1}.")
    except ValueError as error:
        return Bad(place, f"It is not JSON: {error}.")
    if not isinstance(row, dict):
        return Bad(place, f"It is not a JSON object. {OF_A_LIST if isinstance(row, list) else ''}".rstrip())
    if constants and MARK not in row:  # Python keeps them in a memory, and our export has them as they are
        return Bad(place, f"It is not JSON: {constants[0]} is not a JSON number.")
    if (half := _half_character(line, row)) is not None:
        return Bad(place, f"It holds {half_of_a_character(half)}, which is no text.")
    return Placed(place, row)


def _half_character(line: bytes, row: Row) -> UnicodeEncodeError | None:
    """Only an escape can write one."""
    return half_in(row) if b"\\ud" in line.lower() else None


def _noted(constants: list[str]) -> Callable[[str], float]:
    """What reads NaN and infinities, and notes them."""

    def note(constant: str) -> float:
        constants.append(constant)
        return float(constant)

    return note


def _finite(number: str) -> float:
    found = float(number)
    if isinf(found):
        raise ValueError(f"{shown(number)} is larger than any number that is kept")
    return found
