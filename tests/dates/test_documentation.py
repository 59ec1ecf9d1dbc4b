"""Every example in the table of docs/dates.md is understood, and a test says which interval it is."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path

import pytest

from omoide import dates
from tests.dates.test_languages import EXPRESSIONS

NOW = datetime(2026, 3, 15, 12, tzinfo=timezone.utc)
PAGE = Path(__file__).parents[2] / "docs" / "dates.md"
EXAMPLES = [
    example
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ")
    for example in re.findall(r"`([^`]+)`", line)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_documented_example_is_a_date(example: str) -> None:
    assert dates.parse(example, now=NOW, zone=timezone.utc) is not None


def test_a_documented_example_is_in_the_tables_that_give_its_interval() -> None:
    folder = Path(__file__).parent
    lists = [(folder / f"{name}.py").read_text(encoding="utf-8") for name in ("test_arguments", "test_school_years")]
    listed = {row for rows in EXPRESSIONS.values() for row in rows}
    assert [each for each in EXAMPLES if each not in listed and f'"{each}"' not in "".join(lists)] == []
