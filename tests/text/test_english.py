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
        ("isn’t", ("isn't", False)),
        ("лʼю", ("л'ю", False)),
    ],
)
def test_an_apostrophe_is_one_however_it_is_typed(typed: str, expected: tuple[str, bool]) -> None:
    assert term(typed) == expected == term(typed.replace("’", "'").replace("ʼ", "'"))
