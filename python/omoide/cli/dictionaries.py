"""Loads the dictionaries that searches will probably need while a server starts, and then the grammar of dates, so that the
first search, and the first with a date, need not wait.

Useful for: `omoide serve`. Not useful for: commands that know their query; Chinese, whose dictionary is read piece by piece as
texts need it. Invariant: nothing here keeps a server from starting; a dictionary that cannot be read is reported by the call
that needs it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from importlib import import_module
from time import sleep

from omoide.cli.common import SAMPLES
from omoide.config import Settings
from omoide.errors import OmoideError, StoreError
from omoide.model.memory import Memory
from omoide.store.protocol import Store
from omoide.text import Analyzer, LexiconFiles
from omoide.text.detect import language_of

logger = logging.getLogger(__name__)

#: How many of the newest memories are looked at, to see in which languages the user writes.
NEWEST = 20
#: Characters of a waiting message that are analysed: enough to tell its language.
MOST_CHARS = 2_000
#: When the grammar is loaded, after the dictionaries. It is Python, and loading it beside the first call would delay that by a
#: quarter; by then that is answered even on a busy machine.
GRAMMAR_AFTER_SECONDS = 3.0
#: Dates of the usual kinds. Reading them compiles the patterns that most others need, for which a question would wait some 20 ms.
DATES = (
    "2023年3月5日の午後、三日前、来週の予定",
    "上周三下午和三天前的会议",
    "2023-03-05, two days before last Tuesday, or in the summer of 2021",
)


def needed_by_all() -> Sequence[str]:
    """The languages for a server of many clients: all of them."""
    return tuple(SAMPLES)


def needed_by_one(settings: Settings, store: Store) -> Sequence[str]:
    """The languages for a server of one client: those of its newest memories.

    A query of Han characters alone is analysed as Japanese too, unless the settings say which language it is.
    """
    languages = {language_of(memory.text, memory.lang) for memory in _newest(store)}
    read_as_japanese = {"ja"} if settings.language else {"ja", "zh"}
    return ("Japanese",) if languages & read_as_japanese else ()


def read_ahead(settings: Settings, languages: Iterable[str], waiting: str = "") -> None:
    """Load dictionaries in a thread: first what the text that is `waiting` needs, then those of `languages`; at last the grammar
    of dates."""
    analyzer = Analyzer(settings.japanese, language=settings.language, files=LexiconFiles(settings.data))
    texts = [waiting[:MOST_CHARS], *(SAMPLES[language] for language in languages)]
    threading.Thread(target=_read, args=(analyzer, texts), name="omoide-dictionaries", daemon=True).start()


def _read(analyzer: Analyzer, texts: Iterable[str]) -> None:
    try:
        for text in texts:
            analyzer.query(text)
    except (ImportError, OSError, RuntimeError, OmoideError) as error:
        logger.warning("a dictionary could not be read: %s", error)
    sleep(GRAMMAR_AFTER_SECONDS)
    mentions = import_module("omoide.dates.mentions")
    for text in DATES:
        mentions.find(text, now=datetime.now(timezone.utc), zone=timezone.utc)


def _newest(store: Store) -> Iterable[Memory]:
    """The newest memories; empty if they cannot be read, which the next call will report."""
    try:
        with store.read() as reader:
            last = reader.last_added()
            return reader.memories_by_number(range(last.number - NEWEST + 1, last.number + 1)).values() if last else ()
    except StoreError:
        return ()
