"""Vectors for a call that somebody waits for, made as those of stored texts are, which else may take their time.

Useful for: comparing what is about to be stored. Not useful for: questions, whose vectors come in time by themselves.
Invariant: whoever asks is told after HURRIED_SECONDS; what is under way then goes on in a thread of its own, for nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late

from omoide.embed.protocol import Embedder, EmbedderUnavailable, Vector
from omoide.turns import about_to_wait, waiting

HURRIED_SECONDS = 5.0


def hurried(embedder: Embedder, texts: Sequence[str], seconds: float = HURRIED_SECONDS) -> list[Vector]:
    """See Embedder.embed; EmbedderUnavailable also when it takes longer than `seconds`."""
    if embedder.instant:
        return embedder.embed(texts, "passage")
    about_to_wait()
    made: Future[list[Vector]] = Future()
    threading.Thread(target=_make, args=(made, embedder, texts), name="omoide-hurried", daemon=True).start()
    try:
        with waiting():
            return made.result(seconds)
    except Late:
        raise EmbedderUnavailable(f"The embedder {embedder.name} did not answer within {seconds:g} s.") from None


def _make(made: Future[list[Vector]], embedder: Embedder, texts: Sequence[str]) -> None:
    try:
        made.set_result(embedder.embed(texts, "passage"))
    except BaseException as error:
        made.set_exception(error)
