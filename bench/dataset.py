"""A labelled retrieval set on disk: corpus.jsonl, queries.jsonl and optionally triples.jsonl.

`corpus.jsonl` {id, text, title?, timestamp?, lang?, scope?, session?}; `queries.jsonl` {id, text, relevant[], category?,
scope?}; `triples.jsonl` {doc, entities[], triples[[s, p, o]]}. A query with a scope is asked within that scope only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

DATA_VARIABLE = "OMOIDE_BENCH_DATA"


#: The fields that every memory and every question has.
_TEXTS: dict[str, tuple[type, str]] = {"id": (str, "a text"), "text": (str, "a text")}


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


class BadSet(ValueError):
    """A data file that would lead to wrong scores; the text names file, line and field."""


def load(folder: Path, limit: int | None = None) -> Dataset:
    """Read the questions, at most `limit`. Raises FileNotFoundError, and BadSet: there are none, a question lacks a
    field, or a label is no memory of the corpus, so that nothing could ever find it."""
    path = folder / "queries.jsonl"
    known = {_checked(place, row, _TEXTS)["id"] for place, row in placed(folder / "corpus.jsonl")}
    questions = tuple(_labelled(place, row, known) for place, row in placed(path))
    if not questions:
        raise BadSet(f"{path}: no question in it")
    return Dataset(folder.name, folder, questions[:limit])


def without(dataset: Dataset, folder: Path, *fields: str) -> Dataset:
    """A copy in `folder` whose memories lack the fields, to measure what these are worth."""
    inside = folder / dataset.name
    inside.mkdir()
    keep = lambda row: {key: value for key, value in row.items() if key not in fields}  # noqa: E731
    _rewrite(dataset.corpus, inside / "corpus.jsonl", keep)
    if dataset.triples is not None:
        _rewrite(dataset.triples, inside / "triples.jsonl", lambda row: row)
    return Dataset(dataset.name, inside, dataset.questions)


def namespaced(dataset: Dataset, folder: Path) -> Dataset:
    """A copy in `folder` whose ids begin with the set's name, as sets in one store may use the same ids."""
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
    """The objects of a JSON Lines file. Raises BadSet for any other line."""
    return (row for _, row in placed(path))


def placed(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(file:line, object) of each line that is not blank. Raises BadSet."""
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                place = f"{path}:{number}"
                yield place, _object(place, line)


def _object(place: str, line: str) -> Mapping[str, Any]:
    try:
        line.encode()
    except UnicodeEncodeError:
        raise BadSet(f"{place}: no UTF-8") from None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadSet(f"{place}: no JSON ({error})") from None
    if not isinstance(row, dict):
        raise BadSet(f"{place}: {type(row).__name__} instead of an object")
    return row


def _checked(place: str, row: Mapping[str, Any], asked: Mapping[str, tuple[type, str]]) -> Mapping[str, Any]:
    for name, (kind, said) in asked.items():
        if not isinstance(row.get(name), kind):
            raise BadSet(f"{place}: {name} is {row.get(name)!r}; it has to be {said}")
    return row


def _labelled(place: str, row: Mapping[str, Any], known: Set[str]) -> Question:
    _checked(place, row, _TEXTS | {"relevant": (list, "a list of ids")})
    if strange := [id for id in row["relevant"] if not (isinstance(id, str) and id in known)]:
        raise BadSet(f"{place}: relevant names {strange[0]!r}, which no line of corpus.jsonl has as its id")
    return _question(row)


def _question(line: Mapping[str, Any]) -> Question:
    return Question(line["id"], line["text"], frozenset(line["relevant"]), line.get("scope"), line.get("category"))
