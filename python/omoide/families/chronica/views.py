"""Answers made from several entries: the opening and the tick of a session, and the summary pack.

Useful for: composing these answers. Not useful for: finding the entries.
Invariant: pure; entries come in the order in which they are shown, and the counts include all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import islice
from typing import Any

from omoide.families.chronica import speech, wire
from omoide.model.memory import Memory
from omoide.text.graphemes import beginning

OPEN_KINDS = frozenset({"question", "action"})
_TASKS = frozenset({"action", "todo", "task"})
_DIGESTS = frozenset({"decision_log", "summary", "daily_summary", "weekly_review"})
_KEPT = frozenset({"memory", "insight", "note"})
_BLOCKING = ("blocker", "阻害", "問題", "issue", "阻碍", "阻礙", "问题")
_URGENT = ("priority", "優先", "优先")
_REMEMBER = ("覚えて", "记住", "記住", "remember")
PREVIEW_CHARS, ITEM_CHARS, TITLE_CHARS = 120, 200, 100
MOST_HIGHLIGHTS, MOST_OTHERS, LAST_ITEMS = 10, 5, 10


def _clock(now: datetime) -> str:
    return now.strftime("%Y-%m-%d %H:%M:%S")


def opening(entries: Sequence[Memory], now: datetime, words: speech.Language) -> dict[str, Any]:
    """The opening as structured values; `text` has all of it."""
    recent = [_line(each, now, words) for each in entries]
    pending = [line for line in recent if line["kind"] in OPEN_KINDS]
    phrase = words.joined.format(season=speech.season(words, now), hour=speech.hour(words, now))
    return {
        "now": _clock(now),
        "part_of_day": phrase,
        "recent": recent,
        "open": pending,
        "text": _opening_text(_clock(now), phrase, recent, pending, words),
    }


def _line(memory: Memory, now: datetime, words: speech.Language) -> dict[str, Any]:
    return {
        "entry_id": memory.id,
        "kind": memory.kind or wire.DEFAULT_KIND,
        "label": speech.label(words, memory.title, memory.text),
        "recency": speech.recency(words, now, memory.stored_at),
    }


def _opening_text(
    now: str,
    phrase: str,
    recent: Sequence[Mapping[str, str]],
    pending: Sequence[Mapping[str, str]],
    words: speech.Language,
) -> str:
    def listed(lines: Sequence[Mapping[str, str]], otherwise: str) -> list[str]:
        if not lines:
            return [f"- {otherwise}"]
        return [f"- {line['recency']} [{speech.in_a_line(line['kind'])}] {line['label']}" for line in lines]

    situation, flow, still_open, instructions, good, bad = words.headings
    return "\n".join(
        (
            "=== Chronica Context ===",
            f"[{situation}]",
            f"- {words.now}: {now}",
            f"- {words.part_of_day}: {phrase}",
            "",
            f"[{flow}]",
            *listed(recent, words.nothing),
            "",
            f"[{still_open}]",
            *listed(pending, words.none_open),
            "",
            f"[{instructions}]",
            *(f"{number}. {each}" for number, each in enumerate(words.instructions, 1)),
            "",
            f"【{good}】",
            words.good,
            "",
            f"【{bad}】",
            words.bad,
            "",
            "=== End of Context ===",
            "",
        )
    )


def tick(last: Memory | None, now: datetime, words: speech.Language) -> dict[str, Any]:
    """The present moment, and the entry saved last."""
    return {
        "now_local": _clock(now),
        "season": speech.season(words, now),
        "time_of_day": speech.hour(words, now),
        "since_last_memory": speech.recency(words, now, last.stored_at if last else None),
        "last_topic_preview": beginning(last.text, PREVIEW_CHARS) if last else None,
    }


def summary(entries: Sequence[Memory], arguments: Mapping[str, Any], zone: tzinfo) -> dict[str, Any]:
    """The summary pack of a range, oldest first. `arguments` are the tool's arguments."""
    items = [_item(memory, zone) for memory in entries]
    kind = arguments["thread_type"]
    return {
        "meta": {
            "mode": arguments["mode"],
            "range": {"start": arguments["range_start"], "end": arguments["range_end"]},
            "thread": {"type": kind, "opening_style": f"{kind}_default"},
            "stats": {"total_entries": len(items), "by_kind": dict(Counter(item["kind"] for item in items))},
        },
        "timeline_items": [_shortened(item) for item in items],
        "decisions": [_full(item) for item in items if "decision" in item["kind"].lower()],
        "actions": [_full(item) for item in items if _is_task(item) or "action" in item["kind"].lower()],
        "open_questions": [_full(item) for item in items if "question" in item["kind"].lower()],
        "digest_candidates": _digest(items, everyday=kind == "normal"),
    }


def _item(memory: Memory, zone: tzinfo) -> dict[str, Any]:
    saved = wire.when_saved(memory, zone)
    return {
        "entry_id": memory.id,
        "saved_time": saved,
        "kind": memory.kind or wire.DEFAULT_KIND,
        "title": memory.title or None,
        "text": memory.text,
        **wire.event_time(memory, saved, zone),
    }


def _shortened(item: Mapping[str, Any]) -> dict[str, Any]:
    return {**item, "text": beginning(item["text"], ITEM_CHARS)}


def _named(item: Mapping[str, Any]) -> str:
    return str(item["title"] or beginning(item["text"], TITLE_CHARS))


def _full(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "entry_id": item["entry_id"],
        "saved_time": item["saved_time"],
        "title": _named(item),
        "text": item["text"],
    }


def _is_task(item: Mapping[str, Any]) -> bool:
    return item["kind"].lower() in _TASKS


def _says(item: Mapping[str, Any], words: Sequence[str]) -> bool:
    text = item["text"].lower()
    return any(word in text for word in words)


def _digest(items: Sequence[Mapping[str, Any]], *, everyday: bool) -> dict[str, Any]:
    """Material for the writer of a digest; what to remember and to come back to only for everyday talk."""

    def chosen(among: Sequence[Mapping[str, Any]], wanted: Callable[[Mapping[str, Any]], bool], most: int) -> list[Any]:
        found = (item for item in among if wanted(item))
        return [
            {"entry_id": item["entry_id"], "title": _named(item), "saved_time": item["saved_time"]}
            for item in islice(found, most)
        ]

    last = items[-LAST_ITEMS:] if everyday else ()
    return {
        "highlights": chosen(items, lambda item: item["kind"] in _DIGESTS, MOST_HIGHLIGHTS),
        "blockers": chosen(items, lambda item: _says(item, _BLOCKING), MOST_OTHERS),
        "next_priorities": chosen(items, lambda item: _is_task(item) or _says(item, _URGENT), MOST_OTHERS),
        "memory_keep": chosen(last, lambda item: item["kind"] in _KEPT or _says(item, _REMEMBER), MOST_OTHERS),
        "next_talk_seed": beginning(items[-1]["text"], TITLE_CHARS).replace("\n", " ") if everyday and items else None,
    }
