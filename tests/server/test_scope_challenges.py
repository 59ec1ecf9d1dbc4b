"""A client of the SDK signs in at an authorization server, and gets a token of more scopes when it needs one."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import time
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from mcp import MCPError
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from pydantic import AnyUrl

from omoide.server.access.tokens import issue
from omoide.server.access.visitor import Visitor
from tests.server.conftest import begun
from tests.server.test_oauth import RSA, published

BOTH = "memories:read memories:write"
Mode = Literal["legacy", "auto"]
MODES: Sequence[Mode] = ("legacy", "auto")
TEXTS = {"ja": "車は地下二階に停めた", "zh": "车停在地下二层", "en": "The car is parked on level B2"}


class Issuer(ThreadingHTTPServer):
    """An authorization server whose user grants what `grants` says, one sign-in after the other; the last one again and again."""

    daemon_threads = True
    grants: list[str]
    asked: list[str]
    granted = ""
    state = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    async def sign_in(self, url: str) -> None:
        """What its user does in the browser."""
        given = parse_qs(urlsplit(url).query)
        self.state = given["state"][0]
        self.asked.append(given["scope"][0])
        self.granted = self.grants.pop(0) if len(self.grants) > 1 else self.grants[0]

    async def back(self) -> AuthorizationCodeResult:
        """What the client is given for it."""
        return AuthorizationCodeResult(code="code", state=self.state, iss=self.url)

    def answer(self, path: str, body: bytes) -> dict[str, Any]:
        if path == "/register":
            return {**json.loads(body), "client_id": "編集"}
        if path == "/token":
            claims = {"iss": self.url, "aud": parse_qs(body.decode())["resource"][0], "sub": "山田"}
            claims |= {"client_id": "編集", "scope": self.granted, "exp": time() + 600}
            signed = jwt.encode(claims, RSA, "RS256", headers={"kid": "rsa"})
            return {"access_token": signed, "token_type": "Bearer", "scope": self.granted, "expires_in": 600}
        there = {f"{name}_endpoint": f"{self.url}/{path}" for name, path in _ENDPOINTS.items()}
        ways = {"response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"]}
        return {"issuer": self.url, **there, **ways, "token_endpoint_auth_methods_supported": ["none"]}


_ENDPOINTS = {"authorization": "authorize", "token": "token", "registration": "register"}


class _Answering(BaseHTTPRequestHandler):
    server: Issuer

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes) -> None:
        content = json.dumps(self.server.answer(self.path, body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


class Kept:
    """What the client keeps between its requests."""

    tokens: Any = None
    client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


class Served(NamedTuple):
    """A server that accepts the tokens of an issuer, and those of a file."""

    url: str
    issuer: Issuer
    tokens: Path


@pytest.fixture(scope="module", params=[(), ("--no-fast-lane",)], ids=["fast", "sdk"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "jwks.json").write_text(json.dumps({"keys": [published("rsa", RSA, "RS256")]}))
    (folder / "tokens.jsonl").touch()
    url = f"http://127.0.0.1:{port}/mcp"
    with Issuer() as issuer:
        threading.Thread(target=issuer.serve_forever, args=(0.01,), daemon=True).start()
        flags = ["--port", f"{port}", "--public-url", url, "--tokens", str(folder / "tokens.jsonl"), *request.param]
        flags += ["--oauth-issuer", issuer.url, "--oauth-jwks", str(folder / "jwks.json")]
        process, _ = begun(folder / "store", *flags)
        yield Served(url, issuer, folder / "tokens.jsonl")
        process.terminate()
        assert process.wait(20) == 0
        issuer.shutdown()


async def connected(stack: AsyncExitStack, url: str, mode: Mode, auth: httpx2.Auth | None, **headers: str) -> Client:
    http_client = await stack.enter_async_context(httpx2.AsyncClient(auth=auth, headers=headers, timeout=20))
    return await stack.enter_async_context(Client(streamable_http_client(url, http_client=http_client), mode=mode))


def signing_in(served: Served, *grants: str) -> httpx2.Auth:
    """How a client signs in whose user will grant this."""
    issuer, about = served.issuer, OAuthClientMetadata(redirect_uris=[AnyUrl("http://127.0.0.1:1/back")])
    issuer.grants, issuer.asked = [*grants], []
    return OAuthClientProvider(served.url, about, Kept(), issuer.sign_in, issuer.back)


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_whose_user_allowed_reading_alone_asks_again_when_a_tool_writes(
    served: Served, mode: Mode
) -> None:
    async with AsyncExitStack() as stack:
        client = await connected(stack, served.url, mode, signing_in(served, "memories:read", BOTH))
        assert not (await client.call_tool("search_memory", {"query": "車"})).is_error
        assert served.issuer.asked == [BOTH], "what it asks for, where nobody has asked yet"
        for text in TEXTS.values():
            assert not (await client.call_tool("store_memory", {"text": text})).is_error
        assert [{*each.split()} for each in served.issuer.asked] == [{*BOTH.split()}] * 2
        assert "地下" in str((await client.call_tool("search_memory", {"query": "車"})).content)


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_gets_no_more_is_told_what_it_lacks_in_the_language_it_wrote(
    served: Served, mode: Mode
) -> None:
    said = {
        "ja": "許されているのは読み取りだけです。scope memories:write でサインインし直してください",
        "zh": "只允许读取。请以 scope memories:write 重新登录",
        "en": "scope memories:write",
    }
    async with AsyncExitStack() as stack:
        client = await connected(stack, served.url, mode, signing_in(served, "memories:read"))
        for language, text in TEXTS.items():
            with pytest.raises(MCPError, match=said[language]):
                await client.call_tool("store_memory", {"text": text})
        assert not (await client.call_tool("search_memory", {"query": "車"})).is_error, "it goes on"
        with pytest.raises(MCPError) as told:
            await client.get_prompt("store_memory")
        assert "scope" not in str(told.value), "what is no call of the tool needs no right to call it"


@pytest.mark.parametrize("mode", MODES)
async def test_who_has_a_token_that_nobody_can_extend_reads_that_in_the_answer_of_the_tool(
    served: Served, mode: Mode
) -> None:
    token = issue(served.tokens, Visitor("读者", "山田", "read"))
    async with AsyncExitStack() as stack:
        client = await connected(stack, served.url, mode, None, Authorization=f"Bearer {token}")
        refused = await client.call_tool("store_memory", {"text": TEXTS["zh"]})
    assert refused.is_error
    assert "not_allowed" in str(refused.content)
