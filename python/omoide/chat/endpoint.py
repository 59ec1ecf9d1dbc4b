"""A client of a chat model: one question, one answer in words.

Invariant: whatever goes wrong raises Unavailable, within one deadline, and the message says what happened and which setting
to look at; the key is in the request's header and nowhere else. However slow a model is, only a few callers wait for it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2

from omoide import nesting
from omoide.errors import Unavailable, filled
from omoide.exchange import Answer, Exchange, TooLong, TooSlow, Unreachable
from omoide.turns import waiting

TIMEOUT_SECONDS = 20.0
#: Questions under way at once; one more is refused, as it would occupy a thread that searches need.
MOST_AT_ONCE = 4
#: More than an answer of a few sentences has.
MAX_ANSWER_BYTES = 100_000
PATH = "/chat/completions"


_URL, _KEY, _URL_AND_MODEL = (
    "llm_url (OMOIDE_LLM_URL)",
    "llm_key (OMOIDE_LLM_KEY)",
    "llm_url (OMOIDE_LLM_URL), llm_model (OMOIDE_LLM_MODEL)",
)
#: Messages about a failure, and what to do about it, by en, ja and zh.
_SAID = {
    "en": "The chat endpoint {where} {what}.",
    "ja": "チャットのエンドポイント {where} {what}。",
    "zh": "聊天端点 {where} {what}。",
}
_LOOK = {"en": "Look at {setting}.", "ja": "{setting} を確認してください。", "zh": "请检查 {setting}。"}
_LOOK_OR_WAIT = {
    "en": "Look at {setting}, or try again later.",
    "ja": "{setting} を確認するか、しばらくしてからやり直してください。",
    "zh": "请检查 {setting}，或稍后重试。",
}
_LOOK_THERE = {
    "en": "Look at the log of that server.",
    "ja": "そのサーバーのログを確認してください。",
    "zh": "请查看该服务器的日志。",
}


class _Failure(NamedTuple):
    """What a failing endpoint does, and the setting to look at."""

    what: Mapping[str, str]
    setting: str = _URL
    look: Mapping[str, str] = _LOOK


_BUSY = _Failure(
    {
        "en": "is busy with {most} questions already",
        "ja": "はすでに {most} 件の質問に答えています",
        "zh": "已在处理 {most} 个问题",
    },
    look=_LOOK_OR_WAIT,
)
_SLOW = _Failure(
    {
        "en": "did not answer within {seconds:g} s",
        "ja": "は {seconds:g} 秒以内に応答しませんでした",
        "zh": "在 {seconds:g} 秒内没有应答",
    }
)
_LONG = _Failure(
    {"en": "sent more than an answer", "ja": "の応答は回答としては長すぎます", "zh": "返回的内容过长，不像是回答"}
)
_AWAY = _Failure({"en": "cannot be reached ({why})", "ja": "に接続できません（{why}）", "zh": "无法连接（{why}）"})
_STRANGE = _Failure(
    {
        "en": "answered with something else than a chat completion",
        "ja": "はチャットの答えではないものを返しました",
        "zh": "返回的不是聊天回答",
    }
)
_DENIED = _Failure(
    {
        "en": "refused the key (status {status})",
        "ja": "に API キーを拒否されました（ステータス {status}）",
        "zh": "拒绝了 API 密钥（状态码 {status}）",
    },
    _KEY,
)
_FAILED = _Failure(
    {
        "en": "failed (status {status})",
        "ja": "でエラーが起きました（ステータス {status}）",
        "zh": "出错（状态码 {status}）",
    },
    look=_LOOK_THERE,
)
_STATUSES: Mapping[int, _Failure] = {
    401: _DENIED,
    403: _DENIED,
    404: _Failure(
        {
            "en": "knows no such path or model (status {status})",
            "ja": "にそのパスかモデルはありません（ステータス {status}）",
            "zh": "没有该路径或模型（状态码 {status}）",
        },
        _URL_AND_MODEL,
    ),
    429: _Failure(
        {
            "en": "has too much to do (status {status})",
            "ja": "は混み合っています（ステータス {status}）",
            "zh": "过于繁忙（状态码 {status}）",
        },
        look=_LOOK_OR_WAIT,
    ),
}
#: The reasoning that some models put before their answer; for some, servers put the opening tag into the question.
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|$)|\A(?:(?!<think>).)*</think>", re.DOTALL)


class ChatEndpoint:
    """The model `model` at `url` (with or without /chat/completions). `transport` replaces the network in tests."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        parts = urlsplit(url)
        path = parts.path.rstrip("/").removesuffix(PATH) + PATH
        self._url = httpx2.URL(parts._replace(path=path, fragment="").geturl())
        self._model = model
        self._seconds = timeout_seconds
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._exchange = Exchange(str(self._url), headers, transport=transport)
        self._turns = threading.BoundedSemaphore(MOST_AT_ONCE)

    def __repr__(self) -> str:
        return f"ChatEndpoint({self._model!r} at {self._where})"

    def ask(self, instructions: str, material: str) -> str:
        """The model's answer to `material`. Raises Unavailable."""
        if not self._turns.acquire(blocking=False):
            raise self._failed(_BUSY, most=MOST_AT_ONCE)
        try:
            with waiting():
                answer = self._answer(instructions, material)
            if answer.status != 200:
                raise self._failed(_STATUSES.get(answer.status, _FAILED), status=answer.status)
            return self._said(answer.body)
        finally:
            self._turns.release()

    def _answer(self, instructions: str, material: str) -> Answer:
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": material}]
        payload = {"model": self._model, "messages": messages, "stream": False}
        try:
            return self._exchange.post(payload, seconds=self._seconds, most_bytes=MAX_ANSWER_BYTES)
        except TooSlow:
            raise self._failed(_SLOW, seconds=self._seconds) from None
        except TooLong:
            raise self._failed(_LONG) from None
        except Unreachable as error:
            raise self._failed(_AWAY, why=error) from None

    @property
    def _where(self) -> str:
        """Host and port; the rest of the address may be private."""
        host = f"[{self._url.host}]" if ":" in self._url.host else self._url.host
        return f"{host}:{self._url.port}" if self._url.port else host

    def _said(self, body: bytes) -> str:
        try:
            said = nesting.loads(body)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError):
            said = None
        if not isinstance(said, str):
            raise self._failed(_STRANGE)
        return _THOUGHTS.sub("", _whole(said)).strip()

    def _failed(self, failure: _Failure, **values: object) -> Unavailable:
        said = filled(_SAID, where=self._where, what=filled(failure.what, **values))
        look = filled(failure.look, setting=failure.setting)
        also = {"ja": f"{said['ja']}{look['ja']}", "zh": f"{said['zh']}{look['zh']}"}
        return Unavailable(said["en"], hint=look["en"], also=also)


def _whole(said: str) -> str:
    """The text with U+FFFD for each half of a character, as where a model stopped within an emoji: no client could read it."""
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
