"""The only door to the native engine: builds what goes in, follows the store, answers queries.

Useful for: searching as of the last committed change. Not useful for: anything that must survive; the store holds that.
Invariant: the index is a function of the store, the analyser and the embedder. Deleting it loses nothing.
"""

from omoide._engine import Hit as FoundHit
from omoide._engine import Hits as Found
from omoide._engine import Neighbour as FoundNeighbour
from omoide._engine import relevance
from omoide.engine.generation import VectorStorage
from omoide.engine.index import Embedded, Index, IndexState, Prepared
from omoide.engine.reindex import ReindexState

__all__ = [
    "Embedded",
    "Found",
    "FoundHit",
    "FoundNeighbour",
    "Index",
    "IndexState",
    "Prepared",
    "ReindexState",
    "VectorStorage",
    "relevance",
]
