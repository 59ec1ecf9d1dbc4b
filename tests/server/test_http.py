"""`omoide serve --http` as a process."""

import asyncio
import base64
import json
import re
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult
from starlette.types import Message, Receive, Scope, Send

from omoide.app import open_memories
from omoide.config import Secret
from omoide.errors import InvalidArgument
from omoide.server import file_limits
from omoide.server.access.limits import MOST_AT_ONCE
from omoide.server.access.refusal import Refusal
from omoide.server.access.tokens import issue
from omoide.server.access.visitor import Visitor
from omoide.server.calls.dispatcher import WORKERS
from omoide.server.http.event_streams import EventStreams
from omoide.server.http.guards import Guards, Hosts
from omoide.server.http.listening import PATH, listen, refuse_strangers, said_to_others, url_of, warn_of_guesses
from omoide.server.http.serving import DRAIN_SECONDS, application, hosts
from omoide.server.monitoring.metrics import Metrics
from omoide.server.protocol import server as protocol
from omoide.store.layout import STORE_FILE
from tests.server.conftest import OMOIDE, begun, environment
from tests.server.test_recent_durations import call, desk_of, tool

Start = Callable[..., str]
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
PATIENCE = 20.0
DOCS = Path(__file__).parents[2] / "docs"
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


async def test_two_clients_of_different_eras_share_the_memories(shared_http: Start) -> None:
    url = shared_http()
    async with Client(url, mode="legacy") as old, Client(url, mode="auto") as new:
        await old.call_tool("store_memory", {"text": "車は地下二階に停めた"})
        await new.call_tool("store_memory", {"text": "会议改到星期三下午"})
        for client in (old, new):
            for query, expected in (("車 地下", "二階"), ("会议 星期三", "下午")):
                found = await client.call_tool("search_memory", {"query": query})
                assert expected in str(found.structured_content)


async def test_two_processes_on_one_store_see_each_others_writes(http: Start) -> None:
    async with Client(http()) as one, Client(http()) as other:
        await one.call_tool("store_memory", {"text": "合言葉は山と川"})
        assert "山と川" in str((await other.call_tool("search_memory", {"query": "合言葉"})).structured_content)
        await other.call_tool("store_memory", {"text": "暗号是天王盖地虎"})
        assert "天王盖地虎" in str((await one.call_tool("search_memory", {"query": "暗号"})).structured_content)


@pytest.mark.skipif(which("curl") is None, reason="curl is not installed")
async def test_a_shell_calls_a_tool_as_the_documentation_says(shared_http: Start) -> None:
    url = shared_http()
    async with Client(url) as client:
        await client.call_tool("store_memory", {"text": "京都で抹茶を飲んだ"})
    (command,) = re.findall(r"```sh\n(curl .*?)```", (DOCS / "clients.md").read_text("utf-8"), re.DOTALL)
    said = await anyio.run_process(["sh", "-c", command.replace("http://127.0.0.1:8765/mcp", url)])
    assert "京都で抹茶を飲んだ" in json.loads(said.stdout)["result"]["content"][0]["text"]


OF_OTHERS = [
    ({"Host": "evil.example"}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"Content-Type": "text/plain"}, 400),
]


def test_requests_of_other_sites_are_refused(shared_http: Start) -> None:
    url = shared_http()
    for headers, status in OF_OTHERS:
        assert httpx2.post(url, json=LISTING, headers={**JSON, **headers}).status_code == status, headers


def test_with_a_token_only_those_who_know_it_are_served(shared_http: Start) -> None:
    url = shared_http(OMOIDE_TOKEN="開けごま-1001")
    assert httpx2.post(url, json=LISTING, headers=JSON).status_code == 401
    wrong = {**JSON, "Authorization": "Bearer x"}
    assert httpx2.post(url, json=LISTING, headers=wrong).status_code == 401
    right = {**{name: value.encode() for name, value in JSON.items()}, "Authorization": "Bearer 開けごま-1001".encode()}
    assert httpx2.post(url, json=LISTING, headers=right).status_code != 401


class Elicitations:
    """Asks and does not go on, on as many connections as are let in."""

    def __init__(self, url: str) -> None:
        self._place = urlsplit(url)
        self.present = ExitStack()

    def asks(self, token: str) -> bytes:
        """The status of a request whose body does not come; 100: it is waited for; b"": hung up on."""
        address = self._place.hostname, self._place.port
        connection = self.present.enter_context(socket.create_connection(address, timeout=20))
        told = f"POST /mcp HTTP/1.1\r\nHost: {self._place.netloc}\r\nAuthorization: Bearer {token}\r\n"
        with suppress(ConnectionError):
            connection.sendall(f"{told}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n".encode())
            return connection.recv(12)[9:]
        return b""

    def waited_for(self, token: str) -> int:
        """How many requests of the token are waited for until one is refused."""
        count = 0
        while (status := self.asks(token)) == b"100":
            count += 1
        assert status == b"503"
        return count


