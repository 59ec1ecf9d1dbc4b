"""What a search has found is told in parts, as much of it as is asked for."""

from __future__ import annotations

from omoide import _engine
from omoide.memory.relevance import FITTED

TEXTS = {2: "抹茶 京都", 4: "京都 抹茶", 6: "抹茶", 8: "京都"}


def found() -> _engine.Hits:
    engine = _engine.Engine()
    documents = [_engine.Document(key=key, folded=text, words=text.split()) for key, text in TEXTS.items()]
    engine.apply(1, documents=documents)
    words = [_engine.Word("抹茶", 0, 2), _engine.Word("京都", 3, 5)]
    return engine.search(_engine.Query(_engine.Question("抹茶 京都", words=words)))


def test_a_hit_is_explained_as_it_is_when_all_are_told() -> None:
    answer = found()
    places = [3, 0]
    told = [answer.hits[place] for place in places]
    expected = [(hit.arms, hit.terms, hit.words, None, hit.passage, hit.evidence) for hit in told]
    assert answer.explained(places) == expected
    assert [hit.key for hit in answer.hits] == answer.keys
    assert answer.beside == []


def test_hits_that_match_the_same_words_share_them() -> None:
    answer = found()
    (_, terms, words, *_), (_, same_terms, same_words, *_), (_, other_terms, *_) = answer.explained([0, 1, 2])
    assert terms is same_terms
    assert words is same_words
    assert terms != other_terms


def test_what_is_gone_since_the_search_is_no_candidate_and_changes_no_relevance() -> None:
    answer = found()
    every = answer.candidates(["a", "b", "c", "d"], FITTED)
    assert [(place, memory) for place, memory, *_ in every] == list(enumerate("abcd"))
    assert [score for _, _, _, score, _, _ in every] == [hit.score for hit in answer.hits]
    assert answer.candidates(["a", None, "c", None], FITTED) == [every[0], every[2]]
