"""How a draft becomes a memory: checks, canonical keys, sessions, supersession. All inside one transaction of the store."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal, NamedTuple

from omoide.errors import InvalidArgument, filled, needed, not_stored, too_long
from omoide.memory.argument_types import check_fields, with_fields
from omoide.memory.ids import new_id, new_ids
from omoide.memory.text_keys import following_text, key_of_text
from omoide.model.memory import (
    MAX_ID_CHARS,
    MAX_TEXT_CHARS,
    Draft,
    DraftWithGuessedTopic,
    EventTime,
    Memory,
    MemorySummary,
    Status,
)
from omoide.store.protocol import Writer
from omoide.text import fold_statement, is_blank

#: A scope and a key in it.
_Key = tuple[str, str]
Disposition = Literal["stored", "updated", "deduplicated", "conflict"]

#: In these categories, a new text under a known key replaces the old one from when it holds, unless its validity has already
#: ended; in the others, each text is a memory of its own.
LATEST_WINS = frozenset({"profile", "preferences", "entities", "patterns"})

#: Fields that a caller may leave open; the stored row then keeps its values.
_KEPT_IF_OPEN = frozenset({"id", "stored_at"})
#: Fields that change when the same text is stored again with other values for them.
_UPDATED_BY_REPEAT = ("title", "topic", "event_time", "valid_from", "valid_until")
_SHARES = ("importance", "confidence")

#: Size of each cache of statements, and the longest text, in characters, that is kept there; of longer ones only the digest.
_CACHED_STATEMENTS = 16_384
_CACHED_CHARS = 500
_of_long_texts: dict[bytes, bytes] = {}


class ToldAgain(NamedTuple):
    """What of a draft replaces that of a memory that says the same already, besides what always does: the confidence, and these
    members of `extra`."""

    confidence: bool = False
    extra: Sequence[str] = ()


NOTHING_ELSE = ToldAgain()

#: Gives the draft to store of the memory that has its id already, as it is in the same transaction, and the draft.
Over = Callable[[Memory, Draft], Draft]


def as_sent(_: Memory, draft: Draft) -> Draft:
    """Nothing of the known memory is kept."""
    return draft


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a draft. `memory` is the live row; `previous` the one that it superseded, follows or collided with, if
    any."""

    disposition: Disposition
    memory: Memory
    previous: Memory | None = None


def check(draft: Draft) -> None:
    """Raises InvalidArgument for a draft that cannot be stored as it is."""
    if is_blank(draft.text):
        raise InvalidArgument("text", "The text is empty.", hint="Pass the text to remember.", also=needed("text"))
    if len(draft.text) > MAX_TEXT_CHARS:
        raise InvalidArgument(
            "text",
            f"The text has {len(draft.text):,} characters; at most {MAX_TEXT_CHARS:,} are accepted.",
            hint="Split it and store the parts.",
            also=too_long("text", len(draft.text), MAX_TEXT_CHARS),
        )
    if draft.id is not None and not 0 < len(draft.id) <= MAX_ID_CHARS:
        raise InvalidArgument(
            "id",
            f"The id has {len(draft.id)} characters; 1 to {MAX_ID_CHARS} are accepted.",
            also=too_long("id", len(draft.id), MAX_ID_CHARS) if draft.id else needed("id"),
        )
    for name in _SHARES:
        if not 0.0 <= getattr(draft, name) <= 1.0:
            also = filled(
                {
                    "ja": "{name} が {value} になっています。0 以上 1 以下にしてください。",
                    "zh": "{name} 是 {value}，应在 0 到 1 之间。",
                },
                name=name,
                value=getattr(draft, name),
            )
            raise InvalidArgument(name, f"{name} is {getattr(draft, name)}; it lies between 0 and 1.", also=also)


def remember(
    writer: Writer,
    draft: Draft,
    *,
    now: datetime,
    chain: bool = False,
    scope: str | None = None,
    again: ToldAgain = NOTHING_ELSE,
    over: Over = as_sent,
) -> Remembered:
    """Store one draft by the rules for its id, its key or its session (see `Memories.remember`). With `chain`, it follows the
    last memory of its session in the scope `scope` (None: any scope)."""
    check(draft)
    return _by_rules(writer, draft, now, chain=chain, scope=scope, again=again, over=over)


