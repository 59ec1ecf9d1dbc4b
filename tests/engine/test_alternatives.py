"""Other words, readings and spellings of a query: they find, they never take away."""

from __future__ import annotations

import pytest

from omoide import _engine


@pytest.fixture
def engine() -> _engine.Engine:
    engine = _engine.Engine()
    documents = [
        _engine.Document(key=2, folded="東京", words=["東京"], readings=["トウキョウ"]),
        _engine.Document(key=4, folded="トウキョウ", words=["トウキョウ"]),
        _engine.Document(key=6, folded="抹茶", words=["抹茶"], readings=["マッチャ"]),
        _engine.Document(key=8, folded="matcha", words=["matcha"]),
    ]
    engine.apply(1, documents=documents)
    return engine


def hits(engine: _engine.Engine, query: _engine.Query) -> dict[int, float]:
    return {hit.key: hit.coverage for hit in engine.search(query).hits}


def test_a_reading_finds_the_written_word_below_the_same_spelling(engine: _engine.Engine) -> None:
    word = ("トウキョウ", 1.0, 0, 5)
    query = _engine.Query(folded=word[0], words=[word], readings=[("トウキョウ", 0.5, 0, 5)], vector_weight=0.0)
    assert list(hits(engine, query)) == [4, 2]


def test_an_alternative_finds_and_takes_nothing_away(engine: _engine.Engine) -> None:
    asked = {"folded": "抹茶", "words": [("抹茶", 1.0, 0, 2)], "vector_weight": 0.0}
    plain = hits(engine, _engine.Query(**asked))
    also = hits(engine, _engine.Query(**asked, alternatives=[("matcha", 0.7, 0, 2), ("そんな語はない", 0.7, 0, 2)]))
    assert list(also) == [6, 8]
    assert also[6] == plain[6] == 1.0
    assert 0.0 < also[8] < 1.0


def test_grams_of_another_spelling_find_too(engine: _engine.Engine) -> None:
    query = _engine.Query(folded="matcha", words=[("matcha", 1.0, 0, 6)], also=[("抹茶", 0.2)], vector_weight=0.0)
    assert list(hits(engine, query)) == [8, 6]
