"""The judge of date cases, against cases whose verdict is plain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import dates

FRIDAY = ["2016-11-04", "2016-11-05"]


def case(text: str, kind: str, past: list[str | None] | None) -> dict[str, object]:
    label = {"text": text, "kind": kind, "past": past, "future": past, "mod": None}
    return {"id": "xx/1", "text": text, "ref": "2016-11-07T10:00:00", "results": [label], "relative": True}


@pytest.mark.parametrize(
    ("text", "kind", "past", "verdict"),
    [
        ("see you on Friday", "date", FRIDAY, "passed"),
        ("金曜日に戻ります", "date", FRIDAY, "passed"),
        ("上周五回来的", "date", FRIDAY, "passed"),
        ("yesterday", "date", FRIDAY, "wrong"),
        ("whenever", "date", FRIDAY, "not found"),
        ("next Friday", "date", None, "future only"),
        ("since Friday", "daterange", ["2016-11-04", None], "passed"),
        ("since Friday", "daterange", ["2016-11-04", "2016-11-05"], "wrong"),
        ("today at 8pm", "datetime", ["2016-11-07T20:00:00", None], "passed"),
        ("2014 to 2018", "daterange", ["2014-01-01", "2018-01-01"], "passed"),
        ("2014 to 2016", "daterange", ["2014-01-01", "2016-01-01"], "wrong"),
    ],
)
def test_a_case_gets_the_verdict_of_its_past_reading(
    text: str, kind: str, past: list[str | None] | None, verdict: str
) -> None:
    assert dates.judge(case(text, kind, past)).verdict == verdict


def test_the_table_counts_by_language_and_the_file_keeps_every_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [case("Friday", "date", FRIDAY), case("whenever", "date", FRIDAY), case("next Friday", "date", None)]
    (tmp_path / "cases.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    written = tmp_path / "out.json"
    assert dates.main([str(tmp_path / "cases.jsonl"), "--json", str(written), "--failures", "1"]) == 0
    printed = capsys.readouterr().out
    assert "1/2 = 0.500" in printed
    assert "not found: whenever" in printed
    assert [row["verdict"] for row in json.loads(written.read_text())] == ["passed", "not found", "future only"]
