"""`python -m bench WORKLOAD ...`: see `python -m bench --help`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from bench.dataset import BadSet
from omoide.errors import OmoideError

#: name -> (module with a `main(argv) -> int`, the question it answers)
WORKLOADS = {
    "retrieval": (
        "bench.workloads.retrieval",
        "are the labelled memories found? recall, MRR, nDCG, and where the time goes",
    ),
    "relevance": (
        "bench.workloads.relevance",
        "what is a relevance in 0..1 worth? strangers, medians, calibration; fits the curve",
    ),
    "arms": (
        "bench.workloads.arms",
        "is the fusion ever worse than the better of its arms? strong, equal and weak models",
    ),
    "short": (
        "bench.workloads.short",
        "among texts of several languages, do one to three words find texts that have them first?",
    ),
    "locomo": ("bench.harness.locomo", "LoCoMo as published: recall and nDCG of turns and sessions"),
    "longmemeval": ("bench.harness.longmemeval", "LongMemEval as published: recall and nDCG of turns and sessions"),
    "beir": ("bench.harness.beir", "a BEIR or MTEB folder: nDCG@10 and recall@100"),
    "ann": ("bench.harness.ann", "nearest vectors, as ann-benchmarks asks: recall@10 and queries a second"),
    "text": ("bench.workloads.text", "how fast is text analysed? characters a second, beside the bare libraries"),
    "tenants": ("bench.workloads.tenants", "how are many tenants served? first hits, and memory as they come and go"),
    "engine": ("bench.workloads.engine", "how fast is the engine beside usearch, tantivy, igraph, LanceDB and others?"),
    "embed": (
        "bench.workloads.embed",
        "how fast are texts embedded, beside the bare libraries? what do the built-in vectors find?",
    ),
    "serve": (
        "bench.workloads.serve",
        "how fast are calls served? calls a second and CPU time a call, beside an empty tool of the SDK",
    ),
    "dates": ("bench.dates", "which date expressions are understood? share of labelled cases, by language"),
}


def usage() -> str:
    """The list of workloads."""
    rows = "\n".join(f"  {name:<12} {what}" for name, (_, what) in WORKLOADS.items())
    return (
        f"usage: python -m bench WORKLOAD [--help] ...\n\n{rows}\n\nData: folders given, or under $OMOIDE_BENCH_DATA. A set is a "
        "folder with\n  corpus.jsonl   a memory a line: id, text; also title, timestamp, lang, scope, session\n"
        "  queries.jsonl  a question a line: id, text, relevant (ids of memories); also scope, category\n"
        "  triples.jsonl  if there is one, as `omoide import` takes it"
    )


def main(argv: Sequence[str]) -> int:
    """Run one workload; exit code 2 if there is none of that name, or it cannot read its data."""
    if not argv or argv[0] in {"-h", "--help"}:
        print(usage())
        return 0
    if argv[0] not in WORKLOADS:
        print(f"no workload named {argv[0]!r}\n\n{usage()}", file=sys.stderr)
        return 2
    run: Callable[[Sequence[str]], int] = import_module(WORKLOADS[argv[0]][0]).main
    try:
        return run(argv[1:])
    except (BadSet, OmoideError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
