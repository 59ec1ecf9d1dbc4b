"""Which sentences deny something."""

import pytest

from omoide.memory.denial import denies


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
    ],
)
def test_a_sentence_denies(text: str, denied: bool) -> None:
    assert denies(text) is denied
