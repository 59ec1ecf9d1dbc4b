"""The tables of tests/languages, which a speaker of the language can review: one row, one expression."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from omoide import dates

ZONE = timezone(timedelta(hours=9))
TABLES = {
    table.stem: list(csv.DictReader(table.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    for table in sorted((Path(__file__).parent.parent / "languages").glob("*.tsv"))
}
#: By language.
EXPRESSIONS = {language: [row["expression"] for row in rows] for language, rows in TABLES.items()}
ROWS = [pytest.param(row, id=f"{language}: {row['expression']}") for language, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize("row", ROWS)
def test_an_expression_means_the_interval_of_its_row(row: dict[str, str]) -> None:
    now = datetime.fromisoformat(row["reference"]).replace(tzinfo=ZONE)
    mention = dates.parse(row["expression"], now=now, zone=ZONE)
    assert mention is not None
    assert (mention.interval.start, mention.interval.end) == (instant(row["start"], now), instant(row["end"], now))


@pytest.mark.parametrize("row", ROWS)
def test_it_means_the_same_where_what_has_been_is_asked_for(row: dict[str, str]) -> None:
    """Lengths alone, "within 3 days" and a weekend, which do not, stand in test_arguments.py."""
    now = datetime.fromisoformat(row["reference"]).replace(tzinfo=ZONE)
    either = dates.parse(row["expression"], now=now, zone=ZONE)
    looking_back = dates.parse(row["expression"], now=now, zone=ZONE, about="past")
    assert either is not None
    assert looking_back is not None
    assert looking_back.interval == either.interval


@pytest.mark.parametrize("row", ROWS)
def test_an_expression_is_found_whole_inside_a_text(row: dict[str, str]) -> None:
    now = datetime.fromisoformat(row["reference"]).replace(tzinfo=ZONE)
    text = f"— {row['expression']} —"
    spans = [(one.start, one.end) for one in dates.find(text, now=now, zone=ZONE)]
    lead = len("the ") if row["expression"].startswith("the ") else 0
    assert spans in ([(2, len(text) - 2)], [(2 + lead, len(text) - 2)])


@pytest.mark.parametrize("row", ROWS)
def test_a_question_that_names_it_is_read_for_a_date(row: dict[str, str]) -> None:
    """What is looked for first, whether a text may hold a date, passes over none that is certain."""
    now = datetime.fromisoformat(row["reference"]).replace(tzinfo=ZONE)
    for text in (row["expression"], f"— {row['expression']} —"):
        certain = [one for one in dates.find(text, now=now, zone=ZONE) if one.explicit]
        assert dates.Moment(now, ZONE).sure_mentions(text) == certain


def instant(cell: str, now: datetime) -> datetime | None:
    """`-` is an open end, `now` the end of what reaches up to the reference with it included."""
    if cell == "-":
        return None
    if cell == "now":
        return now + timedelta(microseconds=1)
    return datetime.fromisoformat(cell).replace(tzinfo=ZONE)
