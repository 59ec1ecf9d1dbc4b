"""What is shown of a text: whole sentences where possible, never half a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text import first_sentence, fold, glimpse, line_of, sentences, snippets
from omoide.text.highlight import _glimpse_by_tables, cut

LONG = "今日は天気がいい。" * 10 + "明日は京都で抹茶を飲む。" + "明後日は雨らしい。" * 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今日は晴れ。明日は雨！", ["今日は晴れ。", "明日は雨！"]),
        ("好的？是的。", ["好的？", "是的。"]),
        ("Version 2.3 is out. Try it!", ["Version 2.3 is out.", "Try it!"]),
        ("「本当？」と聞いた。", ["「本当？」", "と聞いた。"]),
        ("一行目\n二行目", ["一行目", "二行目"]),
        (" \n ", []),
    ],
)
def test_sentences_end_where_their_language_ends_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        (LONG, ["抹茶"], "明日は京都で抹茶を飲む。"),
        ("I like tea. Bob likes coffee.", ["coffe"], "Bob likes coffee."),
        ("我喜欢茶。他喜歡咖啡。", ["咖啡"], "他喜歡咖啡。"),
        ("first. second.", [], "first."),
        ("", ["茶"], ""),
    ],
)
def test_the_sentence_with_most_terms_is_shown(text: str, terms: list[str], expected: str) -> None:
    start, end = glimpse(text, [fold(term) for term in terms])
    assert text[start:end] == expected


ALPHABET = "東京臺灣すカー會议 ab.!?。！？」』)\"'\n\t\x1c\u3000…℃³﹐︰①👍🏽ﾊﾞéｱＡ\u0301\u200d"


@given(
    st.text(st.sampled_from(ALPHABET), max_size=60),
    st.lists(st.text(st.sampled_from("東台ス会 ab"), max_size=3), max_size=4),
    st.integers(0, 20),
)
def test_the_quick_way_to_show_a_text_and_the_one_by_tables_agree(text: str, terms: list[str], width: int) -> None:
    shown = _glimpse_by_tables(text, terms, width)
    assert glimpse(text, terms, width) == shown
    both = snippets([text, LONG, text], [terms, [], terms], width)
    assert both == [line_of(text, *shown), *snippets([LONG], [[]], width), line_of(text, *shown)]


def test_a_term_far_into_a_long_sentence_is_in_view() -> None:
    text = "あ" * 500 + "抹茶" + "い" * 500
    start, end = glimpse(text, ["抹茶"], width=40)
    assert ("抹茶" in text[start:end], end - start <= 40) == (True, True)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("短い", 10, "短い"),
        ("abcdefghij", 8, "abcde..."),
        ("abcd👨‍👩‍👧xyzw", 8, "abcd..."),
        ("abce\u0301fghij", 7, "abc..."),
        ("abcd🇯🇵🇨🇳xyz", 8, "abcd..."),
        ("abcd👍🏽xyzw", 8, "abcd..."),
    ],
)
def test_a_cut_never_splits_a_character(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit) == expected


@given(st.text(), st.integers(3, 50))
def test_a_cut_fits(text: str, limit: int) -> None:
    assert len(cut(text, limit)) <= max(limit, 3)
    assert len(first_sentence(text, limit)) <= limit
