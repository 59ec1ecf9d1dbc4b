"""Reads notes in Markdown and plain text as memories: one for each section under a heading, or one for the file (plain text, and
Markdown without text under its headings).

Ids are made from the file's path and the headings, so that importing a file again rewrites its sections. The memory of a
section that was removed from the file stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from omoide.transfer.items import MARK, MemoryRow, stable_id
from omoide.transfer.lines import MOST_BYTES, looks_like, not_utf_8, of_another_kind
from omoide.transfer.reasons import BadRow, bad_row

MARKDOWN = frozenset({".md", ".markdown"})
SUFFIXES = MARKDOWN | {".txt"}

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_BLANKS = " \t"
#: Marks that may close a heading: C# is none.
_CLOSING = re.compile(r"[ \t]#+$")
#: The beginning of an export.
_EXPORT = f'{{"{MARK}": "export",'
#: Properties that a note begins with, in YAML, where # begins a comment: each line is a name and a value, a comment, blank, or goes on
#: with the value before. The first is not blank; else --- is a line across the page.
_PROPERTIES = re.compile(
    r"---[ \t]*\n(?!\s)(?:(?:[ \t#-].*|[^\s#:-][^\n:]*:(?:[ \t].*)?)?\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)"
)
_PROPERTY = re.compile(r"^[^\s#:-][^\n:]*:(?:[ \t]|$)", re.MULTILINE)
#: The beginning of a code fence, or its end. ```so``` is code within a line.
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


@dataclass(frozen=True, slots=True)
class Section:
    """Text under a heading: `headings` from the outermost to its own, () before the first; `line` from 1."""

    headings: tuple[str, ...]
    text: str
    line: int


def notes(path: Path, *, scope: str) -> Iterator[tuple[str, MemoryRow] | BadRow]:
    """(place, memory) for each section of the file."""
    if path.stat().st_size > MOST_BYTES:
        yield bad_row(str(path), "long_file", bytes=MOST_BYTES)
        return
    text = _text(path)
    if isinstance(text, BadRow):
        yield text
        return
    name, place = _written(path.stem), _written(str(path.resolve()))
    ids = _Ids(place)
    for section in _parts(text) if path.suffix.lower() in MARKDOWN else [Section((), text, 1)]:
        if section.text.strip():
            yield f"{path}:{section.line}", _memory(name, place, section, ids.of(section.headings), scope)


def _written(name: str) -> str:
    r"""The name of a file as text: bytes that are not UTF-8 are written as \xNN."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _text(path: Path) -> str | BadRow:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        return of_another_kind(error.object, str(path)) or not_utf_8(error, str(path))
    if text.startswith(_EXPORT):
        return bad_row(str(path), "export")
    if other := looks_like(text):
        return bad_row(str(path), "looks_like", encoding=other)
    return bad_row(str(path), "binary") if "\0" in text else text


def _parts(markdown: str) -> list[Section]:
    """The sections that have text. Where no heading has any under it, as in an outline, the headings are text themselves."""
    found = [each for each in sections(markdown) if each.text]
    return found if any(each.headings for each in found) else [Section((), markdown.strip(), 1)]


def sections(markdown: str) -> Iterator[Section]:
    """The sections in order; lines of properties at the beginning, and in fenced code blocks, are not headings."""
    headings: tuple[tuple[int, str], ...] = ()
    body: list[str] = []
    properties = _lines_of_properties(markdown)
    start, fence = 1, ""
    for number, line in enumerate(markdown.split("\n"), start=1):
        fence = _fence_after(line, fence) if number > properties else ""
        heading = None if fence or number <= properties else _heading(line)
        if heading is None:
            body.append(line)
            continue
        yield _section(headings, body, start)
        headings = (*(each for each in headings if each[0] < heading[0]), heading)
        body, start = [], number
    yield _section(headings, body, start)


def _lines_of_properties(markdown: str) -> int:
    """How many lines of properties a note begins with, with the lines around them."""
    found = _PROPERTIES.match(markdown)
    if found is None or not _PROPERTY.search(found[0]):
        return 0
    return found[0].removesuffix("\n").count("\n") + 1


def _heading(line: str) -> tuple[int, str] | None:
    """Depth and text of a heading; None for another line. Its ends are stripped one by one: as one pattern they would be tried in
    all combinations, for minutes where a line has thousands of blanks."""
    found = _HEADING.match(line)
    if found is None:
        return None
    text = _CLOSING.sub("", found[2].rstrip(_BLANKS)).rstrip(_BLANKS)
    return (len(found[1]), text) if text else None


def _section(headings: tuple[tuple[int, str], ...], body: list[str], start: int) -> Section:
    return Section(tuple(name for _, name in headings), "\n".join(body).strip(), start)


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open after the line, or "". It is closed by at least as many of its own marks."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found[1]
    closes = found[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


class _Ids:
    """The ids of one file's sections: made from the headings, and a number if the same headings came before."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._met: Counter[tuple[str, ...]] = Counter()
        self._given: set[str] = set()

    def of(self, headings: tuple[str, ...]) -> str:
        """The id of the next section. Skips ids already given: a heading "1" and the second section of its parent would get the
        same one."""
        while True:
            repeat = self._met[headings]
            self._met[headings] += 1
            id = stable_id(self._place, *headings, *([str(repeat)] if repeat else []))
            if id not in self._given:
                self._given.add(id)
                return id


def _memory(name: str, place: str, section: Section, id: str, scope: str) -> MemoryRow:
    return MemoryRow(
        {
            "id": id,
            "title": " / ".join(section.headings) or name,
            "text": section.text,
            "scope": scope,
            "extra": {"file": place, "headings": list(section.headings)},
        },
        names_scope=False,
        names_id=False,
    )
