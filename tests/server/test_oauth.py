"""Tokens of an authorization server: which are accepted, and for what."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

import anyio
import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from omoide.cli.serving import entrance
from omoide.config import load
from omoide.errors import InvalidArgument
from omoide.server.access.jwks_source import source
from omoide.server.access.oauth import KEYS_SECONDS, RETRY_SECONDS, Jwks, JwtVerifier, OAuth, metadata
from omoide.server.access.refusal import Refusal
from omoide.server.access.tokens import Authenticator
from omoide.server.access.visitor import Visitor
from omoide.server.http.guards import Guarded, Guards, Hosts
from omoide.turns import WouldWait

NOW = 1_800_000_000
ISSUER = "https://login.example.org"
RESOURCE = "https://memory.example.org/mcp"
CLAIMS = {
    "iss": ISSUER,
    "aud": RESOURCE,
    "sub": "山田",
    "client_id": "editor",
    "scope": "openid memories:write",
    "iat": NOW,
    "exp": NOW + 600,
}

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
STRANGE_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()


def published(kid: str | None, key: Any, algorithm: str, **more: str) -> dict[str, Any]:
    maker = jwt.algorithms.get_default_algorithms()[algorithm]
    return {**json.loads(maker.to_jwk(key.public_key())), **({"kid": kid} if kid else {}), **more}


KEYS = [published("rsa", RSA, "RS256", use="sig"), published("ec", EC, "ES256"), published("ed", ED, "EdDSA")]
KEYS.append({**published("sealing", OTHER_RSA, "RS256"), "use": "enc"})


def jwks(keys: Any = KEYS) -> bytes:
    return json.dumps({"keys": keys}).encode()


def verifier(
    read: Callable[[], bytes] = jwks, clock: Callable[[], float] = lambda: NOW, metadata_url: str | None = None
) -> OAuth:
    return OAuth(JwtVerifier(Jwks(read), issuer=ISSUER, audience=RESOURCE, clock=clock), "sub", metadata_url)


async def key_of(keys: Jwks, kid: str | None, algorithm: str) -> Any:
    """The key, once the issuer has been asked where it has to be."""
    try:
        return next(iter(keys.keys(kid, algorithm)), None)
    except WouldWait:
        await keys.renew()
    return await key_of(keys, kid, algorithm)


def token(key: Any = RSA, algorithm: str = "RS256", kid: str | None = "rsa", **claims: Any) -> str:
    given = {name: value for name, value in {**CLAIMS, **claims}.items() if value is not None}
    return jwt.encode(given, key, algorithm, headers={"kid": kid} if kid else {})


@pytest.mark.parametrize(
    ("key", "algorithm", "kid"),
    [(RSA, "RS256", "rsa"), (RSA, "PS512", "rsa"), (EC, "ES256", "ec"), (ED, "EdDSA", "ed")],
)
async def test_a_token_signed_by_the_issuer_opens_its_tenant(key: Any, algorithm: str, kid: str) -> None:
    assert await verifier().visitor(token(key, algorithm, kid)) == Visitor(
        "山田 by editor", "山田", "write", expires=True
    )


@pytest.mark.parametrize(
    ("claims", "rights"),
    [
        ({"scope": "memories:read"}, "read"),
        ({"scope": "memories:read memories:write"}, "write"),
        ({"scope": None, "scp": ["memories:read", 3]}, "read"),
        ({"scope": "metrics"}, "metrics"),
        ({"aud": ["https://other", RESOURCE]}, "write"),
        ({"scope": "memories:read", "scp": "memories:write"}, "read"),
        ({"nbf": NOW + 30}, "write"),
        ({"exp": NOW - 29}, "write"),
    ],
)
async def test_scopes_say_what_it_allows(claims: dict[str, Any], rights: str) -> None:
    visitor = await verifier().visitor(token(**claims))
    assert visitor is not None
    assert visitor.rights == rights


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"azp": "端末"}, "山田 by editor"),
        ({"client_id": None, "azp": "端末"}, "山田 by 端末"),
        ({"client_id": None}, "山田 by 山田"),
        ({"sub": "字" * 200}, "字" * 200),
    ],
)
async def test_the_log_names_the_tenant_and_the_program(claims: dict[str, Any], name: str) -> None:
    visitor = await verifier().visitor(token(**claims))
    assert visitor is not None
    assert visitor.name == name


@pytest.mark.parametrize(
    "scope", ["", "openid", "memories:writes", None, {"memories:write": False}, ["記憶", "记忆"], 3]
)
async def test_a_token_without_a_scope_of_ours_allows_nothing(scope: Any) -> None:
    visitor = await verifier().visitor(token(scope=scope))
    assert visitor is not None
    assert [visitor.may_read, visitor.may_write, visitor.may_measure] == [False] * 3


def unsigned(**header: Any) -> str:
    parts = ({"alg": "none", "typ": "JWT", **header}, CLAIMS)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + "."


PUBLIC_PEM = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
BAD = {
    "another audience": token(aud="https://other.example.org/mcp"),
    "no audience": token(aud=None),
    "another issuer": token(iss="https://evil.example.org"),
    "an issuer that begins alike": token(iss=f"{ISSUER}.evil"),
    "expired": token(exp=NOW - 30),
    "never expires": token(exp=None),
    "expires at no number": token(exp="明日"),
    "expires at infinity": token(exp=float("inf")),
    "expires at several times": token(exp=[NOW + 600]),
    "not yet": token(nbf=NOW + 31),
    "begins at several times": token(nbf=[NOW]),
    "no tenant": token(sub=None),
    "an empty tenant": token(sub=""),
    "a tenant too long": token(sub="字" * 201),
    "another key of that name": token(OTHER_RSA),
    "an unknown key": token(OTHER_RSA, kid="other"),
    "a key for sealing": token(OTHER_RSA, kid="sealing"),
    "a key of another kind": token(EC, "ES256", "rsa"),
    "unsigned": unsigned(kid="rsa"),
    "no algorithm": unsigned(kid="rsa", alg=3),
    "signed with the public key as a secret": jwt.api_jws.encode(
        json.dumps(CLAIMS).encode(), base64.b64encode(PUBLIC_PEM), "HS256", headers={"kid": "rsa"}
    ),
    "cut": token()[:-10],
    "changed": token()[:200] + "A" + token()[201:],
    "not a token": "開けごま",
    "dots": "." * 10_000,
    "nested claims": token(deep=json.loads("[" * 300 + "]" * 300)),
    "nested": ".".join([base64.urlsafe_b64encode(b'{"alg":' + b"[" * 50_000).decode()] * 3),
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD.keys())
async def test_what_is_not_a_valid_token_of_the_issuer_for_us_opens_nothing(given: str) -> None:
    assert await verifier().visitor(given) is None


# --- keys


class Issuer:
    """Counts how often its keys are read."""

    def __init__(self) -> None:
        self.keys: Any = KEYS
        self.asked = 0
        self.down = False

    def __call__(self) -> bytes:
        self.asked += 1
        if self.down:
            raise OSError("unreachable")
        return jwks(self.keys)


async def test_keys_are_read_when_needed_and_an_unknown_one_is_not_asked_for_in_a_row() -> None:
    issuer, now = Issuer(), [0.0]
    keys = Jwks(issuer, lambda: now[0])
    assert issuer.asked == 0
    for second in range(6):
        now[0] = second
        assert await key_of(keys, "rsa", "RS256") is not None
        assert await key_of(keys, "new", "RS256") is None
    assert issuer.asked == 1
    issuer.keys = [published("new", OTHER_RSA, "RS256")]
    now[0] = 6
    assert await key_of(keys, "new", "RS256") is not None
    assert await key_of(keys, "rsa", "RS256") is None, "a key that was withdrawn"
    assert issuer.asked == 2


async def test_an_issuer_that_is_down_is_no_matter_while_its_keys_are_known() -> None:
    issuer, now = Issuer(), [0.0]
    issuer.down = True
    keys = Jwks(issuer, lambda: now[0])
    with pytest.raises(Refusal) as raised:
        await key_of(keys, "rsa", "RS256")
    assert raised.value.status == 503
    assert raised.value.headers["Retry-After"] == "5"
    issuer.down = False
    with pytest.raises(Refusal):
        await key_of(keys, "rsa", "RS256")
    assert issuer.asked == 1, "not by every request while there are none"
    now[0] = 6
    assert await key_of(keys, "rsa", "RS256") is not None
    issuer.down, now[0] = True, 10_000
    assert await key_of(keys, "rsa", "RS256") is not None


async def test_who_it_is_can_be_told_at_once_but_where_the_issuer_has_to_be_asked() -> None:
    oauth = verifier()
    with pytest.raises(WouldWait):
        oauth.at_once(token())
    assert await oauth.visitor(token()) is not None
    assert oauth.at_once(token()) == await oauth.visitor(token())
    assert oauth.at_once(token(exp=NOW - 31)) is None


async def test_nobody_whose_key_is_known_waits_while_keys_are_read_again() -> None:
    now, asked, slow = [0.0], threading.Semaphore(0), threading.Event()

    def read() -> bytes:
        asked.release()
        if now[0]:
            slow.wait(20)
        return jwks([published("new", OTHER_RSA, "RS256")] if now[0] else KEYS)

    keys = Jwks(read, lambda: now[0])
    assert await key_of(keys, "rsa", "RS256") is not None
    now[0] = 570
    try:
        for _ in range(3):
            assert await key_of(keys, "rsa", "RS256") is not None
        for _ in range(2):  # at the start, and once in the meantime
            assert await anyio.to_thread.run_sync(asked.acquire, True, 20)
    finally:
        slow.set()
    assert await key_of(keys, "new", "RS256") is not None, "who needs the new ones waits for them"
    assert await key_of(keys, "rsa", "RS256") is None, "a key that was withdrawn"
    assert not asked.acquire(blocking=False)


async def test_keys_are_read_again_each_time_before_they_are_old() -> None:
    issuer, now = Issuer(), [0.0]
    keys = Jwks(issuer, lambda: now[0])
    assert await key_of(keys, "rsa", "RS256") is not None
    for times in (2, 3, 4):
        now[0] += 570
        assert keys.keys("rsa", "RS256")
        await asyncio.wait_for(asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}), 20)
        assert issuer.asked == times


@pytest.mark.parametrize(
    ("keys", "kid", "algorithm", "is_found"),
    [
        ([published("rsa", RSA, "RS256"), published("ec", EC, "ES256")], None, "RS256", True),
        ([published("rsa", RSA, "RS256"), published("new", OTHER_RSA, "RS256")], None, "RS256", True),
        ([published("鍵", RSA, "RS256"), published("鍵", EC, "ES256")], "鍵", "RS256", True),
        ([published("鍵", RSA, "RS256"), published("鍵", EC, "ES256")], "鍵", "ES256", True),
        ([published("rsa", RSA, "RS256", alg="RS256")], "rsa", "RS256", True),
        ([published("rsa", RSA, "RS256", alg="RS256")], "rsa", "PS256", False),
        ([published("rsa", RSA, "RS256", alg="RSA-OAEP")], "rsa", "RS256", False),
    ],
)
async def test_a_key_is_found_by_its_name_and_what_it_is_for(
    keys: Any, kid: str, algorithm: str, is_found: bool
) -> None:
    assert (await key_of(Jwks(lambda: jwks(keys)), kid, algorithm) is not None) is is_found


NOT_A_KEY = {"kty": "RSA", "n": "", "e": ""}


@pytest.mark.parametrize(
    ("names", "name"),
    [((None, None), None), (("rsa", "new"), None), (("鍵", "鍵"), "鍵")],
    ids=["keys and tokens without names", "tokens without names", "keys of one name"],
)
async def test_where_several_keys_may_have_signed_a_token_each_is_tried(
    names: tuple[str | None, str | None], name: str | None
) -> None:
    keys = [NOT_A_KEY, published(names[0], RSA, "RS256"), published(names[1], OTHER_RSA, "RS256")]
    asked = verifier(lambda: jwks(keys))
    for key in (RSA, OTHER_RSA):
        assert await asked.visitor(token(key, kid=name)) is not None
    assert await asked.visitor(token(STRANGE_RSA, kid=name)) is None


@pytest.mark.parametrize("name", [None, "鍵"])
async def test_a_key_that_takes_the_place_of_another_is_known_at_once_and_nobody_has_the_issuer_asked_in_a_row(
    name: str | None,
) -> None:
    issuer, now = Issuer(), [0.0]
    issuer.keys = [published(name, RSA, "RS256")]
    oauth = OAuth(JwtVerifier(Jwks(issuer, lambda: now[0]), issuer=ISSUER, audience=RESOURCE, clock=lambda: NOW), "sub")
    assert await oauth.visitor(token(RSA, kid=name)) is not None
    issuer.keys = [published(name, OTHER_RSA, "RS256")]
    assert await oauth.visitor(token(OTHER_RSA, kid=name)) is None
    now[0] = 6
    assert await oauth.visitor(token(OTHER_RSA, kid=name)) is not None
    assert await oauth.visitor(token(RSA, kid=name)) is None, "a key that was withdrawn"
    assert issuer.asked == 2


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (token(exp=NOW - 31), "its time"),
        (token(OTHER_RSA, kid="other"), "no key of the issuer"),
        (token(OTHER_RSA), "no key of the issuer"),
        ("開けごま", "malformed"),
        (token(aud="https://other.example.org/mcp"), "its audience is 'https://other.example.org/mcp', not 'https://"),
        (token(aud=["別", "另一个"]), "its audience is ['別', '另一个'], not 'https://"),
        (token(aud=None), "it has no claim aud"),
        (token(iss="https://他.example.org"), "its issuer is 'https://他.example.org', not 'https://"),
        (token(sub=None), "claim sub"),
        (BAD["signed with the public key as a secret"], "algorithm"),
    ],
)
async def test_whoever_runs_the_server_reads_why_a_token_is_not_accepted(
    caplog: pytest.LogCaptureFixture, given: str, why: str
) -> None:
    caplog.set_level("INFO")
    assert await verifier().visitor(given) is None
    assert why in caplog.text


@pytest.mark.parametrize("content", [b"", b"[]", b'{"keys": 3}', b"\xff", b"[" * 100_000])
async def test_keys_that_make_no_sense_are_as_good_as_none(content: bytes) -> None:
    with pytest.raises(Refusal):
        await key_of(Jwks(lambda: content), "rsa", "RS256")


@pytest.mark.parametrize("odd", [3, {}, {"kid": ["rsa"]}, {"kid": None, "kty": "RSA"}, {"kid": "rsa2", "kty": "?"}])
async def test_one_key_that_makes_no_sense_takes_nothing_from_the_others(odd: Any) -> None:
    assert await key_of(Jwks(lambda: jwks([*KEYS, odd])), "rsa", "RS256") is not None


async def test_an_issuer_without_a_key_that_can_be_used_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Refusal):
        await key_of(Jwks(lambda: jwks([{"kid": ["rsa"]}])), "rsa", "RS256")
    assert "no key that can be used" in caplog.text


async def test_an_issuer_that_does_not_come_to_an_end_is_not_waited_for_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hung_up = threading.Event()

    def drip() -> bytes:
        hung_up.wait(20)
        return jwks()

    try:
        with pytest.raises(Refusal) as raised:
            await key_of(Jwks(drip, seconds=0.05), "rsa", "RS256")
        assert raised.value.status == 503
        assert not hung_up.is_set()
        assert "could not be read: no answer within 0.05 s" in caplog.text
    finally:
        hung_up.set()


async def test_an_issuer_that_does_not_come_to_an_end_holds_one_thread_and_is_asked_again_after_it() -> None:
    now, asked, hung_up = [0.0], [], threading.Event()

    def drip() -> bytes:
        asked.append(threading.current_thread())
        hung_up.wait(20)
        return jwks()

    keys = Jwks(drip, clock=lambda: now[0], seconds=0.05)
    try:
        for _ in range(3):
            with pytest.raises(Refusal):
                await key_of(keys, "rsa", "RS256")
            now[0] += RETRY_SECONDS + 1
        assert len(asked) == 1
    finally:
        hung_up.set()
    while keys._under_way.locked():
        await anyio.sleep(0)
    assert await key_of(keys, "rsa", "RS256") is not None
    assert len(asked) == 2


async def test_while_an_issuer_does_not_answer_only_some_connections_wait_for_it_and_others_are_told_so() -> None:
    now, answers = [0.0], threading.Event()

    def read() -> bytes:
        answers.wait(20)
        return jwks()

    keys = Jwks(read, lambda: now[0], connections=lambda: 24)
    found: list[Any] = []

    async def wait() -> None:
        found.append(await key_of(keys, "rsa", "RS256"))

    for _ in range(3):  # who has waited makes room, again and again
        answers.clear()
        now[0] += KEYS_SECONDS + 1
        try:
            async with anyio.create_task_group() as waiting:
                for _ in range(2):
                    waiting.start_soon(wait)
                await anyio.wait_all_tasks_blocked()
                for name in ("鍵", "钥匙", "key"):
                    with pytest.raises(Refusal) as raised, anyio.fail_after(5):
                        await key_of(keys, name, "RS256")
                    assert (raised.value.status, raised.value.headers["Retry-After"]) == (503, "5")
                answers.set()
        finally:
            answers.set()
    assert [each["kid"] for each in found] == ["rsa"] * 6
    assert await key_of(keys, "鍵", "RS256") is None, (
        "once the issuer has answered, everybody is told what its keys say"
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"\0\xff\r\n\r\n", "illegal status line"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "without sending complete message body"),
        (b"", "without sending a response"),
        (b"SSH-2.0-x\r\n", "without sending a response"),
        (b"HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", "status 404"),
        (b"HTTP/1.1 302 \r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n", "status 302"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\xe9\x8d\xb5!", "Expecting value"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n" + b" " * 1_000_001, "more than any set of keys"),
    ],
)
def test_whoever_answers_in_place_of_the_issuer_gives_no_keys_and_the_log_says_why(
    caplog: pytest.LogCaptureFixture, answer: bytes, why: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def tell() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(answer)

        telling = threading.Thread(target=tell)
        telling.start()
        keys = Jwks(source(f"http://127.0.0.1:{listening.getsockname()[1]}/jwks"))
        with pytest.raises(Refusal, match="cannot be verified"):
            anyio.run(key_of, keys, "rsa", "RS256")
        telling.join()
    assert why in caplog.text


@pytest.mark.parametrize(
    ("before", "dripped"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (b"", b""),
    ],
    ids=["a status", "a head", "a body", "parts", "nothing"],
)
def test_an_answer_that_drips_without_end_is_given_up(before: bytes, dripped: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        hung_up = threading.Event()

        def tell() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.sendall(before)
                while not hung_up.wait(0.01):
                    connection.sendall(dripped)

        telling = threading.Thread(target=tell)
        telling.start()
        read = source(f"http://127.0.0.1:{listening.getsockname()[1]}/jwks", seconds=0.3)
        try:
            with pytest.raises(TimeoutError):
                read()
        finally:
            hung_up.set()
            telling.join()


def test_keys_are_read_from_a_file_or_over_https(tmp_path: Any) -> None:
    (tmp_path / "鍵.json").write_bytes(jwks())
    assert source(str(tmp_path / "鍵.json"))() == jwks()
    (tmp_path / "large").write_bytes(b"x" * 1_000_001)
    with pytest.raises(ValueError, match="more than"):
        source(str(tmp_path / "large"))()
    for place in (
        "http://login.example.org/jwks",
        "ftp://x/y",
        "ftp://127.0.0.1/jwks",
        "data:,{}",
        "https://",
        "https://[login/jwks",
        "https://login.example.org:https/jwks",
        str(tmp_path / "無い"),
    ):
        with pytest.raises(InvalidArgument):
            source(place)


@pytest.mark.parametrize("name", ["鍵.json", "钥匙#1?.json", "a key;1.json"])
def test_a_file_of_keys_has_the_name_that_is_given_and_may_lie_at_home(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / name).write_bytes(jwks())
    assert source(f"~/{name}")() == source(str(tmp_path / name))() == jwks()


@pytest.mark.parametrize("name", ["鍵.json", "钥匙#1?.json", "a key;1%.json"])
def test_a_file_of_keys_may_be_named_by_its_url(tmp_path: Any, name: str) -> None:
    (tmp_path / name).write_bytes(jwks())
    assert source((tmp_path / name).as_uri())() == jwks()


# --- discovery


@pytest.mark.parametrize("issuer", [ISSUER, f"{ISSUER}/", f"{ISSUER}/realms/a", f"{ISSUER}:8443"])
async def test_the_issuer_is_told_letter_by_letter(issuer: str) -> None:
    _, published = metadata(RESOURCE, issuer)
    assert published
    for path, answering in published.items():
        transport = httpx2.ASGITransport(answering)
        async with httpx2.AsyncClient(transport=transport, base_url="https://memory.example.org") as client:
            assert (await client.get(path)).json()["authorization_servers"] == [issuer]


@pytest.mark.parametrize(
    "resource",
    [
        "https://memory.example.org/mcp",
        "https://Memory.Example.org:443/mcp",
        "https://例え.jp/記憶/mcp",
        "https://例子.cn/记忆/mcp",
    ],
)
async def test_a_token_for_what_the_metadata_tell_is_for_this_server(tmp_path: Path, resource: str) -> None:
    (tmp_path / "鍵.json").write_bytes(jwks())
    given = {"oauth_issuer": ISSUER, "oauth_jwks": str(tmp_path / "鍵.json"), "public_url": resource}
    found = entrance(load(given, {}))
    path, answering = next(iter(found.published.items()))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(answering), base_url=ISSUER) as client:
        told = (await client.get(path)).json()["resource"]
    assert found.keys is not None
    for audience in (told, resource):
        assert (await found.keys.visitor(token(aud=audience, exp=time() + 600))).tenant == "山田"
    with pytest.raises(Refusal, match="not known"):
        await found.keys.visitor(token(aud=f"{told}/other", exp=time() + 600))


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("public_url", "https://memory.example.org:99999/mcp"),
        ("public_url", "https://記憶 例え.jp/mcp"),
        ("oauth_issuer", "https://登录.example.org:https"),
    ],
)
def test_a_url_that_is_none_is_named_when_the_server_starts(name: str, url: str) -> None:
    given = {"oauth_issuer": ISSUER, "oauth_jwks": "https://login.example.org/jwks", "public_url": RESOURCE, name: url}
    with pytest.raises(InvalidArgument, match=f"is '{url}'.* such as https://memory.example.org/mcp") as raised:
        entrance(load(given, {}))
    assert (raised.value.argument, raised.value.code) == (name, "bad_setting")


async def never(*_: Any) -> None:
    raise AssertionError("it must not be reached")


@pytest.mark.parametrize("path", ["", "/mcp", "/記憶/mcp", "/a%20b/mcp"])
async def test_a_client_finds_what_it_is_pointed_to(path: str) -> None:
    url, published = metadata(f"https://memory.example.org{path}", ISSUER)
    transport = httpx2.ASGITransport(Guarded(never, Guards(Hosts(None), Authenticator([])), published, {}))
    async with httpx2.AsyncClient(transport=transport) as client:
        assert (await client.get(url)).status_code == 200


WHERE = "https://memory.example.org/.well-known/oauth-protected-resource/mcp"
#: Path -> the scopes that a client is told to ask for.
NEEDED = {"/mcp": "memories:read memories:write", "/metrics": "metrics"}


@pytest.mark.parametrize(
    ("given", "path", "status", "error"),
    [
        (None, "/mcp", 401, ""),
        (None, "/metrics", 401, ""),
        ("開けごま", "/mcp", 401, 'error="invalid_token", '),
        ("芝麻开门", "/metrics", 401, 'error="invalid_token", '),
        (token(scope="openid"), "/mcp", 403, 'error="insufficient_scope", '),
        (token(scope="openid"), "/metrics", 403, 'error="insufficient_scope", '),
        (token(scope="metrics"), "/mcp", 403, 'error="insufficient_scope", '),
        (token(scope="memories:write"), "/metrics", 403, 'error="insufficient_scope", '),
    ],
)
async def test_a_client_is_told_which_scopes_to_ask_for_and_where(
    given: str | None, path: str, status: int, error: str
) -> None:
    guards = Guards(Hosts(None), Authenticator([verifier(metadata_url=WHERE)], WHERE))
    transport = httpx2.ASGITransport(Guarded(never, guards, {}, {"/metrics": never}))
    headers = {} if given is None else {"Authorization": f"Bearer {given}".encode()}
    async with httpx2.AsyncClient(transport=transport, base_url="https://memory.example.org") as client:
        refused = await client.post(path, headers=headers)
    assert refused.status_code == status
    assert refused.headers["WWW-Authenticate"] == f'Bearer {error}scope="{NEEDED[path]}", resource_metadata="{WHERE}"'


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/.well-known/oauth-protected-resource/mcp", 200),
        ("/.well-known/oauth-protected-resource", 200),
        ("/.well-known/oauth-protected-resource/mcp/", 404),
        ("/.well-known/oauth-protected-resource/記憶", 404),
        ("/.well-known/oauth-authorization-server", 404),
        ("/.well-known/openid-configuration/mcp", 404),
        ("/.well-known/记忆", 404),
        ("/mcp/.well-known/openid-configuration", 404),
        ("/.well-known", 401),
        ("/authorize", 401),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_who_looks_for_a_document_that_is_not_there_goes_on_looking(method: str, path: str, status: int) -> None:
    url, published = metadata(RESOURCE, ISSUER)
    transport = httpx2.ASGITransport(Guarded(never, Guards(Hosts(None), Authenticator([], url)), published, {}))
    async with httpx2.AsyncClient(transport=transport, base_url="https://memory.example.org") as client:
        assert (await client.request(method, path)).status_code == status


async def test_a_client_without_a_token_finds_out_where_to_sign_in() -> None:
    url, published = metadata(RESOURCE, ISSUER)
    guards = Guards(Hosts(None), Authenticator([verifier()], url))
    transport = httpx2.ASGITransport(Guarded(never, guards, published, {}))
    async with httpx2.AsyncClient(transport=transport, base_url="https://memory.example.org") as client:
        refused = await client.post("/mcp")
        assert refused.status_code == 401
        where = refused.headers["www-authenticate"].partition('resource_metadata="')[2].rstrip('"')
        told = (await client.get(where)).json()
    assert told["resource"] == RESOURCE
    assert told["authorization_servers"] == [ISSUER]
    assert told["scopes_supported"] == ["memories:write", "memories:read", "metrics"]
