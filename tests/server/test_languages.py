"""In which language a refusal over HTTP is told: in English, and beside it in the one that the client's user reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest

from omoide.config import Secret
from omoide.server.access.languages import language_of_client
from omoide.server.access.limits import MAX_BODY_BYTES, Limits
from omoide.server.access.oauth import Jwks
from omoide.server.access.refusal import ENDING, Refusal
from omoide.server.access.tokens import Authenticator, OneToken
from omoide.server.access.visitor import Visitor
from omoide.server.http.guards import Guards, Hosts
from tests.server.test_guards import HERE, Bearer, client

ACCEPTED = [
    ("ja", "ja"),
    ("JA-jp", "ja"),
    ("ja-JP,ja;q=0.9,en-US;q=0.8,en;q=0.7", "ja"),
    ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
    ("zh", "zh"),
    ("zh-TW,zh;q=0.9", "zh-Hant"),
    ("zh-Hant-HK", "zh-Hant"),
    ("zh-Hans-TW", "zh"),
    ("fr, ja;q=0.5", "ja"),
    ("ja;q=0.3, zh;q=0.31", "zh"),
    ("en;q=0, ja;q=0.1", "ja"),
    ("x!, ja", "ja"),
    ("en-US,en;q=0.9,ja;q=0.8", None),
    ("en;q=0.5, ja;q=0.5", None),
    ("ja;q=0", None),
    ("ja;q=2", None),
    ("jav", None),
    ("*", None),
    ("fr", None),
    ("", None),
    (",", None),
]


@pytest.mark.parametrize(("accepted", "language"), ACCEPTED)
def test_a_client_says_what_its_user_reads(accepted: str, language: str | None) -> None:
    scope = {"type": "http", "headers": [(b"accept-language", accepted.encode())]}
    assert language_of_client(scope) == language


@pytest.mark.parametrize(("lines", "language"), [([], None), (["fr", "ja"], "ja"), (["en", "ja"], None)])
def test_several_lines_are_one_list_and_none_says_nothing(lines: list[str], language: str | None) -> None:
    scope = {"type": "http", "headers": [(b"accept-language", each.encode()) for each in lines]}
    assert language_of_client(scope) == language


ONE_TOKEN = Guards(HERE, Authenticator([OneToken(Secret("開けごま-1001"))]))
READER = Guards(HERE, Bearer(Visitor("a", rights="read")))
#: What is refused, why, and a word of the sentence in Japanese, and in Chinese of both scripts.
REFUSED: list[tuple[str, Guards, dict[str, Any], tuple[str, str, str]]] = [
    ("invalid_request", ONE_TOKEN, {}, ("トークンが必要", "需要令牌", "需要權杖")),
    ("invalid_token", ONE_TOKEN, {"headers": {"Authorization": "Bearer x"}}, ("登録されていない", "失效", "失效")),
    ("insufficient_scope", READER, {"url": "/metrics"}, ("/metrics を利用", "访问“/metrics”", "存取「/metrics」")),
    ("invalid_host", Guards(HERE), {"headers": {"Host": "evil.example"}}, ("--public-url", "名称", "名稱")),
    ("invalid_origin", Guards(HERE), {"headers": {"Origin": "https://e.example"}}, ("ページ", "页面", "頁面")),
    ("malformed_host", Guards(Hosts(None)), {"headers": {"Host": "a b"}}, ("一つ", "请求", "請求")),
    ("not_found", Guards(HERE), {"url": "/.well-known/x"}, ("公開", "路径", "路徑")),
    ("unsupported_encoding", Guards(HERE), {"headers": {"Content-Encoding": "gzip"}}, ("圧縮", "压缩", "壓縮")),
    (
        "too_large",
        Guards(HERE),
        {"content": b"x" * (MAX_BODY_BYTES + 1)},
        ("16 MiB まで", "最多 16 MiB", "最多 16 MiB"),
    ),
]


@pytest.mark.parametrize(("code", "guards", "request_", "words"), REFUSED, ids=[each[0] for each in REFUSED])
async def test_what_guards_refuse_is_told_in_english_and_in_the_language_of_the_user(
    code: str, guards: Guards, request_: dict[str, Any], words: tuple[str, str, str]
) -> None:
    request = {"method": "POST", "url": "/mcp", **request_}
    async with client(guards) as asking:
        in_english = await asking.request(**request)
        for language, word in zip(("ja", "zh", "zh-Hant"), words, strict=True):
            headers = {**request.get("headers", {}), "Accept-Language": language}
            told = (await asking.request(**{**request, "headers": headers})).json()
            assert word in told.pop(f"error_description#{language}")
            assert told == in_english.json()
    assert (in_english.json()["error"], in_english.headers["vary"]) == (code, "Accept-Language")


def refused(ask: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as raised:
        ask()
    return raised.value


def asked(limits: Limits) -> Refusal:
    """What the second or third request is told, while the first is under way."""
    with ExitStack() as present:
        return refused(lambda: [present.enter_context(limits.request("山田", "POST")) for _ in range(3)])


def without_keys() -> Refusal:
    """What a token is told whose issuer cannot be reached."""

    def unreachable() -> bytes:
        raise OSError("unreachable")

    async def ask() -> None:
        jwks = Jwks(unreachable)
        await jwks.renew()
        jwks.keys("鍵", "RS256")

    return refused(lambda: anyio.run(ask))


@pytest.mark.parametrize(
    ("refusal", "ja", "hant"),
    [
        (lambda: asked(Limits(rate=0.5, clock=lambda: 0.0)), "毎秒 0.5 件まで", "每秒最多只能有 0.5 個請求。"),
        (lambda: asked(Limits(at_once=1)), "同時に 1 件まで", "同時最多只能有 1 個請求。請在 2 秒後重試。"),
        (lambda: asked(Limits(connections=2)), "リクエストのうち 1 が", "正在處理的請求中有 1 屬於您。"),
        (without_keys, "検証できません", "目前無法驗證權杖。"),
        (lambda: ENDING, "終了するため", "不確定寫入是否已經執行，重試之前請先確認。"),
    ],
    ids=["rate", "at once", "busy", "keys", "ending"],
)
def test_who_has_to_wait_is_told_so_in_the_language_of_the_user(
    refusal: Callable[[], Refusal], ja: str, hant: str
) -> None:
    made = refusal()
    assert ja in json.loads(bytes(made.response("ja").body))["error_description#ja"]
    assert hant in json.loads(bytes(made.response("zh-Hant").body))["error_description#zh-Hant"]
    assert [*json.loads(bytes(made.response(None).body))] == ["error", "error_description"]


@pytest.mark.parametrize(("language", "word"), [("ja", "トークンが必要"), ("zh-CN", "需要令牌"), ("zh-TW", "需要權杖")])
def test_a_server_refuses_in_that_language_also_where_the_head_is_known(
    shared_http: Callable[..., str], language: str, word: str
) -> None:
    place = urlsplit(shared_http(OMOIDE_TOKEN="開けごま-1001"))
    asking = HTTPConnection(place.netloc, timeout=20)
    for _ in range(3):
        asking.request("POST", place.path, b"{}", {"Accept-Language": language})
        answer = asking.getresponse()
        told = json.loads(answer.read())
        assert (answer.status, told["error"]) == (401, "invalid_request")
        assert word in " ".join(told.values())
    asking.close()
    metrics = httpx2.get(f"http://{place.netloc}/metrics", headers={"Accept-Language": language})
    assert (metrics.status_code, word in metrics.text) == (401, True)
