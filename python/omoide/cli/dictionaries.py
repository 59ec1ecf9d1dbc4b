"""Which dictionaries will the questions to a server need? Read beside the rest of its start: the first to ask would wait.

Useful for: `omoide serve`. Not useful for: commands that know their question; Chinese, whose dictionary is read as
texts need it. Invariant: nothing here keeps a server from starting; what cannot be read is told by the call that needs it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence

from omoide.cli.common import SAMPLES
from omoide.config import Settings
from omoide.errors import OmoideError, StoreError
from omoide.model.memory import Memory
from omoide.store.protocol import Store
from omoide.text import Analyzer, LexiconFiles
from omoide.text.detect import language_of

logger = logging.getLogger(__name__)

#: So many memories tell in which languages somebody writes, and asks, at present.
NEWEST = 20
#: So much of a message tells the language of its question.
MOST_CHARS = 2_000


def needed_by_all() -> Sequence[str]:
    """A server of many is asked in every language."""
    return tuple(SAMPLES)


def needed_by_one(settings: Settings, store: Store) -> Sequence[str]:
    """A server of one client is asked in the languages of its newest memories.

    A question of Han characters alone is read as Japanese too, unless the settings say which language it is.
    """
    languages = {language_of(memory.text, memory.lang) for memory in _newest(store)}
    read_as_japanese = {"ja"} if settings.language else {"ja", "zh"}
    return ("Japanese",) if languages & read_as_japanese else ()


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


def _newest(store: Store) -> Iterable[Memory]:
    """None where they cannot be read: the call that needs them says so."""
    try:
        with store.read() as reader:
            last = reader.last_added()
            return reader.memories_by_number(range(last.number - NEWEST, last.number + 1)).values() if last else ()
    except StoreError:
        return ()
