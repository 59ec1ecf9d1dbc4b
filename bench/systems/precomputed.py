"""An embedder of precomputed vectors: what does the search find with a model that is not installed?

`precomputed:MODEL` reads MODEL_corpus.npy and MODEL_queries.npy beside a set's files, one row per line of these.
`ranking:MODEL` reads dense_runs.jsonl (`model, query, top[ids]`), which has only a model's rankings, and constructs vectors
that rank the same: the cosine falls evenly from `NEAREST` down to `LISTED`, and is `OTHERS` for texts not in the list.

Useful for: fusion with strong and weak models. Not useful for: texts outside the sets, which are refused.
Invariant: a text has the vector of its line.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from bench.dataset import Dataset, read_lines
from omoide.embed import Embedder, Kind, TextRefused, Vector

#: Cosines of the first and the last of a ranking, and of texts not in it: a narrow range, as sentence embedders have.
NEAREST = 0.55
LISTED = 0.45
OTHERS = 0.4
#: The component that all texts share; its square is the cosine of unrelated ones.
SHARED = math.sqrt(OTHERS)

ByText = Mapping[str, Vector]


class Precomputed:
    """See the module."""

    semantic = True
    #: The same as for other transformers.
    weight = 0.5
    max_tokens = None
    instant = True
    version = "1"

    def __init__(self, name: str, passages: ByText, queries: ByText) -> None:
        self.name = name
        self.dimensions = max(map(len, chain(passages.values(), queries.values()))) // 4
        self._vectors: Mapping[Kind, ByText] = {"passage": passages, "query": queries}

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        known = self._vectors[kind]
        if strange := next((text for text in texts if text.strip() and text not in known), None):
            raise TextRefused(f"{self.name} has no vector of {strange[:60]!r}.")
        return [known.get(text, b"").ljust(4 * self.dimensions, b"\0") for text in texts]

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def embedder_of(setting: str, datasets: Sequence[Dataset]) -> str | Embedder:
    """The embedder that `--embedder` names: one made from the sets' files, or a name that `omoide.open` knows.

    Raises FileNotFoundError: a set lacks the model's vectors or rankings.
    """
    kind, _, model = setting.partition(":")
    if kind not in READERS:
        return setting
    pairs = [READERS[kind](dataset, model) for dataset in datasets]
    passages, queries = (dict(chain.from_iterable(each.items() for each in side)) for side in zip(*pairs, strict=True))
    return Precomputed(setting, passages, queries)


def _of_arrays(dataset: Dataset, model: str) -> tuple[ByText, ByText]:
    corpus = [_searchable(row) for row in read_lines(dataset.corpus)]
    queries = [row["text"] for row in read_lines(dataset.folder / "queries.jsonl")]
    return _rows(dataset, f"{model}_corpus", corpus), _rows(dataset, f"{model}_queries", queries)


def _rows(dataset: Dataset, name: str, texts: Sequence[str]) -> ByText:
    # Only these embedders read arrays.
    import numpy

    rows = numpy.load(dataset.folder / f"{name}.npy").astype("<f4")
    return {text: row.tobytes() for text, row in zip(texts, rows, strict=True)}


def _searchable(row: Mapping[str, str]) -> str:
    return "\n".join(part for part in (row.get("title"), row["text"]) if part)


def _of_rankings(dataset: Dataset, model: str) -> tuple[ByText, ByText]:
    runs = {
        run["query"]: run["top"] for run in read_lines(dataset.folder / "dense_runs.jsonl") if run["model"] == model
    }
    if not runs:
        raise FileNotFoundError(f"dense_runs.jsonl of {dataset.name} has no model {model!r}")
    texts = {row["id"]: _searchable(row) for row in read_lines(dataset.corpus)}
    places = {id: place for place, id in enumerate(texts, 1)}
    passages = {
        text: _along({0: SHARED, places[id]: math.sqrt(1.0 - OTHERS)}, len(places)) for id, text in texts.items()
    }
    queries = {each.text: _ranking(runs[each.id], places) for each in dataset.questions if each.id in runs}
    return passages, queries


def _ranking(top: Sequence[str], places: Mapping[str, int]) -> Vector:
    """A vector whose cosine to the listed texts falls evenly: see the module."""
    step = (NEAREST - LISTED) / max(len(top) - 1, 1)
    above = {places[id]: (NEAREST - step * at - OTHERS) / math.sqrt(1.0 - OTHERS) for at, id in enumerate(top)}
    # The rest of the length is orthogonal to every text.
    rest = math.sqrt(1.0 - OTHERS - sum(value * value for value in above.values()))
    return _along({0: SHARED, **above, len(places) + 1: rest}, len(places))


def _along(values: Mapping[int, float], places: int) -> Vector:
    return array("f", (values.get(place, 0.0) for place in range(places + 2))).tobytes()


READERS: Mapping[str, Callable[[Dataset, str], tuple[ByText, ByText]]] = {
    "precomputed": _of_arrays,
    "ranking": _of_rankings,
}