def test_whatever_the_bearer_of_one_token_asks_there_is_room_for_others(http: Start, tmp_path: Path) -> None:
    file_limits.allow_all()
    tokens = tmp_path / "tokens.jsonl"
    loud, quiet = (issue(tokens, Visitor(name, name)) for name in ("小明", "愛"))
    asking = Elicitations(http("--tokens", str(tokens)))
    with asking.present:
        assert asking.waited_for(loud) == MOST_AT_ONCE["ask"] // 2
        assert asking.asks(quiet) == b"100"


def test_whatever_the_bearers_of_many_tokens_ask_a_newcomer_finds_a_connection(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.jsonl"
    *loud, quiet = (issue(tokens, Visitor(name, name)) for name in ("小明", "愛", *map(str, range(10)), "Ada"))
    few_files = ("sh", "-c", 'ulimit -n 256; exec "$@"', "sh")
    process, url = begun(tmp_path / "http", "--tokens", str(tokens), within=few_files)
    asking = Elicitations(url)
    try:
        with asking.present:
            for each in loud:
                assert asking.waited_for(each) >= 1
            assert asking.asks(quiet) == b"100"
    finally:
        process.terminate()
        assert process.wait(20) == 0


def test_more_connections_than_files_keep_no_newcomer_out(tmp_path: Path) -> None:
    few_files = ("sh", "-c", 'ulimit -n 64; exec "$@"', "sh")
    process, url = begun(tmp_path / "http", within=few_files)
    place = urlsplit(url).hostname, urlsplit(url).port
    try:
        with ExitStack() as stack:
            for _ in range(100):
                stack.enter_context(socket.create_connection(place))
            for number in range(9):
                headers, message = modern(number, "store_memory", text=f"抹茶 {number}")
                assert httpx2.post(url, headers=headers, json=message).status_code == 200
    finally:
        process.terminate()
        assert process.wait(20) == 0


def test_whoever_asks_with_unknown_keys_of_an_issuer_that_does_not_answer_leaves_connections_to_others(
    tmp_path: Path,
) -> None:
    few_files = ("sh", "-c", 'ulimit -n 256; exec "$@"', "sh")  # 174 connections, of which 14 wait for keys
    with socket.create_server(("127.0.0.1", 0)) as silent, ExitStack() as stack:
        issuer = f"http://127.0.0.1:{silent.getsockname()[1]}"
        flags = (
            "--oauth-issuer",
            "https://login.example.org",
            "--oauth-jwks",
            issuer,
            "--public-url",
            "https://x.test/mcp",
        )
        process, url = begun(tmp_path / "http", *flags, within=few_files)
        asked = []
        try:
            for name in range(200):
                asked.append(
                    stack.enter_context(socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)))
                )
                head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {made_up(str(name))}\r\n"
                asked[-1].sendall(f"{head}Content-Length: 2\r\n\r\n{{}}".encode())
            for each in asked[-5:]:
                each.settimeout(5)
                assert each.recv(12) == b"HTTP/1.1 503"
        finally:
            silent.close()  # else the server waits for those who wait for the issuer, before it ends
            process.terminate()
            assert process.wait(20) == 0


def made_up(key: str) -> str:
    """A token that says it is signed by a key of that name."""
    head = base64.urlsafe_b64encode(json.dumps({"alg": "RS256", "kid": key}).encode()).rstrip(b"=").decode()
    return f"{head}.e30.AAAA"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_store_that_cannot_be_opened_is_told_instead_of_where_to_connect(tmp_path: Path, workers: str) -> None:
    (tmp_path / STORE_FILE).write_bytes("これは記憶ではない。".encode() * 1000)
    flags = ["serve", "--http", "--port", "0", "--data", str(tmp_path), "--workers", workers]
    done = subprocess.run([*OMOIDE, *flags], capture_output=True, text=True, env=environment(), timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert STORE_FILE in done.stderr


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6, or nothing but it")
@pytest.mark.parametrize("everywhere", ["::", "0:0:0:0:0:0:0:0"])
def test_whoever_listens_on_every_address_is_reached_by_those_of_ipv4_too(everywhere: str) -> None:
    with listen(everywhere, 0) as listening:
        for here in ("127.0.0.1", "::1"):
            socket.create_connection((here, listening.getsockname()[1])).close()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "0:0:0:0:0:0:0:0", "example.org"])
