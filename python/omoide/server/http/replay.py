"""Lets the next reader of a request receive what has been read of it already.

Useful for: the guards, which read the body, and malformed_bodies.py, which looks at it. Not useful for: bodies in several parts.
"""

from __future__ import annotations

from starlette.types import Message, Receive


def replayed(message: Message, receive: Receive) -> Receive:
    """A `receive` that begins with this message."""
    pending = [message]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
