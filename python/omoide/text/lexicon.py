"""The user's own words and synonyms, from two text files that are read again when they change.

`words.txt`     one word a line, in any language: always found as one word.
`synonyms.txt`  one group a line, its members separated by commas (, 、 ，) or tabs: a search for one also finds the others.

Lines that begin with # are comments. Useful for: names, products, jargon. Not useful for: spelling variants that folding knows.
Invariant: if a file cannot be read, that is logged, and its last readable content stays in use.
"""

from __future__ import annotations

import logging
import os
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from omoide.coalescing import SharedCheck
from omoide.text.normalise import fold_name

logger = logging.getLogger(__name__)

T = TypeVar("T")

WORDS_FILE = "words.txt"
SYNONYMS_FILE = "synonyms.txt"
#: A larger file is refused.
MAX_FILE_BYTES = 5_000_000
_SEPARATOR = re.compile("[,、，\t]")

Signature = tuple[tuple[int, int], ...]


class Lexicon(NamedTuple):
    """`words` and the members of each group of `synonyms`, folded."""

    words: tuple[str, ...] = ()
    synonyms: tuple[tuple[str, ...], ...] = ()


class LexiconFiles:
    """The files in `folder`; None: no files."""

    def __init__(self, folder: Path | None) -> None:
        self._paths = None if folder is None else (folder / WORDS_FILE, folder / SYNONYMS_FILE)
        self._check: SharedCheck[Signature] = SharedCheck()
        self._signature: Signature = ()
        self._lexicon = Lexicon()

    def current(self) -> Lexicon:
        """The present content of the files; the same object until one of them changes."""
        if self._paths is None:
            return self._lexicon
        signature = self._check.latest(self._signatures)
        if signature != self._signature:
            self._signature = signature
            (words, synonyms), previous = self._paths, self._lexicon
            self._lexicon = Lexicon(
                _read_or_kept(_words, words, previous.words), _read_or_kept(_synonyms, synonyms, previous.synonyms)
            )
        return self._lexicon

    def _signatures(self) -> Signature:
        return tuple([_signature(str(path)) for path in self._paths or ()])


def _signature(path: str) -> tuple[int, int]:
    if not os.access(path, os.F_OK):  # as with most users; takes half the time of an error
        return (0, 0)
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def unreadable(folder: Path) -> Iterator[str]:
    """A sentence for each of the files in the folder that cannot be read."""
    for path in (folder / WORDS_FILE, folder / SYNONYMS_FILE):
        if error := _error_of(path):
            yield f"{path} {_why(error)}."


def _error_of(path: Path) -> OSError | ValueError | None:
    try:
        deque(_lines(path), maxlen=0)
    except (OSError, ValueError) as error:
        return error
    return None


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"


def _read_or_kept(read: Callable[[Path], T], path: Path, previous: T) -> T:
    try:
        return read(path)
    except (OSError, ValueError) as error:
        logger.error("%s %s; what it said before counts", path, _why(error))
    return previous


def _words(path: Path) -> tuple[str, ...]:
    return tuple(sorted({fold_name(line) for _, line in _lines(path)}))


def _synonyms(path: Path) -> tuple[tuple[str, ...], ...]:
    groups = []
    for number, line in _lines(path):
        group = tuple(dict.fromkeys(name for part in _SEPARATOR.split(line) if (name := fold_name(part))))
        if len(group) < 2:
            logger.warning("%s:%d: a group has two members or more; this line is left out: %s", path, number, line)
        else:
            groups.append(group)
    return tuple(groups)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    if not path.exists():
        return
    if not path.is_file():
        raise ValueError("it is not a regular file")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ValueError(f"it is larger than {MAX_FILE_BYTES:,} bytes")
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()