def remember_many(writer: Writer, drafts: Sequence[Draft], *, now: datetime) -> list[Remembered]:
    """Store each by the same rules, in order; `check` has accepted them. Runs of drafts whose id and key nobody has are inserted
    together."""
    taken = _taken_keys(writer, drafts)
    results: list[Remembered] = []
    for is_new, run in groupby(drafts, lambda draft: _is_certainly_new(draft, taken)):
        if is_new:
            fresh = list(run)
            added = writer.add_memories(dict(zip(new_ids(len(fresh)), fresh, strict=True)), now=now)
            results += [Remembered("stored", memory) for memory in added]
        else:
            results += [_by_rules(writer, draft, now) for draft in run]
    return results


def _taken_keys(writer: Writer, drafts: Iterable[Draft]) -> set[_Key]:
    keys_by_scope: defaultdict[str, list[str]] = defaultdict(list)
    for draft in drafts:
        if draft.canonical_key is not None:
            keys_by_scope[draft.scope] += [draft.canonical_key, key_of_text(draft.category, draft.text)]
    return {(scope, key) for scope, keys in keys_by_scope.items() for key in writer.keys_held(scope, keys)}


def _is_certainly_new(draft: Draft, taken: set[_Key]) -> bool:
    """Whether no row can have the draft's id or key; adds its key to those `taken`."""
    if draft.canonical_key is None:
        return draft.id is None
    key, unnamed = ((draft.scope, name) for name in (draft.canonical_key, key_of_text(draft.category, draft.text)))
    is_new = draft.id is None and taken.isdisjoint((key, unnamed))
    taken.add(key)
    return is_new


def _by_rules(
    writer: Writer,
    draft: Draft,
    now: datetime,
    *,
    chain: bool = False,
    scope: str | None = None,
    again: ToldAgain = NOTHING_ELSE,
    over: Over = as_sent,
) -> Remembered:
    if draft.id is not None and (known := writer.memory(draft.id)) is not None:
        return _rewrite(writer, known, over(known, draft), now)
    if draft.canonical_key is not None:
        existing = writer.summaries_under_key(draft.scope, draft.canonical_key)
        if (twin := _ended_twin(existing, draft, now)) is not None:
            return Remembered("deduplicated", _merged(writer, twin, draft, now, again))
        same, unnamed = (_overlapping(known, draft, now) for known in (existing, _unnamed(writer, draft)))
        if same or unnamed:
            return _store_under_known_key(writer, same, unnamed, draft, now, again)
    if chain:
        draft = _next_of_session(writer, draft, scope)
    return Remembered("stored", _put(writer, draft, now))


def revise(writer: Writer, id: str, changes: dict[str, object], *, now: datetime) -> Memory:
    """Change fields of a stored memory. Raises NotFound, InvalidArgument."""
    known = writer.memory(id)
    if known is None:
        raise not_stored("memory", id)
    changed = with_fields(as_draft(known), changes)
    check_fields(changed)
    check(changed)
    return writer.put_memory(following_text(known, changed), now=now)


def as_draft(memory: Memory) -> Draft:
    """A draft with the fields of this memory."""
    return Draft(**{each.name: getattr(memory, each.name) for each in fields(Draft)})


def _unnamed(writer: Writer, draft: Draft) -> Sequence[MemorySummary]:
    """Memories with the statement of a draft whose key was given, which were told before without one: the key is theirs, too, or they
    would outlive each new text under it."""
    made = key_of_text(draft.category, draft.text)
    return () if draft.id is not None or draft.canonical_key == made else writer.summaries_under_key(draft.scope, made)


def _copies(writer: Writer, replaced: Iterable[MemorySummary], draft: Draft) -> Iterator[MemorySummary]:
    """Memories with a text that the draft replaces, which were told again without the key."""
    for text in {each.text for each in replaced}:
        yield from writer.summaries_under_key(draft.scope, key_of_text(draft.category, text))


def _put(writer: Writer, draft: Draft, now: datetime) -> Memory:
    if draft.id is None:
        return writer.add_memories({new_id(): draft}, now=now)[0]
    return writer.put_memory(replace(draft, stored_at=draft.stored_at or now), now=now)


def _rewrite(writer: Writer, known: Memory, draft: Draft, now: datetime) -> Remembered:
    if _says_the_same(known, draft):
        return Remembered("deduplicated", known)
    rewritten = following_text(known, replace(draft, stored_at=draft.stored_at or known.stored_at))
    return Remembered("updated", _put(writer, rewritten, now), previous=known)


def _says_the_same(known: Memory, draft: Draft) -> bool:
    return all(
        getattr(known, each.name) == getattr(draft, each.name)
        for each in fields(Draft)
        if not (each.name in _KEPT_IF_OPEN and getattr(draft, each.name) is None)
    )


