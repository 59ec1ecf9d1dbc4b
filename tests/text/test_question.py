"""What a question asks for, held against the plain definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import _engine
from omoide.text.analysis import Question, Token
from omoide.text.analyzer import Analyzer
from omoide.text.normalise import plain

#: Few words in few places, so that the same one is met again.
TERMS = st.sampled_from("京 東京 の 的 go tokyo トウキョウ".split())
PLACES = st.integers(0, 3)
TOKENS = st.builds(
    lambda term, start, length, function: (term, start, start + length, function),
    TERMS,
    PLACES,
    PLACES,
    st.booleans(),
)
#: What an analyser says of a line: (where a word begins, its tokens). No two words begin at the same place.
LINES = st.lists(st.tuples(PLACES, st.lists(TOKENS, max_size=12)), max_size=3, unique_by=lambda word: word[0]).map(
    lambda words: sorted(words, key=lambda word: word[0])
)
#: Kana of which no dictionary is asked.
TEXT = "ああああ"

#: A question is long when more terms than this are asked for: small talk then counts less.
SHORT = 8
SAID_OF_ANYTHING = "know"


def question(found: list[tuple[int, list[Token]]]) -> Question:
    words = _engine.JapaneseWords()
    line = words.line(TEXT, [(number, at) for number, (at, _) in enumerate(found)])
    told = words.learned(line, [(tokens, []) for _, tokens in found])
    cutter = Analyzer().cutter
    cut = cutter.question(TEXT)
    assert isinstance(cut, _engine.Cut)
    return cutter.finish_question(cut, [], [(0, told)])


def words_of(found: list[tuple[int, list[Token]]]) -> list[tuple[str, int, int, float]]:
    """Each term once at its place, telling if any reading says so; all of them where none is."""
    tells: dict[tuple[int, int, str], bool] = {}
    for at, tokens in found:
        for term, start, end, function in tokens:
            word = at + start, at + end, term
            tells[word] = tells.get(word, False) or not function
    alike = not any(tells.values())
    return [(term, start, end, float(tells[start, end, term] or alike)) for start, end, term in sorted(tells)]


@given(LINES)
def test_a_term_counts_once_at_its_place_and_as_much_as_any_reading_says(found: list[tuple[int, list[Token]]]) -> None:
    assert [(word.term, word.start, word.end, word.weight) for word in question(found).words] == words_of(found)


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=24))
def test_a_question_is_long_by_the_different_words_that_tell(words: list[tuple[int, bool]]) -> None:
    tokens = [
        (str(term) if term else SAID_OF_ANYTHING, at, at + 1, function) for at, (term, function) in enumerate(words)
    ]
    found: list[tuple[int, list[Token]]] = [(0, tokens)]
    telling = {term for term, _, _, weight in words_of(found) if weight}
    light = {word.weight < 1.0 for word in question(found).words if word.weight and word.term == SAID_OF_ANYTHING}
    assert light <= {len(telling) > SHORT}


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("家賃はいくら", {"rent"}),
        ("会議は何時から", {"meet"}),
        ("考试是几号", {"examin"}),
        ("会议几点开始", {"meet", "begin"}),
        ("等了多久", {"等"}),
        ("where's the key", {"key"}),
        ("whats the code", {"code"}),
        ("hows anna", {"anna"}),
        ("isn't the invoice paid", {"invoic", "pay"}),
    ],
)
def test_a_word_that_only_asks_has_no_weight(asked: str, content: set[str]) -> None:
    assert {word.term for word in Analyzer().query(asked).words if word.weight} == content


@pytest.mark.parametrize(
    ("asked", "aside"),
    [
        ("the taxi last Saturday", "last Saturday"),
        ("last month's trips", "last month's"),
        ("yesterday’s trips", "yesterday’s"),
        ("㍿Ａ ｌａｓｔ Ｓａｔｕｒｄａｙ", "ｌａｓｔ Ｓａｔｕｒｄａｙ"),
        ("先週の土曜のタクシー", "先週の土曜"),
        ("せんしゅうのどようのタクシー", "せんしゅうのどよう"),
        ("上周六打车", "上周六"),
        ("上週六搭計程車", "上週六"),
    ],
)
def test_words_that_are_set_aside_weigh_less_than_those_that_are_asked_for(asked: str, aside: str) -> None:
    at = asked.index(aside)
    found = Analyzer().query(asked, aside=[(at, at + len(aside))])
    first = plain(asked).index(plain(aside))
    last = first + len(plain(aside))
    inside = [word.weight for word in found.words if first <= word.start and word.end <= last]
    outside = [word.weight for word in found.words if word.start >= last or word.end <= first]
    assert (max(inside), max(outside)) == (0.3, 1.0)
    others = [*found.readings, *found.synonyms, *found.alternatives]
    assert all(word.weight <= 0.3 for word in others if first <= word.start and word.end <= last)


@pytest.mark.parametrize("asked", ["last Saturday", "先週の土曜", "上周六", "上週六"])
def test_words_set_aside_are_asked_for_if_there_are_no_others(asked: str) -> None:
    assert {word.weight for word in Analyzer().query(asked, aside=[(0, len(asked))]).words} <= {0.0, 1.0}
