"""Does the index hold what the store holds?

Useful for: `omoide doctor`, tests. Not useful for: the store itself, which finds its own problems (`Store.problems`).
Invariant: problems found here are the index's, never the store's: an index may always be deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from omoide.engine import Index
from omoide.engine.keys import is_memory, row_number
from omoide.errors import counted
from omoide.model.condition import Equals
from omoide.model.query import ArmName, Query
from omoide.store.protocol import Reader, Store

#: Rows read at a time.
BATCH = 10_000
#: About how many memories are searched for by their own words.
SAMPLES = 200
#: What of a memory is searched for, from its first letter or digit on: enough to tell it from others, without cutting the last word.
_SAMPLE = re.compile(r"[^\W_].{0,60}\w*", re.DOTALL)
#: Words only: an embedding endpoint should not get hundreds of requests for this.
BY_WORDS: frozenset[ArmName] = frozenset({"words"})


def verify(store: Store, index: Index) -> list[str]:
    """The problems, a sentence each. Every memory must be listed, and each of a sample be found by its own words."""
    while (problems := _problems(store, index)) is None:
        pass  # once for each background build that takes over meanwhile
    return problems


def _problems(store: Store, index: Index) -> list[str] | None:
    """None: the index has meanwhile applied changes newer than what was read from the store."""
    applied = index.catch_up()
    with store.read() as reader:
        newest = reader.last_seq()
        # Leave out what others have written since the index caught up.
        late = _changed_since(reader, applied)
        stored, indexed = set(reader.numbers("memory")) - late, _indexed(index, reader) - late
        missing, gone = len(stored - indexed), len(indexed - stored)
        problems = [f"{counted(missing, 'memory is', 'memories are')} missing."] if missing else []
        if gone:
            problems.append(f"{counted(gone, 'memory is', 'memories are')} no longer in the store.")
        both = sorted(stored & indexed)
        samples = both[:: max(1, len(both) // SAMPLES)]
        lost = sum(not found for found in _found(reader, index, samples))
    if index.state().applied > newest:
        return None
    if lost:
        problems.append(f"Not found by their own words: {lost:,} of {counted(len(samples), 'memory', 'memories')}.")
    return problems


def _changed_since(reader: Reader, seq: int) -> set[int]:
    """The numbers of memories changed since then, removed ones included."""
    numbers: set[int] = set()
    while changes := reader.changes_since(seq, BATCH):
        seq = changes[-1].seq
        numbers.update(each.number for each in changes if each.kind == "memory")
    return numbers


def _indexed(index: Index, reader: Reader) -> set[int]:
    everything = Query(text="", limit=index.state().stats.documents)
    hits = index.search(index.prepare(everything, reader, limit=everything.limit)).hits
    return {row_number(hit.key) for hit in hits if is_memory(hit.key)}


def _found(reader: Reader, index: Index, numbers: list[int]) -> Iterator[bool]:
    for number, memory in reader.memories_by_number(numbers).items():
        sample = _SAMPLE.search(memory.text)
        if sample is None:  # without letters and digits there are no words to be found by
            continue
        asked = Query(text=sample[0], limit=1, where=Equals("id", memory.id), arms=BY_WORDS, lang=memory.lang)
        hits = index.search(index.prepare(asked, reader, limit=1)).hits
        yield any(row_number(hit.key) == number for hit in hits)
