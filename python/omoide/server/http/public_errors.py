"""Errors of the store as clients over HTTP see them: what they mean for a client, without the paths of files.

Useful for: HTTP, where anybody may ask. Not useful for: stdio and the command line, where the path helps.
Invariant: the type and the code of an error stay; its text goes to the log only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from omoide.errors import OmoideError, StoreBusy, StoreError, StoreFull, StoreReadOnly, StoreTooNew

logger = logging.getLogger(__name__)

_IN_THE_LOG = "Whoever runs the server finds the reason in its log."
#: (type, what happened, what to do); the first that fits.
_PUBLIC: tuple[tuple[type[StoreError], str, str], ...] = (
    (StoreFull, "There is no room left for the store; nothing of this write was kept.", _IN_THE_LOG),
    (StoreReadOnly, "The store cannot be written.", _IN_THE_LOG),
    (StoreTooNew, "The store was written by a later version of this server.", _IN_THE_LOG),
    (StoreBusy, "Others were writing to the store for too long; nothing was written.", "Try again."),
    (StoreError, "The store could not be read or written.", _IN_THE_LOG),
)


def redactor(store: str) -> Callable[[OmoideError], StoreError]:
    """A function that logs an error, naming the `store`, and returns the one that clients may see."""

    def redact(error: OmoideError) -> StoreError:
        logger.error("%s: %s", store, error)
        return redacted(error)

    return redact


def redacted(error: OmoideError) -> StoreError:
    """The error that clients may see. If it is no fault of the store, it says only that the store cannot be used."""
    for kind, message, hint in _PUBLIC:
        if isinstance(error, kind):
            return kind(message, hint=hint)
    return StoreError("The store cannot be used.", hint=_IN_THE_LOG)
