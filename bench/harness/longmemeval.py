"""LongMemEval as published: `python -m bench longmemeval longmemeval_s.json` (a list of questions, each with a haystack).

As published, user turns make the haystack, and questions without an answer (`_abs`) or without evidence there are left out.
A question is asked at its `question_date`: `last week` in it is relative to that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from bench.dataset import Question
from bench.harness.cases import Case, parser_of, run
from bench.published import entries, text_of

Entry = Mapping[str, Any]
Row = dict[str, Any]

_TIME = "%Y/%m/%d (%a) %H:%M"
_UNANSWERABLE = "_abs"


def main(argv: Sequence[str]) -> int:
    """Judge the file."""
    parser = parser_of("longmemeval", __doc__)
    parser.add_argument(
        "--granularity",
        choices=tuple(CASES),
        default="turn",
        help="what is stored as one memory: a turn (default; judged by session too), or the user's turns of a session",
    )
    options = parser.parse_args(argv)
    read = CASES[options.granularity]
    cases = entries(options.file, options.limit, lambda entry: read(entry) if _is_answerable(entry) else None)
    return run("LongMemEval", [case for case in cases if case is not None], options.json)


def _is_answerable(entry: Entry) -> bool:
    return _UNANSWERABLE not in text_of(entry, "question_id")


def case_of_turns(entry: Entry) -> Case:
    """One question and the turns of its haystack."""
    turns = list(_turns(entry))
    return Case([turn for turn, _ in turns], [_question(entry, turns)], _time(entry["question_date"]))


def case_of_sessions(entry: Entry) -> Case:
    """One question and the sessions of its haystack, each the user's turns joined."""
    turns = [({**turn, "id": turn["session"]}, has_answer) for turn, has_answer in _turns(entry)]
    whole: dict[str, Row] = {}
    for turn, _ in turns:
        before = whole.setdefault(turn["id"], {**turn, "text": ""})["text"]
        whole[turn["id"]]["text"] = f"{before} {turn['text']}".strip()
    asked_at = _time(entry["question_date"])
    return Case(list(whole.values()), [_question(entry, turns)], asked_at, levels=("session",))


CASES = {"turn": case_of_turns, "session": case_of_sessions}


def _question(entry: Entry, turns: Sequence[tuple[Row, bool]]) -> Question:
    relevant = frozenset(turn["id"] for turn, has_answer in turns if has_answer)
    return Question(entry["question_id"], text_of(entry, "question"), relevant, None, text_of(entry, "question_type"))


def _turns(entry: Entry) -> Iterator[tuple[Row, bool]]:
    """Each turn of the user, and whether it contains the answer."""
    sessions = zip(entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True)
    for session, date, turns in sessions:
        at = _time(date).isoformat()
        for number, turn in enumerate(turns, 1):
            if turn["role"] == "user" and (said := text_of(turn, "content")).strip():
                row = {"id": f"{session}_{number}", "text": said, "timestamp": at, "session": session}
                yield row, bool(turn.get("has_answer"))


def _time(date: str) -> datetime:
    return datetime.strptime(date, _TIME).replace(tzinfo=timezone.utc)
