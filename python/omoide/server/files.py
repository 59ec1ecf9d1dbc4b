"""How many files this process may open, and what they are for: a connection is one, an open store has several.

Useful for: bounding both, so that neither leaves nothing for the other. Not useful for: stdio, which has neither by the
hundred.
Invariant: what one kind may take is never more than its share.
"""

from __future__ import annotations

import sys
from contextlib import suppress

#: Of the files that a process may open; the others are for stores.
CONNECTIONS_SHARE = 0.75
#: A store that is asked by one client at a time has three open, by many at a time more.
FILES_OF_A_STORE = 8
#: What a system grants that knows no limit, but does not let one be set to that (macOS).
_GRANTED = 10_240


def allow_all() -> None:
    """Have as many as the system lets us have."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (ValueError, OSError):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, _GRANTED), hard))


def allowed() -> int:
    """How many this process may open now."""
    try:
        import resource
    except ImportError:
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def for_connections(files: int) -> int:
    """How many connections there may be, of so many files."""
    return int(files * CONNECTIONS_SHARE)


def for_stores(files: int) -> int:
    """How many stores may be open, of so many files."""
    return max(1, (files - for_connections(files)) // FILES_OF_A_STORE)
