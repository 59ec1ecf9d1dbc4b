"""Where an issuer's keys are read from: a file, or an address over HTTPS.

Useful for: oauth.Jwks, which bounds how long it is waited for. Invariant: what is read is bounded in size, a silence in time, and
no redirect is followed.
"""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from omoide.errors import InvalidArgument

MAX_BYTES = 1_000_000
TIMEOUT_SECONDS = 5.0


def source(place: str) -> Callable[[], bytes]:
    """Reads the keys at `place`. Raises InvalidArgument (an address that is none or not HTTPS, a file that is not there)."""
    parts = _parts(place)
    if (parts.scheme == "https" and parts.hostname) or (
        parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1")
    ):
        return partial(_fetch, place)
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


def _fetch(url: str) -> bytes:
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(url, timeout=TIMEOUT_SECONDS) as answer:
            return _bounded(answer.read(MAX_BYTES + 1))
    except HTTPException as error:  # whoever answers there does not speak HTTP
        raise OSError(f"{type(error).__name__} from {url}") from error


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return _bounded(file.read(MAX_BYTES + 1))


def _bounded(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise ValueError("more than any set of keys")
    return content


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """None: the redirect itself is the answer, which is an error."""
        return
