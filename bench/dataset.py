"""A labelled retrieval set on disk: corpus.jsonl, queries.jsonl, perhaps triples.jsonl.

`corpus.jsonl` {id, text, title?, timestamp?, lang?, scope?, session?}; `queries.jsonl` {id, text, relevant[], category?,
scope?}; `triples.jsonl` {doc, entities[], triples[[s, p, o]]}. A query with a scope is asked within that scope only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
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
    def unanswerable(self) -> tuple[Question, ...]:
        """Questions whose answer is not in the corpus, if the set has them (`queries_adversarial.jsonl`)."""
        path = self.folder / "queries_adversarial.jsonl"
        return tuple(_question(line) for line in read_lines(path)) if path.exists() else ()

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


def without(dataset: Dataset, folder: Path, *fields: str) -> Dataset:
    """A copy in `folder` whose memories lack the fields: what they are worth."""
    inside = folder / dataset.name
    inside.mkdir()
    keep = lambda row: {key: value for key, value in row.items() if key not in fields}  # noqa: E731
    _rewrite(dataset.corpus, inside / "corpus.jsonl", keep)
    if dataset.triples is not None:
        _rewrite(dataset.triples, inside / "triples.jsonl", lambda row: row)
    return Dataset(dataset.name, inside, dataset.questions)


def namespaced(dataset: Dataset, folder: Path) -> Dataset:
    """A copy in `folder` whose ids begin with the set's name: sets in one store may use the same ids."""
    name = dataset.name
    inside = folder / name
    inside.mkdir()
    _rewrite(dataset.corpus, inside / "corpus.jsonl", lambda row: {**row, "id": f"{name}/{row['id']}"})
    if dataset.triples is not None:
        _rewrite(dataset.triples, inside / "triples.jsonl", lambda row: {**row, "doc": f"{name}/{row['doc']}"})
    renamed = (replace(each, relevant=frozenset(f"{name}/{id}" for id in each.relevant)) for each in dataset.questions)
    return Dataset(name, inside, tuple(renamed))


def _rewrite(source: Path, target: Path, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
    lines = (json.dumps(change(row), ensure_ascii=False) for row in read_lines(source))
    target.write_text("\n".join(lines), encoding="utf-8")


def read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _question(line: Mapping[str, Any]) -> Question:
    return Question(line["id"], line["text"], frozenset(line["relevant"]), line.get("scope"), line.get("category"))
