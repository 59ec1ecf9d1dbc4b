"""Which texts say the same, but for how they are written."""

import pytest

from omoide.text import fold_statement

SAME = [
    ("抹茶が好き", "抹茶が好き。"),
    ("毎朝、抹茶を飲む", "毎朝 抹茶を飲む｡"),
    ("喜欢茶，也喜欢咖啡", "喜歡茶,也喜歡咖啡！"),
    ("住在  北京", "住在北京"),
    ("Prefers tea, not coffee.", "prefers tea not COFFEE"),
    ("Ｕｓｅｓ　Ｒｕｓｔ", "uses Rust"),
    ("Rust で書く", "Rustで書く"),
    ("I don’t eat “natto”", 'I don\'t eat "natto".'),
    ("彼女は‘OK’と言った", "彼女は'OK'と言った。"),
    ("他说“好”", '他说"好"'),
    ("気温は−5度", "気温は-5度"),
    ("open 10–12", "open 10-12"),
]
OTHER = [
    ("抹茶が好き", "抹茶が好き？"),
    ("喜欢茶", "不喜欢茶"),
    ("works in room 101", "works in room 102"),
    ("version 1.5", "version 15"),
    ("C++", "C"),
    ("a notable thing", "a not able thing"),
    ("10:30に会う", "1030に会う"),
    ("コーヒ", "コーヒー"),
    ("书名《家》", "书名“家”"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_pauses_blanks_and_spellings_do_not_change_a_statement(one: str, other: str) -> None:
    assert fold_statement(one) == fold_statement(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_changes_the_meaning_stays(one: str, other: str) -> None:
    assert fold_statement(one) != fold_statement(other)
