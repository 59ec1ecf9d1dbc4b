"""How many files this process may open, and how they are divided: a connection takes one, an open store several, and the process
itself needs some.

Useful for: bounding both, so that neither uses up all files. Not useful for: stdio, which has few of either.
Invariant: neither kind takes more than its share.
"""

from __future__ import annotations

import sys
from contextlib import suppress

#: Files for what is neither: the log, pipes, the event loop (14), modules and dictionaries as they are loaded, and newcomers for whom
#: another connection is being closed.
OWN_FILES = 24
#: The share of the other files for connections; the rest is for stores.
CONNECTIONS_SHARE = 0.75
#: Files of an open store: seven when one client uses it, more when several do at once.
FILES_OF_A_STORE = 10
#: A limit to ask for where the hard limit is "none" but cannot be set as the soft one (macOS).
_GRANTED = 10_240


def allow_all() -> None:
    """Raise this process's limit as far as the system allows."""
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
    """How many connections there may be, out of `files`."""
    return max(1, int((files - OWN_FILES) * CONNECTIONS_SHARE))


def for_stores(files: int) -> int:
    """How many stores may be open, out of `files`."""
    return max(1, (files - OWN_FILES - for_connections(files)) // FILES_OF_A_STORE)
