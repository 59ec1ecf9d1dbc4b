"""Every example in the table of docs/dates.md is understood."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path

import pytest

from omoide import dates

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
