"""The shipped tables say what the libraries they were made from say."""

import pytest

from omoide.text import fold
from omoide.text.make_tables import build_han_variants, build_loanwords
from omoide.text.tables import han_variants, loanwords


def test_the_table_of_variants_is_what_opencc_says() -> None:
    built = build_han_variants()
    assert han_variants() == ("".join(built), "".join(built.values())), "run: python -m omoide.text.make_tables"


def test_a_folded_character_folds_no_further() -> None:
    characters, folded = han_variants()
    assert not set(characters) & set(folded)


@pytest.mark.parametrize(
    ("one", "other"), [("滬", "沪"), ("濾", "滤"), ("敘", "叙"), ("戯", "戏"), ("氣", "気"), ("裡", "裏")]
)
def test_forms_of_one_character_meet(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("japanese", "latin"),
    [("コンピューター", "computer"), ("サーバー", "server"), ("富士通", "fujitsu"), ("ライト", "light")],
)
def test_a_loanword_knows_where_it_came_from(japanese: str, latin: str) -> None:
    assert latin in loanwords()[japanese].split()


def test_the_smaller_dictionary_has_no_loanword_the_table_lacks() -> None:
    known = {(word, latin) for word, all_latin in loanwords().items() for latin in all_latin.split()}
    small = {(word, latin) for word, all_latin in build_loanwords("small").items() for latin in all_latin.split()}
    assert len(small) > 1_000
    assert small <= known, "run: python -m omoide.text.make_tables"
