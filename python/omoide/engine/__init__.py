"""The only door to the native engine: builds what goes in, follows the store, answers queries.

    index         the index of one store: follows its changes, answers queries (searching, beside)
    generation    one build of it, with its snapshots; reindex: a new build while the old one answers
    documents     what is indexed of a row: attributes, names, the passages that are embedded; under which keys
    conditions    which filter a condition is
    backlog       what lacks its vectors; filling works it off, as a chore: a thread beside the searches

Useful for: searching as of the last committed change. Not useful for: anything that must survive; the store holds that.
Invariant: the index is a function of the store, the analyser and the embedder. Deleting it loses nothing.
"""

from omoide._engine import Curve, Shapes, relevance
from omoide._engine import Hits as Found
from omoide._engine import Neighbour as FoundNeighbour
from omoide.engine.generation import VectorStorage
from omoide.engine.index import Embedded, Index, IndexState, Prepared
from omoide.engine.reindex import ReindexState

__all__ = [
    "Curve",
    "Embedded",
    "Found",
    "FoundNeighbour",
    "Index",
    "IndexState",
    "Prepared",
    "ReindexState",
    "Shapes",
    "VectorStorage",
    "relevance",
]
