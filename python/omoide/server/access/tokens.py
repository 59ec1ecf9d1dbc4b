"""Identifies the bearer of a token: the one token of the whole server, or one of a file that names their tenants.

Each line of the file is a JSON object: `{"sha256": "…", "tenant": "alice", "name": "laptop", "rights": "write"}`, with the
SHA-256 of the token in hexadecimal. The file is read again when it changes, so a token can be withdrawn while the server runs.
Programs that write a file anew empty it first, so what it lacks is withdrawn only when it has lacked it for a moment.

Invariant: only hashes of tokens are kept and compared, so neither a copy of the file nor the time a comparison takes reveals
them.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from io import FileIO
from pathlib import Path
from time import time
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, get_args

from omoide.config import Secret
from omoide.errors import InvalidArgument, OmoideError, filled, system_refused
from omoide.server.access.refusal import Refusal
from omoide.server.access.visitor import TOOLS, Rights, Visitor

logger = logging.getLogger(__name__)

#: Characters in the name of a tenant or token, at most.
MAX_NAME_CHARS = 200
#: How long a file must have been unchanged before a token that it lacks is withdrawn.
WITHDRAWN_SECONDS = 1.0
_KEYS = {"sha256", "tenant", "name", "rights"}
_RIGHTS = get_args(Rights)


class Verifier(Protocol):
    """Knows one kind of token."""

    def at_once(self, token: str) -> Visitor | None:
        """The bearer of the token; None if it is not of this kind, or not valid. Raises Refusal if it is but gives no right to
        come in, WouldWait if another server has to be asked."""
        ...

    async def visitor(self, token: str) -> Visitor | None:
        """The same, but waits. Raises Refusal."""
        ...


class Authenticator:
    """Asks one verifier after another. At `metadata_url` clients learn how to get a token (RFC 9728)."""

    def __init__(self, verifiers: Sequence[Verifier], metadata_url: str | None = None) -> None:
        self._verifiers = verifiers
        self._metadata_url = metadata_url

    def at_once(self, token: str | None) -> Visitor:
        """See guards.Authentication."""
        for verifier in self._verifiers:
            if token and (visitor := verifier.at_once(token)) is not None:
                return visitor
        raise self._refusal(token)

    async def visitor(self, token: str | None, scope: str = TOOLS) -> Visitor:
        """See guards.Authentication."""
        for verifier in self._verifiers:
            if token and (visitor := await verifier.visitor(token)) is not None:
                return visitor
        raise self._refusal(token, scope)

    def _refusal(self, token: str | None, scope: str = TOOLS) -> Refusal:
        if not token:
            lacks = _challenge(self._metadata_url, scope)
            return Refusal(401, "invalid_request", "A bearer token is required.", lacks, also=_NO_TOKEN_ALSO)
        lacks = _challenge(self._metadata_url, scope, "invalid_token")
        message = "The bearer token is not known, or no longer valid."
        return Refusal(401, "invalid_token", message, lacks, also=_UNKNOWN_TOKEN_ALSO)


_NO_TOKEN_ALSO = {
    "ja": "トークンが必要です（Authorization: Bearer …）。",
    "zh": "需要令牌（Authorization: Bearer …）。",
}
_UNKNOWN_TOKEN_ALSO = {
    "ja": "このトークンは登録されていないか、もう有効ではありません。",
    "zh": "没有这个令牌，或者它已经失效。",
}


def insufficient_scope(
    visitor: Visitor,
    scope: str,
    message: str,
    content: object = None,
    also: Mapping[str, str] = MappingProxyType({}),
) -> Refusal:
    """Refuses what the token of a visitor does not allow, but one with the `scope` would. `content`, `also`: see Refusal."""
    lacks = _challenge(visitor.metadata_url, scope, "insufficient_scope")
    return Refusal(403, "insufficient_scope", message, lacks, content, also)


def _challenge(metadata_url: str | None, scope: str, error: str | None = None) -> Mapping[str, str]:
    """The header that says what is wrong with a token and, where tokens have scopes, which to ask for (RFC 6750, 3), and where
    (RFC 9728, 5.1)."""
    told = {} if error is None else {"error": error}
    if metadata_url is not None:
        told |= {"scope": scope, "resource_metadata": metadata_url}
    parts = ", ".join(f'{name}="{value}"' for name, value in told.items())
    return {"WWW-Authenticate": f"Bearer {parts}".strip()}


class OneToken:
    """The token for the data folder's own store (OMOIDE_TOKEN)."""

    def __init__(self, token: Secret) -> None:
        self._expected = digest(token)

    def at_once(self, token: str) -> Visitor | None:
        """See Verifier."""
        return Visitor("token") if digest(token) == self._expected else None

    async def visitor(self, token: str) -> Visitor | None:
        """See Verifier."""
        return self.at_once(token)


