"""What is shown of a found text is cut out of it exactly, and what was found is marked where it stands."""

from __future__ import annotations

import sys
import unicodedata
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.memory import Memories
from omoide.text import Analyzer, glimpse
from omoide.text.graphemes import border, clusters
from omoide.text.normalise import plain
from omoide.text.offsets import ONE_BY_ONE, Offsets
from tests.counting import calls

ANALYZER = Analyzer()


def marked(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("昨日、ｶﾋﾟﾊﾞﾗを見た。", "カピバラ", ["ｶﾋﾟﾊﾞﾗ"]),
        ("去年夏天去了臺灣旅行。", "台湾旅行", ["臺灣旅行"]),
        ("ガ\u3099ス㍿東京タワー", "東京", ["東京"]),
        ("㍿の①番に、がっこうへ行く", "学校", ["がっこう"]),
        ("She was running to the ﬁnal race…", "run final", ["running", "ﬁnal"]),
        ("We met at the cafe\u0301 today.", "café", ["cafe\u0301"]),
        ("引越しの荷物", "引っ越し", ["引越し"]),
        ("東京に住む", "とうきょう", ["東京"]),
        ("家族は👨‍👩‍👧と猫。", "猫", ["猫"]),
        ("서울에서 만나요", "서울", ["서울"]),
        ("ｉＰｈｏｎｅ１５を買った", "iphone", ["ｉＰｈｏｎｅ"]),
        ("締切は三日です", "3日", ["三日"]),
    ],
)
def test_what_was_found_is_marked_as_it_was_written(
    memories: Memories, text: str, query: str, expected: list[str]
) -> None:
    memories.remember(text)
    memories.remember("まったく別の話。 Something else. 别的事情。")
    hit = memories.recall(query).hits[0]
    excerpt = memories.excerpt(hit)
    assert hit.memory.text == text
    assert marked(text, excerpt.marks) == expected


def test_a_long_text_is_cut_to_the_sentence_that_was_found(memories: Memories) -> None:
    text = "天気の話。\n" * 200 + "  明日は京都で抹茶を飲む。  " + "\n雨の話。" * 200
    memories.remember(text)
    excerpt = memories.excerpt(memories.recall("京都の抹茶").hits[0])
    assert text[excerpt.start : excerpt.end] == "明日は京都で抹茶を飲む。"
    assert marked(text, excerpt.marks) == ["京都", "抹茶"]


@pytest.mark.parametrize("width", [5, 20, 80])
def test_an_excerpt_is_no_wider_than_asked_and_holds_its_marks(memories: Memories, width: int) -> None:
    text = "あ" * 300 + "抹茶👨‍👩‍👧" + "い" * 300
    memories.remember(text)
    excerpt = memories.excerpt(memories.recall("抹茶").hits[0], width=width)
    assert 0 < excerpt.end - excerpt.start <= width
    assert all(excerpt.start <= start < end <= excerpt.end for start, end in excerpt.marks)
    assert "抹茶" in marked(text, excerpt.marks)[0]


@given(st.text(alphabet="ｶﾞ㍿①か\u3099e\u0301👨👩👧\u200d🏽🇯🇵東京ﬁß각ㄱ\u1100\u1161\u11a8 aZ。\u00ad", max_size=30))
def test_places_of_the_plain_form_are_places_of_the_text(text: str) -> None:
    assert "".join(plain(text[start:end]) for start, end in clusters(text)) == plain(text)
    offsets = Offsets(text)
    folded = plain(text)
    for at in range(len(folded)):
        start, end = offsets.span(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert folded[at] in plain(text[start:end])
        assert border(text, start) == start
        assert border(text, end) == end
        first, last = offsets.plain_span(start, end)
        assert first <= at < last
        assert offsets.span(first, last) == (start, end)


@pytest.mark.parametrize("unit", ["🇯🇵", "🇯🇵 ", "e\u0301", "か\u3099", "👩\u200d"])
def test_the_work_of_an_excerpt_grows_with_the_length_of_the_text_and_no_faster(unit: str) -> None:
    short, long = (calls(partial(glimpse, unit * count, [unit])) for count in (100, 400))
    assert long <= 4.5 * short + 1000


def test_texts_whose_places_are_not_looked_up_have_the_places_of_their_plain_form() -> None:
    alone = [each for each in map(chr, range(sys.maxunicode + 1)) if ONE_BY_ONE.fullmatch(each)]
    assert set("京都、「東京」ｶ“北京”tea é") - set(alone) == {"ｶ"}
    for each in alone:
        text = f"あ{each}e"
        assert list(clusters(text)) == [(0, 1), (1, 2), (2, 3)]
        assert [plain(one) for one in text] == list(plain(text)), each


@given(st.text(max_size=40), st.text(max_size=8))
def test_marks_are_slices_in_order(text: str, query: str) -> None:
    terms = {word.term for word in ANALYZER.query(query).words}
    ends = [0]
    for start, end in ANALYZER.marks(text, terms):
        assert ends[-1] <= start < end <= len(text)
        ends.append(end)
        assert unicodedata.category(text[start]) not in {"Mn", "Me"} or start == 0
