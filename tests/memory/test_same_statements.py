"""Which texts say the same: spelling, pauses and polite ends aside, and nothing else."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import _engine
from omoide.memory.statements import Statement, holders, same
from omoide.text import essences_of, fold, wording_of

SAME = [
    ("抹茶が好き。", "抹茶が好きです"),
    ("京都で抹茶を飲んだよ。", "京都で抹茶を飲んだ"),
    ("行きましたよね。", "行きました。"),
    ("ｻｰﾊﾞｰは８０８０番で動く。", "サーバーは8080番で動く"),
    ("価格は1,000円です。", "価格は1,000円"),
    ("「抹茶」が好き", "抹茶が好き"),
    ("我喜欢喝茶", "我喜歡喝茶。"),
    ("用户的猫叫小黑", "用户猫叫小黑"),
    ("会议，在星期三！", "会议在星期三"),
    ("The user prefers dark mode.", "User prefers dark mode"),
    ("A kitten sat on the mat", "the kitten sat on a mat!"),
    ("ＡＰＩ key: abc", "api key: abc"),
    (
        "The new logo is shown to the design team on Friday at noon",
        "The new logo is also shown to the design team on Friday at noon",
    ),
    (
        "The new logo is shown to the design team on Friday at noon",
        "The new logo is shown to the design team on Friday at noon too",
    ),
    ("新しいロゴは金曜の正午に京都の設計チームに見せる", "新しいロゴは金曜の正午に京都の設計チームに見せるの"),
]
DIFFERENT = [
    ("101号室を予約した。", "102号室を予約した。"),
    ("コーヒーが好き。", "コーヒーが好きではない。"),
    ("太郎が花子に本を貸した", "太郎に花子が本を貸した"),
    ("行くな", "行く"),
    ("飲んだ", "飲みたい"),
    ("会議室は三階だ", "会議室は四階だ"),
    ("我喜欢喝茶", "我不喜欢喝茶"),
    ("张伟主持会议", "李娜主持会议"),
    ("他去年在上海工作", "他今年在上海工作"),
    ("他走了", "他走"),
    ("room 101 is booked", "room 102 is booked"),
    ("version 1.5 works", "version 15 works"),
    ("Alice called Bob", "Bob called Alice"),
    ("She moved from Paris to Berlin", "She moved to Paris from Berlin"),
    ("Alice lives in Paris", "Alice lived in Paris"),
    ("Plan A is ready", "Plan is ready"),
    ("I use C++", "I use C"),
    ("気温は-5度。", "気温は5度。"),
    ("气温-5度", "气温5度"),
    ("It was -5 degrees", "It was 5 degrees"),
    ("Is the door open?", "The door is open"),
    (
        "The new logo is shown to the design team on Friday at noon",
        "The new logo is shown to the design team and Ken on Friday at noon",
    ),
    (
        "The new logo is shown to the design team on Friday at noon",
        "The new logo is shown to the design team on Friday at 12 noon",
    ),
    (
        "The new logo is shown to the design team on Friday at noon",
        "The new logo is never shown to the design team on Friday at noon",
    ),
    ("", "。"),
]


@pytest.mark.parametrize(
    ("one", "other", "expected"), [*((*pair, True) for pair in SAME), *((*pair, False) for pair in DIFFERENT)]
)
def test_texts_say_the_same_in_either_order(one: str, other: str, expected: bool) -> None:
    first, second = Statement.of(one), Statement.of(other)
    assert (same(first, second), same(second, first)) == (expected, expected)
    assert same(first, first)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_texts_that_say_the_same_are_quickly_taken_for_it(one: str, other: str) -> None:
    first, second = wording_of(one), wording_of(other)
    assert essences_of([one]) == essences_of([other])
    assert (first.is_near(second), second.is_near(first)) == (True, True)


WRITTEN = st.lists(st.sampled_from(["お", "茶", "ね", "喝", "tea", "Tea", "no ", "7", "的", "。"]), max_size=24).map(
    "".join
)


@given(st.lists(WRITTEN, max_size=6), st.data())
def test_of_two_texts_that_say_the_same_one_holds_the_other(texts: list[str], data: st.DataObject) -> None:
    for text in tuple(texts):  # the same with one word more
        place = data.draw(st.integers(0, len(text)))
        texts.append(f"{text[:place]}ね{text[place:]}")
    statements = list(map(Statement.of, texts))
    held_by = holders(statements)
    for one, other in combinations(statements, 2):
        assert not same(one, other) or set(held_by[one.parts]) & set(held_by[other.parts])


@given(
    st.text(
        st.sampled_from("東京臺灣的三すカ会议 aB.5３％！…℃③﹐︰豈👍🏽é\u00c9ﾊﾞｱＡ\u0301\u200d\u3000\ud800𠮷"),
        max_size=40,
    )
)
def test_the_essence_of_a_text_as_it_was_written_is_that_of_what_it_folds_to(text: str) -> None:
    assert essences_of([text]) == [_engine.essence(fold(text))]


WORDINGS = st.lists(st.sampled_from(["one", "two", "new", "книга", "room", "the", "über", "x", "y", "z"]), max_size=12)


@given(WORDINGS, WORDINGS)
def test_texts_are_near_each_other_when_at_most_two_words_differ_and_one_more_for_four(
    one: list[str], other: list[str]
) -> None:
    words, others = set(one) - {"the"}, set(other) - {"the"}
    near = len(words ^ others) <= 2 + max(len(words), len(others)) // 4
    assert wording_of(" ".join(one)).is_near(wording_of(", ".join(other))) is near
