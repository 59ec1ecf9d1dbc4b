"""Which sentences deny something."""

import pytest

from omoide.memory.negation import denies


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The user likes coffee.", False),
        ("The user does not like coffee.", True),
        ("She doesn’t drink.", True),
        ("He can't come", True),
        ("Knots and notes", False),
        ("コーヒーが好き。", False),
        ("コーヒーは飲まない。", True),
        ("コーヒーは飲みません。", True),
        ("行かなかった。", True),
        ("コーヒーが苦手だ。", True),
        ("客が少ない。", False),
        ("不動産の無料相談に行った。", False),
        ("喜欢咖啡。", False),
        ("不喜欢咖啡。", True),
        ("还没开始。", True),
        ("我沒去。", True),
        ("这家店很不错。", False),
        ("不仅有茶，还有咖啡。", False),
        ("非常好。", False),
        ("She speaks not only Japanese but Chinese.", False),
        ("He came not just once, and did not stay.", True),
        ("No doubt it was tea.", False),
        ("客が少なかった。", False),
        ("危なくて近づけた人は少ない。", False),
        ("まず、京都に行った。", False),
        ("朝は何も飲まず、出かけた。", True),
        ("明日は必ず、来るはずだ。", False),
        ("来るはずがない。", True),
        ("英語だけでなく、日本語も話す。", False),
        ("英語だけでなく、日本語も話さない。", True),
        ("明日までに払わなければならない。", False),
        ("明日までに払わなければなりません。", False),
        ("早く行かないといけません。", False),
        ("行かざるを得なかった。", False),
        ("雨が降るかもしれません。", False),
        ("犯人は彼に違いない。", False),
        ("遅れてすみません。", False),
        ("つまらない映画を見た。", False),
        ("映画はつまらなくない。", True),
        ("喝了不少茶。", False),
        ("不久以后去了北京。", False),
        ("他说得没错。", False),
        ("要不要去北京？", False),
        ("他能不能来？他不能来。", True),
        ("有没有茶都去。", False),
        ("無論如何都要去。", False),
        ("不只喝茶，也喝咖啡。", False),
    ],
)
def test_a_sentence_denies(text: str, denied: bool) -> None:
    assert denies(text) is denied
