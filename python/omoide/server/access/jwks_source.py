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
from urllib.parse import SplitResult, unquote, urlsplit

from omoide.errors import InvalidArgument, filled, no_file
from omoide.exchange import Exchange, TooLong, TooSlow, Unreachable, is_here

MAX_BYTES = 1_000_000
#: From the request to the last byte of the answer.
READ_SECONDS = 10.0
_HINT = "Name a file or an https:// address."


def source(place: str, *, seconds: float = READ_SECONDS) -> Callable[[], bytes]:
    """A function that reads the keys at `place`, where an answer may take up to `seconds`. It raises OSError and ValueError.

    Raises InvalidArgument (an invalid address, one that is not HTTPS, a file that does not exist).
    """
    parts = _parts(place)
    if (parts.scheme == "https" and parts.hostname) or (parts.scheme == "http" and is_here(parts.hostname or "")):
        return partial(_answer, Exchange(place), seconds)
    if parts.scheme in ("", "file"):
        path = Path(unquote(parts.path) if parts.scheme else os.path.expanduser(place))
        if not path.is_file():
            raise InvalidArgument("oauth_jwks", f"There is no file {path}.", hint=_HINT, also=no_file(path))
        return partial(_read, path)
    raise _unusable(place, "is neither a file nor an https:// address.")


def _parts(place: str) -> SplitResult:
    try:
        parts = urlsplit(place)
        _ = parts.port  # an invalid port raises only when it is read
    except ValueError as error:
        raise _unusable(place, f"is no address: {error}.") from None
    return parts


def _unusable(place: str, why: str) -> InvalidArgument:
    also = filled(
        {
            "ja": "oauth_jwks に {place} は使えません。ファイルか https:// のアドレスを指定してください。",
            "zh": "oauth_jwks 不能是“{place}”。请指定文件或 https:// 地址。",
        },
        place=place,
    )
    return InvalidArgument("oauth_jwks", f"{place!r} {why}", hint=_HINT, also=also)


def _answer(exchange: Exchange, seconds: float) -> bytes:
    """The body of the answer. Raises OSError (no answer in time, or an unsuccessful one), ValueError (too long)."""
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
