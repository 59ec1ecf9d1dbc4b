"""One question to a chat endpoint, and everything that can go wrong with it."""

import asyncio
import json
import re
from errno import ECONNREFUSED
from typing import Any

import httpx2
import pytest

from omoide.chat import ChatEndpoint
from omoide.errors import Unavailable

KEY = "鍵-1001-hush"


def endpoint(answer: Any, url: str = "http://127.0.0.1:9/v1", **more: Any) -> ChatEndpoint:
    return ChatEndpoint(url, "m-1", KEY, transport=httpx2.MockTransport(answer), **more)


def said(content: Any) -> httpx2.Response:
    return httpx2.Response(200, json={"choices": [{"message": {"role": "assistant", "content": content}}]})


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/chat/completions"),
        ("http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1/chat/completions"),
        ("https://example.org/api/chat/completions", "https://example.org/api/chat/completions"),
        ("https://example.org/v1?api-version=1", "https://example.org/v1/chat/completions?api-version=1"),
        ("https://example.org/v1/chat/completions?a=1/", "https://example.org/v1/chat/completions?a=1/"),
    ],
)
def test_the_question_reaches_the_endpoint_with_its_key(url: str, asked: str) -> None:
    seen = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return said(" 抹茶です。 ")

    assert endpoint(answer, url).ask("規則", "材料") == "抹茶です。"
    (request,) = seen
    assert str(request.url) == asked
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content) == {
        "model": "m-1",
        "messages": [{"role": "system", "content": "規則"}, {"role": "user", "content": "材料"}],
        "stream": False,
    }


@pytest.mark.parametrize("text", ["抹茶を飲んだ{}", "喝了{}抹茶", "{} We drank matcha 🍵"])
@pytest.mark.parametrize("half", [r"\ud83c", r"\udf75"])
def test_half_of_a_character_becomes_a_mark_that_can_be_sent_on(text: str, half: str) -> None:
    body = json.dumps({"choices": [{"message": {"content": text}}]}).replace("{}", half)
    answer = httpx2.Response(200, content=body.encode())
    assert endpoint(lambda _: answer).ask("", "") == text.format("\ufffd")


def test_an_endpoint_without_a_key_gets_none() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return said(str("authorization" in request.headers))

    keyless = ChatEndpoint("http://127.0.0.1:9", "m-1", transport=httpx2.MockTransport(answer))
    assert keyless.ask("", "") == "False"


@pytest.mark.parametrize(
    ("content", "heard"),
    [
        ("<think>そうだな…</think>\n抹茶です。", "抹茶です。"),
        ("<think>cut off", ""),
        ("茶 <b>", "茶 <b>"),
        ("想一想。\n是抹茶吗？\n</think>\n\n是抹茶。", "是抹茶。"),
        ("Let me see.</think>It is matcha. <think>Is it?</think>", "It is matcha."),
    ],
)
def test_what_a_model_thinks_to_itself_is_left_out(content: str, heard: str) -> None:
    assert endpoint(lambda _: said(content)).ask("", "") == heard


def refused(request: httpx2.Request) -> httpx2.Response:
    refusal = ConnectionRefusedError(ECONNREFUSED, "Connect call failed ('127.0.0.1', 9)")
    raise httpx2.ConnectError("All connection attempts failed", request=request) from refusal