def has_ended(memory: Draft | Memory | MemorySummary, now: datetime) -> bool:
    """Whether its validity has ended: it then neither blocks a new text nor counts as its duplicate."""
    return memory.valid_until is not None and memory.valid_until <= now


def is_upcoming(memory: Draft | Memory | MemorySummary, now: datetime) -> bool:
    """Whether its validity is yet to begin."""
    return memory.valid_from is not None and memory.valid_from > now


def _overlapping(known: Iterable[MemorySummary], draft: Draft, now: datetime) -> list[MemorySummary]:
    """Those that hold still, and can be valid at the same time as the draft."""
    return [each for each in known if not has_ended(each, now) and _overlap(each, draft)]


def _overlap(one: Draft | MemorySummary, other: Draft | MemorySummary) -> bool:
    """Whether both can be valid at the same time: else neither replaces or repeats the other."""
    return _begins_in_time(one, other) and _begins_in_time(other, one)


def _begins_in_time(one: Draft | MemorySummary, other: Draft | MemorySummary) -> bool:
    """Whether the one becomes valid before the other has ended."""
    return one.valid_from is None or other.valid_until is None or one.valid_from < other.valid_until


def _ended_twin(existing: Iterable[MemorySummary], draft: Draft, now: datetime) -> MemorySummary | None:
    """For a draft whose validity has ended: the memory with the same statement and end, as when a client retries a call whose
    answer it did not get."""
    if not has_ended(draft, now):
        return None
    about = draft.category, draft.valid_until
    ended = (each for each in existing if (each.category, each.valid_until) == about)
    return next(_with_statement(draft.text, ended), None)


def _said_before(existing: Iterable[MemorySummary], draft: Draft) -> MemorySummary | None:
    """The first one with the same statement as the draft. Where each text is a memory of its own, what happened again at another
    time is none, and one of the draft's own time comes first."""
    twins = list(_with_statement(draft.text, existing))
    happened = draft.event_time
    if happened is None or draft.category in LATEST_WINS:
        return next(iter(twins), None)
    possible = [each for each in twins if not _is_another_time(each, happened)]
    return min(possible, key=_has_no_time, default=None)


def _is_another_time(known: MemorySummary, happened: EventTime) -> bool:
    """Whether both times are known and have no instant in common."""
    return _ends_before(known.event_end, happened.start) or _ends_before(happened.end, known.event_start)


def _ends_before(end: datetime | None, start: datetime | None) -> bool:
    return end is not None and start is not None and end <= start


def _is_vaguer(told: EventTime, known: EventTime) -> bool:
    """Whether the one time holds the other and more: the month of a day that is known."""
    begins = told.start is None or (known.start is not None and told.start <= known.start)
    ends = told.end is None or (known.end is not None and told.end >= known.end)
    return begins and ends and (told.start, told.end) != (known.start, known.end)


def _has_no_time(known: MemorySummary) -> bool:
    return known.event_start is None and known.event_end is None


def _with_statement(text: str, existing: Iterable[MemorySummary]) -> Iterator[MemorySummary]:
    """Those with the same statement as the text."""
    statement = _statement(text)
    return (each for each in existing if _statement(each.text) == statement)


def _statement(text: str) -> bytes:
    """A digest of the folded statement. Cached, as each write under a key needs it of every live memory with that key, and to fold
    a text takes ten times as long as to hash it."""
    if len(text) <= _CACHED_CHARS:
        return _of_short_text(text)
    digest = _digest(text)
    if (known := _of_long_texts.get(digest)) is None:
        if len(_of_long_texts) >= _CACHED_STATEMENTS:
            _of_long_texts.clear()
        known = _of_long_texts[digest] = _digest(fold_statement(text))
    return known


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@lru_cache(_CACHED_STATEMENTS)
def _of_short_text(text: str) -> bytes:
    return _digest(fold_statement(text))


def _memory_of(writer: Writer, summary: MemorySummary) -> Memory:
    (memory,) = writer.memories([summary.id])
    return memory


