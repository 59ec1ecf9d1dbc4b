"""What a search has found is told in parts, as much of it as is asked for."""

from __future__ import annotations

import copy
import pickle

from omoide import _engine
from omoide.memory.recall import SHAPES
from omoide.memory.relevance import FITTED
from omoide.model.query import ArmScore, Evidence, Hit, Why

TEXTS = {2: "抹茶 京都", 4: "京都 抹茶", 6: "抹茶", 8: "京都"}


def found() -> _engine.Hits:
    engine = _engine.Engine()
    documents = [_engine.Document(key=key, folded=text, words=text.split()) for key, text in TEXTS.items()]
    engine.apply(1, documents=documents)
    words = [_engine.Word("抹茶", 0, 2), _engine.Word("京都", 3, 5)]
    return engine.search(_engine.Query.of(_engine.Question("抹茶 京都", words=words)))


def test_a_hit_is_explained_as_it_is_when_all_are_told() -> None:
    answer = found()
    every = answer.candidates(["a", "b", "c", "d"], FITTED)
    explained, unfinished = answer.explained([every[3], every[0]], SHAPES)
    for hit, memory, raw in zip(explained, ["d", "a"], [answer.hits[3], answer.hits[0]], strict=True):
        ranked_by = tuple(arm for arm, _, _ in raw.measured.arms)
        assert hit[:4] == (
            memory,
            hit.relevance,
            raw.score,
            (ranked_by, raw.terms, raw.words, (), (), None, raw.measured),
        )
        assert hit[4:] == ((), None)
    assert unfinished == []
    assert [hit.key for hit in answer.hits] == answer.keys
    assert answer.beside == []


def test_hits_that_match_the_same_words_share_them() -> None:
    answer = found()
    hits, _ = answer.explained(answer.candidates(["a", "b", "c", "d"], FITTED), SHAPES)
    one, same, other, _ = [hit.why for hit in hits]
    assert one.terms is same.terms
    assert one.words is same.words
    assert one.terms != other.terms


def test_a_hit_is_told_in_the_shapes_that_the_engine_was_given() -> None:
    answer = found()
    hits, _ = answer.explained(answer.candidates(["a", "b", "c", "d"], FITTED), SHAPES)
    for hit in hits:
        assert type(hit) is Hit
        assert type(hit.why) is Why
        assert type(hit.why.evidence) is Evidence
        assert {type(arm) for arm in hit.why.arms} == {ArmScore}
        assert tuple(arm.arm for arm in hit.why.arms) == hit.why.ranked_by


def test_what_was_measured_is_equal_where_all_of_it_is() -> None:
    (one, *_, last), (same, *_) = found().hits, found().hits
    assert one.measured == same.measured
    assert one.measured != last.measured


def test_what_was_measured_is_copied_and_told_whole() -> None:
    first, *_ = found().hits
    for copied in (pickle.loads(pickle.dumps(first.measured)), copy.deepcopy(first.measured)):
        assert copied == first.measured
        assert hash(copied) == hash(first.measured)
        assert (copied.arms, copied.evidence) == (first.measured.arms, first.measured.evidence)
    assert repr(first.measured) == f"Measured({first.measured.arms!r}, {first.measured.evidence!r})"


def test_what_was_put_into_a_candidate_is_told() -> None:
    answer = found()
    ((place, memory, share, _, _, _),) = answer.candidates(["a", None, None, None], FITTED)
    ((hit,), _) = answer.explained([(place, memory, share, 3.0, ("昨日",), ("b",))], SHAPES)
    assert (hit.score, hit.why.dates, hit.alike) == (3.0, ("昨日",), ("b",))


def test_the_first_hits_are_told_as_all_candidates_are() -> None:
    answer = found()
    every = answer.candidates(["a", None, "c", "d"], FITTED)
    for limit in range(5):
        assert answer.first(limit, ["a", None, "c", "d"], FITTED, SHAPES) == answer.explained(every[:limit], SHAPES)


def test_what_is_gone_since_the_search_is_no_candidate_and_changes_no_relevance() -> None:
    answer = found()
    every = answer.candidates(["a", "b", "c", "d"], FITTED)
    assert [(place, memory) for place, memory, *_ in every] == list(enumerate("abcd"))
    assert [score for _, _, _, score, _, _ in every] == [hit.score for hit in answer.hits]
    assert answer.candidates(["a", None, "c", None], FITTED) == [every[0], every[2]]


def test_words_that_stand_beyond_the_text_do_no_harm() -> None:
    engine = _engine.Engine()
    engine.apply(1, documents=[_engine.Document(key=2, folded="抹茶", words=["抹茶"], readings=["マッチャ"])])
    for start, end in [(0, 2**60), (2**60, 2**61), (2**64 - 1, 2**64 - 1), (2**60, 0)]:
        word, reading = (_engine.Word(term, start, end) for term in ("抹茶", "マッチャ"))
        question = _engine.Question("抹茶", words=[word], readings=[reading], synonyms=[word], alternatives=[word])
        assert engine.search(_engine.Query.of(question)).keys == [2], (start, end)