def never_sent(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.LocalProtocolError(f"Illegal header value {KEY}", request=request)


def too_slow(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ReadTimeout("slow", request=request)


STRANGE = ("answered with something else than a chat completion.", "チャットの答えではない", "返回的不是聊天回答")


@pytest.mark.parametrize(
    ("answer", "message", "ja", "zh"),
    [
        (
            refused,
            "cannot be reached (Connection refused). Look at llm_url (OMOIDE_LLM_URL).",
            "に接続できません（Connection refused）。llm_url (OMOIDE_LLM_URL) を確認してください。",
            "无法连接（Connection refused）。请检查 llm_url (OMOIDE_LLM_URL)。",
        ),
        (
            never_sent,
            "cannot be reached (LocalProtocolError).",
            "に接続できません（LocalProtocolError）。",
            "无法连接（LocalProtocolError）。",
        ),
        (
            too_slow,
            "did not answer within 20 s. Look at llm_url (OMOIDE_LLM_URL).",
            "は 20 秒以内に応答しませんでした。",
            "在 20 秒内没有应答。",
        ),
        (
            lambda _: httpx2.Response(401, text=KEY),
            "refused the key (status 401). Look at llm_key (OMOIDE_LLM_KEY).",
            "に API キーを拒否されました（ステータス 401）。llm_key (OMOIDE_LLM_KEY) を確認してください。",
            "拒绝了 API 密钥（状态码 401）。请检查 llm_key (OMOIDE_LLM_KEY)。",
        ),
        (
            lambda _: httpx2.Response(404),
            "knows no such path or model (status 404).",
            "にそのパスかモデルはありません（ステータス 404）。",
            "没有该路径或模型（状态码 404）。",
        ),
        (
            lambda _: httpx2.Response(429),
            "has too much to do (status 429). Look at llm_url (OMOIDE_LLM_URL), or try again later.",
            "は混み合っています（ステータス 429）。",
            "过于繁忙（状态码 429）。",
        ),
        (
            lambda _: httpx2.Response(500),
            "failed (status 500). Look at the log of that server.",
            "でエラーが起きました（ステータス 500）。そのサーバーのログを確認してください。",
            "出错（状态码 500）。请查看该服务器的日志。",
        ),
        (
            lambda _: httpx2.Response(302, headers={"Location": "http://evil.example"}),
            "failed (status 302).",
            "（ステータス 302）",
            "（状态码 302）",
        ),
        (lambda _: httpx2.Response(200, text="<html>"), *STRANGE),
        (lambda _: httpx2.Response(200, json={"choices": []}), *STRANGE),
        (lambda _: httpx2.Response(200, text="[" * 90_000), *STRANGE),
        (lambda _: said(None), *STRANGE),
        (
            lambda _: httpx2.Response(200, content=b" " * 100_001),
            "sent more than an answer.",
            "回答としては長すぎます",
            "过长，不像是回答",
        ),
    ],
)
def test_a_failure_says_in_each_language_what_happened_where_and_what_to_look_at(
    answer: Any, message: str, ja: str, zh: str
) -> None:
    chat = endpoint(answer, "http://user:pass@127.0.0.1:9/v1")
    with pytest.raises(Unavailable) as failure:
        chat.ask("", "")
    assert str(failure.value).startswith(f"The chat endpoint 127.0.0.1:9 {message}")
    also = failure.value.also
    assert all("127.0.0.1:9" in also[language] for language in ("ja", "zh"))
    assert (ja in also["ja"], zh in also["zh"]) == (True, True), also
    everything = f"{failure.value}{also}{chat!r}"
    assert not any(secret in everything for secret in (KEY, "pass", "hush"))


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("https://example.org/v1", "example.org"),
        ("https://例え.jp/v1", "例え.jp"),
        ("https://例子.cn:444", "例子.cn:444"),
        ("http://[::1]:11434/v1", "[::1]:11434"),
        ("http://[::1]/v1", "[::1]"),
    ],
)
def test_an_endpoint_is_called_by_its_host_and_the_port_if_it_has_one(url: str, where: str) -> None:
    with pytest.raises(Unavailable, match=rf"^The chat endpoint {re.escape(where)} failed"):
        endpoint(lambda _: httpx2.Response(500), url).ask("", "")


def test_one_question_too_many_is_refused_at_once_and_the_next_answered() -> None:
    """The model asks us again while it answers, until there are too many questions under way."""
    depth = []

    async def answer(_: httpx2.Request) -> httpx2.Response:
        depth.append(1)
        return said(await asyncio.to_thread(chat.ask, "", ""))

    chat = endpoint(answer)
    for _ in range(2):
        depth.clear()
        with pytest.raises(Unavailable, match="busy with 4 questions already") as failure:
            chat.ask("", "")
        assert "すでに 4 件の質問" in failure.value.also["ja"]
        assert "已在处理 4 个问题" in failure.value.also["zh"]
        assert len(depth) == 4
