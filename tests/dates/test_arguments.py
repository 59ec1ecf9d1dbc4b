"""What is a date as a whole argument, where inside a text it may be anything."""

from __future__ import annotations

from datetime import datetime

import pytest

from omoide import dates
from tests.dates.test_languages import ZONE

NOW = datetime(2024, 2, 29, 9, 30, tzinfo=ZONE)

ARGUMENTS = [
    ("上旬", (2024, 2, 1), (2024, 2, 11)),
    ("中旬", (2024, 2, 11), (2024, 2, 21)),
    ("下旬", (2024, 2, 21), (2024, 3, 1)),
    ("月中", (2024, 2, 10), (2024, 2, 21)),
    ("年中", (2024, 5, 2), (2024, 9, 1)),
    ("周中", (2024, 2, 27), (2024, 3, 2)),
    ("本年度の", (2023, 4, 1), (2024, 4, 1)),
    ("本年度", (2024, 1, 1), (2025, 1, 1)),
    ("次年度の", (2024, 4, 1), (2025, 4, 1)),
    ("so far this month", (2024, 2, 1), (2024, 3, 1)),
]


@pytest.mark.parametrize(("text", "start", "end"), ARGUMENTS)
def test_an_argument_is_read_as_a_date(text: str, start: tuple[int, int, int], end: tuple[int, int, int]) -> None:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    assert mention is not None
    assert mention.interval == dates.Interval(datetime(*start, tzinfo=ZONE), datetime(*end, tzinfo=ZONE))


@pytest.mark.parametrize("text", ["年中无休", "三月中旬", "2024年中秋节", "the so far best month", "本期下旬刊"])
def test_nothing_of_it_is_taken_for_a_date_that_is_another_word(text: str) -> None:
    parts = ("年中", "月中", "so far", "下旬")
    assert not [found.text for found in dates.find(text, now=NOW, zone=ZONE) if found.text in parts and found.explicit]
