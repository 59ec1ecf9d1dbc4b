"""Long texts are cut at the ends of sentences in every script; nothing is lost and nothing is too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.embed.passages import passages, tokens

#: A sentence, and what a passage made of many of them ends with.
SENTENCES = {
    "ja": ("京都で抹茶を飲んだ。", "。"),
    "ja quoted": ("「もう帰る」と言った！」", "」"),
    "zh": ("我们在北京喝了绿茶？", "？"),
    "en": ("We drank tea in Kyoto. ", ". "),
    "ko": ("교토에서 말차를 마셨다. ", ". "),
    "ar": ("هل شربت الشاي؟ ", "؟ "),
    "hi": ("हमने चाय पी। ", "। "),
    "my": ("ကျွန်တော် လက်ဖက်ရည် သောက်တယ်။", "။"),
    "el": ("Ήπιαμε τσάι. ", ". "),
    "lines": ("a line without a full stop\n", "\n"),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_passages_end_where_sentences_end(language: str) -> None:
    sentence, end = SENTENCES[language]
    text = sentence * 40
    cut = passages(text, 60)
    assert len(cut) > 1
    assert all(text[start:stop].endswith(end) for start, stop in cut)
    assert all(text[start:].startswith(sentence) for start, _ in cut)


@pytest.mark.parametrize(
    ("text", "most", "count"),
    [("", 10, 0), ("茶", 10, 1), ("茶" * 10, 10, 1), ("茶" * 11, 10, 2), ("茶、" * 30, 10, 5), ("word " * 100, 20, 9)],
)
def test_what_is_short_stays_whole_and_what_has_no_end_is_cut_anyway(text: str, most: int, count: int) -> None:
    cut = passages(text, most)
    assert len(cut) == count if count < 2 else len(cut) >= count
    assert all(tokens(text[start:stop]) <= most for start, stop in cut)


def test_a_mark_stays_with_its_letter() -> None:
    text = "が".replace("が", "か\u3099") * 50
    assert all(not text[start:stop].startswith("\u3099") for start, stop in passages(text, 10))


@pytest.mark.parametrize("language", SENTENCES)
def test_passages_are_about_equally_long_and_few(language: str) -> None:
    sentence, _ = SENTENCES[language]
    sizes = [stop - start for start, stop in passages(sentence * 41, 200)]
    assert max(sizes) - min(sizes) <= 4 * len(sentence)
    assert len(sizes) <= tokens(sentence * 41) / 200 + 2


@given(st.text(alphabet="茶か\u3099。、aé. \n!？한👍", max_size=300), st.integers(2, 40))
def test_passages_cover_the_text_without_a_gap(text: str, most: int) -> None:
    cut = passages(text, most)
    assert "".join(text[start:stop] for start, stop in cut) == text
    assert all(start < stop for start, stop in cut)
