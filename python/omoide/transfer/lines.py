"""Reads a file of JSON lines as rows with their places. A line that cannot be read becomes a BadRow with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isinf
from typing import Any, BinaryIO

from omoide.errors import WHOLE_CHARACTER_ALSO, half_in, half_of_a_character, shown
from omoide.nesting import is_too_deep
from omoide.transfer.codec import Row
from omoide.transfer.items import MARK
from omoide.transfer.reasons import BadRow, bad_row

#: A longer line, or file of notes, is not read: it would take several times its size in memory, and the longest text that can
#: be stored is a fraction of this in any notation.
MOST_BYTES = 64 * 1024 * 1024
#: How many objects and arrays of a line may be inside one another: half of what Python's stack would hold, as what is read is also
#: compared, shown and written. Programs that store by themselves may nest deeper than clients.
MOST_LEVELS = 500

_GZIP = b"\x1f\x8b"
#: First bytes of files in encodings that are not UTF-8 at all. Longer ones first: UTF-32 begins as UTF-16 does.
_ENCODINGS: Mapping[bytes, str] = {
    **dict.fromkeys((b"\xff\xfe\0\0", b"\0\0\xfe\xff"), "UTF-32"),
    b"{\0\0\0": "UTF-32LE",
    b"\0\0\0{": "UTF-32BE",
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), "UTF-16"),
    b"{\0": "UTF-16LE",
    b"\0{": "UTF-16BE",
}
#: Patterns in valid UTF-8 that show another encoding: old mail, and English in UTF-16 or UTF-32 without a byte order mark.
_MAIL = {
    re.compile(r"\x1b\$[@B]"): "ISO-2022-JP",
    re.compile(r"\x1b\$\)[AG]"): "ISO-2022-CN",
    re.compile(r"\x1b\$\)C"): "ISO-2022-KR",
}
#: A few letters in a row: other zeros are those of a binary file.
_NO_TEXT = {
    **_MAIL,
    re.compile(r"(?:\0{3}[ -~]){3}"): "UTF-32LE / UTF-32BE",
    re.compile(r"(?:\0[ -~]){3}"): "UTF-16LE / UTF-16BE",
}

#: Encodings of Japanese, by their names in Python. Kana tells them from those of Chinese and Korean.
_OF_JAPANESE = {"cp932": "Shift_JIS", "euc_jp": "EUC-JP"}
_KANA = re.compile("[\u3041-\u3093\u30a1-\u30f6]")


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row and its place, file:line."""

    place: str
    row: Row


def of_another_kind(content: bytes, name: str) -> BadRow | None:
    """Why a file with these first bytes cannot be read as UTF-8; None if they do not tell."""
    if content.startswith(_GZIP):
        return bad_row(name, "compressed")
    found = next((encoding for head, encoding in _ENCODINGS.items() if content.startswith(head)), None)
    return bad_row(name, "encoding", encoding=found) if found else None


def looks_like(text: str, known: Mapping[re.Pattern[str], str] = _NO_TEXT) -> str | None:
    """The encoding that a text seems to have had though it could be read as UTF-8; None if it looks like text."""
    return next((name for mark, name in known.items() if mark.search(text)), None)


def rows(file: BinaryIO, name: str) -> Iterator[PlacedRow | BadRow]:
    """Every line that is not blank. `name` is the file's, for places. A file in another encoding is a single BadRow."""
    for number, line in enumerate(_lines(file), start=1):
        if number == 1 and line is not None and (bad := of_another_kind(line, name)):
            yield bad
            return
        place = f"{name}:{number}"
        if line is None:
            yield bad_row(place, "long_line", bytes=MOST_BYTES)
        elif line.strip():
            yield _row(line, place)


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines; None for one that is too long."""
    while line := file.readline(MOST_BYTES + 1):
        fits = len(line) <= MOST_BYTES
        yield line if fits else None
        while not fits and line and not line.endswith(b"\n"):
            line = file.readline(MOST_BYTES)


def _row(line: bytes, place: str) -> PlacedRow | BadRow:
    constants: list[str] = []
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")  # else a string cut off would be reported as one with a newline
        if is_too_deep(line, MOST_LEVELS):
            return bad_row(place, "nested")
        row = json.loads(
            text,
            parse_constant=_collecting(constants),
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_with_each_name_once,
        )
    except UnicodeDecodeError as error:
        return not_utf_8(error, place)
    except json.JSONDecodeError as error:
        if other := looks_like(text, _MAIL):  # not _NO_TEXT: zeros may come from a torn file
            return bad_row(place, "looks_like", encoding=other)
        return bad_row(place, "not_json", problem=error.msg, position=error.pos + 1)
    except _Repeated as error:
        return bad_row(place, "repeated", name=shown(error.name))
    except ValueError as error:
        return bad_row(place, "number", problem=error)
    if not isinstance(row, dict):
        return bad_row(place, "list" if isinstance(row, list) else "not_object")
    if constants and MARK not in row:  # our export may have them, as Python's JSON writes and reads them
        return bad_row(place, "number", problem=f"{constants[0]} is not a JSON number")
    if (half := _half_character(line, row)) is not None:
        return BadRow(place, f"It holds {half_of_a_character(half)}, which is no text.", WHOLE_CHARACTER_ALSO)
    return PlacedRow(place, row)


def not_utf_8(error: UnicodeDecodeError, place: str) -> BadRow:
    """Why a line, or a file of notes, cannot be read, as `error` shows; with its encoding where that is sure."""
    if other := _of_japanese(error.object):
        return bad_row(place, "looks_like", encoding=other)
    return bad_row(place, "not_utf_8", byte=error.start + 1)


def _of_japanese(line: bytes) -> str | None:
    """The encoding in which a line or file is Japanese; None if that is not sure, or it is UTF-8 but for a few bytes."""
    as_utf_8 = line.decode("utf-8", "replace")
    wrong = as_utf_8.count("\ufffd")
    if sum(char > "\x7f" for char in as_utf_8) > 2 * wrong:
        return None
    for codec, name in _OF_JAPANESE.items():
        with suppress(UnicodeDecodeError):
            if _KANA.search(line.decode(codec)):
                return name
    return None


def _half_character(line: bytes, row: Row) -> UnicodeEncodeError | None:
    """The error for a lone surrogate in the row, if any; only an escape can write one."""
    return half_in(row) if b"\\ud" in line.lower() else None


def _collecting(constants: list[str]) -> Callable[[str], float]:
    """A parser of NaN and infinities that also adds each to `constants`."""

    def collect(constant: str) -> float:
        constants.append(constant)
        return float(constant)

    return collect


class _Repeated(Exception):
    """An object has a name twice: JSON allows it, and Python would silently keep the last."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _with_each_name_once(pairs: list[tuple[str, Any]]) -> Row:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Repeated(next(name for name in members if names.count(name) > 1))
    return members


def _finite(number: str) -> float:
    value = float(number)
    if isinf(value):
        raise _too_large(number)
    return value


def _whole(number: str) -> int:
    try:
        return int(number)
    except ValueError:  # Python reads so many digits only where a program asks it to, which its message advises
        raise _too_large(number) from None


def _too_large(number: str) -> ValueError:
    return ValueError(f"{shown(number)} is larger than any number that is kept")
