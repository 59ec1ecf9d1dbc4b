"""English stems are those of the word alone, whoever asks for another at the same time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from omoide.text.english import stem, term

#: Made of beginnings and ends, so that no word has been met before.
WORDS = [
    f"{first}{end}" for first, end in product(map("bcdfghjklm{}ation".format, range(120)), ("", "s", "al", "ness"))
]


@pytest.fixture
def eager_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_stems_asked_for_at_the_same_time_are_those_asked_for_in_turn() -> None:
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(stem, WORDS)) == [stem(word) for word in WORDS]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("cat’s", ("cat", False)),
        ("o’brien’s", ("o'brien", False)),
        ("catʼs", ("cat", False)),
        ("don’t", ("don't", True)),
        ("isn’t", ("isn't", True)),
        ("where’s", ("where", True)),
        ("they’re", ("they'r", True)),
        ("anna’s", ("anna", False)),
        ("лʼю", ("л'ю", False)),
    ],
)
def test_an_apostrophe_is_one_however_it_is_typed(typed: str, expected: tuple[str, bool]) -> None:
    assert term(typed) == expected == term(typed.replace("’", "'").replace("ʼ", "'"))


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("PDFs", "PDF"),
        ("LLMs", "LLM"),
        ("GPUs", "GPU"),
        ("buses", "bus"),
        ("lenses", "lens"),
        ("menus", "menu"),
        ("kgs", "kg"),
    ],
)
def test_several_have_the_term_of_one(several: str, one: str) -> None:
    assert term(several.lower()) == term(one.lower())


@pytest.mark.parametrize("word", "css dns https sms boss".split())
def test_what_ends_in_s_by_itself_is_not_several(word: str) -> None:
    assert term(word) == (word, False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("business", "busy"),
        ("important", "import"),
        ("experiments", "experience"),
        ("departments", "depart"),
        ("engineer", "engine"),
        ("customers", "custom"),
        ("physical", "physics"),
        ("tired", "tires"),
        ("United", "unit"),
        ("animals", "anime"),
        ("parking", "park"),
        ("presentation", "present"),
        ("authorized", "author"),
        ("quite", "quit"),
        ("suite", "suit"),
        ("officer", "office"),
        ("relative", "related"),
        ("disability", "disabled"),
        ("customs", "customized"),
        ("staging", "stage"),
        ("marketing", "market"),
        ("angling", "angle"),
        ("expenses", "expensive"),
        ("incoming", "income"),
        ("empirical", "empire"),
        ("detective", "detected"),
        ("glasses", "glass"),
    ],
)
def test_words_that_have_nothing_to_do_with_each_other_have_two_terms(one: str, other: str) -> None:
    assert term(one.lower()) != term(other)
