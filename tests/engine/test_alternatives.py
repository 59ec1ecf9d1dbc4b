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


def hits(engine: _engine.Engine, question: _engine.Question) -> dict[int, float]:
    query = _engine.Query.of(question, vector_weight=0.0)
    return {hit.key: hit.measured.evidence[0] for hit in engine.search(query).hits}


def test_a_reading_finds_the_written_word_below_the_same_spelling(engine: _engine.Engine) -> None:
    word, reading = (_engine.Word("トウキョウ", 0, 5, weight) for weight in (1.0, 0.5))
    question = _engine.Question("トウキョウ", words=[word], readings=[reading])
    assert list(hits(engine, question)) == [4, 2]


@pytest.mark.parametrize("kind", ["alternatives", "synonyms"])
def test_another_word_finds_and_takes_nothing_away(engine: _engine.Engine, kind: str) -> None:
    asked = [_engine.Word("抹茶", 0, 2)]
    others = [_engine.Word(term, 0, 2, 0.7) for term in ("matcha", "そんな語はない")]
    plain = hits(engine, _engine.Question("抹茶", words=asked))
    also = hits(engine, _engine.Question("抹茶", words=asked, **{kind: others}))
    assert list(also) == [6, 8]
    assert also[6] == plain[6] == 1.0
    assert 0.0 < also[8] < 1.0


def test_grams_of_another_spelling_find_too(engine: _engine.Engine) -> None:
    question = _engine.Question("matcha", words=[_engine.Word("matcha", 0, 6)], also=[("抹茶", 0.2)])
    assert list(hits(engine, question)) == [8, 6]
