"""A request of which something has been received already, for whoever comes next to receive it again.

Useful for: the guards, which read the body, and what tells of a body that was not understood. Not useful for: bodies in several parts.
"""

from __future__ import annotations

from starlette.types import Message, Receive


def replayed(message: Message, receive: Receive) -> Receive:
    """A `receive` that begins with this message."""
    pending = [message]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
