"""One request, one answer: over a real socket, with another side that does what it likes."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta, timezone
from errno import ECONNREFUSED
from ipaddress import ip_address
from pathlib import Path
from time import sleep
from typing import Any

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from omoide.exchange import Answer, Exchange, TooLong, TooSlow, Unreachable

HEAD = b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\nX-Padding: %s\r\n\r\n"
#: What comes in between two bytes of one that drips: much less than any deadline, again and again.
DRIP_SECONDS = 0.02
#: A deadline that is to be missed, and one that a machine that pauses keeps.
TOO_FEW_SECONDS = 0.3
SECONDS = 20.0
MOST_BYTES = 1_000

Side = Callable[[socket.socket, threading.Event], None]


def head(body: bytes, status: int = 200) -> bytes:
    return HEAD % (status, len(body), b"x" * 1_000)


def says(*parts: bytes) -> Side:
    return lambda client, over: [client.sendall(part) for part in parts] and None


def drips(content: bytes) -> Side:
    def side(client: socket.socket, over: threading.Event) -> None:
        for byte in content:
            client.sendall(bytes([byte]))
            if over.wait(DRIP_SECONDS):
                return

    return side


class Other:
    """Answers each connection as it is told. `over` is set when the test is."""

    def __init__(self) -> None:
        self.side: Side = says()
        self.asked = b""
        self.over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self.over.set()
        self._listening.close()

    def _serve(self) -> None:
        while not self.over.is_set():
            with suppress(OSError):
                client, _ = self._listening.accept()
                with client:
                    self.asked = client.recv(65_536)
                    self.side(client, self.over)


@pytest.fixture
def other() -> Iterator[Other]:
    made = Other()
    yield made
    made.close()


def ask(other: Other, seconds: float = SECONDS) -> Answer:
    exchange = Exchange(other.url, {"X-Key": "鍵"})
    try:
        return exchange.post({"質問": "茶"}, seconds=seconds, most_bytes=MOST_BYTES)
    finally:
        exchange.close()


def test_what_comes_back_is_told(other: Other) -> None:
    other.side = says(head(b"{}"), b"{}")
    status, headers, body = ask(other)
    assert (status, headers["content-length"], body) == (200, "2", b"{}")


def test_what_is_there_is_got(other: Other) -> None:
    other.side = says(head(b"{}"), b"{}")
    exchange = Exchange(other.url)
    assert exchange.get(seconds=SECONDS, most_bytes=MOST_BYTES).body == b"{}"
    exchange.close()
    assert other.asked.startswith(b"GET / HTTP/1.1\r\n")
    assert b"content-type" not in other.asked.lower()


@pytest.mark.parametrize(
    ("side", "error"),
    [
        (lambda client, over: over.wait(), TooSlow),
        (drips(head(b"")), TooSlow),
        (lambda client, over: (says(head(b"{" * 999))(client, over), drips(b"{" * 999)(client, over)), TooSlow),
        (says(head(b"{" * 1_001), b"{" * 1_001), TooLong),
        (
            says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", *[b"400\r\n" + b"{" * 1_024 + b"\r\n"] * 9),
            TooLong,
        ),
        (says(), Unreachable),
        (says(head(b"{}"), b"{"), Unreachable),
        (says(b"220 mail\r\n\r\n"), Unreachable),
        (says(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"), Unreachable),
    ],
    ids=["silent", "head drips", "body drips", "long", "endless", "closed", "cut", "no HTTP", "no gzip"],
)
def test_whatever_it_does_is_over_at_the_deadline(other: Other, side: Side, error: type[Exception]) -> None:
    other.side = side
    with pytest.raises(error):
        ask(other, TOO_FEW_SECONDS if error is TooSlow else SECONDS)


def test_of_a_failure_told_at_length_the_status_counts(other: Other) -> None:
    other.side = says(head(b"!" * 5_000, 500), b"!" * 5_000)
    assert ask(other).status == 500


def test_redirects_are_not_followed(other: Other) -> None:
    other.side = says(b"HTTP/1.1 307 Away\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")
    assert ask(other).status == 307


def test_a_request_that_comes_as_it_is_closed_is_told_so(other: Other, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other thread closes when the request has its loop, and is not in it yet."""
    other.side = lambda client, over: over.wait()
    exchange, submit = Exchange(other.url), asyncio.run_coroutine_threadsafe
    closing = threading.Thread(target=exchange.close)

    def late(work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Any:
        if not closing.ident:
            closing.start()
            closing.join(TOO_FEW_SECONDS)  # it waits for this thread, or has told the loop to end
            while not (closing.is_alive() or loop.is_closed()):
                sleep(DRIP_SECONDS)
        return submit(work, loop)

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", late)
    with pytest.raises(Unreachable, match="Closed"):
        exchange.get(seconds=SECONDS, most_bytes=MOST_BYTES)
    closing.join()


def test_requests_that_begin_as_it_is_closed_end_at_once(other: Other) -> None:
    """Each of fifty is closed at another moment of its beginning."""
    other.side = lambda client, over: over.wait()
    told: list[str] = []

    def ask_of(exchange: Exchange) -> None:
        with pytest.raises(Unreachable) as raised:
            exchange.get(seconds=SECONDS, most_bytes=MOST_BYTES)
        told.append(str(raised.value))

    for moment in range(50):
        asking = threading.Thread(target=ask_of, args=(exchange := Exchange(other.url),))
        asking.start()
        sleep(moment / 100_000)
        exchange.close()
        asking.join()
        assert told.pop() == "Closed"


def test_what_is_for_this_machine_is_told_to_no_proxy(other: Other, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    other.side = says(head(b"{}"), b"{}")
    assert ask(other).status == 200


@pytest.mark.parametrize(("scheme", "told"), [("http", "^Connection refused$"), ("https", "SSL")])
def test_what_keeps_it_from_being_reached_is_told(scheme: str, told: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        if scheme == "https":
            threading.Thread(
                target=lambda: listening.accept()[0].sendall(b"plain text, no secret"), daemon=True
            ).start()
        else:
            listening.close()
        with pytest.raises(Unreachable, match=told):
            Exchange(f"{scheme}://127.0.0.1:{port}/").post({}, seconds=10, most_bytes=MOST_BYTES)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ConnectionRefusedError(ECONNREFUSED, "Connect call failed ('127.0.0.1', 9)"), os.strerror(ECONNREFUSED)),
        # As asyncio says it of a name with two addresses.
        (
            OSError(f"Multiple exceptions: [Errno {ECONNREFUSED}] Connect call failed ('::1', 9, 0, 0), [Errno 0] no"),
            os.strerror(ECONNREFUSED),
        ),
        (socket.gaierror(-2, "Name or service not known"), "Name or service not known"),
        (OSError("没有网络"), "没有网络"),
    ],
)
def test_it_is_told_in_the_words_of_the_system(error: OSError, told: str) -> None:
    def fails(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("All connection attempts failed") from error

    exchange = Exchange("http://nowhere.invalid/", transport=httpx2.MockTransport(fails))
    with pytest.raises(Unreachable) as raised:
        exchange.get(seconds=SECONDS, most_bytes=MOST_BYTES)
    assert str(raised.value) == told
    exchange.close()


def certified(folder: Path) -> Path:
    """A key and a certificate of its own for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "思い出 记忆")])
    now = datetime.now(timezone.utc)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(days=1), now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / "証明書.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *plain) + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.mark.parametrize("is_trusted", [True, False])
def test_whom_the_system_trusts_is_trusted_on_this_machine_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_trusted: bool
) -> None:
    certificate = certified(tmp_path)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    encrypting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    encrypting.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError), encrypting.wrap_socket(listening.accept()[0], server_side=True) as client:
                asked = b""
                while not asked.endswith(
                    b"{}"
                ):  # the body comes behind the head; what is left unread resets the connection
                    asked += client.recv(65_536)
                client.sendall(head(b"{}") + b"{}")

        threading.Thread(target=serve, daemon=True).start()
        exchange = Exchange(f"https://127.0.0.1:{listening.getsockname()[1]}/")
        with nullcontext() if is_trusted else pytest.raises(Unreachable, match="certificate verify failed"):
            assert exchange.post({}, seconds=SECONDS, most_bytes=MOST_BYTES).body == b"{}"
        exchange.close()


def test_nothing_is_asked_once_it_is_closed(other: Other) -> None:
    exchange = Exchange(other.url)
    exchange.close()
    with pytest.raises(Unreachable):
        exchange.post({}, seconds=SECONDS, most_bytes=MOST_BYTES)
