"""Where an issuer's keys are read from: a file, or an address over HTTPS.

Useful for: oauth.Jwks, which asks for no other answer while one is being read. Invariant: an answer is bounded in size and, however
slowly it comes, in time; no redirect is followed.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import anyio
import httpx2

from omoide.errors import InvalidArgument

MAX_BYTES = 1_000_000
#: From the question to the last byte of the answer.
READ_SECONDS = 10.0
#: What is for this machine is told to no proxy.
_HERE = ("127.0.0.1", "localhost", "::1")


def source(place: str, *, seconds: float = READ_SECONDS) -> Callable[[], bytes]:
    """Reads the keys at `place`, from where an answer may take so many `seconds`.

    Raises InvalidArgument (an address that is none or not HTTPS, a file that is not there).
    """
    parts = _parts(place)
    if (parts.scheme == "https" and parts.hostname) or (parts.scheme == "http" and parts.hostname in _HERE):
        return partial(anyio.run, partial(_answer, place, seconds, trust_env=parts.hostname not in _HERE))
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


async def _answer(url: str, seconds: float, *, trust_env: bool) -> bytes:
    """Raises OSError (there is none in time, or none of HTTP), ValueError."""
    content = bytearray()
    system = ssl.create_default_context()  # whom this machine trusts
    try:
        with anyio.fail_after(seconds):
            async with (
                httpx2.AsyncClient(verify=system, trust_env=trust_env, timeout=None) as client,
                client.stream("GET", url, headers={"Accept-Encoding": "identity"}) as answer,
            ):
                answer.raise_for_status()
                async for piece in answer.aiter_raw():
                    content += piece
                    if len(content) > MAX_BYTES:
                        break
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise OSError(f"{type(error).__name__} from {url}") from error
    return _bounded(bytes(content))


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return _bounded(file.read(MAX_BYTES + 1))


def _bounded(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise ValueError("more than any set of keys")
    return content
