"""Names and texts that are the same to a reader fold to the same."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from omoide.store.folding import fold_case, spellings

SAME = [
    ("Kyoto", "ＫＹＯＴＯ"),
    ("カフェ", "ｶﾌｪ"),
    ("ガ", "ｶﾞ"),
    ("が", "か\u3099"),
    ("株式会社", "㍿"),
    ("第1回", "第①回"),
    ("Straße", "STRASSE"),
    ("Éric", "e\u0301RIC"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("李", "\uf9e1"),
]
DIFFERENT = [("かな", "カナ"), ("記憶", "记忆"), ("は", "ば"), ("a", "á"), ("", " ")]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_forms_of_one_name_fold_to_the_same(one: str, other: str) -> None:
    assert fold_case(one) == fold_case(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert fold_case(one) != fold_case(other)


@pytest.mark.parametrize("name", ["Kyoto", "東京", "让·雅克", "ジャン＝リュック", ""])
def test_most_names_are_typed_in_one_way(name: str) -> None:
    assert spellings(name) == []


@pytest.mark.parametrize(
    ("one", "other"), [("O'Brien", "O’BRIEN"), ("Jean-Luc O’Hara", "jean\u2010luc o'hara"), ("甲－乙", "甲–乙")]
)
def test_apostrophes_and_hyphens_are_typed_in_several(one: str, other: str) -> None:
    assert fold_case(other) in spellings(one)
    assert fold_case(one) in spellings(other)
    assert fold_case(one) not in spellings(one)


def test_folding_twice_changes_nothing_more() -> None:
    characters = (chr(point) for point in range(0x20000))
    assert [c for c in characters if fold_case(fold_case(f"a{c}\u0345が")) != fold_case(f"a{c}\u0345が")] == []


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
@example("\u1fb3\u0301")
@example("a\u0345\u0301")
@example("İstanbul ǅ ŉ ﬃ")
@example("パーティーは３日、밥")
def test_every_text_folds_as_unicode_defines(text: str) -> None:
    once = normalize("NFKC", normalize("NFD", text).casefold())
    assert fold_case(text) == normalize("NFKC", once.casefold())