def test_other_machines_are_kept_out_unless_insecure_is_spelled_out(host: str) -> None:
    with pytest.raises(InvalidArgument, match="other machines"):
        refuse_strangers(host, None)


@pytest.mark.parametrize(
    ("host", "url", "said"),
    [
        ("127.0.0.1", "http://127.0.0.1:{}/mcp", ""),
        (
            "0.0.0.0",
            "http://127.0.0.1:{}/mcp",
            "; other machines write this one's name or address in place of 127.0.0.1",
        ),
        ("::", "http://[::1]:{}/mcp", "; other machines write this one's name or address in place of ::1"),
    ],
)
def test_whoever_listens_on_every_address_is_told_one_that_can_be_pasted(host: str, url: str, said: str) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        try:
            listening.bind((host, 0))
        except OSError:
            pytest.skip(f"no {host} here")
        assert url_of(listening) == url.format(listening.getsockname()[1])
        assert said_to_others(listening) == said


@pytest.mark.parametrize(
    ("host", "public_url"),
    [
        ("127.0.0.1", None),
        ("::1", "http://[::1]:8765/mcp"),
        ("0:0:0:0:0:0:0:1", "http://[0::1]:8765/mcp"),
        ("::ffff:127.0.0.1", "http://localhost.:8765/mcp"),
        ("localhost", "http://localhost/mcp"),
        ("LocalHost", None),
    ],
)
def test_this_machine_alone_is_let_in_without_a_token(host: str, public_url: str | None) -> None:
    refuse_strangers(host, public_url)


@pytest.mark.parametrize(
    ("host", "public_url", "token", "warned"),
    [
        ("0.0.0.0", None, "合言葉", True),
        ("192.0.2.1", None, "暗号" * 7, True),
        ("127.0.0.1", "https://memories.example/mcp", "opensesame", True),
        ("0.0.0.0", None, "0123456789abcdef", False),
        ("127.0.0.1", None, "s", False),
        ("localhost", "http://localhost/mcp", "口令", False),
    ],
)
def test_a_token_that_can_be_found_by_trying_is_warned_of_where_others_may_try(
    host: str, public_url: str | None, token: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_guesses(Secret(token), host, public_url)
    assert [f"OMOIDE_TOKEN has {len(token)} characters" in each for each in caplog.messages] == [True] * warned
    assert not any(token in each for each in caplog.messages if len(token) > 1)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--public-url", "https://memory.example.org/mcp"], "reached from other machines"),
        (["--public-url", "https://記憶.example/mcp"], "reached from other machines"),
        (["--public-url", "http://127.0.0.1:1/mcp", "--oauth-jwks", "https://a.example/jwks"], "needs oauth_issuer"),
        (["--oauth-audience", "https://a.example"], "needs oauth_issuer"),
        (["--oauth-tenant", "tid"], "needs oauth_issuer"),
    ],
)
def test_whoever_forgets_a_part_of_the_entrance_does_not_leave_it_open(
    tmp_path: Path, flags: list[str], said: str
) -> None:
    command = [*OMOIDE, "serve", "--http", "--port", "0", "--data", str(tmp_path), *flags]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


REFUSED = """
import sys
from omoide.cli import main

assert main(["serve", "--http", *sys.argv[1:]]) != 0
print(sorted({"mcp", "uvicorn"} & sys.modules.keys()))
"""


@pytest.mark.parametrize(
    "flags", [["--host", "0.0.0.0"], ["--oauth-tenant", "tid"], ["--tokens", "無い.jsonl"], ["--port"]]
)
def test_what_is_wrong_with_the_settings_is_told_before_anything_large_is_loaded(
    tmp_path: Path, flags: list[str]
) -> None:
    with listen("127.0.0.1", 0) as taken:
        given = flags if len(flags) == 2 else [*flags, str(taken.getsockname()[1])]
        command = [sys.executable, "-c", REFUSED, "--data", str(tmp_path), *given]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
    assert "omoide: " in done.stderr


