"""What the engine finds of the tables' words in a text, held against the plain definition of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from opencc import OpenCC

from omoide.dates import grammar, numbers
from omoide.dates.fold import fold
from omoide.dates.lexer import TELLING, Token, Tokens, as_read, may_hold_date
from omoide.dates.parts.chunk import Reading
from omoide.dates.words import Senses, en, ja, zh

WORDS: dict[str, Senses] = {}
for table in (en.WORDS, zh.WORDS, ja.WORDS):
    for kind, values in table.items():
        for value, spelled in values.items():
            for one in spelled.split():
                WORDS.setdefault(fold(one).replace("_", " "), {}).setdefault(kind, value)
CHINESE = {fold(word) for values in zh.WORDS.values() for spelled in values.values() for word in spelled.split()}
LONGEST = sorted(WORDS, key=len, reverse=True)
#: Words of the tables among others, and what stands between them.
PIECES = st.one_of(
    st.sampled_from(LONGEST),
    st.sampled_from(
        "日本 春子 部分 Caroline v2.3 8080 2024 12/3 3p '98 第一四半期 二〇一八 廿一 123456789 ٣٤ ② Ａｐｒｉｌ 週 mayor".split()
    ),
    st.sampled_from(list("のはがと多个号刻元期一四十/.,:-'() \n\t\u3000\x1f\ud800😀é")),
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["", " ", "  "])), max_size=10).map(
    lambda pieces: "".join(piece + gap for piece, gap in pieces)
)


def plain_tokens(text: str) -> list[Token]:
    """At each place the longest word, else digits, Han numerals, Latin letters or a character."""
    tokens: list[Token] = []
    place, end = 0, 0
    while found := re.compile(r"\s*(\d+|[a-z]+|\S)", re.S).match(text, place):
        start = found.start(1)
        said, senses = plainly_said(text, start, found.group(1))
        tokens.append(Token(said, start, start + len(said), senses, start == end > 0))
        place = end = start + len(said)
    return [token._replace(text=re.sub(r"\s+", " ", token.text) if token.senses else token.text) for token in tokens]


def plainly_said(text: str, start: int, shortest: str) -> tuple[str, Senses]:
    if shortest.isdecimal():
        return shortest, {"num": int(shortest)} if len(shortest) <= 8 else {}
    for word in LONGEST:
        if word[0] == text[start] and (found := spelled_as(word).match(text, start)):
            return found.group(), WORDS[word]
    numerals = re.compile(f"[{numbers.CHARACTERS}]+").match(text, start)
    if numerals is None:
        return shortest, {}
    run = numerals.group()
    run = run[:-1] if len(run) > 1 and text[numerals.end() - 1 :].startswith("四半期") else run
    return run, numbers.senses(run)


def spelled_as(word: str) -> re.Pattern[str]:
    """A word that begins with Latin letters has all of those that stand together, and any space between its words."""
    latin = re.match("[a-z]", word) is not None
    spelled = re.escape(word).replace(r"\ ", r"\s+") if latin else re.escape(word)
    return re.compile(spelled + (r"(?![a-z])" if latin and word[-1].isalpha() else ""))


def readable(text: str) -> str:
    """Half of a character is no part of a date."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


@given(st.one_of(TEXTS, st.text(max_size=40)))
def test_tokens_are_those_of_the_plain_definition(text: str) -> None:
    assume(as_read(text) == text)
    tokens = Tokens(text)
    assert tokens.text == readable(fold(text))
    assert tokens.all == plain_tokens(tokens.text)


@pytest.mark.parametrize("word", LONGEST)
def test_every_word_of_the_tables_is_one_token(word: str) -> None:
    assert [(token.text, token.senses) for token in Tokens(word).all] == [(word, WORDS[word])]


@pytest.mark.parametrize(
    "word",
    [word for word in LONGEST if {"weekday", "period", "holiday", "era", "vague", "edge_of"} & WORDS[word].keys()],
)
def test_a_word_that_tells_of_a_date_by_itself_has_a_text_read(word: str) -> None:
    often_otherwise = word in {"mon", "tue", "wed", "thu", "fri", "sat", "sun", "s"}
    assert may_hold_date(f"x {word} x") != often_otherwise
    assert may_hold_date(f"x {word} x", surely=True) == (not often_otherwise and one_may_begin(f"x {word} x"))