class TokenFile:
    """The tokens of a file. `clock` counts seconds as the times of files do. Raises InvalidArgument when the file cannot be used at
    the start."""

    def __init__(self, path: Path, clock: Callable[[], float] = time) -> None:
        self._path = path
        self._clock = clock
        self._signature = _signature(path)
        self._visitors = read(path)
        if not self._visitors:
            logger.warning(
                "%s has no token, so no tenant can come in until `omoide token %s TENANT` adds one", path, path
            )
        #: The visitors of the file if it has others left out, which may come in as long as it may still be being written.
        self._remaining: Mapping[str, Visitor] | None = None
        self._told = ""

    def at_once(self, token: str) -> Visitor | None:
        """See Verifier."""
        self._renew()
        return self._visitors.get(digest(token))

    async def visitor(self, token: str) -> Visitor | None:
        """See Verifier."""
        return self.at_once(token)

    def _renew(self) -> None:
        if (signature := _signature(self._path)) != self._signature:
            self._read_again(signature)
        if self._remaining is not None and not self._is_fresh():
            self._visitors, self._remaining = self._remaining, None

    def _read_again(self, signature: _Signature | None) -> None:
        try:
            self._remaining = read(self._path)
            self._visitors = {**self._visitors, **self._remaining}
        except OmoideError as error:
            # A half-written file must neither lock everybody out nor let anybody new in.
            if str(error) != self._told:
                logger.error("tokens stay as they were: %s", error)
            self._told = str(error)
            self._remaining = None
            if isinstance(error.__cause__, OSError) and signature is not None:
                return  # too many files are open, say: the unchanged file may be readable a moment later
        else:
            self._told = ""
        self._signature = signature

    def _is_fresh(self) -> bool:
        """Whether the file has just been written. One whose time has yet to come has not: clocks differ."""
        return (
            self._signature is not None and 0 <= self._clock() - self._signature.modified_ns / 1e9 < WITHDRAWN_SECONDS
        )


def read(path: Path) -> Mapping[str, Visitor]:
    """Visitors by the digest of their token. Raises InvalidArgument."""
    try:
        _refuse_no_file(path)
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # a name may contain other line ends
    except OSError as error:
        also = system_refused(error, path)
        hint = "Let this user read it, or name another file." if isinstance(error, PermissionError) else _HINT
        raise InvalidArgument("tokens", f"{path} cannot be read: {error.strerror}.", hint=hint, also=also) from error
    except UnicodeDecodeError as error:
        also = _not_tokens(path)
        raise InvalidArgument("tokens", f"{path} is not UTF-8 (byte {error.start}).", hint=_HINT, also=also) from error
    visitors: dict[str, Visitor] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                sha256, visitor = _row(line)
                if visitors.setdefault(sha256, visitor) != visitor:
                    raise ValueError("a line before it says something else of the same token")
            except (ValueError, RecursionError) as error:
                also = _not_tokens(f"{path}:{number}")
                raise InvalidArgument("tokens", f"{path}:{number}: {error}.", hint=_HINT, also=also) from None
    return visitors


def _refuse_no_file(path: Path) -> None:
    """Refuse what cannot be read more than once: a pipe, or a device. Raises InvalidArgument, OSError."""
    if path.exists() and not path.is_file():
        raise InvalidArgument(
            "tokens",
            f"{path} is not a regular file.",
            hint="Name a file that can be read again when it changes.",
            also=filled(
                {
                    "ja": "{path} は通常のファイルではありません。何度でも読めるファイルを指定してください。",
                    "zh": "“{path}”不是普通文件。请指定可以多次读取的文件。",
                },
                path=path,
            ),
        )


def _not_tokens(place: object) -> Mapping[str, str]:
    """`also` for a file, or a line of one, that does not hold what `omoide token` writes."""
    return filled(
        {
            "ja": "{place} はトークンとして読めません。トークンは `omoide token` で作ってください。",
            "zh": "“{place}”无法作为令牌读取。请用 `omoide token` 生成令牌。",
        },
        place=place,
    )


def issue(path: Path, visitor: Visitor, show: Callable[[str], None] = lambda token: None) -> str:
    """Make a token for a visitor, add its hash to the file, and show the token; returns it. Since it is not kept, nobody has a
    token that could not be shown: its line is taken back, if it is still the last. Raises InvalidArgument, and the OSError of `show`."""
    token = secrets.token_urlsafe(32)
    row = {"sha256": digest(token), "tenant": visitor.tenant, "name": visitor.name, "rights": visitor.rights}
    line = json.dumps(row, ensure_ascii=False)
    try:
        if path.exists():
            read(path)  # nothing is added to a file that a server would refuse
        _row(line)  # nor anything that could not be read back
        path.touch(mode=0o600)
        with path.open("ab+", buffering=0) as file:
            written = f"{_line_end(file)}{line}\n".encode()
            size = _append(file, written)
    except ValueError as error:
        raise InvalidArgument("tokens", f"{error}.", also=_NAME_ALSO) from None
    except OSError as error:
        message, hint = f"{path} cannot be written: {error.strerror}.", "Name a file that this user may write."
        raise InvalidArgument("tokens", message, hint=hint, also=system_refused(error, path)) from error
    try:
        show(token)
    except OSError:
        if path.stat().st_size == size + len(written):  # nobody has added another meanwhile
            os.truncate(path, size)
        raise
    return token


def _append(file: FileIO, content: bytes) -> int:
    """Write all of it or nothing: half a line would keep a server from starting. Returns the size before. Raises OSError (the disk
    is full)."""
    size = file.seek(0, os.SEEK_END)
    try:
        if file.write(content) != len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        file.truncate(size)
        raise
    return size


def _line_end(file: FileIO) -> str:
    """A line end, if the last line has none: some editors leave it out."""
    if not file.tell():
        return ""
    file.seek(-1, os.SEEK_END)
    return "" if file.read(1) == b"\n" else "\n"


def digest(token: str) -> str:
    """The SHA-256 of a token, all that is kept of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


_HINT = "`omoide token` writes such lines."
_NAME_ALSO = {
    "ja": f"テナントとトークンの名前は空白以外を含む {MAX_NAME_CHARS} 文字以内にしてください。",
    "zh": f"租户和令牌的名称不能为空白，最多 {MAX_NAME_CHARS} 个字符。",
}


def _row(line: str) -> tuple[str, Visitor]:
    """The hash of a line's token, and its bearer. Raises ValueError, RecursionError."""
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


class _Signature(NamedTuple):
    """Differs between two states of a file, even if a copy has kept the file's time."""

    inode: int
    size: int
    modified_ns: int
    changed_ns: int


def _signature(path: Path) -> _Signature | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _Signature(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
