"""BEIR: a folder as published (`python -m bench beir FOLDER`; MTEB's retrieval tasks have the same form), and the search
object that its evaluator calls.

from beir.retrieval.evaluation import EvaluateRetrieval
EvaluateRetrieval(OmoideSearch(), score_function="omoide").retrieve(corpus, queries)
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Any

from rich.console import Console
from rich.progress import Progress

import omoide
from bench.dataset import BadSet, placed
from bench.metrics import graded_ndcg_at, recall_at
from bench.published import as_published, text_of
from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.model.query import Query

BATCH = 1000
DEPTH = 100

Corpus = Mapping[str, Mapping[str, str]]
Results = dict[str, dict[str, float]]


class OmoideSearch:
    """A retrieval model in BEIR's sense: takes a corpus {id: {title, text}} and queries {id: text}, returns scores by id."""

    def search(self, corpus: Corpus, queries: Mapping[str, str], top_k: int, *_: Any, **__: Any) -> Results:
        """The scores of the `top_k` best for each query."""
        with (
            TemporaryDirectory(prefix="omoide-bench-") as folder,
            omoide.open(folder) as memories,
            _progress() as shown,
        ):
            for drafts in shown.track(_batches(corpus), description="storing"):
                memories.remember_many(drafts)
            asked = shown.track(queries.items(), description="asking")
            return {id: _scores(memories, text, top_k) for id, text in asked}


def _scores(memories: Memories, text: str, top_k: int) -> dict[str, float]:
    """Duplicates are not grouped: labels are per document, and corpora contain the same text twice."""
    found = memories.recall(Query(text=text, limit=top_k, diverse=False))
    return {hit.memory.id: hit.score for hit in found.hits}


def _progress() -> Progress:
    return Progress(console=Console(stderr=True), transient=True)


def _batches(corpus: Corpus) -> list[list[Draft]]:
    drafts = [Draft(id=id, title=doc.get("title") or None, text=_text(doc)) for id, doc in corpus.items()]
    return [drafts[start : start + BATCH] for start in range(0, len(drafts), BATCH)]


def _text(doc: Mapping[str, str]) -> str:
    """Some sets have passages with only a title, and a few empty ones."""
    return doc.get("text") or doc.get("title") or "-"


def main(argv: Sequence[str]) -> int:
    """Judge a folder."""
    described, _, example = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m bench beir",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=described,
        epilog=f"example:\n{indent(example, '  ')}",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="corpus.jsonl, queries.jsonl, qrels/test.tsv")
    parser.add_argument("--qrels", default="test", help="which labels (default: test)")
    options = parser.parse_args(argv)
    print(json.dumps(judged(options.folder, options.qrels), indent=1))
    return 0


def judged(folder: Path, qrels: str) -> Mapping[str, float]:
    """nDCG@10 and recall@100 over the queries that have labels, as BEIR's evaluator counts them: a label's number is its
    gain, and a document with the query's own id is skipped. Raises BadSet."""
    with as_published(str(folder)):
        gains = _gains(folder / "qrels" / f"{qrels}.tsv")
        corpus = {row["_id"]: row for row in _rows(folder / "corpus.jsonl", "_id")}
        asked = _rows(folder / "queries.jsonl", "_id", "text")
        queries = {row["_id"]: row["text"] for row in asked if row["_id"] in gains}
    if not queries:
        raise BadSet(f"{folder}: no query of queries.jsonl has a label in qrels/{qrels}.tsv")
    found = OmoideSearch().search(corpus, queries, DEPTH + 1)
    ranked = [([doc for doc in found[id] if doc != id][:DEPTH], gains[id]) for id in queries]
    return {
        "queries": len(ranked),
        "nDCG@10": fmean(graded_ndcg_at(10, *each) for each in ranked),
        "recall@100": fmean(recall_at(DEPTH, ranking, frozenset(gain)) for ranking, gain in ranked),
    }


def _rows(path: Path, *needed: str) -> Iterator[Mapping[str, Any]]:
    for place, row in placed(path):
        with as_published(place):
            for name in (*needed, *(row.keys() & {"title", "text"})):
                text_of(row, name)
        yield row


def _gains(path: Path) -> Mapping[str, Mapping[str, int]]:
    """The gain of each relevant document, by query."""
    gains: defaultdict[str, dict[str, int]] = defaultdict(dict)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        for row in rows:
            with as_published(f"{path}:{rows.line_num}"):
                query, doc, score = row["query-id"], row["corpus-id"], int(row["score"])
            if score > 0:
                gains[query][doc] = score
    return gains