def _store_under_known_key(
    writer: Writer,
    same: list[MemorySummary],
    unnamed: list[MemorySummary],
    draft: Draft,
    now: datetime,
    again: ToldAgain,
) -> Remembered:
    """Store a draft whose key live memories of the scope have already, or whose text has none of its own yet (`unnamed`)."""
    if (other := next((each for each in same if each.category != draft.category), None)) is not None:
        standing = _memory_of(writer, other)
        return Remembered("conflict", standing, previous=standing)
    replaces = bool(same) and draft.category in LATEST_WINS and not has_ended(draft, now)
    if (twin := _said_before(same if replaces else [*same, *unnamed], draft)) is not None:
        return Remembered("deduplicated", _merged(writer, twin, draft, now, again))
    if replaces:
        replaced = [*same, *unnamed, *_overlapping(_copies(writer, same, draft), draft, now)]
        return _replace(writer, writer.memories(dict.fromkeys(each.id for each in replaced)), draft, now)
    return Remembered("stored", _put(writer, draft, now))


def _merged(writer: Writer, twin: MemorySummary, draft: Draft, now: datetime, again: ToldAgain) -> Memory:
    """The known memory with what the draft adds: more tags, higher importance, another title, topic or time; same text."""
    known = _memory_of(writer, twin)
    changes: dict[str, Any] = {
        name: getattr(draft, name) for name in _UPDATED_BY_REPEAT if getattr(draft, name) is not None
    }
    if isinstance(draft, DraftWithGuessedTopic) and known.topic is not None:
        changes.pop("topic", None)
    if known.event_time is not None and draft.event_time is not None and _is_vaguer(draft.event_time, known.event_time):
        changes.pop("event_time")
    changes["canonical_key"] = draft.canonical_key
    changes["tags"] = tuple(dict.fromkeys((*known.tags, *draft.tags)))
    changes["importance"] = max(known.importance, draft.importance)
    changes["confidence"] = draft.confidence if again.confidence else known.confidence
    changes["extra"] = {**known.extra, **{name: draft.extra[name] for name in again.extra if name in draft.extra}}
    differing = {name: value for name, value in changes.items() if value != getattr(known, name)}
    return writer.put_memory(replace(as_draft(known), **differing), now=now) if differing else known


def _replace(writer: Writer, known: Sequence[Memory], draft: Draft, now: datetime) -> Remembered:
    """The new text replaces all that it overlaps with. What holds until the new one does, in the future, goes on until then."""
    lasting = [each for each in known if _holds_before(each, draft, now)]
    replaced = [each for each in known if each not in lasting]
    ended = [writer.put_memory(replace(as_draft(each), valid_until=draft.valid_from), now=now) for each in lasting]
    if not replaced:
        return Remembered("updated", _put(writer, draft, now), previous=ended[0])
    first, *others = replaced
    for each in others:
        writer.put_memory(_history(each, draft, by=first.id, now=now), now=now)
    return _supersede(writer, first, draft, now)


def _holds_before(known: Memory, draft: Draft, now: datetime) -> bool:
    """Whether the draft holds only from a moment in the future, and the known memory from before that."""
    starts = draft.valid_from
    return starts is not None and starts > now and (known.valid_from is None or known.valid_from < starts)


def _supersede(writer: Writer, known: Memory, draft: Draft, now: datetime) -> Remembered:
    """The new text takes the row and its id; the old text is kept as a superseded memory."""
    previous = writer.put_memory(replace(_history(known, draft, by=known.id, now=now), id=new_id()), now=now)
    memory = _put(writer, replace(draft, id=known.id, stored_at=draft.stored_at or now), now)
    return Remembered("updated", memory, previous=previous)


def _history(known: Memory, draft: Draft, *, by: str, now: datetime) -> Draft:
    """The memory as history: superseded by that id, and valid only until the draft took its place."""
    replaced_at = _replaced_at(known, draft, now)
    ended = replaced_at if known.valid_until is None else min(known.valid_until, replaced_at)
    return replace(as_draft(known), status=Status.SUPERSEDED, valid_until=ended, superseded_by=by)


def _replaced_at(known: Memory, draft: Draft, now: datetime) -> datetime:
    """When the draft took the place of the known memory: from the moment that the draft says, if that is past and the other held
    before it, else now."""
    starts = draft.valid_from
    held_from = known.valid_from or (known.event_time and known.event_time.start) or known.stored_at
    return starts if starts is not None and held_from < starts <= now else now


def _next_of_session(writer: Writer, draft: Draft, scope: str | None) -> Draft:
    if draft.session_id is None:
        raise InvalidArgument("session_id", "Only a memory with a session_id can be the next of its session.")
    last = writer.last_in_session(draft.session_id, scope)
    if last is None:
        return replace(draft, sequence_order=1, preceding_id=None)
    return replace(draft, sequence_order=(last.sequence_order or 0) + 1, preceding_id=last.id)
