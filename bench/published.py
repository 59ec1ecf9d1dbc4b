"""Files of published benchmarks: data in another format is refused by file and place before anything is measured.

Useful for: users' own data in such a format. Not useful for: our own sets; see dataset.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from bench.dataset import BadSet

T = TypeVar("T")


@contextmanager
def as_published(place: str) -> Iterator[None]:
    """A block that reads the data at `place`: errors in it are raised as BadSet."""
    try:
        yield
    except BadSet:
        raise
    except OSError as error:
        raise BadSet(f"{error.filename or place}: {error.strerror or error}") from error
    except KeyError as error:
        raise BadSet(f"{place}: {error} is missing") from error
    except (ValueError, TypeError, AttributeError, IndexError, EOFError, RecursionError) as error:
        raise BadSet(f"{place}: not as published ({error})") from error


def text_of(row: Mapping[str, Any], name: str) -> str:
    """The text in that field. Raises KeyError, TypeError."""
    if not isinstance(found := row[name], str):
        raise TypeError(f"{name} is {found!r}; it has to be a text")
    return found


def entries(path: Path, limit: int | None, read: Callable[[Any], T]) -> Sequence[T]:
    """What `read` returns for the first `limit` entries of a file that is one JSON list. Raises BadSet, which counts entries from 1."""
    with as_published(str(path)):
        rows = json.loads(path.read_text(encoding="utf-8-sig"))
    if not isinstance(rows, list) or not rows:
        raise BadSet(f"{path}: a JSON list of entries is expected")
    made = []
    for number, row in enumerate(rows[:limit], 1):
        with as_published(f"{path}: entry {number}"):
            made.append(read(row))
    return made
