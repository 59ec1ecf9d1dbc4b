"""LongMemEval as published: `python -m bench longmemeval longmemeval_s.json` (a list of questions, each with a haystack).

As published, user turns make the haystack, and questions without an answer (`_abs`) or without evidence there are left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from bench.dataset import Question
from bench.harness.cases import Case, judge, report

_TIME = "%Y/%m/%d (%a) %H:%M"
_UNANSWERABLE = "_abs"


def main(argv: Sequence[str]) -> int:
    """Judge the file."""
    parser = argparse.ArgumentParser(prog="python -m bench longmemeval", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N questions")
    options = parser.parse_args(argv)
    asked = json.loads(options.file.read_text(encoding="utf-8"))[: options.limit]
    answerable = [each for each in asked if _UNANSWERABLE not in each["question_id"]]
    report("LongMemEval", (one for each in answerable for one in judge(case_of(each))))
    return 0


def case_of(asked: Mapping[str, Any]) -> Case:
    """One question and its haystack."""
    turns = list(_turns(asked))
    relevant = frozenset(str(turn["id"]) for turn, has_answer in turns if has_answer)
    question = Question(asked["question_id"], asked["question"], relevant, None, asked["question_type"])
    return Case([turn for turn, _ in turns], [question])


def _turns(asked: Mapping[str, Any]) -> Iterator[tuple[dict[str, object], bool]]:
    sessions = zip(asked["haystack_session_ids"], asked["haystack_dates"], asked["haystack_sessions"], strict=True)
    for session, date, turns in sessions:
        at = datetime.strptime(date, _TIME).replace(tzinfo=timezone.utc).isoformat()
        for number, turn in enumerate(turns, 1):
            if turn["role"] == "user" and turn["content"].strip():
                row = {"id": f"{session}_{number}", "text": turn["content"], "timestamp": at, "session": session}
                yield row, bool(turn.get("has_answer"))
