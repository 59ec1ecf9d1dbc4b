"""What every embedder does, whichever way it makes its vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from omoide.embed import Embedder, Lexical
from omoide.embed.batched import Batched
from omoide.embed.borrowed import Borrowed
from omoide.embed.cached import Cached
from omoide.embed.http import Endpoint, Http
from omoide.embed.onnx import Onnx
from omoide.embed.protocol import NUMBER_BYTES, unpacked
from omoide.embed.static import Static
from omoide.embed.truncated import Truncated
from tests.embed import toys
from tests.embed.endpoint import running

TEXTS = [
    "昨日、京都で抹茶を飲んだ。",
    "我昨天在京都喝了抹茶。",
    "Yesterday I drank matcha in Kyoto.",
    "京都",
    "meeting",
    "어제 교토에서 말차를 마셨다",
    "e\u0301 👍🏽 \0 \u200d",
    "\ud800 a lone surrogate",
    "長い文。" * 2_000,
    "",
    "  \n",
]


@contextmanager
def _lexical(folder: Path) -> Iterator[Embedder]:
    yield Lexical()


@contextmanager
def _static(folder: Path) -> Iterator[Embedder]:
    yield Static("toy", toys.static(folder))


@contextmanager
def _http(folder: Path) -> Iterator[Embedder]:
    with running() as endpoint:
        yield Http(Endpoint(url=endpoint.url))


@contextmanager
def _onnx(folder: Path) -> Iterator[Embedder]:
    yield Onnx("toy", toys.onnx(folder))


@contextmanager
def _cached(folder: Path) -> Iterator[Embedder]:
    yield Cached(Static("toy", toys.static(folder / "model")), folder / "vectors")


@contextmanager
def _truncated(folder: Path) -> Iterator[Embedder]:
    yield Truncated(Static("toy", toys.static(folder)), 5)


@contextmanager
def _gathered(folder: Path) -> Iterator[Embedder]:
    yield Batched(Static("toy", toys.static(folder)))


@contextmanager
def _lent(folder: Path) -> Iterator[Embedder]:
    yield Borrowed(Static("toy", toys.static(folder)))


BUILDERS = {
    "lexical": _lexical,
    "static": _static,
    "http": _http,
    "onnx": _onnx,
    "cached": _cached,
    "truncated": _truncated,
    "gathered": _gathered,
    "lent": _lent,
}


@pytest.fixture(params=BUILDERS)
def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Embedder]:
    build: Callable[[Path], contextmanager[Embedder]] = BUILDERS[request.param]
    with build(tmp_path) as made:
        yield made
        made.close()


@pytest.mark.parametrize("kind", ["query", "passage"])
def test_every_text_has_a_vector_of_finite_numbers(embedder: Embedder, kind: str) -> None:
    vectors = embedder.embed(TEXTS, kind)
    assert len(vectors) == len(TEXTS)
    assert {len(vector) for vector in vectors} == {NUMBER_BYTES * (embedder.dimensions or 0)}
    assert all(map(math.isfinite, (number for vector in vectors for number in unpacked(vector))))


def test_the_same_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS, "passage")
    alone = [embedder.embed([text], "passage")[0] for text in TEXTS]
    backwards = embedder.embed(TEXTS[::-1], "passage")[::-1]
    for one, other, third in zip(together, alone, backwards, strict=True):
        assert unpacked(one) == pytest.approx(unpacked(other), abs=1e-5)
        assert unpacked(one) == pytest.approx(unpacked(third), abs=1e-5)


def test_texts_that_differ_have_vectors_that_differ(embedder: Embedder) -> None:
    assert len(set(embedder.embed(TEXTS[:5], "passage"))) == 5


def test_blank_texts_have_the_zero_vector(embedder: Embedder) -> None:
    for vector in embedder.embed(TEXTS[-2:], "passage"):
        assert not any(unpacked(vector))


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([], "passage") == []


def test_it_says_what_it_is(embedder: Embedder) -> None:
    embedder.embed(["茶"], "query")
    assert embedder.name
    assert embedder.version == embedder.version != ""
    assert embedder.dimensions is not None
    assert embedder.dimensions > 0
    assert embedder.semantic == (embedder.name != "lexical")
    assert embedder.instant in {True, False}
    assert 0 < embedder.weight <= 1
    assert embedder.max_tokens is None or embedder.max_tokens > 0


def test_threads_may_share_it(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS, "passage")
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: embedder.embed(TEXTS, "passage"), range(8)):
            assert [unpacked(each) for each in found] == [pytest.approx(unpacked(each), abs=1e-5) for each in expected]