def one_may_begin(text: str) -> bool:
    """Whether a date that is sure to be one may begin somewhere."""
    return Tokens(text, surely=True).beginnings != []


@given(st.one_of(TEXTS, st.text(max_size=40)), st.booleans())
def test_no_date_begins_where_none_is_looked_for(text: str, japanese: bool) -> None:
    tokens, reading = Tokens(text), Reading(japanese=japanese)
    every, sure = (Tokens(text, surely=surely, always=False) for surely in (False, True))
    assert every.all == (tokens.all if every.beginnings else [])
    assert set(sure.beginnings) <= set(every.beginnings)
    for at in range(len(tokens)):
        term = grammar.read(tokens, at, reading)
        assert term is None or at in (sure if term.sure else every).beginnings


HAN = {word: senses for word, senses in WORDS.items() if not word.isascii()}
HAN_TEXTS = st.lists(
    st.sampled_from([*HAN, *"日 年 月 时 周 春 朝 の は た 本 部 东京 ② ٣ 十 \u3000 ( ) 。".split(" ")]), max_size=6
).map("".join)


@given(HAN_TEXTS, st.booleans())
def test_what_may_hold_a_date_is_told_by_the_plain_definition(text: str, surely: bool) -> None:
    assume(as_read(text) == text and not re.search(r"[a-z0-9]", fold(text)))
    plainly = any(plainly_tells(fold(text), at, surely) for at in range(len(text)))
    assert may_hold_date(text, surely=surely) == (plainly and (not surely or one_may_begin(text)))


def plainly_tells(text: str, at: int, surely: bool) -> bool:
    telling = [word for word in HAN if text.startswith(word, at) and not HAN[word].keys().isdisjoint(TELLING)]
    if not surely:
        return telling != []
    return any(len(word) > 1 or not HAN[word].keys() <= {"unit", "season", "part"} for word in telling) or (
        telling != [] and is_beside_a_word(text, at)
    )


def is_beside_a_word(text: str, at: int) -> bool:
    """Whether a word, number or space is in front of a character, or behind it what is said of units: 年の前半, 月初め."""
    behind = {word[0] for word, senses in HAN.items() if senses.keys() & {"edge", "edge_of", "bound", "halved"}}
    front = text[at - 1] if at > 0 else "x"
    in_front = front.isspace() or front.isdecimal() or front in {word[-1] for word in HAN} | {*numbers.CHARACTERS}
    return in_front or re.match(f"の?[{re.escape(''.join(behind))}{numbers.CHARACTERS}]", text[at + 1 :]) is not None


@pytest.mark.parametrize("text", ["I'm looking for the notes", "5 of m and n", "会議 m 資料", "m 会议"])
def test_the_letter_of_minutes_has_no_text_read_without_digits_in_front(text: str) -> None:
    assert not may_hold_date(text)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("in July 2023", ["july", "2023"]),
        ("in 2 days", ["in", "2"]),
        ("for the meeting of May 3", ["may"]),
        ("for three days from May", ["for", "three", "from", "may"]),
        ("生年月日と昨日", ["昨日"]),
        ("年の前半", ["年"]),
        ("第3代の2024年", ["2024"]),
        ("第3四半期", ["第", "3"]),
        ("哪一年时去年三月", ["一", "去年", "三"]),
    ],
)
def test_no_date_is_sought_where_the_next_word_rules_it_out(text: str, begins: list[str]) -> None:
    tokens = Tokens(text, surely=True)
    assert [tokens.all[at].text for at in tokens.beginnings] == begins


@pytest.mark.parametrize("scheme", ["s2t", "s2tw", "s2hk"])
def test_every_chinese_word_is_found_in_traditional_characters(scheme: str) -> None:
    traditional = OpenCC(scheme)
    assert {word for word in CHINESE if fold(traditional.convert(word)) not in CHINESE} == set()
