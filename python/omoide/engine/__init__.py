"""The only package that uses the native engine's index: prepares what is indexed, follows the store, answers queries.

    index         the index of one store: follows its changes, answers queries
    preparing     a query in the engine's form, with its vector; embedders: which embedder makes that
    searching     how a call runs a search; interleaving: several calls in one thread
    generation    one build of the index, with its snapshots; reindex: a new build while the old one answers
    right_of_way  tells writers of every process that a search applies changes, so that they wait; patience: how long a call waits
    documents     rows of the store as documents: with attributes, names, and the passages to embed; keys: their keys
    conditions    conditions, compiled to filters of the engine
    backlog       memories that lack their vectors; filling makes these, in a background thread (background)

Useful for: searching as of the last committed change. Not useful for: anything that must survive; the store holds that.
Invariant: the index is a function of the store, the analyser and the embedder. Deleting it loses nothing.
"""

from omoide._engine import Curve, Shapes, relevance
from omoide._engine import Hits as EngineHits
from omoide._engine import Neighbour as EngineNeighbour
from omoide.engine.generation import VectorStorage
from omoide.engine.index import Index, IndexState
from omoide.engine.preparing import Embedded, Prepared
from omoide.engine.reindex import ReindexState

__all__ = [
    "Curve",
    "Embedded",
    "EngineHits",
    "EngineNeighbour",
    "Index",
    "IndexState",
    "Prepared",
    "ReindexState",
    "Shapes",
    "VectorStorage",
    "relevance",
]
