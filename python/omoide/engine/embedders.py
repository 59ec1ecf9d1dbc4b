"""Tells which embedder makes the vectors: the configured one or, until that has answered once, the built-in one.

Useful for: beginning without waiting for an endpoint that is down, and old builds, which were made with other embedders. Not useful
for: choosing by the settings; see embed/choose.py. Invariant: `missing` says why the last question was answered without vectors.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from omoide.embed import Embedder, EmbedderUnavailable, Lexical, TextRefused
from omoide.embed.choose import identity_of
from omoide.embed.unavailable import UnavailableEmbedder
from omoide.engine.generation import Generation
from omoide.engine.preparing import Embedded
from omoide.errors import InvalidArgument, filled
from omoide.model.query import MissingArm, Query

logger = logging.getLogger(__name__)

#: The text embedded first, to learn how long an embedder's vectors are.
PROBE_TEXT = "omoide"
_WAITING = {
    "en": "Vectors are still being made: {count:,}.",
    "ja": "まだ作成中のベクトルが {count:,} 件あります。",
    "zh": "还有 {count:,} 个向量正在生成。",
}


class Embedders:
    """See the module. `configured`: None for the built-in one; `by_identity` returns the embedder that a build on the disk was made
    with."""

    def __init__(
        self, configured: Embedder | None = None, by_identity: Callable[[str], Embedder] | None = None
    ) -> None:
        self._built_in = Lexical()
        self._configured = configured or self._built_in
        self._by_identity = by_identity or _unavailable
        #: Why the configured embedder, which has never answered yet, is not used.
        self._unanswered: MissingArm | None = None
        self._closed = False
        self.missing = self._unanswered = self._probe()
        self._probing: threading.Thread | None = None

    @property
    def usable(self) -> Embedder:
        """The one to build and ask with."""
        return self._built_in if self._configured.dimensions is None else self._configured

    def of(self, identity: str) -> Embedder:
        """The embedder that a build was made with."""
        for known in (self.usable, self._built_in):
            if identity_of(known) == identity:
                return known
        return self._by_identity(identity)

    def embed(self, query: Query, serving: Generation) -> Embedded:
        """The query's vector for that build, unless the engine makes it itself. May wait a few seconds for the network."""
        if "vectors" not in query.arms or not query.text.strip():
            return Embedded(serving)
        if serving.embeds_itself:
            return Embedded(serving, missing=self._unanswered)
        try:
            embedded = Embedded(serving, serving.embedder.embed([query.text], "query")[0])
        except (EmbedderUnavailable, TextRefused) as error:
            embedded = Embedded(serving, missing=missing_vectors(error))
        self.missing = embedded.missing
        return embedded

    def probe_in_background(self) -> None:
        """If the configured embedder has not answered yet, ask it once more, without having anyone wait for it."""
        if self._unanswered is None or (self._probing is not None and self._probing.is_alive()):
            return
        self._probing = threading.Thread(target=self._probe_again, name="omoide-probe", daemon=True)
        self._probing.start()

    def close(self) -> None:
        """Close the configured one."""
        self._closed = True
        self._configured.close()

    def _probe_again(self) -> None:
        try:
            self.missing = self._unanswered = self._probe()
        except InvalidArgument as error:  # the settings do not fit it; a start would have been refused
            self.missing = self._unanswered = self._logged(error)

    def _probe(self) -> MissingArm | None:
        """Learn the embedder's dimensions, if they are not known yet; returns why that failed, or None. Raises InvalidArgument (the
        settings do not fit it)."""
        try:
            if self._configured.dimensions is None:
                self._configured.embed([PROBE_TEXT], "query")
        except EmbedderUnavailable as error:
            return self._logged(error)
        return None

    def _logged(self, error: EmbedderUnavailable | InvalidArgument) -> MissingArm:
        """What is missing because the configured embedder cannot be used."""
        missing = missing_vectors(error)
        # Every search asks again: log a reason once, and none that is only the closing.
        if missing != self._unanswered and not self._closed:
            logger.warning("%s The built-in embedder stands in.", error)
        return missing


def _unavailable(identity: str) -> Embedder:
    return UnavailableEmbedder(identity, identity, "unset")


def missing_vectors(error: EmbedderUnavailable | InvalidArgument) -> MissingArm:
    """The arm that an answer lacks because the embedder failed. It does not hold the error, whose traceback would keep alive
    whatever was being embedded."""
    return MissingArm("vectors", error.message, dict(error.also))


def still_waiting(count: int) -> MissingArm | None:
    """What a comparison lacks while so many memories wait for their vectors."""
    sentences = filled(_WAITING, count=count)
    return MissingArm("vectors", sentences.pop("en"), sentences) if count else None
