"""How deeply JSON that somebody else sends is nested, found out without recursion; and how to read it.

Python's `json` recurses for each level until RecursionError. The garbage collector may run there, too deep for the finalizers that
it calls: they fail, and what they should have released is not. So deep input is recognised before it is read.

Useful for: input of clients, endpoints and issuers, and files that are imported. Not useful for: files that nobody else writes. Invariant: every value that `loads` returns is
nested at most MOST_LEVELS deep.
"""

from __future__ import annotations

import json
import re
from typing import Any

#: How many objects and arrays may be inside one another.
MOST_LEVELS = 200

_STRING = re.compile(rb'"[^"]*"?')
_NO_BRACKETS = bytes(set(range(256)) - set(b"[{]}"))


def loads(content: bytes) -> Any:
    """The value of JSON in UTF-8. Raises ValueError (it is none, or nested too deeply)."""
    if is_too_deep(content):
        raise ValueError(f"more than {MOST_LEVELS} objects and arrays are inside one another")
    return json.loads(content.decode("utf-8-sig"))


def is_too_deep(content: bytes, most: int = MOST_LEVELS) -> bool:
    """Whether a parser would reach more than `most` levels, also where what follows is no JSON."""
    if content.count(b"[") + content.count(b"{") <= most:
        return False
    without_escapes = content.replace(rb"\\", b"").replace(rb"\"", b"")
    level = 0
    for bracket in _STRING.sub(b"", without_escapes).translate(None, _NO_BRACKETS):
        level += 1 if bracket in b"[{" else -1
        if level > most:
            return True
    return False
