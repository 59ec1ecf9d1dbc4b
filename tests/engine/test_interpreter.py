"""What takes long lets other threads run Python meanwhile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from omoide import _engine
from omoide.text import Analyzer
from omoide.text.normalise import variants

#: Its query takes some tenths of a second to make, what is done in a pass over it a millisecond.
LONG = "昨日京都で抹茶を飲んだ会議" * 20_000


@pytest.fixture
def uninterrupted() -> Iterator[None]:
    """Threads go on until they let go of the interpreter."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(600)
    yield
    sys.setswitchinterval(before)


def _cut(text: str) -> Callable[[], object]:
    cutter = Analyzer().cutter
    cut = cutter.document(text, "zh")
    assert cut is not None
    return lambda: cut.terms([], [])


#: What is done with a long text, by name: prepared with the interpreter, then run.
WORK: dict[str, Callable[[], Callable[[], object]]] = {
    "the query of a message is made": lambda: partial(_engine.Query.of, _engine.Question(LONG)),
    "the terms of a text are listed": lambda: _cut(LONG),
    "the words of a text are hashed": lambda: partial(_engine.Wording, LONG),
    "a text is folded": lambda: partial(variants().fold, LONG),
    "a text is made plain": lambda: partial(_engine.plain, LONG),
    "the part of a text to show is found": lambda: partial(variants().glimpse, LONG, ["z"], 120),
}


@pytest.mark.usefixtures("uninterrupted")
@pytest.mark.parametrize("name", WORK)
def test_another_thread_runs_while(name: str) -> None:
    work = WORK[name]()
    begin, ran = threading.Lock(), []
    begin.acquire()
    other = threading.Thread(target=lambda: ran.append(begin.acquire()))
    other.start()
    begin.release()
    # On a busy machine the other may get no processor for as long as one takes.
    assert any((work(), ran)[1] for _ in range(300))
    other.join()
