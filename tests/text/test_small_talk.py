"""In a long message the words that are said about anything count little; in a short question every word counts."""

import pytest

from omoide.text import Analyzer

LONG = {
    "en": "Hey, did you know? I really had a great time yesterday, I think we should go camping again with my telescope, "
    "the tent and a guitar, maybe in October, near the lake or the waterfall!",
    "zh": "嘿，你知道吗？我昨天真的特别开心，我觉得我们应该再去露营，带上望远镜、帐篷和吉他，也许十月在湖边或者瀑布附近！",
    "ja": "ねえ、知ってる？昨日は本当に楽しかった。また十月に湖か滝の近くでキャンプをして、望遠鏡とテントとギターを持って行きたいと思う！",
}


def weights(text: str) -> dict[str, float]:
    return {text[word.start : word.end]: word.weight for word in Analyzer().query(text).words if word.weight > 0.0}


@pytest.mark.parametrize(
    ("lang", "light", "telling"),
    [
        ("en", ["really", "great", "time"], ["camping", "telescope", "waterfall"]),
        ("zh", ["真的", "觉得"], ["露营", "望远镜", "瀑布"]),
        ("ja", ["本当", "思う"], ["キャンプ", "ギター", "滝"]),
    ],
)
def test_small_talk_counts_little_in_a_long_message(lang: str, light: list[str], telling: list[str]) -> None:
    found = {word.lower(): weight for word, weight in weights(LONG[lang]).items()}
    assert {word: found[word] for word in telling} == dict.fromkeys(telling, 1.0)
    assert all(0.3 <= found[word] < 0.8 for word in light)


@pytest.mark.parametrize("question", ["what time did we really go", "你觉得真的好吗", "本当に楽しいと思う？"])
def test_every_word_of_a_short_question_counts(question: str) -> None:
    assert set(weights(question).values()) == {1.0}


def test_a_message_of_small_talk_alone_is_asked_for_whole() -> None:
    assert set(weights("know really great time think going again maybe lots").values()) == {1.0}
