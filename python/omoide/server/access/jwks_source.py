"""Where an issuer's keys are read from: a file, or an address over HTTPS.

Useful for: oauth.Jwks, which asks for no other answer while one is being read. Invariant: an answer is bounded in size and, however
slowly it comes, in time (exchange.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from omoide.errors import InvalidArgument
from omoide.exchange import Exchange, TooLong, TooSlow, Unreachable, is_here

MAX_BYTES = 1_000_000
#: From the question to the last byte of the answer.
READ_SECONDS = 10.0


def source(place: str, *, seconds: float = READ_SECONDS) -> Callable[[], bytes]:
    """Reads the keys at `place`, from where an answer may take so many `seconds`.

    Raises InvalidArgument (an address that is none or not HTTPS, a file that is not there).
    """
    parts = _parts(place)
    if (parts.scheme == "https" and parts.hostname) or (parts.scheme == "http" and is_here(parts.hostname or "")):
        return partial(_answer, Exchange(place), seconds)
    if parts.scheme in ("", "file"):
        path = Path(parts.path if parts.scheme else os.path.expanduser(place))
        if not path.is_file():
            raise InvalidArgument("oauth_jwks", f"There is no file {path}.", hint="Name a file or an https:// address.")
        return partial(_read, path)
    raise InvalidArgument("oauth_jwks", f"{place!r} is neither a file nor an https:// address.")


def _parts(place: str) -> SplitResult:
    try:
        parts = urlsplit(place)
        _ = parts.port  # told to be none when it is asked for
    except ValueError as error:
        raise InvalidArgument(
            "oauth_jwks", f"{place!r} is no address: {error}.", hint="Name a file or an https:// address."
        ) from None
    return parts


def _answer(exchange: Exchange, seconds: float) -> bytes:
    """Raises OSError (there is none in time, or none that is good), ValueError."""
    try:
        answer = exchange.get(seconds=seconds, most_bytes=MAX_BYTES)
    except TooSlow:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    except TooLong:
        raise _too_long() from None
    except Unreachable as error:
        raise OSError(str(error)) from None
    if answer.status != HTTPStatus.OK:
        raise OSError(f"it answered with status {answer.status}")
    return answer.body


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise _too_long()
    return content


def _too_long() -> ValueError:
    return ValueError("more than any set of keys")
