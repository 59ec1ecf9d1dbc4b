"""Are date expressions understood? Share of labelled cases by language, and what was missed.

Useful for: judging `omoide.dates` on cases of the form `{text, ref, results, relative}`, and the time it takes to read texts.
Invariant: a case passes when for each of its labelled dates one of the mentions found agrees with the `past` reading:
both ends within a day, or intersection over union at least .8; cases with only a future reading are counted separately.
A label of kind `datetime` with an open end is an instant. All mentions count, certain or not; extra ones are not penalised.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.dataset import placed
from bench.options import at_least, new_file
from bench.published import as_published
from omoide.dates import Interval, find

DAY = timedelta(days=1)
ENOUGH_OVERLAP = 0.8
COLUMNS = ("relative", "all", "future only", "not found", "wrong")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: `verdict` is passed, wrong, not found or future only; `found` is what was understood instead."""

    id: str
    language: str
    relative: bool
    verdict: str
    text: str
    wanted: list[str]
    found: list[str]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench dates", description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path, help="cases.jsonl files")
    parser.add_argument("--json", type=new_file, help="write the outcome of every case here")
    parser.add_argument(
        "--failures", type=at_least(0), default=0, metavar="N", help="print N failures of each language"
    )
    options = parser.parse_args(argv)
    missing = [str(path) for path in options.cases if not path.is_file()]
    if missing:
        parser.error(f"no such file: {', '.join(missing)}")
    outcomes = [one for path in options.cases for one in judged(path)]
    print(table(outcomes))
    print()
    print(time_table())
    print_failures(outcomes, options.failures)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in outcomes], ensure_ascii=False, indent=1))
    return 0


#: Texts to time: (kind, text).
TIMED = (
    ("no date, en", "what is the capital of France and why does she like it"),
    ("no date, ja", "京都で飲んだ抹茶の名前は何ですか"),
    ("no date, zh", "她为什么喜欢在京都喝抹茶"),
    ("trap, en", "may I use port 8080 in 1024 dimensions"),
    ("one date, en", "what happened last week in Kyoto?"),
    ("one date, ja", "先週の会議で決まったこと"),
    ("one date, zh", "上周的会议决定了什么"),
    ("100,000 characters: dates", "2024年1月" * 14_286),
    ("100,000 characters: days", "今日" * 50_000),
    ("100,000 characters: numbers", "1-" * 50_000),
    ("100,000 characters: beginnings", "from 1 to the last " * 5_264),
    ("100,000 characters: Han", "上前一" * 33_334),
    ("100,000 characters: letters", "a" * 100_000),
)
ROUNDS = 5


def time_table() -> str:
    """Microseconds to find the dates of a text, the best of some rounds."""
    now = datetime(2025, 11, 21, tzinfo=timezone.utc)

    def once(text: str) -> float:
        begin = perf_counter()
        find(text, now=now, zone=timezone.utc)
        return perf_counter() - begin

    rows = [f"{kind:<34}{min(once(text) for _ in range(ROUNDS)) * 1e6:>14,.1f} µs" for kind, text in TIMED]
    return "\n".join(rows)


def judged(path: Path) -> Iterator[Outcome]:
    """Judge each case of a file. Raises BadSet."""
    for place, case in placed(path):
        with as_published(place):
            outcome = judge(case)
        yield outcome


def judge(case: Mapping[str, Any]) -> Outcome:
    """Compare the dates found in the text with the labels."""
    now = instant(case["ref"])
    assert now is not None
    wanted = [(one["kind"], one["past"]) for one in case["results"] if one["past"] is not None]
    mentions = find(case["text"], now=now, zone=timezone.utc)
    return Outcome(
        id=case["id"],
        language=case.get("lang") or case["id"].split("/")[0],
        relative=case["relative"],
        verdict=verdict(wanted, [one.interval for one in mentions]),
        text=case["text"],
        wanted=[f"{one['text']}: {one['past']}" for one in case["results"]],
        found=[f"{one.text}: {one.interval.start} .. {one.interval.end}" for one in mentions],
    )


def verdict(wanted: Sequence[tuple[str, Sequence[str | None]]], found: Sequence[Interval]) -> str:
    if not wanted:
        return "future only"
    if not found:
        return "not found"
    labels = [label(kind, past) for kind, past in wanted]
    return "passed" if all(any(agrees(one, other) for other in found) for one in labels) else "wrong"


def label(kind: str, past: Sequence[str | None]) -> Interval:
    start, end = instant(past[0]), instant(past[1])
    return Interval(start, start if kind == "datetime" and end is None else end)


def instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc) if text else None


def agrees(one: Interval, other: Interval) -> bool:
    """Whether both ends are within a day, or the intervals overlap enough."""
    return (_near(one.start, other.start) and _near(one.end, other.end)) or overlap(one, other) >= ENOUGH_OVERLAP


def _near(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= DAY


def overlap(one: Interval, other: Interval) -> float:
    """Intersection over union of two closed intervals; 0 when either is open."""
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return 0.0
    union = (max(one.end, other.end) - min(one.start, other.start)).total_seconds()
    common = (min(one.end, other.end) - max(one.start, other.start)).total_seconds()
    return max(common, 0.0) / union if union else 1.0


def table(outcomes: Sequence[Outcome]) -> str:
    """Rows by language: share passed of the relative and of all cases with a past reading, then counts."""
    languages = sorted({one.language for one in outcomes})
    rows = [row(name, [one for one in outcomes if one.language == name]) for name in languages]
    head = f"{'language':<10}" + "".join(f"{column:>22}" for column in COLUMNS)
    return "\n".join([head, *rows])


def row(language: str, outcomes: Sequence[Outcome]) -> str:
    counts = Counter(one.verdict for one in outcomes)
    cells = [
        share([one for one in outcomes if one.relative]),
        share(outcomes),
        *(str(counts[column]) for column in COLUMNS[2:]),
    ]
    return f"{language:<10}" + "".join(f"{cell:>22}" for cell in cells)


def share(outcomes: Sequence[Outcome]) -> str:
    resolved = [one for one in outcomes if one.verdict != "future only"]
    passed = sum(one.verdict == "passed" for one in resolved)
    return f"{passed}/{len(resolved)} = {passed / len(resolved):.3f}" if resolved else "none"


def print_failures(outcomes: Sequence[Outcome], limit: int) -> None:
    failed = [one for one in outcomes if one.verdict in {"wrong", "not found"}]
    for language in sorted({one.language for one in failed}):
        for one in [other for other in failed if other.language == language][:limit]:
            print(f"\n{one.id} {'relative ' if one.relative else ''}{one.verdict}: {one.text}")
            print("  wanted " + "; ".join(one.wanted))
            print("  found  " + "; ".join(one.found))
