"""Matched terms are shown as they were asked for."""

import pytest

from omoide.text import Analyzer, Spelling

ANALYZER = Analyzer()


@pytest.mark.parametrize(
    ("query", "terms", "written"),
    [
        ("ジブリが好き", ["ジブリ", "好キ", "好", "キ"], ("ジブリ", "好き")),
        ("臺灣的記憶", ["台湾", "台", "湾", "记忆"], ("臺灣", "記憶")),
        ("She was Running home", ["run", "home"], ("running", "home")),
        ("抹茶", ["elsewhere"], ("elsewhere",)),
    ],
)
def test_terms_are_spelled_as_in_the_query(query: str, terms: list[str], written: tuple[str, ...]) -> None:
    assert Spelling(query, ANALYZER.query(query)).of(terms) == written
