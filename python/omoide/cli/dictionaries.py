"""Which dictionaries will the questions to a server need? Read beside the rest of its start: the first to ask would wait.

Useful for: `omoide serve`. Not useful for: commands that know their question. Invariant: nothing here keeps a server from
starting; what cannot be read is told by the call that needs it.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable, Sequence

from omoide.cli.common import SAMPLES
from omoide.config import Settings
from omoide.errors import OmoideError, StoreError
from omoide.model.memory import Memory
from omoide.store.layout import STORE_FILE
from omoide.store.sqlite import SqliteStore
from omoide.text import Analyzer, LexiconFiles
from omoide.text.detect import language_of

logger = logging.getLogger(__name__)

#: So many memories tell in which languages somebody writes, and asks, at present.
NEWEST = 20
#: So much of a message tells the language of its question.
MOST_CHARS = 2_000
_NAMES = {"ja": "Japanese", "zh": "Chinese"}


def needed_by_all() -> Sequence[str]:
    """A server of many is asked in every language."""
    return tuple(SAMPLES)


def needed_by_one(settings: Settings) -> Sequence[str]:
    """A server of one client is asked in the languages of its newest memories, that of most of them first.

    Where they have Han characters both dictionaries are needed: a question of those alone is read both ways, unless the
    settings say which language it is.
    """
    languages = Counter(language_of(memory.text, memory.lang) for memory in _newest(settings))
    found = [_NAMES[language] for language, _ in languages.most_common() if language is not None]
    return tuple(dict.fromkeys([*found, *_NAMES.values()])) if found and settings.language is None else tuple(found)


def read_ahead(settings: Settings, languages: Iterable[str], waiting: str = "") -> None:
    """In a thread of its own; first what a message needs that is `waiting` already."""
    analyzer = Analyzer(settings.japanese, language=settings.language, files=LexiconFiles(settings.data))
    texts = [waiting[:MOST_CHARS], *(SAMPLES[language] for language in languages)]
    threading.Thread(target=_read, args=(analyzer, texts), name="omoide-dictionaries", daemon=True).start()


def _read(analyzer: Analyzer, texts: Iterable[str]) -> None:
    try:
        for text in texts:
            analyzer.query(text)
    except (ImportError, OSError, RuntimeError, OmoideError) as error:
        logger.warning("a dictionary could not be read: %s", error)


def _newest(settings: Settings) -> Iterable[Memory]:
    """None where there is no store yet, or one that cannot be read: who serves it says so."""
    path = settings.data / STORE_FILE
    try:
        if not path.exists():
            return ()
        with SqliteStore(path, read_only=True) as store, store.read() as reader:
            last = reader.last_added()
            return reader.memories_by_number(range(last.number - NEWEST, last.number + 1)).values() if last else ()
    except (OSError, StoreError):
        return ()
