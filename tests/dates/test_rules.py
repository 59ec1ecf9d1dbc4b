"""A rule that is not tried at a word would have read nothing there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.dates.frame import BLANK, Frame
from omoide.dates.lexer import Tokens
from omoide.dates.parts import RULES
from omoide.dates.parts.chunk import Reading
from omoide.dates.terms import TERMS
from tests.dates.test_languages import EXPRESSIONS

#: What some rules read that stands in no table.
MORE = (
    "for 3 days from monday; half next years; the 5 past years; 2.5 past years; few next weeks; five past years; in about a week; "
    "the week starting monday; now; year to date; ytd; eoy; year 247; week 31; w/c feb 4; the week of the 18th; "
    "大年三十; 正月; 八月初三; 上半月; 去年の前半; 年の前半; twentieth century; nineteenth century; twenty tens; twenties; "
    "third quarter; 第三四半期; nine thirty; 8 o'clock; one to five may; 4 to 22 january; the 4th to 22nd of may; "
    "one second half of march; twenty third week of; 3 mondays of july; my morning"
).split("; ")
SAID = (
    BLANK,
    Frame(month=3),
    Frame(year=2024),
    Frame(month_shift=-1),
    Frame(weekday=0),
    Frame(edge="end"),
    Frame(day=3),
)
READINGS = (Reading(), Reading("day_first", japanese=True), Reading("day_first", whole=True))


def check(text: str) -> None:
    tokens = Tokens(text)
    for at in range(len(tokens)):
        parts, terms = RULES.beginning(tokens, at), TERMS.beginning(tokens, at)
        for reading in READINGS:
            assert not [rule for rule in TERMS.all if rule not in terms and rule(tokens, at, reading, 0)]
            for said in SAID:
                assert not [rule for rule in RULES.all if rule not in parts and rule(tokens, at, said, reading)]


@pytest.mark.parametrize("language", EXPRESSIONS)
def test_a_rule_reads_nothing_in_an_expression_at_words_it_is_not_tried_at(language: str) -> None:
    for expression in (*EXPRESSIONS[language], *MORE):
        check(expression)


@given(st.lists(st.sampled_from([word for some in EXPRESSIONS.values() for word in some]), min_size=2, max_size=4))
def test_nor_where_expressions_meet(expressions: list[str]) -> None:
    check(" ".join(expressions))
    check("".join(expressions))


@pytest.mark.parametrize("word", ["march", "日", "tomorrow", "去年"])
def test_few_rules_are_tried_at_a_word(word: str) -> None:
    assert 0 < len(RULES.beginning(Tokens(word), 0)) < len(RULES.all) // 3


@pytest.mark.parametrize("text", ["2011年", "3月", "7点", "二十三日", "3 weeks", "2023?"])
def test_few_are_tried_at_a_number_before_what_stands_behind_it(text: str) -> None:
    assert 0 < len(RULES.beginning(Tokens(text), 0)) < 7
