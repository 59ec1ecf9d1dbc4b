"""The embeddings API over a real socket, against an endpoint that misbehaves in every way we know of."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from omoide.embed import EmbedderUnavailable, TextRefused
from omoide.embed.circuit_breaker import FAILURES, PAUSE_SECONDS
from omoide.embed.http import ATTEMPTS, BATCH, BATCHES_BEFORE_LARGER, QUERY_SECONDS, Endpoint, Http
from omoide.embed.protocol import unpacked
from omoide.errors import InvalidArgument
from tests.embed.conftest import Time
from tests.embed.endpoint import BODIES, DIMENSIONS, NO_VECTORS, FakeEndpoint, vector_of

TEXTS = ["昨日、京都で抹茶を飲んだ。", "我昨天在京都喝了抹茶。", "Yesterday I drank matcha in Kyoto."]


def client(endpoint: FakeEndpoint, time: Time, *, dimensions: int | None = DIMENSIONS, **options: Any) -> Http:
    made = Endpoint(url=endpoint.url, **{"timeout_seconds": 10.0, **options})
    return Http(made, dimensions=dimensions, clock=time, wait=time.wait, chance=lambda: 0.0)


@pytest.mark.parametrize(
    ("faults", "waits"),
    [
        ([], []),
        (["shuffled"], []),
        (["not numbered"], []),
        (["base64"], []),
        (["partial"], []),
        (["partial", "partial"], []),
        (["500"], [0.5]),
        (["503", "502"], [0.5, 1.0]),
        (["429"], [7.0]),
        (["dropped"], [0.5]),
        (["garbage"], [0.5]),
        (["empty"], [0.5]),
        (["wrong dimension"], [0.5]),
        (["not finite", "502"], [0.5, 1.0]),
        (["not finite", "500"], [0.5]),
        *([[fault], [0.5]] for fault in (*NO_VECTORS, "places without end", *BODIES)),
    ],
)
def test_what_passes_is_got_over(endpoint: FakeEndpoint, time: Time, faults: list[str], waits: list[float]) -> None:
    endpoint.faults = list(faults)
    assert client(endpoint, time).embed(TEXTS, "passage") == [vector_of(text) for text in TEXTS]
    assert (time.waits, endpoint.faults) == (waits, [])


@pytest.mark.parametrize(
    ("fault", "said", "ja", "zh"),
    [
        ("500", "answers with status 500", "ステータス 500 を返しました", "返回了状态码 500"),
        ("dropped", "cannot be reached", "に接続できません", "无法连接"),
        ("slow", "did not answer within 0.2 s", "0.2 秒以内に応答しません", "在 0.2 秒内没有应答"),
        (
            "wrong dimension",
            "vectors of 17 numbers where 16 are expected: another model?",
            "16 次元ではなく 17 次元のベクトル",
            "返回了 17 维的向量，而不是 16 维",
        ),
        ("garbage", "something that is not a list of embeddings", "埋め込みの一覧ではない", "不是嵌入向量列表"),
        ("not finite", "numbers that are not finite", "有限でない数値", "非有限的数值"),
        (
            "empty",
            "other embeddings than the 3 it was asked for",
            "求めた 3 件のものではありません",
            "不是所请求的 3 个",
        ),
        (
            "401",
            "does not let us in (status 401)",
            "アクセスを拒否されました（ステータス 401）",
            "拒绝了访问（状态码 401）",
        ),
    ],
)
def test_what_stays_is_said_in_each_language(
    endpoint: FakeEndpoint, time: Time, fault: str, said: str, ja: str, zh: str
) -> None:
    endpoint.faults = [fault] * 10
    asked = client(endpoint, time, timeout_seconds=0.2 if fault == "slow" else 10.0)
    with pytest.raises(EmbedderUnavailable) as raised:
        asked.embed(TEXTS, "passage")
    told = {"en": raised.value.message, **raised.value.also}
    assert told.keys() == {"en", "ja", "zh"}
    for language, expected in {"en": said, "ja": ja, "zh": zh}.items():
        assert expected in told[language]
        assert endpoint.url in told[language]


@pytest.mark.parametrize(("status", "hint"), [("401", "OMOIDE_EMBEDDER_KEY"), ("404", "OMOIDE_EMBEDDER_MODEL")])
def test_what_only_a_person_can_mend_is_not_tried_again(
    endpoint: FakeEndpoint, time: Time, status: str, hint: str
) -> None:
    endpoint.faults = [status]
    asked = client(endpoint, time)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match=status):
            asked.embed(TEXTS, "passage")
    assert len(endpoint.asked) == 1
    time.wait(PAUSE_SECONDS)
    assert asked.embed(TEXTS, "passage") == [vector_of(text) for text in TEXTS]


def test_an_endpoint_that_is_down_is_left_alone_and_asked_again_later(
    endpoint: FakeEndpoint, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.down = True
    asked = client(endpoint, time)
    with pytest.raises(EmbedderUnavailable):
        asked.embed(TEXTS, "passage")
    assert len(endpoint.asked) == FAILURES
    for _ in range(5):
        with pytest.raises(EmbedderUnavailable) as raised:
            asked.embed(TEXTS[:1], "query")
        assert 0 < raised.value.retry_after <= PAUSE_SECONDS
    assert len(endpoint.asked) == FAILURES
    time.wait(PAUSE_SECONDS)
    with pytest.raises(EmbedderUnavailable):
        asked.embed(TEXTS[:1], "query")
    assert len(endpoint.asked) == FAILURES + 1
    endpoint.down = False
    time.wait(PAUSE_SECONDS)
    with pytest.raises(EmbedderUnavailable):
        asked.embed(TEXTS[:1], "query")  # the second rest is twice as long
    time.wait(PAUSE_SECONDS)
    assert asked.embed(TEXTS, "passage") == [vector_of(text) for text in TEXTS]
    asked.embed(TEXTS, "passage")
    left_alone, again = caplog.messages
    assert left_alone.endswith("it is left alone for a while")
    assert again.endswith("answers again")


def test_while_one_caller_tries_an_endpoint_again_the_others_do_not_wait_for_it(
    endpoint: FakeEndpoint, time: Time
) -> None:
    endpoint.faults = ["401", "slow"]
    asked = client(endpoint, time)
    with pytest.raises(EmbedderUnavailable):
        asked.embed(TEXTS, "passage")
    time.wait(PAUSE_SECONDS)
    with ThreadPoolExecutor(1) as pool:
        again = pool.submit(asked.embed, TEXTS, "passage")
        assert endpoint.held.wait(20)
        with pytest.raises(EmbedderUnavailable):
            asked.embed(TEXTS[:1], "query")
        endpoint.let_go.set()
        again.exception()
    assert TEXTS[:1] not in endpoint.asked


def test_a_batch_that_is_too_large_is_halved_and_the_next_ones_are_smaller(endpoint: FakeEndpoint, time: Time) -> None:
    endpoint.most_texts = 16
    texts = [f"記憶 {at}" for at in range(2 * 16 * BATCHES_BEFORE_LARGER)]
    assert client(endpoint, time).embed(texts, "passage") == [vector_of(text) for text in texts]
    assert [len(each) for each in endpoint.asked[7:]] == [16] * (2 * BATCHES_BEFORE_LARGER - 4), "and stay so"
    assert time.waits == []


class Slow:
    """A network that times out for more than `most` texts, the first time if `once`; `asked` counts the texts of each request."""

    def __init__(self, most: int, *, once: bool = False) -> None:
        self.most, self.once = most, once
        self.asked: list[int] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        texts = json.loads(request.content)["input"]
        self.asked.append(len(texts))
        if len(texts) > self.most and not (self.once and len(self.asked) > 1):
            raise httpx2.ReadTimeout("too slow")
        rows = [{"index": at, "embedding": list(unpacked(vector_of(text)))} for at, text in enumerate(texts)]
        return httpx2.Response(200, json={"data": rows})

    def client(self, time: Time) -> Http:
        endpoint = Endpoint(url="http://127.0.0.1:9/v1")
        return Http(endpoint, transport=httpx2.MockTransport(self), clock=time, wait=time.wait, chance=lambda: 0.0)


def test_a_batch_that_takes_too_long_is_halved_and_the_next_ones_are_smaller(time: Time) -> None:
    slow = Slow(BATCH // 2)
    texts = [f"記憶 {at}" for at in range(3 * BATCH)]
    assert slow.client(time).embed(texts, "passage") == [vector_of(text) for text in texts]
    assert slow.asked == [BATCH, *[BATCH // 2] * 6]


def test_an_endpoint_that_was_too_slow_now_and_then_is_sent_full_batches_again(time: Time) -> None:
    sizes = [2**power for power in range(7)]
    assert sizes[-1] == BATCH
    slow = Slow(BATCH)
    asked = slow.client(time)
    for most in sizes[-2::-1]:
        slow.most = most
        asked.embed([f"記憶 {at}" for at in range(2 * most)], "passage")
    assert slow.asked == [each for size in sizes[:0:-1] for each in (size, size // 2, size // 2)]
    slow.most = BATCH
    slow.asked.clear()
    asked.embed([f"记忆 {at}" for at in range(BATCHES_BEFORE_LARGER * sum(sizes))], "passage")
    assert [*Counter(slow.asked)] == sizes, "ever larger ones"
    assert max(Counter(slow.asked).values()) <= BATCHES_BEFORE_LARGER + 1


def test_a_few_texts_that_take_too_long_once_make_no_later_batch_smaller(time: Time) -> None:
    slow = Slow(1, once=True)
    asked = slow.client(time)
    assert asked.embed(TEXTS, "passage") == [vector_of(text) for text in TEXTS]
    asked.embed([f"記憶 {at}" for at in range(BATCH)], "passage")
    assert slow.asked == [3, 2, 1, BATCH]


def test_an_endpoint_that_says_nothing_is_not_asked_more_often_for_many_texts_than_for_one(time: Time) -> None:
    slow = Slow(0)
    with pytest.raises(EmbedderUnavailable, match="did not answer within 30 s"):
        slow.client(time).embed([f"記憶 {at}" for at in range(BATCH)], "passage")
    assert len(slow.asked) == FAILURES


def test_an_endpoint_that_fails_on_a_full_batch_gets_smaller_ones(time: Time) -> None:
    asked: list[int] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        texts = json.loads(request.content)["input"]
        asked.append(len(texts))
        rows = [{"index": at, "embedding": list(unpacked(vector_of(text)))} for at, text in enumerate(texts)]
        return httpx2.Response(500 if len(texts) > BATCH // 2 else 200, json={"data": rows})

    made = Http(
        Endpoint(url="http://127.0.0.1:9/v1"), transport=httpx2.MockTransport(answer), clock=time, wait=time.wait
    )
    texts = [f"記憶 {at}" for at in range(3 * BATCH)]
    assert made.embed(texts, "passage") == [vector_of(text) for text in texts]
    assert asked == [BATCH, BATCH, 1, *[BATCH // 2] * 6]


@pytest.mark.parametrize("retry_after", ["25", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_search_is_not_kept_waiting_as_long_as_an_endpoint_likes(
    endpoint: FakeEndpoint, time: Time, retry_after: str
) -> None:
    endpoint.faults, endpoint.retry_after = ["429"] * 2, retry_after
    with pytest.raises(EmbedderUnavailable):
        client(endpoint, time).embed(TEXTS, "query")
    assert sum(time.waits) < QUERY_SECONDS


def test_whoever_waits_for_another_attempt_goes_on_when_it_is_closed(endpoint: FakeEndpoint, time: Time) -> None:
    endpoint.faults = ["500"]
    asked = Http(Endpoint(url=endpoint.url), dimensions=DIMENSIONS, clock=time, wait=lambda _: asked.close())
    with pytest.raises(EmbedderUnavailable):
        asked.embed(TEXTS, "passage")
    assert len(endpoint.asked) == 1


def test_a_request_under_way_is_given_up_when_it_is_closed(endpoint: FakeEndpoint, time: Time) -> None:
    endpoint.faults = ["slow"]
    asked = client(endpoint, time)
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(asked.embed, TEXTS, "passage")
        assert endpoint.held.wait(20)
        asked.close()
        with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
            made.result()
    assert not endpoint.let_go.is_set()


def test_nothing_is_logged_of_a_request_that_closing_calls_off(
    endpoint: FakeEndpoint, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.faults = ["500"] * (FAILURES - 1) + ["slow"]
    asked = client(endpoint, time)
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(asked.embed, TEXTS, "passage")
        assert endpoint.held.wait(20)
        asked.close()
        with pytest.raises(EmbedderUnavailable):
            made.result()
    assert caplog.messages == []


def test_an_endpoint_that_refuses_every_text_is_out_of_order(endpoint: FakeEndpoint, time: Time) -> None:
    endpoint.poison = ""
    with pytest.raises(EmbedderUnavailable, match="refuses every text") as raised:
        client(endpoint, time).embed(TEXTS, "passage")
    assert "OMOIDE_EMBEDDER_MODEL" in raised.value.hint


def test_a_text_that_is_refused_is_not_quoted_and_spoils_no_other_batch_size(
    endpoint: FakeEndpoint, time: Time
) -> None:
    asked = client(endpoint, time)
    with pytest.raises(TextRefused, match=r"refuses a text of 2 characters \(status 400\)") as raised:
        asked.embed(["無害", "有毒", "harmless"], "passage")
    assert "2 文字のテキストを受け付けません（ステータス 400）" in raised.value.also["ja"]
    assert "拒绝了一段 2 个字符的文本（状态码 400）" in raised.value.also["zh"]
    assert "有毒" not in f"{raised.value} {raised.value.also}"
    asked.embed([f"記憶 {at}" for at in range(BATCH)], "passage")
    assert len(endpoint.asked[-1]) == BATCH


@pytest.mark.parametrize(
    ("fault", "said", "ja", "zh"),
    [
        ("500", "answers with status 500", "はステータス 500 を返しました", "返回了状态码 500"),
        (
            "not finite",
            "answers with numbers that are not finite",
            "は有限でない数値を返しました",
            "返回了非有限的数值",
        ),
        *(
            (
                no_vector,
                "is not a list of embeddings",
                "は埋め込みの一覧ではないものを返しました",
                "返回的不是嵌入向量列表",
            )
            for no_vector in ("null", "no numbers", "no bytes")
        ),
    ],
)
def test_a_text_that_an_endpoint_fails_on_is_refused_and_keeps_no_other_from_its_vector(
    endpoint: FakeEndpoint, time: Time, caplog: pytest.LogCaptureFixture, fault: str, said: str, ja: str, zh: str
) -> None:
    endpoint.curse = fault
    asked = client(endpoint, time)
    for kind in ("passage", "query"):
        with pytest.raises(TextRefused) as raised:
            asked.embed([*TEXTS, "呪いの言葉"], kind)
        assert f"{said}, for a text of 5 characters but not for others." in raised.value.message
        assert f"{ja}。5 文字のテキストの場合だけです。" in raised.value.also["ja"]
        assert f"{zh}，但仅限一段 5 个字符的文本。" in raised.value.also["zh"]
        assert asked.embed(TEXTS, kind) == [vector_of(text) for text in TEXTS]
    assert caplog.messages == []  # the endpoint is not left alone
    texts = [f"記憶 {at}" for at in range(BATCH)]
    asked.embed(texts, "passage")
    assert endpoint.asked[-1] == texts


def test_a_single_text_gets_every_attempt_before_it_counts_as_refused(endpoint: FakeEndpoint, time: Time) -> None:
    endpoint.curse = "500"
    with pytest.raises(TextRefused):
        client(endpoint, time).embed(["呪いの言葉"], "passage")
    assert time.waits == [0.5, 1.0, 2.0]
    assert endpoint.asked.count(["呪いの言葉"]) == ATTEMPTS["passage"]


def test_blank_texts_are_not_sent(endpoint: FakeEndpoint, time: Time) -> None:
    vectors = client(endpoint, time).embed(["", "  \n", "茶"], "passage")
    assert vectors == [bytes(4 * DIMENSIONS)] * 2 + [vector_of("茶")]
    assert endpoint.asked == [["茶"]]


def test_the_length_of_vectors_is_learnt_from_the_first_answer(endpoint: FakeEndpoint, time: Time) -> None:
    asked = client(endpoint, time, dimensions=None)
    assert asked.dimensions is None
    asked.embed(["茶"], "query")
    assert asked.dimensions == DIMENSIONS


def test_model_key_and_prefixes_are_sent_and_the_key_is_shown_nowhere(
    endpoint: FakeEndpoint, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    prefixes = {"query": "query: ", "passage": "passage: "}
    asked = client(endpoint, time, model="e5", key="sk-secret", prefixes=prefixes)
    asked.embed(["茶"], "query")
    asked.embed(["茶"], "passage")
    assert endpoint.asked == [["query: 茶"], ["passage: 茶"]]
    assert {body["model"] for body in endpoint.bodies} == {"e5"}
    assert endpoint.headers[0]["Authorization"] == "Bearer sk-secret"
    endpoint.faults = ["401"]
    with pytest.raises(EmbedderUnavailable) as raised:
        asked.embed(["茶"], "query")
    assert "sk-secret" not in f"{raised.value!r} {raised.value} {asked.name} {asked.version} {caplog.text}"


@pytest.mark.parametrize("key", ["sk-secret\nX-Other: 1", "sk-secret鍵", "sk-secret\0"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(endpoint: FakeEndpoint, time: Time, key: str) -> None:
    with pytest.raises(InvalidArgument, match="OMOIDE_EMBEDDER_KEY") as raised:
        client(endpoint, time, key=key)
    assert "sk-secret" not in f"{raised.value!r} {Endpoint(url=endpoint.url, key=key)!r}"


def test_white_space_around_a_key_is_not_sent(endpoint: FakeEndpoint, time: Time) -> None:
    client(endpoint, time, key=" sk-secret\n").embed(["茶"], "query")
    assert endpoint.headers[0]["Authorization"] == "Bearer sk-secret"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:8080", "http://localhost:8080/v1/embeddings"),
        ("https://api.openai.com/v1/embeddings", "https://api.openai.com/v1/embeddings"),
        ("https://example.org/e?api-version=2", "https://example.org/e/embeddings?api-version=2"),
    ],
)
def test_a_base_url_gets_its_path(url: str, address: str) -> None:
    assert Endpoint(url=url).address == address


@pytest.mark.parametrize(
    "url",
    [
        "localhost:11434",
        "ftp://host/v1",
        "http://",
        "https://user:pass@host/v1",
        "http://[::1/v1",
        "http://[localhost]/v1",
        "http://localhost:11434v1",
        "http://localhost:99999/v1",
        "http://localhost:0/v1",
    ],
)
def test_a_url_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        _ = Endpoint(url=url).address
    assert "pass@" not in str(raised.value)


@pytest.mark.parametrize("url", ["http://::1:11434/v1", "http://fe80::1/v1", "http://2001:db8:0:0:0:0:0:1:8080"])
def test_an_ipv6_address_without_brackets_is_refused_with_what_to_write(url: str) -> None:
    with pytest.raises(InvalidArgument, match="IPv6 address stands in brackets: http://") as raised:
        _ = Endpoint(url=url).address
    assert all("http://[::1]:11434/v1" in said for said in raised.value.also.values())