@pytest.mark.parametrize(("variables", "header"), [({}, False), ({"OMOIDE_TOKEN": "合言葉"}, True)])
def test_what_is_pasted_has_a_header_where_there_is_a_token_to_put_into_it(
    tmp_path: Path, variables: dict[str, str], header: bool
) -> None:
    (tmp_path / "jwks.json").write_text('{"keys": []}')
    issuer = ["--oauth-issuer", "https://login.example.org", "--oauth-jwks", str(tmp_path / "jwks.json")]
    process, _ = begun(tmp_path, "--public-url", "https://memory.example.org/mcp", *issuer, **variables)
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(5)]
    process.terminate()
    process.wait(20)
    pasted = [line for line in told if line.startswith("omoide: for ")]
    assert ["https://memory.example.org/mcp" in line for line in pasted] == [True, True]
    assert ["Bearer" in line for line in pasted] == [header, header]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_who_connects_as_soon_as_the_server_says_where_is_answered_though_it_is_told_to_end(
    tmp_path: Path, workers: str
) -> None:
    process, url = begun(tmp_path, "--workers", workers)
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        process.terminate()
        connection.sendall(f"GET /health/live HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        assert connection.recv(12) == b"HTTP/1.1 200"
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("public_url", "named"),
    [
        ("https://Memory.example.org/mcp", "memory.example.org"),
        ("https://記憶.example:8443/mcp", "xn--bluv21g.example:8443"),
        ("https://[2001:db8::1]/mcp", "[2001:db8::1]"),
        ("https://[2001:db8:0:0::1]/mcp", "[2001:DB8::1]"),
    ],
)
def test_a_server_is_known_by_the_host_of_its_public_url(public_url: str, named: str) -> None:
    known = hosts(["127.0.0.1"], public_url)
    known.check(asked_of(named))
    with pytest.raises(Refusal):
        known.check(asked_of(f"x{named}" if named[0] != "[" else "[2001:db8::2]"))


def asked_of(host: str, *origins: str) -> Scope:
    headers = [(b"host", host.encode()), *((b"origin", each.encode()) for each in origins)]
    return {"http_version": "1.1", "headers": headers}


@pytest.mark.parametrize(
    ("listens_on", "known", "unknown"),
    [
        (["0:0:0:0:0:0:0:1"], ["[::1]:8765", "[0:0:0:0:0:0:0:1]", "localhost", "127.0.0.1"], ["[::2]", "evil.example"]),
        (["2001:db8:0:0::1"], ["[2001:DB8::1]:8765", "[2001:db8:0000::0001]"], ["[::1]", "localhost"]),
        (["LocalHost", "127.0.0.1"], ["localhost", "[::1]"], ["evil.example"]),
        (["nas.local", "192.0.2.7"], ["NAS.local:8765", "192.0.2.7"], ["192.0.2.8", "127.0.0.1", "evil.example"]),
        (["fe80::1%eth0", "fe80::1%eth0"], ["[fe80::1]:8765"], ["[fe80::2]"]),
        (["0:0:0:0:0:0:0:0"], ["[::1]", "192.0.2.1", "memory.example"], []),
        (["0", "0.0.0.0"], ["0", "127.0.0.1", "192.0.2.1", "memory.example"], []),
    ],
)
def test_an_address_is_known_however_it_is_written(listens_on: list[str], known: list[str], unknown: list[str]) -> None:
    names = hosts(listens_on, None)
    for each in known:
        names.check(asked_of(each))
    for each in unknown:
        with pytest.raises(Refusal):
            names.check(asked_of(each))


@pytest.mark.parametrize(
    ("address", "needs_token", "host", "origin"),
    [
        ("127.0.0.1", False, 421, 403),
        ("192.0.2.7", False, 421, 403),
        ("0.0.0.0", False, 200, 403),
        ("::", False, 200, 403),
        ("127.0.0.1", True, 200, 403),
        ("192.0.2.7", True, 200, 403),
        ("0.0.0.0", True, 200, 200),
        ("::", True, 200, 200),
    ],
)
def test_a_page_under_a_name_of_its_own_needs_a_token_everywhere(
    address: str, needs_token: bool, host: int, origin: int
) -> None:
    names = hosts([address], None, needs_token=needs_token)
    client, page = asked_of("evil.example"), asked_of("evil.example", "http://evil.example")
    assert status_of(names, client) == host
    assert status_of(names, page) == max(host, origin)


def status_of(names: Hosts, scope: Scope) -> int:
    try:
        names.check(scope)
    except Refusal as refusal:
        return refusal.status
    return 200


@pytest.mark.parametrize("host", ["0", "0.0.0.0", "::", "localhost"])
def test_whoever_knows_the_token_connects_by_every_address_that_is_listened_on(http: Start, host: str) -> None:
    if host == "::" and not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6, or nothing but it")
    place = urlsplit(http("--host", host, OMOIDE_TOKEN="開けごま-1001-芝麻开门-1001").partition(";")[0])
    bearer = {"Authorization": "Bearer 開けごま-1001-芝麻开门-1001".encode()}
    for there in (place.netloc, f"127.0.0.1:{place.port}", f"localhost:{place.port}"):
        assert httpx2.get(f"http://{there}/metrics", headers=bearer).status_code == 200, there
        assert httpx2.get(f"http://{there}/metrics").status_code == 401, there


