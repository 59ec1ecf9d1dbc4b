"""LoCoMo as published: `python -m bench locomo locomo10.json` (a list of samples: conversation, qa).

Adversarial questions (category 5) ask for what was never said and have no evidence to find: they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from bench.dataset import Question
from bench.harness.cases import Case, parser_of, run
from bench.published import entries, text_of

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):0*(\d+)")
_TIME = "%I:%M %p on %d %B, %Y"


def main(argv: Sequence[str]) -> int:
    """Judge the file."""
    options = parser_of("locomo", __doc__).parse_args(argv)
    return run("LoCoMo", entries(options.file, options.limit, case_of), options.json)


def case_of(sample: Mapping[str, Any]) -> Case:
    """One conversation and its answerable questions."""
    name = sample.get("sample_id", "")
    questions = [
        _question(f"{name}/{number}", qa) for number, qa in enumerate(sample["qa"]) if qa["category"] in CATEGORIES
    ]
    return Case(list(_turns(sample["conversation"])), questions)


def _turns(conversation: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    for name, turns in conversation.items():
        if _SESSION.fullmatch(name):
            at = (
                datetime.strptime(conversation[f"{name}_date_time"].upper(), _TIME)
                .replace(tzinfo=timezone.utc)
                .isoformat()
            )
            for turn in turns:
                yield {"id": text_of(turn, "dia_id"), "text": _said(turn), "timestamp": at, "session": name}


def _said(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    seen = f" [shares an image: {caption}]" if caption else ""
    return f"{turn['speaker']}: {turn['text']}{seen}"


def _question(id: str, qa: Mapping[str, Any]) -> Question:
    # Published evidence is not always well-formed: "D8:6; D9:17", "D:11:26" and "D30:05" occur.
    places = (_TURN.findall(each) for each in qa.get("evidence") or ())
    relevant = frozenset(f"D{session}:{turn}" for found in places for session, turn in found)
    return Question(id, text_of(qa, "question"), relevant, None, CATEGORIES[qa["category"]])
