"""BEIR and MTEB: a folder as published (`python -m bench beir FOLDER`), and the search object their harnesses call.

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
from typing import Any

import omoide
from bench.dataset import read_lines
from bench.metrics import ndcg_at, recall_at
from omoide.model.memory import Draft
from omoide.model.query import Query

BATCH = 1000
DEPTH = 100

Corpus = Mapping[str, Mapping[str, str]]
Results = dict[str, dict[str, float]]


class OmoideSearch:
    """What BEIR calls a retrieval model: a corpus {id: {title, text}} and queries {id: text} in, scores by id out."""

    def search(self, corpus: Corpus, queries: Mapping[str, str], top_k: int, *_: Any, **__: Any) -> Results:
        """The scores of the `top_k` best for each query."""
        with TemporaryDirectory(prefix="omoide-bench-") as folder, omoide.open(folder) as memories:
            for drafts in _batches(corpus):
                memories.remember_many(drafts)
            return {
                id: {hit.memory.id: hit.score for hit in memories.recall(Query(text=text, limit=top_k)).hits}
                for id, text in queries.items()
            }


def _batches(corpus: Corpus) -> Iterator[list[Draft]]:
    drafts = [Draft(id=id, title=doc.get("title") or None, text=_text(doc)) for id, doc in corpus.items()]
    yield from (drafts[start : start + BATCH] for start in range(0, len(drafts), BATCH))


def _text(doc: Mapping[str, str]) -> str:
    """Some sets have passages of a title alone, and a few of nothing."""
    return doc.get("text") or doc.get("title") or "-"


def main(argv: Sequence[str]) -> int:
    """Judge a folder."""
    parser = argparse.ArgumentParser(prog="python -m bench beir", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="corpus.jsonl, queries.jsonl, qrels/test.tsv")
    parser.add_argument("--qrels", default="test", help="which labels (default: test)")
    options = parser.parse_args(argv)
    print(json.dumps(judged(options.folder, options.qrels), indent=1))
    return 0


def judged(folder: Path, qrels: str) -> Mapping[str, float]:
    """nDCG@10 with binary gains and recall@100, over the queries that have labels."""
    corpus = {row["_id"]: row for row in read_lines(folder / "corpus.jsonl")}
    relevant = _relevant(folder / "qrels" / f"{qrels}.tsv")
    queries = {row["_id"]: row["text"] for row in read_lines(folder / "queries.jsonl") if row["_id"] in relevant}
    found = OmoideSearch().search(corpus, queries, DEPTH)
    ranked = [(list(found[id]), frozenset(relevant[id])) for id in queries]
    return {
        "queries": len(ranked),
        "nDCG@10": fmean(ndcg_at(10, *each) for each in ranked),
        "recall@100": fmean(recall_at(DEPTH, *each) for each in ranked),
    }


def _relevant(path: Path) -> Mapping[str, set[str]]:
    relevant: defaultdict[str, set[str]] = defaultdict(set)
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if int(row["score"]) > 0:
                relevant[row["query-id"]].add(row["corpus-id"])
    return relevant
