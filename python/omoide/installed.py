"""Which version of a distribution is installed?

The standard library tells it too, but loads readers of mail and of archives for it, which take longer than the rest of a
handshake.

Useful for: our own version, and those of the libraries that an index depends on. Not useful for: anything else that is
known of a distribution. Invariant: the answer is that of `importlib.metadata`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec

_ENDING = ".dist-info"


def version_of(name: str) -> str | None:
    """None when it is not installed; `name` is that of its one package, too."""
    spelled = _spelled(name)
    found = _by_folders().get(spelled)
    if found is not None or find_spec(spelled) is None:
        return found
    from importlib import metadata  # it was installed in another way, or is imported from its sources

    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return None


@cache
def _by_folders() -> Mapping[str, str]:
    """Name -> version, as the folders in which installers describe distributions are called."""
    found: dict[str, str] = {}
    for folder in _folders():
        name, _, version = folder.removesuffix(_ENDING).partition("-")
        found.setdefault(_spelled(name), version)
    return found


def _folders() -> Iterator[str]:
    for path in sys.path:
        with suppress(OSError):
            yield from (name for name in os.listdir(path or ".") if name.endswith(_ENDING))


def _spelled(name: str) -> str:
    return re.sub("[-_.]+", "_", name).lower()
