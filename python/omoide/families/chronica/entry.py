"""Translates an entry to the memory to be stored: one pure function, with a rule for every field.

Useful for: `chronica_save_entry`. Not useful for: entries as they are shown (wire.py).
Invariant: a field that is not used, or not as sent, is named in `warnings`; unknown fields are kept in `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from omoide.dates import Moment
from omoide.errors import InvalidArgument, filled, needed, shortened, shown
from omoide.families.chronica import saved_time
from omoide.families.chronica.event import resolve
from omoide.families.chronica.options import Options
from omoide.families.chronica.remarks import READ_CHARS, LanguageOf, in_both, unknown_in
from omoide.families.chronica.wire import (
    DEFAULT_THREAD_TYPE,
    DEFAULT_VERSION,
    SAVE_TOOL,
    SAVED_TIME,
    THREAD_TYPES,
    VERSION,
)
from omoide.families.tool import Caller
from omoide.memory.remember import as_draft
from omoide.model.memory import Draft, EventTime, Memory, Status
from omoide.text import is_blank, tags_in
from omoide.text.detect import has_cjk
from omoide.traditional import told_in

_FIELDS = (
    "version",
    "entry_id",
    "saved_time",
    "thread",
    "kind",
    "text",
    "tags",
    "title",
    "project",
    "event_time",
    "links",
)
_BETWEEN_TAGS = re.compile("[,;，；、､\n]")
#: The members of the fields that are objects. A client's own `resolved` and `confidence` are replaced.
_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "thread": ("type", "id", "thread_id", "name"),
    "event_time": ("raw", "resolved", "confidence"),
    "links": ("source", "refs"),
}
#: Warning, by the language of the entry, about an event whose day is unknown.
_NO_DAY: Mapping[str, str] = {
    "en": "entry.event_time.raw {raw!r} is not a date I understand: its words are kept, without a day.",
    "ja": "entry.event_time.raw「{raw}」は日付として理解できません。言葉だけを残し、日付は付けていません。",
    "zh": "无法将 entry.event_time.raw“{raw}”理解为日期：只保留了原文，没有日期。",
}
#: Warnings about what was not used as sent.
_UNUSED: Mapping[str, Mapping[str, str]] = {
    "field": {
        "en": "entry.{name} is not a field of an entry: it is kept, but not shown or searched. Fields: {known}.",
        "ja": "entry.{name} は entry の項目ではありません。保存はしますが、表示も検索もされません。使える項目：{known}。",
        "zh": "entry.{name} 不是 entry 的字段：会保存，但不会显示，也不会被搜索。可用的字段：{known}。",
    },
    "member": {
        "en": "entry.{name} was not used. entry.{field} knows: {known}.",
        "ja": "entry.{name} は使われませんでした。entry.{field} で使えるもの：{known}。",
        "zh": "entry.{name} 未被使用。entry.{field} 可用的有：{known}。",
    },
    "type": {
        "en": "entry.thread.type {name} is neither 'normal' nor 'project': 'normal' was used.",
        "ja": "entry.thread.type に {name} は使えません。使えるのは normal か project です。normal として保存しました。",
        "zh": "entry.thread.type 不能是 {name}，只能是 normal 或 project：已按 normal 保存。",
    },
    "tags": {
        "en": "entry.tags is not a list of strings: it was not used.",
        "ja": "entry.tags は文字列の配列ではないため、使われませんでした。",
        "zh": "entry.tags 不是字符串数组，未被使用。",
    },
    "links": {
        "en": "entry.links is not an object: it was not used.",
        "ja": "entry.links はオブジェクトではないため、使われませんでした。",
        "zh": "entry.links 不是对象，未被使用。",
    },
    "raw": {
        "en": "entry.event_time.raw is not text: it was not used.",
        "ja": "entry.event_time.raw は文字列ではないため、使われませんでした。",
        "zh": "entry.event_time.raw 不是文本，未被使用。",
    },
}
#: Fields of a memory that an entry determines, even by leaving them out.
_DETERMINED = (
    "kind",
    "text",
    "title",
    "tags",
    "thread",
    "thread_type",
    "thread_name",
    "project",
    "tool",
    "stored_at",
    "event_time",
    "links_source",
    "links_refs",
)


#: The type of the thread with an id; None for one that was never created.
TypeOfThread = Callable[[str], str | None]


class Entry(NamedTuple):
    """The memory to store for an entry, and the warnings for the caller."""

    draft: Draft
    warnings: list[str]


class _Warnings:
    """Collects the warnings for the caller, in English and in the language of the entry."""

    def __init__(self, sent: Mapping[str, Any], language_of: LanguageOf) -> None:
        self.messages: list[str] = []
        self.language_of = language_of
        self._text = f"{sent.get('title') or ''} {sent.get('text') or ''}"

    def add(self, key: str, **values: object) -> None:
        """Add the warning of `_UNUSED` with this key."""
        self.messages.append(in_both(_UNUSED[key], self._text, self.language_of).format(**values))


class Anchor(NamedTuple):
    """The moment at which an entry is saved, which its dates are relative to, and the text given for it, if any."""

    at: Moment
    text: str | None = None


def translate(
    sent: Mapping[str, Any],
    caller: Caller,
    moment: Moment,
    options: Options,
    language_of: LanguageOf,
    type_of_thread: TypeOfThread,
) -> Entry:
    """The draft of an entry saved at that moment. Raises InvalidArgument."""
    if not sent:
        # Clients of chronica know this code for this case.
        raise InvalidArgument("entry", "entry is required", code="internal_error", also=needed("entry"))
    warnings = _Warnings(sent, language_of)
    _warn_of_unknown(sent, warnings)
    anchor = _anchor(sent.get("saved_time"), moment)
    thread = _thread(sent.get("thread"), warnings)
    thread_id = _name(thread, "id", "thread.") or _name(thread, "thread_id", "thread.")
    links = _links(sent.get("links"), warnings)
    draft = Draft(
        kind=_required(sent, "kind").strip(),
        text=_required(sent, "text"),
        id=_name(sent, "entry_id"),
        title=_name(sent, "title"),
        tags=_tags(sent.get("tags"), warnings),
        scope=options.saved_in,
        thread=thread_id,
        thread_type=thread["type"] or _type_of(thread_id, type_of_thread),
        thread_name=_name(thread, "name", "thread."),
        project=_name(sent, "project"),
        session_id=caller.session_id,
        tool=SAVE_TOOL,
        stored_at=anchor.at.now,
        event_time=_event_time(sent, anchor, warnings),
        links_source=_text(links, "source", "links."),
        links_refs=tuple(links.get("refs", ())),
        extra=_extra(sent, anchor),
    )
    return Entry(draft, warnings.messages)


def replacing(known: Memory, draft: Draft) -> Draft:
    """The draft of an entry that replaces a memory, perhaps one of another family: keeps what an entry cannot say, such as
    scope, category and entities. An end of validity in the past is not kept: what is saved now is valid now."""
    in_chain = known.sequence_order is not None
    ended = known.valid_until is not None and draft.stored_at is not None and known.valid_until <= draft.stored_at
    kept = {name: value for name, value in known.extra.items() if name not in (VERSION, SAVED_TIME)}
    return replace(
        as_draft(known),
        **{name: getattr(draft, name) for name in _DETERMINED},
        session_id=known.session_id if in_chain else draft.session_id,
        valid_until=None if ended else known.valid_until,
        status=Status.ACTIVE,
        superseded_by=None,
        extra={**kept, **draft.extra},
    )


def _warn_of_unknown(sent: Mapping[str, Any], warnings: _Warnings) -> None:
    for name in unknown_in(sent, _FIELDS):
        warnings.add("field", name=name, known=", ".join(_FIELDS))
    for field, known in _MEMBERS.items():
        for name in unknown_in(_members(sent.get(field)), known):
            warnings.add("member", name=f"{field}.{name}", field=field, known=", ".join(known))


def _members(sent: object) -> Mapping[str, Any]:
    return sent if isinstance(sent, dict) else {}


def _required(sent: Mapping[str, Any], name: str) -> str:
    text = _text(sent, name)
    if text is None:
        raise InvalidArgument(name, f"entry.{name} is required", also=needed(f"entry.{name}"))
    return text


def _text(sent: Mapping[str, Any], name: str, within: str = "") -> str | None:
    """The value as text (numbers are converted); None if it is blank or missing. `within`: the path to `sent` in the entry, for
    errors. Raises InvalidArgument."""
    value = sent.get(name)
    if value is None or value is False or value in ("", [], {}):  # but 0 is a text like other numbers
        return None
    if isinstance(value, (dict, list, bool)):
        path = f"entry.{within}{name}"
        also = {"ja": f"{path} には文字列を渡してください。", "zh": f"{path} 应为字符串。"}
        raise InvalidArgument(name, f"{path} must be a string", hint="Send plain text.", also=also)
    return None if is_blank(str(value)) else str(value)


def _name(sent: Mapping[str, Any], name: str, within: str = "") -> str | None:
    """`_text` without outer blanks, which searches and look-ups by id ignore, too."""
    text = _text(sent, name, within)
    return None if text is None else text.strip()


def _anchor(sent: object, moment: Moment) -> Anchor:
    """`saved_time` as given; nothing, or "auto", means now. Raises InvalidArgument."""
    if not sent or sent == "auto":
        return Anchor(moment)
    try:
        saved = saved_time.read(str(sent), moment.zone)
    except ValueError:
        words = {
            "ja": "entry.saved_time の {sent} は日時として理解できません。2026-03-18T21:00:00+09:00 のように書くか、今なら省いてください。",
            "zh": "无法将 entry.saved_time {sent} 理解为日期和时间。请写成 2026-03-18T21:00:00+09:00 这样，现在则可省略。",
        }
        raise InvalidArgument(
            "saved_time",
            f"entry.saved_time {shown(sent)} is not a date and time.",
            hint="Write it like 2026-03-18T21:00:00+09:00, or leave it out for now.",
            also=filled(words, sent=shown(sent)),
        ) from None
    at = Moment(saved, saved_time.zone_of(saved, moment.zone), moment.week_starts)
    return Anchor(at, saved_time.keep(str(sent), moment.zone))


def _thread(sent: object, warnings: _Warnings) -> dict[str, Any]:
    """A thread given as an object, or by its type alone; with a valid `type`, or None where none was given."""
    thread = sent if isinstance(sent, dict) else {"type": sent}
    type = thread.get("type") or None
    if type is not None and type not in THREAD_TYPES:
        warnings.add("type", name=shown(type))
        type = DEFAULT_THREAD_TYPE
    return {**thread, "type": type}


def _type_of(thread_id: str | None, type_of_thread: TypeOfThread) -> str:
    """The type for an entry that gives none: that of its thread, where what is listed by type is looked for."""
    known = None if thread_id is None else type_of_thread(thread_id)
    return known if known in THREAD_TYPES else DEFAULT_THREAD_TYPE


def _tags(sent: object, warnings: _Warnings) -> tuple[str, ...]:
    """Tags given as a list, or as one text with commas between them. Raises InvalidArgument: a list or object as a tag."""
    if isinstance(sent, str):
        return tags_in(_BETWEEN_TAGS.split(sent))
    if isinstance(sent, list):
        return tags_in(_tag(tag, at) for at, tag in enumerate(sent) if tag not in (None, ""))
    if sent:
        warnings.add("tags")
    return ()


def _tag(sent: object, at: int) -> str:
    if not isinstance(sent, (dict, list)):
        return str(sent)
    words = {
        "ja": 'entry.tags[{at}] に {sent} は使えません。文字列の配列にしてください。例：["仕事", "日程"]。',
        "zh": 'entry.tags[{at}] 不能是 {sent}，应为字符串数组，例如 ["工作", "日程"]。',
    }
    raise InvalidArgument(
        "tags",
        f"entry.tags[{at}] must be a string, not {shown(sent)}",
        hint='Send a flat list, such as ["仕事", "日程"].',
        also=filled(words, at=at, sent=shown(sent)),
    )


def _links(sent: object, warnings: _Warnings) -> dict[str, Any]:
    """An object whose `refs`, if any, is a list."""
    if not isinstance(sent, dict):
        if sent:
            warnings.add("links")
        return {}
    refs = sent.get("refs") or []
    return {**sent, "refs": refs if isinstance(refs, list) else [refs]}


def _event_time(entry: Mapping[str, Any], anchor: Anchor, warnings: _Warnings) -> EventTime | None:
    """The event time: `raw` resolved here; without `raw`, `resolved` is used as if it were `raw`."""
    sent = entry.get("event_time")
    raw = (sent.get("raw") or sent.get("resolved")) if isinstance(sent, dict) else sent
    if not raw:
        return None
    if isinstance(raw, (dict, list)):
        warnings.add("raw")
        return None
    event = resolve(str(raw), anchor.at)
    if event.start is None and event.end is None:
        # Kana in the text show that a raw 2月30日 is Japanese.
        context = f"{raw} {entry.get('text')}" if has_cjk(str(raw)) else str(raw)
        words = told_in(_NO_DAY, warnings.language_of(context[:READ_CHARS])) or _NO_DAY["en"]
        warnings.messages.append(words.format(raw=shortened(str(raw))))
    return event


def _extra(sent: Mapping[str, Any], anchor: Anchor) -> dict[str, Any]:
    """What the model has no field for: unknown fields as sent, a version other than the default, `saved_time` as given."""
    extra = {name: value for name, value in sent.items() if name not in _FIELDS}
    if sent.get("version") not in (None, "", DEFAULT_VERSION):
        extra[VERSION] = str(sent["version"])
    if anchor.text is not None:
        extra[SAVED_TIME] = anchor.text
    return extra