@pytest.mark.parametrize("name", ["客", "客户", "client"])
def test_a_client_of_http_1_0_reads_the_answer_up_to_the_end_of_the_connection(shared_http: Start, name: str) -> None:
    place = urlsplit(shared_http())
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    body = json.dumps({**LISTING, "method": "initialize", "params": params}, ensure_ascii=False).encode()
    head = ["POST /mcp HTTP/1.0", *(f"{name}: {value}" for name, value in JSON.items()), f"Content-Length: {len(body)}"]
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
        told, _, came = b"".join(iter(partial(connection.recv, 65536), b"")).partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in told
    event, data = came.decode().split()[:2], came.decode().partition("data: ")[2]
    assert event == ["event:", "message"]
    assert json.loads(data)["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("asked", [{}, {"Connection": "close"}], ids=["kept", "closed"])
@pytest.mark.parametrize("flags", [(), ("--workers", "2")], ids=["in a session", "without one"])
def test_a_stream_says_of_its_connection_what_becomes_of_it(
    shared_http: Start, flags: tuple[str, ...], asked: dict[str, str]
) -> None:
    url = urlsplit(shared_http(*flags))
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "客", "version": "1"}}
    connection = HTTPConnection(url.hostname or "", url.port, timeout=PATIENCE)
    body = json.dumps({**LISTING, "method": "initialize", "params": params})
    connection.request("POST", url.path, body, {**JSON, **asked})
    told = connection.getresponse()
    assert told.headers.get_content_type() == "text/event-stream"
    assert told.headers.get_all("connection", []) == list(asked.values())
    assert told.will_close == bool(asked)
    connection.close()


@pytest.mark.parametrize("blanks", [" ", "\t", " \t "])
def test_blanks_around_the_value_of_a_header_are_no_part_of_it(shared_http: Start, blanks: str) -> None:
    place = urlsplit(shared_http(OMOIDE_TOKEN="開けごま-1001"))
    headers, message = modern(1, "search_memory", query="抹茶")
    body = json.dumps(message)
    lines = {**headers, "Host": "localhost", "Authorization": "Bearer 開けごま-1001", "Content-Length": str(len(body))}
    head = ["POST /mcp HTTP/1.1", *(f"{name}:{blanks}{value}{blanks}" for name, value in lines.items()), ""]
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join([*head, body]).encode())
        assert connection.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize(
    "malform",
    [
        lambda request: b"traceparent: 00-0af7-b7ad-01\r\n" + request,
        lambda request: request.replace(b"\r\n", b"\r\ntraceparent\r\n", 1),
        lambda request: request.replace(b"\r\n", b"\r\ntraceparent : 00\r\n", 1),
    ],
    ids=["before the first line", "without a colon", "with a gap"],
)
def test_a_malformed_head_is_refused_also_after_a_request_that_is_like_it(shared_http: Start, malform: Any) -> None:
    place = urlsplit(shared_http())
    headers, message = modern(1, "search_memory", query="抹茶")
    body = json.dumps(message).encode()
    lines = {**headers, "Host": "localhost", "Content-Length": str(len(body))}
    head = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in lines.items()), "", ""]
    request = "\r\n".join(head).encode() + body
    for sent, status in [(request, b"200"), (malform(request), b"400")]:
        with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
            connection.sendall(sent)
            assert connection.recv(12)[9:] == status


@pytest.mark.parametrize(
    ("language", "host", "told"),
    [
        ("en", "192.0.2.1", "Cannot assign requested address.\nChoose another with --host.\n"),
        ("ja", "192.0.2.1", "このマシンのアドレスではありません。--host で別のアドレスを指定してください。\n"),
        ("zh", "192.0.2.1", "这不是本机的地址。请用 --host 指定其他地址。\n"),
        ("en", "nowhere.invalid", "\nChoose another with --host.\n"),
    ],
)
def test_of_an_address_that_is_none_of_this_machine_another_is_asked_for(
    tmp_path: Path, language: str, host: str, told: str
) -> None:
    done = subprocess.run(
        [*OMOIDE, "serve", "--http", "--insecure", "--host", host, "--data", str(tmp_path)],
        capture_output=True,
        env=environment(LC_ALL=f"{language}.UTF-8"),
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stderr.endswith(told)) == (1, True)


def test_a_taken_port_is_named(shared_http: Start, tmp_path: Path) -> None:
    port = shared_http().rpartition(":")[2].partition("/")[0]
    done = subprocess.run(
        [*OMOIDE, "serve", "--http", "--port", port, "--data", str(tmp_path / "b")],
        capture_output=True,
        env=environment(LC_ALL="ja_JP.UTF-8"),
        encoding="utf-8",
    )
    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1 port {port}: Address already in use.\n" in done.stderr
    assert f"127.0.0.1 のポート {port} で待ち受けられません：ほかのプロセスが使っています。--port で" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_secret_does_not_show_itself() -> None:
    assert "hush" not in repr({"token": Secret("hush")})


