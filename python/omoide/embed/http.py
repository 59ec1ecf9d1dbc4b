"""`http:<url>`: an endpoint that speaks OpenAI's embeddings API (OpenAI, Ollama, TEI, vLLM, LM Studio).

Useful for: any model behind such an endpoint. Not useful for: waiting until an endpoint works; while it is down, calls fail
at once (circuit_breaker.py), and searches go on without vectors.
Invariant: the key is sent to the given host and shown nowhere; a search waits QUERY_SECONDS at most, whatever the endpoint
does; error messages, which get into logs, quote no text.
"""

from __future__ import annotations

import base64
import json
import math
import random
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

import httpx2

from omoide import nesting
from omoide.embed.circuit_breaker import CircuitBreaker, Reason
from omoide.embed.protocol import TRANSFORMER_WEIGHT, EmbedderUnavailable, Kind, TextRefused, Vector, zero
from omoide.errors import InvalidArgument, filled, joined
from omoide.exchange import Answer, Exchange, TooLong, TooSlow, Unreachable
from omoide.turns import waiting

#: Texts in a request; fewer once an endpoint has refused that many, or, for a while, where it took too long for them or failed.
BATCH = 64
#: After so many full batches in a row, twice as many texts are tried again. An endpoint that is too slow for them costs one more
#: timeout then; one that was loading its model once would be sent single texts in the end.
BATCHES_BEFORE_LARGER = 32
#: A search waits no longer than this for its query's vector.
QUERY_SECONDS = 5.0
CONNECT_SECONDS = 2.0
ATTEMPTS: Mapping[Kind, int] = {"query": 2, "passage": 4}
#: The wait before a second attempt; each further one waits twice as long, all up to half as long again by chance.
BACKOFF_SECONDS = 0.5
#: If an endpoint asks for a longer wait than this, the call fails.
LONGEST_WAIT_SECONDS = 30.0
DEFAULT_MAX_TOKENS = 512
#: More than any vector takes as JSON with all its digits.
MOST_BYTES_A_TEXT = 512 << 10
#: A text that every model accepts.
PROBE = "probe"
_TEMPORARY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_REFUSED_TEXT = frozenset({400, 413, 422})
_ACCESS_DENIED = frozenset({401, 403})
#: Failures that may be due to a text: some servers crash on certain ones, or have no numbers for them.
_MAYBE_OF_TEXTS = frozenset({"no_list", "not_finite"})
_INTERNAL_ERROR = 500
#: After so many of these failures in a row another text is tried, before the breaker would count one too many.
SUSPICIOUS = 2
#: What a failing endpoint does, for messages.
_REASONS: Mapping[str, Reason] = {
    "slow": {
        "en": "did not answer within {seconds:g} s",
        "ja": "は {seconds:g} 秒以内に応答しませんでした",
        "zh": "在 {seconds:g} 秒内没有应答",
    },
    "long": {
        "en": "answers with more than embeddings",
        "ja": "の応答は埋め込みとしては大きすぎます",
        "zh": "返回的内容过大，不像是嵌入向量",
    },
    "unreachable": {
        "en": "cannot be reached ({why})",
        "ja": "に接続できません（{why}）",
        "zh": "无法连接（{why}）",
    },
    "status": {
        "en": "answers with status {status}",
        "ja": "はステータス {status} を返しました",
        "zh": "返回了状态码 {status}",
    },
    "denied": {
        "en": "does not let us in (status {status})",
        "ja": "にアクセスを拒否されました（ステータス {status}）",
        "zh": "拒绝了访问（状态码 {status}）",
    },
    "refuses": {
        "en": "refuses every text (status {status})",
        "ja": "はどのテキストも受け付けません（ステータス {status}）",
        "zh": "拒绝任何文本（状态码 {status}）",
    },
    "no_list": {
        "en": "answers with something that is not a list of embeddings",
        "ja": "は埋め込みの一覧ではないものを返しました",
        "zh": "返回的不是嵌入向量列表",
    },
    "others": {
        "en": "answers with other embeddings than the {count} it was asked for",
        "ja": "が返した埋め込みは、求めた {count} 件のものではありません",
        "zh": "返回的嵌入向量不是所请求的 {count} 个",
    },
    "not_finite": {
        "en": "answers with numbers that are not finite",
        "ja": "は有限でない数値を返しました",
        "zh": "返回了非有限的数值",
    },
    "dimensions": {
        "en": "answers with vectors of {found} numbers where {expected} are expected: another model? "
        "Name it with OMOIDE_EMBEDDER_MODEL",
        "ja": "は {expected} 次元ではなく {found} 次元のベクトルを返しました。別のモデルなら OMOIDE_EMBEDDER_MODEL で指定してください",
        "zh": "返回了 {found} 维的向量，而不是 {expected} 维；若是另一个模型，请用 OMOIDE_EMBEDDER_MODEL 指定",
    },
}
#: The messages about a text that is refused, and about one that the endpoint fails on.
_REFUSES_TEXT: Mapping[str, str] = {
    "en": "{name} refuses a text of {length:,} characters (status {status}).",
    "ja": "{name} は {length:,} 文字のテキストを受け付けません（ステータス {status}）。",
    "zh": "“{name}”拒绝了一段 {length:,} 个字符的文本（状态码 {status}）。",
}
_FAILS_ON_TEXT: Mapping[str, str] = {
    "en": "{name} {reason}, for a text of {length:,} characters but not for others.",
    "ja": "{name} {reason}。{length:,} 文字のテキストの場合だけです。",
    "zh": "“{name}”{reason}，但仅限一段 {length:,} 个字符的文本。",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The address and the parameters of an endpoint. `prefixes`: what the model wants before each kind of text."""

    url: str
    model: str = ""
    key: str | None = field(default=None, repr=False)
    prefixes: Mapping[Kind, str] | None = None
    timeout_seconds: float = 30.0
    max_tokens: int = DEFAULT_MAX_TOKENS

    @property
    def address(self) -> str:
        """The URL of requests; the path is added to a base such as http://localhost:11434/v1. Raises InvalidArgument."""
        parts = _parts_of(self.url)
        if parts is None:
            also = filled(
                {
                    "ja": "{url} は URL として使えません。http://localhost:11434/v1 のように書いてください。",
                    "zh": "“{url}”不是 URL。请写成 http://localhost:11434/v1 这样。",
                },
                url=self.url,
            )
            message = f"{self.url!r} is not a URL such as http://localhost:11434/v1."
            brackets = _IN_BRACKETS if _lacks_brackets(self.url) else dict.fromkeys(_IN_BRACKETS, "")
            also = joined(also, brackets)
            raise InvalidArgument("embedder", message, hint=brackets["en"], also=also)
        if parts.username or parts.password:
            raise InvalidArgument(
                "embedder",
                "The embedder's URL holds a password.",
                hint="Put it into embedder_key (OMOIDE_EMBEDDER_KEY).",
                also={
                    "ja": "embedder の URL にパスワードがあります。embedder_key（OMOIDE_EMBEDDER_KEY）に書いてください。",
                    "zh": "embedder 的 URL 中有密码。请写到 embedder_key（OMOIDE_EMBEDDER_KEY）中。",
                },
            )
        path = parts.path.rstrip("/")
        if not path.endswith("/embeddings"):
            path = f"{path or '/v1'}/embeddings"
        return parts._replace(path=path, fragment="").geturl()

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers with the key. Raises InvalidArgument for a key that cannot be sent; the library's error would show it."""
        if self.key is None:
            return {}
        key = self.key.strip()
        if not (key.isascii() and key.isprintable()):
            raise InvalidArgument(
                "embedder_key",
                "The key holds characters that no key has.",
                hint="Look at embedder_key (OMOIDE_EMBEDDER_KEY).",
                also={
                    "ja": "embedder_key（OMOIDE_EMBEDDER_KEY）に、キーにはない文字があります。",
                    "zh": "embedder_key（OMOIDE_EMBEDDER_KEY）中有密钥不会有的字符。",
                },
            )
        return {"Authorization": f"Bearer {key}"}

    @property
    def shown(self) -> str:
        """The address and model without what may be secret."""
        parts = urlsplit(self.address)
        where = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
        return f"{where} ({self.model})" if self.model else where


def _parts_of(url: str) -> SplitResult | None:
    """The parts of a URL of the web; None for any other text."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets around no address, or a port that is no number up to 65535
        return None
    return parts if is_usable else None


def _lacks_brackets(url: str) -> bool:
    """Whether the host of a URL that cannot be used is an IPv6 address as it is written elsewhere: http://::1:11434/v1."""
    host = url.partition("://")[2].partition("/")[0]
    return host.count(":") > 1 and "[" not in host and "@" not in host


_IN_BRACKETS = {
    "en": "An IPv6 address stands in brackets: http://[::1]:11434/v1.",
    "ja": "IPv6 アドレスは http://[::1]:11434/v1 のように角括弧で囲んでください。",
    "zh": "IPv6 地址请写在方括号中，例如 http://[::1]:11434/v1。",
}


class _TemporaryFailure(Exception):
    """A failure that may be temporary: one of _REASONS, with its values."""

    def __init__(self, reason: str, wait: float | None = None, **values: object) -> None:
        super().__init__(reason)
        self.reason = filled(_REASONS[reason], **values)
        self.wait = wait
        self.is_slow = reason == "slow"
        self.is_maybe_of_texts = reason in _MAYBE_OF_TEXTS or values.get("status") == _INTERNAL_ERROR


class _NotTogether(Exception):
    """The endpoint did not embed these texts together; perhaps it embeds some of them."""


class _TooSlow(_NotTogether):
    """Several texts took it too long."""


class _Refused(_NotTogether):
    """The endpoint refused a batch with that status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _FailsOnTexts(_NotTogether):
    """The endpoint fails on a batch, again and again, but not on another text."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason["en"])
        self.reason = reason


class _Request(NamedTuple):
    """The kind of texts to embed, and the deadline by the clock (infinite for passages)."""

    kind: Kind
    deadline: float


class Http:
    """See the module. `dimensions`: if known from before; else `on_dimensions` is called with the number after the first response.

    `transport`, `clock`, `wait` and `chance` replace the network, time and random numbers in tests.
    """

    semantic = True
    weight = TRANSFORMER_WEIGHT
    instant = False

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        dimensions: int | None = None,
        on_dimensions: Callable[[int], None] = lambda _: None,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.dimensions = dimensions
        self._endpoint = endpoint
        self._on_dimensions = on_dimensions
        self._breaker = CircuitBreaker(endpoint.shown, clock)
        self._clock = clock
        self._closing = threading.Event()
        self._wait = wait or self._closing.wait
        self._chance = chance
        self._batch = self._most_texts = BATCH
        self._full_batches = 0
        self._exchange = Exchange(endpoint.address, endpoint.headers, transport=transport)

    @property
    def name(self) -> str:
        """The address and the model."""
        return f"http:{self._endpoint.shown}"

    @property
    def version(self) -> str:
        """The length of vectors and the prefixes; nothing else is known of an endpoint's model."""
        prefixes = self._endpoint.prefixes or {}
        return json.dumps([self.dimensions, *(prefixes.get(kind, "") for kind in ATTEMPTS)], ensure_ascii=False)

    @property
    def max_tokens(self) -> int:
        """The setting of the endpoint."""
        return self._endpoint.max_tokens

    def probe(self) -> int:
        """How many numbers a vector has; asks the endpoint if that is not known. Raises EmbedderUnavailable."""
        if self.dimensions is None:
            self._ask([PROBE], self._request("query"))
        assert self.dimensions is not None
        return self.dimensions

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        request = self._request(kind)
        prefix = (self._endpoint.prefixes or {}).get(kind, "")
        with_text = [at for at, text in enumerate(texts) if text.strip()]
        vectors: dict[int, Vector] = {}
        for batch in self._batches(with_text):
            found = self._embed([prefix + texts[at] for at in batch], request)
            vectors |= dict(zip(batch, found, strict=True))
        blank = zero(self.probe()) if len(vectors) < len(texts) else b""
        return [vectors.get(at, blank) for at in range(len(texts))]

    def close(self) -> None:
        """Close the connections; calls that wait fail at once."""
        self._closing.set()
        self._breaker.close()
        self._exchange.close()

    def _request(self, kind: Kind) -> _Request:
        return _Request(kind, self._clock() + QUERY_SECONDS if kind == "query" else math.inf)

    def _batches(self, places: list[int]) -> Iterator[list[int]]:
        at = 0
        while at < len(places):
            size = self._batch
            yield places[at : at + size]
            at += size

    def _embed(self, texts: list[str], request: _Request) -> list[Vector]:
        """The vectors of a batch, sent in halves if they cannot be had together; vectors missing from a response are asked for
        again."""
        try:
            found = self._ask(texts, request)
        except _NotTogether as failure:
            if len(texts) > 1:
                return self._halves(texts, request, failure)
            sentences = self._about_refused(texts[0], failure, request)
            raise TextRefused(sentences.pop("en"), also=sentences) from None
        self._embedded(len(texts))
        left = [at for at in range(len(texts)) if at not in found]
        if left:
            found |= dict(zip(left, self._embed([texts[at] for at in left], request), strict=True))
        return [found[at] for at in range(len(texts))]

    def _halves(self, texts: list[str], request: _Request, failure: _NotTogether) -> list[Vector]:
        """The vectors of both halves. If these are accepted, there may be too many texts for one request: for good where it was
        refused."""
        half = (len(texts) + 1) // 2
        are_too_many = self._are_too_many(texts, failure)
        vectors = self._embed(texts[:half], request) + self._embed(texts[half:], request)
        if are_too_many:
            self._batch, self._full_batches = min(self._batch, half), 0
        if isinstance(failure, _Refused):
            self._most_texts = min(self._most_texts, half)
        return vectors

    def _embedded(self, count: int) -> None:
        """Note that so many texts were embedded together."""
        if count < self._batch:
            return
        self._full_batches += 1
        if self._full_batches >= BATCHES_BEFORE_LARGER:
            self._batch, self._full_batches = min(2 * self._batch, self._most_texts), 0

    def _are_too_many(self, texts: list[str], failure: _NotTogether) -> bool:
        """Whether the failure is due to the number of texts, if it embeds all of them in halves. Few of them may have failed because
        of something else, such as a model that was still being loaded."""
        return isinstance(failure, _Refused) or len(texts) >= self._batch

    def _about_refused(self, text: str, failure: _NotTogether, request: _Request) -> dict[str, str]:
        """The message about a text that cannot be embedded, by language. Raises EmbedderUnavailable if none can."""
        values = {"name": self._endpoint.shown, "length": len(text)}
        if isinstance(failure, _FailsOnTexts):
            return filled(_FAILS_ON_TEXT, reason=failure.reason, **values)
        assert isinstance(failure, _Refused)
        self._check_that_other_texts_are_accepted(failure, request)
        return filled(_REFUSES_TEXT, status=failure.status, **values)

    def _check_that_other_texts_are_accepted(self, refused: _Refused, request: _Request) -> None:
        """Raise EmbedderUnavailable if the endpoint refuses every text: then the fault is not the text's, whose memory must
        not lose its vector."""
        try:
            self._ask([PROBE], request)
        except _Refused:
            raise self._permanent_failure("refuses", refused.status, "Look at OMOIDE_EMBEDDER_MODEL.") from None

    def _ask(self, texts: list[str], request: _Request) -> dict[int, Vector]:
        """Vectors by index in `texts`, at least one. Raises EmbedderUnavailable, _NotTogether."""
        for attempt in range(1, ATTEMPTS[request.kind] + 1):
            self._breaker.check()
            try:
                found = self._vectors(self._post(texts, request), len(texts))
            except _TemporaryFailure as failure:
                self._breaker.failed(failure.reason)
                if failure.is_maybe_of_texts and self._is_due_to(texts, attempt, request):
                    raise _FailsOnTexts(failure.reason) from None
                self._pause(failure, attempt, request)
                if failure.is_slow and len(texts) > 1 and request.kind == "passage":
                    raise _TooSlow from None
            else:
                self._breaker.succeeded()
                return found
        raise AssertionError("the last attempt returns or raises")

    def _is_due_to(self, texts: list[str], attempt: int, request: _Request) -> bool:
        """Whether it is due to the texts that this attempt failed, as the one before it did."""
        if attempt < SUSPICIOUS or not self._answers_another(request):
            return False
        # A single text gets every attempt, as it is not asked for again once it counts as refused.
        return len(texts) > 1 or attempt == ATTEMPTS[request.kind]

    def _answers_another(self, request: _Request) -> bool:
        """Whether the endpoint embeds another text now."""
        try:
            self._vectors(self._post([PROBE], request), 1)
        except _TemporaryFailure as failure:
            self._breaker.failed(failure.reason)
        except _Refused:
            pass
        else:
            self._breaker.succeeded()
            return True
        return False

    def _pause(self, failure: _TemporaryFailure, attempt: int, request: _Request) -> None:
        pause = BACKOFF_SECONDS * 2 ** (attempt - 1) * (1 + self._chance() / 2)
        pause = max(pause, failure.wait or 0.0)
        longest = min(LONGEST_WAIT_SECONDS, request.deadline - self._clock())
        if attempt == ATTEMPTS[request.kind] or pause > longest or self._closing.is_set():
            raise self._breaker.unavailable(pause) from failure
        with waiting():
            self._wait(pause)

    def _post(self, texts: list[str], request: _Request) -> Answer:
        limit = min(self._endpoint.timeout_seconds, QUERY_SECONDS if request.kind == "query" else math.inf)
        seconds = max(0.0, min(limit, request.deadline - self._clock()))
        body = {"input": texts} | ({"model": self._endpoint.model} if self._endpoint.model else {})
        try:
            with waiting():
                answer = self._exchange.post(
                    body, seconds=seconds, most_bytes=len(texts) * MOST_BYTES_A_TEXT, connect_seconds=CONNECT_SECONDS
                )
        except TooSlow:
            raise _TemporaryFailure("slow", seconds=limit) from None
        except TooLong:
            raise _TemporaryFailure("long") from None
        except Unreachable as error:
            raise _TemporaryFailure("unreachable", why=error) from None
        self._check_status(answer)
        return answer

    def _check_status(self, answer: Answer) -> None:
        status = answer.status
        if status == 200:
            return
        if status in _TEMPORARY:
            raise _TemporaryFailure("status", _retry_after(answer), status=status)
        if status in _REFUSED_TEXT:
            self._breaker.succeeded()
            raise _Refused(status)
        if status in _ACCESS_DENIED:
            raise self._permanent_failure("denied", status, "Look at embedder_key (OMOIDE_EMBEDDER_KEY).")
        raise self._permanent_failure("status", status, "Look at the URL and at OMOIDE_EMBEDDER_MODEL.")

    def _permanent_failure(self, reason: str, status: int, hint: str) -> EmbedderUnavailable:
        """The error for a failure that only a person can fix."""
        self._breaker.failed(filled(_REASONS[reason], status=status), for_good=True)
        return self._breaker.unavailable(BACKOFF_SECONDS, hint)

    def _vectors(self, answer: Answer, count: int) -> dict[int, Vector]:
        try:
            rows = nesting.loads(answer.body)["data"]
            found = dict(zip(_places(rows), (_numbers(row["embedding"]) for row in rows), strict=True))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
            raise _TemporaryFailure("no_list") from None
        if not found or not found.keys() <= set(range(count)):
            raise _TemporaryFailure("others", count=count)
        for numbers in found.values():
            self._check(numbers)
        return {at: numbers.tobytes() for at, numbers in found.items()}

    def _check(self, numbers: array[float]) -> None:
        if not all(map(math.isfinite, numbers)):
            raise _TemporaryFailure("not_finite")
        if self.dimensions is None:
            self.dimensions = len(numbers)
            self._on_dimensions(len(numbers))
        if len(numbers) != self.dimensions:
            raise _TemporaryFailure("dimensions", found=len(numbers), expected=self.dimensions)


def _places(rows: Sequence[Mapping[str, Any]]) -> Sequence[int]:
    """The index of each row's text. Some endpoints give every row the same: then they are in the order of the texts."""
    told = [int(row.get("index", at)) for at, row in enumerate(rows)]
    return told if len(set(told)) == len(told) else range(len(told))


def _numbers(embedding: object) -> array[float]:
    """The numbers of an embedding, at least one, given as a list or as base64 of 32-bit floats."""
    if not isinstance(embedding, list | str):
        raise TypeError
    numbers = array("f", base64.b64decode(embedding) if isinstance(embedding, str) else embedding)
    if not numbers:
        raise ValueError
    return numbers


def _retry_after(answer: Answer) -> float | None:
    """The seconds in Retry-After, or None; a date there is ignored."""
    try:
        seconds = float(answer.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
