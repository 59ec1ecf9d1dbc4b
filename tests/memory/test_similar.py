"""What reads like a text: the same in both directions, whatever script."""

import pytest

from omoide.memory import Memories
from omoide.model.condition import Equals

PAIRS = [
    ("ログインの流れを説明する文書", "利用者のログインの流れを説明する文書"),
    ("会议记录保存在数据库里面", "会议记录都保存在数据库里面"),
    ("The login flow keeps a session cookie", "The login flow keeps one session cookie"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_likeness_has_no_direction(memories: Memories, one: str, other: str) -> None:
    stored = {text: memories.remember(text).memory for text in (one, other, "週末は山に登る", "周末去爬山")}
    ((twin, whole), (near, there)) = memories.alike(one, limit=10, at_least=0.7)
    (_, (back_near, back)) = memories.alike(other, limit=10, at_least=0.7)
    assert (twin, near, back_near) == (stored[one], stored[other], stored[one])
    assert whole == pytest.approx(1.0, abs=0.01)
    assert there == pytest.approx(back, abs=0.01)


@pytest.mark.parametrize(("stored", "asked"), [("ｶﾋﾟﾊﾞﾗ", "カピバラ"), ("台灣", "台湾"), ("ＡＵＴＨ", "auth")])
def test_spellings_of_one_text_are_the_same(memories: Memories, stored: str, asked: str) -> None:
    memories.remember(stored)
    assert [likeness for _, likeness in memories.alike(asked, limit=10, at_least=0.7)] == [pytest.approx(1.0, abs=0.01)]


def test_what_is_not_allowed_is_not_compared(memories: Memories) -> None:
    memories.remember("会议改到星期三")
    assert memories.alike("会议改到星期三", where=Equals("scope", "cc"), limit=10, at_least=0.0) == []
