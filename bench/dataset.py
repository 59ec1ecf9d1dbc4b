"""A labelled retrieval set on disk: corpus.jsonl, queries.jsonl, perhaps triples.jsonl.

`corpus.jsonl` {id, text, title?, timestamp?, lang?, scope?, session?}; `queries.jsonl` {id, text, relevant[], category?,
scope?}; `triples.jsonl` {doc, entities[], triples[[s, p, o]]}. A query with a scope is asked within that scope only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA_VARIABLE = "OMOIDE_BENCH_DATA"


@dataclass(frozen=True, slots=True)
class Question:
    """A query and the ids of the memories that answer it."""

    id: str
    text: str
    relevant: frozenset[str]
    scope: str | None
    category: str | None


@dataclass(frozen=True, slots=True)
class Dataset:
    """One folder; the corpus and the triples are read by the importer."""

    name: str
    folder: Path
    questions: tuple[Question, ...]

    @property
    def corpus(self) -> Path:
        """The memories."""
        return self.folder / "corpus.jsonl"

    @property
    def triples(self) -> Path | None:
        """Entities and relations, if the set has them."""
        path = self.folder / "triples.jsonl"
        return path if path.exists() else None


def find(name: str) -> Path:
    """A folder as given, or by name under $OMOIDE_BENCH_DATA. Raises FileNotFoundError saying where it looked."""
    places = [Path(name), *([Path(root) / name] if (root := os.environ.get(DATA_VARIABLE)) else [])]
    for place in places:
        if (place / "corpus.jsonl").is_file():
            return place
    looked = ", ".join(str(place) for place in places)
    raise FileNotFoundError(
        f"no data set {name!r}: no corpus.jsonl in {looked} (set {DATA_VARIABLE} to the sets' folder)"
    )


def load(folder: Path, limit: int | None = None) -> Dataset:
    """Read the questions, at most `limit`."""
    questions = tuple(_question(line) for line in read_lines(folder / "queries.jsonl"))
    return Dataset(folder.name, folder, questions[:limit])


def read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _question(line: Mapping[str, Any]) -> Question:
    return Question(line["id"], line["text"], frozenset(line["relevant"]), line.get("scope"), line.get("category"))
