"""Sends a request to another server and reads the response, within a deadline and a limit of size.

Useful for: endpoints of models, the keys of an issuer. Not useful for: downloads, which may take as long as bytes keep coming.
Invariant: whatever the server does (nothing, a byte a second, an endless body), the call returns or raises by the deadline.
Redirects are not followed; requests to this machine go through no proxy; the system's certificates are trusted. Safe from any
thread.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Mapping
from concurrent import futures
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import gaierror
from typing import Any, NamedTuple

import httpx2

#: How long the caller waits beyond the deadline; needed only if the event loop's thread is gone, as after a fork.
GRACE_SECONDS = 1.0
CLOSING_SECONDS = 1.0
_JSON = {"Content-Type": "application/json"}
#: How Python begins the message of an error of the system; asyncio puts those of several addresses into one.
_ERRNO = re.compile(r"\[Errno (-?\d+)\]")


class Answer(NamedTuple):
    """The response. The body of a failure may be cut."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Request(NamedTuple):
    method: str
    content: bytes | None
    most_bytes: int
    connect_seconds: float | None = None


class TooSlow(Exception):
    """No complete response before the deadline."""


class TooLong(Exception):
    """The body is longer than allowed."""


class Unreachable(Exception):
    """No connection, or it broke. The message says why, and holds nothing of the request."""


class Exchange:
    """See the module. Requests go to `url` with `headers`; connections are reused. `transport` replaces the network in tests.

    All requests run on an event loop in a thread of its own, started by the first one: there any wait can be cancelled.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str] | None = None, *, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._url = url
        self._headers = httpx2.Headers(headers, encoding="utf-8")
        self._transport = transport
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: httpx2.AsyncClient | None = None
        self._closed = False
        #: Requests under way; tasks that the client begins for them are its own to call off.
        self._asking: set[asyncio.Task[Any]] = set()

    def post(
        self, payload: Mapping[str, Any], *, seconds: float, most_bytes: int, connect_seconds: float | None = None
    ) -> Answer:
        """POST `payload` as JSON. Raises TooSlow, TooLong, Unreachable (also if this is closed meanwhile)."""
        # A lone surrogate, which UTF-8 cannot hold, becomes "?".
        content = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
        return self._ask(_Request("POST", content, most_bytes, connect_seconds), seconds)

    def get(self, *, seconds: float, most_bytes: int) -> Answer:
        """GET. Raises as `post` does."""
        return self._ask(_Request("GET", None, most_bytes), seconds)

    def close(self) -> None:
        """Cancel requests under way, and close the connections."""
        with self._lock:
            self._closed, loop, self._loop = True, self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(self._end(), loop)

    def _ask(self, request: _Request, seconds: float) -> Answer:
        with self._lock:  # `close` then finds the request in the loop, or the request finds this closed
            loop = self._running()
            asked = asyncio.run_coroutine_threadsafe(self._within(seconds, request), loop)
        try:
            return asked.result(seconds + GRACE_SECONDS)
        except (futures.TimeoutError, asyncio.TimeoutError, httpx2.TimeoutException):
            raise TooSlow from None
        except futures.CancelledError:
            raise Unreachable("Closed") from None
        except (httpx2.LocalProtocolError, httpx2.InvalidURL) as error:
            # Their messages quote the request's headers and its URL.
            raise Unreachable(type(error).__name__) from None
        except (httpx2.HTTPError, OSError) as error:
            raise Unreachable(cause_of(error) or type(error).__name__) from None
        finally:
            asked.cancel()

    def _running(self) -> asyncio.AbstractEventLoop:
        """The loop, started if need be; to be called with the lock."""
        if self._closed:
            raise Unreachable("Closed")
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(self._loop,), name="omoide-exchange", daemon=True).start()
        return self._loop

    async def _within(self, seconds: float, request: _Request) -> Answer:
        if self._closed:
            raise Unreachable("Closed")
        asking = asyncio.current_task()
        assert asking is not None
        self._asking.add(asking)
        try:
            return await asyncio.wait_for(self._answer(request), seconds)
        finally:
            self._asking.discard(asking)

    async def _answer(self, request: _Request) -> Answer:
        if self._client is None:
            self._client = self._connected()
        body = bytearray()
        async with self._client.stream(
            request.method,
            self._url,
            content=request.content,
            headers=None if request.content is None else _JSON,
            timeout=httpx2.Timeout(None, connect=request.connect_seconds),
        ) as response:
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > request.most_bytes:
                    if response.is_success:
                        raise TooLong
                    break
        return Answer(response.status_code, response.headers, bytes(body))

    def _connected(self) -> httpx2.AsyncClient:
        outside = not is_here(httpx2.URL(self._url).host)
        # Made explicitly, as trust_env, which also reads SSL_CERT_FILE, is off for requests to this machine because of proxies.
        trusted = httpx2.create_ssl_context()
        return httpx2.AsyncClient(verify=trusted, headers=self._headers, transport=self._transport, trust_env=outside)

    async def _end(self) -> None:
        asking = frozenset(self._asking)
        for task in asking:
            task.cancel()
        if asking:
            await asyncio.wait(asking, timeout=CLOSING_SECONDS)
        if self._client is not None:
            await self._client.aclose()
        # A request that has just ended is told to its caller by a callback, in the loop's next turn.
        await asyncio.sleep(0)
        asyncio.get_running_loop().stop()


def is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return address_of(host).is_loopback
    except ValueError:
        return host.lower().removesuffix(".") == "localhost"


def address_of(host: str) -> IPv4Address | IPv6Address:
    """The address that is written there, perhaps in brackets; of one of IPv4 in IPv6 (::ffff:127.0.0.1), that of IPv4. Raises
    ValueError (a name)."""
    address = ip_address(host.strip("[]"))
    return getattr(address, "ipv4_mapped", None) or address


def cause_of(error: BaseException) -> str:
    """The message of the innermost cause: the library's own messages say little. Of several addresses, the first one's counts."""
    message, cause = _said(error), _cause(error)
    while cause is not None:
        message, cause = _said(cause) or message, _cause(cause)
    return message


def _cause(error: BaseException) -> BaseException | None:
    # Those of an ExceptionGroup, which Python 3.10 lacks.
    several: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return several[0] if several else error.__cause__ or error.__context__


def _said(error: BaseException) -> str:
    """The system's words for an error of the system, without its number and the address that the caller knows."""
    number = _ERRNO.search(str(error)) if isinstance(error, OSError) else None
    if number is None:
        return str(error)
    return error.strerror or "" if isinstance(error, gaierror) else os.strerror(int(number[1]))


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()
