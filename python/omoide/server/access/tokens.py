"""Who the bearer of a token is: one token of the server's own, and those of a file that names their tenants.

The file holds a JSON object a line: `{"sha256": "…", "tenant": "alice", "name": "laptop", "rights": "write"}`, with the
SHA-256 of the token in hexadecimal. It is read again when it changes, so a token can be withdrawn while the server runs.

Invariant: tokens are kept and compared by their hash, so neither a copy of the file nor time tells what they are.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, get_args

from omoide.config import Secret
from omoide.errors import InvalidArgument, OmoideError
from omoide.server.access.refusal import Refusal
from omoide.server.access.visitor import Rights, Visitor

logger = logging.getLogger(__name__)

#: Names of tenants and tokens.
MAX_NAME_CHARS = 200
_KEYS = {"sha256", "tenant", "name", "rights"}
_RIGHTS = get_args(Rights)


class Verifier(Protocol):
    """One kind of token."""

    def at_once(self, token: str) -> Visitor | None:
        """The bearer of the token; None: it is none of these. Raises Refusal when it is, and does not let in; WouldWait when
        others have to be asked."""
        ...

    async def visitor(self, token: str) -> Visitor | None:
        """The same, waited for. Raises Refusal."""
        ...


class Doorman:
    """Asks every verifier in turn. `metadata_url`: where clients learn how to get a token (RFC 9728)."""

    def __init__(self, verifiers: Sequence[Verifier], metadata_url: str | None = None) -> None:
        self._verifiers = verifiers
        self._metadata_url = metadata_url

    def at_once(self, token: str | None) -> Visitor:
        """See guards.Keys."""
        for verifier in self._verifiers:
            if token and (visitor := verifier.at_once(token)) is not None:
                return visitor
        raise self._refusal(token)

    async def visitor(self, token: str | None) -> Visitor:
        """See guards.Keys."""
        for verifier in self._verifiers:
            if token and (visitor := await verifier.visitor(token)) is not None:
                return visitor
        raise self._refusal(token)

    def _refusal(self, token: str | None) -> Refusal:
        if not token:
            return Refusal(401, "invalid_request", "A bearer token is required.", challenge(self._metadata_url))
        lacks = challenge(self._metadata_url, error="invalid_token")
        return Refusal(401, "invalid_token", "The bearer token is not known, or no longer valid.", lacks)


def challenge(metadata_url: str | None, **lacks: str) -> Mapping[str, str]:
    """The header that says what a token lacks (RFC 6750), and where to get a better one (RFC 9728)."""
    told = lacks if metadata_url is None else {**lacks, "resource_metadata": metadata_url}
    parts = ", ".join(f'{name}="{value}"' for name, value in told.items())
    return {"WWW-Authenticate": f"Bearer {parts}".strip()}


class OneToken:
    """The one token of the data folder's own store (OMOIDE_TOKEN)."""

    def __init__(self, token: Secret) -> None:
        self._expected = digest(token)

    def at_once(self, token: str) -> Visitor | None:
        """See Verifier."""
        return Visitor("token") if digest(token) == self._expected else None

    async def visitor(self, token: str) -> Visitor | None:
        """See Verifier."""
        return self.at_once(token)


class TokenFile:
    """The tokens of a file. Raises InvalidArgument when it cannot be used at the start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._signature = _signature(path)
        self._visitors = read(path)
        self._told = ""

    def at_once(self, token: str) -> Visitor | None:
        """See Verifier."""
        self._renew()
        return self._visitors.get(digest(token))

    async def visitor(self, token: str) -> Visitor | None:
        """See Verifier."""
        return self.at_once(token)

    def _renew(self) -> None:
        signature = _signature(self._path)
        if signature == self._signature:
            return
        try:
            self._visitors = read(self._path)
        except OmoideError as error:
            # A half-written file must not lock everybody out, nor let anybody in who was not.
            if str(error) != self._told:
                logger.error("tokens stay as they were: %s", error)
            self._told = str(error)
            if isinstance(error.__cause__, OSError) and signature is not None:
                return  # no file could be opened, say: it may be read a moment later without having changed
        else:
            self._told = ""
        self._signature = signature


def read(path: Path) -> Mapping[str, Visitor]:
    """Visitors by the digest of their token. Raises InvalidArgument."""
    try:
        _refuse_no_file(path)
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # other line ends may stand in a name
    except OSError as error:
        raise InvalidArgument("tokens", f"{path} cannot be read: {error.strerror}.", hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise InvalidArgument("tokens", f"{path} is not UTF-8 (byte {error.start}).", hint=_HINT) from error
    visitors: dict[str, Visitor] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                sha256, visitor = _row(line)
                if visitors.setdefault(sha256, visitor) != visitor:
                    raise ValueError("a line before it says something else of the same token")
            except (ValueError, RecursionError) as error:
                raise InvalidArgument("tokens", f"{path}:{number}: {error}.", hint=_HINT) from None
    return visitors


def _refuse_no_file(path: Path) -> None:
    """What is read again and again has to be there to be read: a pipe gives it once, and a device keeps none.

    Raises InvalidArgument, OSError.
    """
    if path.exists() and not path.is_file():
        raise InvalidArgument(
            "tokens", f"{path} is no file.", hint="Name a file that can be read again when it changes."
        )


def issue(path: Path, visitor: Visitor) -> str:
    """Make a token for a visitor and add it to the file; the token itself is told this once. Raises InvalidArgument."""
    token = secrets.token_urlsafe(32)
    row = {"sha256": digest(token), "tenant": visitor.tenant, "name": visitor.name, "rights": visitor.rights}
    line = json.dumps(row, ensure_ascii=False)
    try:
        if path.exists():
            read(path)  # a file of something else is not added to, nor one that no server would read
        _row(line)  # what could not be read again is refused
        path.touch(mode=0o600)
        with path.open("ab+") as file:
            file.write(f"{_line_end(file)}{line}\n".encode())
    except ValueError as error:
        raise InvalidArgument("tokens", f"{error}.") from None
    except OSError as error:
        raise InvalidArgument("tokens", f"{path} cannot be written: {error.strerror}.") from error
    return token


def _line_end(file: BinaryIO) -> str:
    """What the last line lacks of its end: editors leave it out."""
    if not file.tell():
        return ""
    file.seek(-1, os.SEEK_END)
    return "" if file.read(1) == b"\n" else "\n"


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


_HINT = "`omoide token` writes such lines."


def _row(line: str) -> tuple[str, Visitor]:
    """A line's token, by its hash, and its bearer. Raises ValueError, RecursionError."""
    row = json.loads(line)
    if not isinstance(row, dict) or row.keys() - _KEYS:
        raise ValueError(f"an object of {', '.join(sorted(_KEYS))} is expected")
    sha256 = _text(row, "sha256").lower()
    if len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise ValueError("sha256 has 64 hexadecimal digits")
    rights = row.get("rights", "write")
    if rights not in _RIGHTS:
        raise ValueError(f"rights is one of {', '.join(_RIGHTS)}")
    tenant = _text(row, "tenant")
    return sha256, Visitor(_text(row, "name") if "name" in row else tenant, tenant, rights)


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME_CHARS:
        raise ValueError(f"{key} is a text of at most {MAX_NAME_CHARS} characters, and not blank")
    return value


def _signature(path: Path) -> tuple[int, ...] | None:
    """Tells one state of the file from another, also where a copy has brought its time along."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