@pytest.mark.parametrize("lane", ["--fast-lane", "--no-fast-lane"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_slash_at_the_end_of_the_address_leads_nobody_elsewhere(
    shared_http: Start, mode: str, lane: str
) -> None:
    url = f"{shared_http(lane)}/"
    assert not httpx2.post(url, json=LISTING, headers=JSON).is_redirect
    async with Client(url, mode=mode) as client:
        stored = await client.call_tool("store_memory", {"text": "京都で抹茶を飲んだ"})
    assert not stored.is_error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_person_is_asked_before_an_entity_is_forgotten(shared_http: Start, mode: str) -> None:
    async def yes(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": True})

    async with Client(shared_http(), mode=mode, elicitation_callback=yes) as client:
        await client.call_tool("remember_fact", {"entityName": "Jeff", "entityType": "person", "observation": "hikes"})
        forgotten = await client.call_tool("forget_entity", {"entityName": "Jeff"})
    assert not forgotten.is_error


ENDING = [
    ("Jeff", "waits for nobody's answer; nothing was done"),
    ("さくら", "確認への返答を待てませんでした"),
    ("小红", "不再等待确认"),
]


@pytest.mark.parametrize(("name", "said"), ENDING)
async def test_a_person_who_is_asked_does_not_hold_up_the_end_and_the_client_is_told(
    tmp_path: Path, name: str, said: str
) -> None:
    process, url = begun(tmp_path)
    asked = asyncio.Event()

    async def thinks(context: ClientRequestContext, params: ElicitRequestParams) -> NoReturn:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    try:
        async with Client(url, mode="legacy", elicitation_callback=thinks) as client:
            await client.call_tool("remember_fact", {"entityName": name, "entityType": "person", "observation": name})
            forgotten = asyncio.create_task(client.call_tool("forget_entity", {"entityName": name}))
            await asyncio.wait_for(asked.wait(), 20)
            process.terminate()
            answer = await asyncio.wait_for(forgotten, DRAIN_SECONDS)
            assert await asyncio.to_thread(process.wait, DRAIN_SECONDS) == 0
    finally:
        process.kill()
    assert answer.is_error
    assert said in str(answer.content)


async def test_two_workers_serve_one_store_to_clients_of_both_eras(http: Start) -> None:
    url = http("--workers", "2")
    async with Client(url, mode="legacy") as old, Client(url, mode="auto") as new:
        for number, (text, query) in enumerate((("合言葉は山と川", "合言葉"), ("暗号是天王盖地虎", "暗号"))):
            await (old, new)[number].call_tool("store_memory", {"text": text})
            for client in (old, new):
                found = await client.call_tool("search_memory", {"query": query})
                assert text in str(found.structured_content)


def test_clients_who_stay_are_dealt_out_to_both_workers(http: Start) -> None:
    url = http("--workers", "2")
    call = {**LISTING, "method": "tools/call", "params": {"name": "search_memory", "arguments": {"query": "茶"}}}
    with ExitStack() as stack:
        clients = [stack.enter_context(httpx2.Client(headers=JSON)) for _ in range(8)]
        for client in clients:
            client.post(url, json=call, headers={"MCP-Protocol-Version": "2025-11-25"})
        told = clients[0].get(url.replace("/mcp", "/metrics")).text
    answered = re.findall(r'^omoide_calls_total\{.*worker="\d"\} (\S+)$', told, re.M)
    assert sum(map(float, answered)) == 8
    assert min(map(float, answered)) >= 3, "four each, unless one of them was busy"


def test_a_connection_outlasts_the_patience_of_clients_that_use_it_again(shared_http: Start) -> None:
    """Most keep one for 5 s. A call that met the server's end of it was lost."""
    url = urlsplit(shared_http())
    connection = HTTPConnection(url.hostname or "", url.port, timeout=10)
    connection.request("GET", "/health/live")
    connection.getresponse().read()
    closed, _, _ = select.select([connection.sock], [], [], 6.0)
    assert not closed
    connection.request("GET", "/health/live")
    assert connection.getresponse().status == 200
    connection.close()


def test_one_who_listens_hears_on_after_a_break_and_is_told_the_end(tmp_path: Path) -> None:
    process, url = begun(tmp_path, stderr=subprocess.PIPE)
    try:
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        session = httpx2.post(url, json=begin, headers=JSON).headers["mcp-session-id"]
        headers = {**JSON, "Mcp-Session-Id": session, "Last-Event-ID": "7"}
        with httpx2.stream("GET", url, headers=headers, timeout=20) as stream:
            assert stream.status_code == 200
            process.terminate()
            stream.read()  # raises if it breaks off
    finally:
        process.terminate()
        _, log = process.communicate(timeout=20)
    assert "ERROR" not in log


class Slow(BaseHTTPRequestHandler):
    """An endpoint of embeddings that answers `when` it is told to."""

    asked, when = threading.Event(), threading.Event()

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.asked.set()
        self.when.wait(20)
        vectors = json.dumps(
            {"data": [{"index": at, "embedding": [1.0, at, 0.5]} for at in range(len(texts))]}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(vectors)))
        self.end_headers()
        self.wfile.write(vectors)


def test_when_the_server_ends_nobody_listens_any_longer_but_a_call_of_a_session_is_answered(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as slow, ThreadPoolExecutor() as threads:
        threads.submit(slow.serve_forever)
        Slow.when.set()
        endpoint = f"http://127.0.0.1:{slow.server_port}/v1"
        process, url = begun(tmp_path, "--no-fast-lane", "--embedder", endpoint, "--embedder-model", "模型")
        try:
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            headers = {**JSON, "Mcp-Session-Id": httpx2.post(url, json=begin, headers=JSON).headers["mcp-session-id"]}
            with httpx2.stream("GET", url, headers=headers, timeout=20) as stream:
                Slow.when.clear()
                Slow.asked.clear()
                call = {"name": "search_memory", "arguments": {"query": "会議はいつ"}}
                ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
                asked = threads.submit(httpx2.post, url, json=ask, headers=headers, timeout=20)
                assert Slow.asked.wait(20)
                process.terminate()
                stream.read()
            Slow.when.set()
            assert '"id":2' in asked.result(20).text
            assert process.wait(20) == 0
        finally:
            Slow.when.set()
            process.kill()
            slow.shutdown()


def modern(id: int, tool: str, **arguments: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Headers and body of a call of 2026."""
    version = "2026-07-28"
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    headers = {**JSON, "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    return headers, {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


SESSION, STATELESS = "2025-11-25", "2026-07-28"


class Leaving(NamedTuple):
    """A client that no longer wants its call: how it says so, and whether the call is begun after all."""

    era: str
    cancels: bool
    is_begun: bool
    text: str


#: A client of 2026 cancels by hanging up, one of 2025 by a notification; the other way cancels nothing.
LEAVING = [
    Leaving(STATELESS, cancels=False, is_begun=False, text="忘れて"),
    Leaving(STATELESS, cancels=True, is_begun=True, text="覚えて"),
    Leaving(SESSION, cancels=False, is_begun=True, text="请记住"),
    Leaving(SESSION, cancels=True, is_begun=False, text="不要记住"),
]


@pytest.mark.parametrize("lane", [(), ("--no-fast-lane",)], ids=["fast", "sdk"])
def test_a_call_that_is_cancelled_while_it_waits_in_line_is_not_begun(tmp_path: Path, lane: tuple[str, ...]) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as slow, ThreadPoolExecutor(WORKERS + 1) as threads:
        threads.submit(slow.serve_forever)
        Slow.when.set()
        endpoint = f"http://127.0.0.1:{slow.server_port}/v1"
        process, url = begun(tmp_path, *lane, "--embedder", endpoint, "--embedder-model", "模型")
        place = urlsplit(url)

        def post(tool: str, **arguments: str) -> str:
            headers, body = modern(1, tool, **arguments)
            return httpx2.post(url, json=body, headers=headers, timeout=20).text

        def ask(connection: HTTPConnection, id: int, who: Leaving, text: str) -> None:
            headers, body = modern(id, "store_memory", text=text)
            connection.request("POST", place.path, json.dumps(body), of_session if who.era == SESSION else headers)

        def cancel(id: int, who: Leaving) -> None:
            said = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
            headers = of_session if who.era == SESSION else {**JSON, "MCP-Protocol-Version": who.era}
            assert httpx2.post(url, json=said, headers=headers).status_code == 202

        def until(name: str, count: int) -> None:
            tick = threading.Event()
            for _ in range(300):
                if f"{name} {count}.0\n" in httpx2.get(url.replace("/mcp", "/metrics")).text:
                    return
                tick.wait(0.01)
            raise AssertionError(f"{name} never was {count}")

        def told(connection: HTTPConnection) -> str:
            return connection.getresponse().read().decode()

        try:
            params = {"protocolVersion": SESSION, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            session = httpx2.post(url, json=begin, headers=JSON).headers["mcp-session-id"]
            of_session = {**JSON, "Mcp-Session-Id": session, "MCP-Protocol-Version": SESSION}
            # On a new connection the head is read in full, on a known one it is recognised: see repeated_heads.py.
            asking = list(product(LEAVING, ("new", "known")))
            at = [HTTPConnection(place.hostname or "", place.port, timeout=20) for _ in asking]
            for connection, (who, kind) in zip(at, asking, strict=True):
                if kind == "known":
                    ask(connection, 2, who, f"前に {who.text}")
                    told(connection)
            Slow.when.clear()
            searches = [threads.submit(post, "search_memory", query=f"会議 {number}") for number in range(WORKERS)]
            until("omoide_calls_running", WORKERS)
            for id, (connection, (who, kind)) in enumerate(zip(at, asking, strict=True), 3):
                ask(connection, id, who, f"{who.text} {kind}")
            until("omoide_calls_present", WORKERS + len(asking))
            for id, (connection, (who, _)) in enumerate(zip(at, asking, strict=True), 3):
                if who.cancels:
                    cancel(id, who)
                else:  # as one that is killed, or does not take its answer, does
                    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    connection.close()
            until("omoide_calls_present", WORKERS + sum(who.is_begun for who, _ in asking))
            waiting = {
                is_begun: [
                    each for each, (who, _) in zip(at, asking, strict=True) if who.cancels and who.is_begun is is_begun
                ]
                for is_begun in (True, False)
            }
            assert all('"code":-32800' in told(each) for each in waiting[False])
            Slow.when.set()
            assert all('"isError":false' in each.result(20) for each in searches)
            assert all('"isError":false' in told(each) for each in waiting[True])
            post("store_memory", text="the last one")
        finally:
            Slow.when.set()
            process.terminate()
            assert process.wait(20) == 0
            slow.shutdown()
    with open_memories(tmp_path) as memories:
        found = {hit.memory.text for hit in memories.recall("", limit=100).hits if "前に" not in hit.memory.text}
        assert found == {"the last one"} | {f"{who.text} {kind}" for who, kind in asking if who.is_begun}


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_stream_that_the_server_ends_is_a_whole_answer(method: str) -> None:
    async def left_open(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": "記憶 记忆\n".encode(), "more_body": True})

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(EventStreams(left_open))) as client:
        assert (await client.request(method, "http://127.0.0.1/mcp")).text == "記憶 记忆\n"


@pytest.mark.parametrize(("version", "is_begun"), [("2026-07-28", False), ("2025-11-25", True)])
async def test_where_no_sessions_are_kept_hanging_up_cancels_what_it_does_with_sessions(
    version: str, is_begun: bool
) -> None:
    go_on, stored, hung_up = threading.Event(), list[str](), asyncio.Event()

    def block() -> str:
        go_on.wait(PATIENCE)
        return "茶"

    dispatcher = desk_of(tool("待つ", block), tool("store", lambda: stored.append("记") or "记", read_only=False))
    app = application(
        protocol.build(dispatcher, version="0"), Guards(Hosts(None)), Metrics(), str, keeps_sessions=False
    )
    headers, body = modern(1, "store")
    received = iter([{"type": "http.request", "body": json.dumps(body).encode()}])

    async def receive() -> Message:
        if (message := next(received, None)) is None:
            await hung_up.wait()
        return message or {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        """Nobody is there."""

    said = [
        (name.lower().encode(), value.encode()) for name, value in {**headers, "MCP-Protocol-Version": version}.items()
    ]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": PATH,
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *said],
    }
    served = anyio.create_memory_object_stream[Message](3)
    events = asyncio.Queue[Message]()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(app, {"type": "lifespan"}, events.get, served[0].send)
        events.put_nowait({"type": "lifespan.startup"})
        await served[1].receive()
        blocked = [asyncio.create_task(dispatcher.take(call("待つ"))) for _ in range(WORKERS)]
        asked = asyncio.create_task(app(scope, receive, send))
        for _ in range(100):
            await asyncio.sleep(0)
        hung_up.set()
        for _ in range(100):
            await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(asked, *blocked)
        events.put_nowait({"type": "lifespan.shutdown"})
    assert stored == ["记"] * is_begun


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_begins_though_there_is_no_room_for_its_greeting(tmp_path: Path, workers: str) -> None:
    command = [*OMOIDE, "serve", "--http", "--port", "0", "--data", str(tmp_path), "--workers", workers, "-v"]
    with open("/dev/full", "w") as full:
        process = subprocess.Popen(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
    with process:
        assert process.stderr is not None
        told = (line for line in process.stderr if "startup complete" in line or "ended at its start" in line)
        begun = [next(told, "") for _ in range(int(workers))]
        process.terminate()
        process.stderr.read()
    assert all("startup complete" in line for line in begun)
    assert process.returncode == 0
