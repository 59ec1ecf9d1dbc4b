"""How fast does each embedder embed, beside the bare library, and what does the built-in one's index cost and find?

The first table: short texts a second in batches, and milliseconds of one question, ours and the bare library's timed in
turn over the same texts. Models are toys made on the spot unless --static or --onnx names a real one. The second: real
texts under the built-in embedder in the engine's index, its ten nearest held against an exact scan.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.dataset import DATA_VARIABLE, find, read_lines
from omoide import _engine
from omoide.embed import Embedder, Lexical
from omoide.embed.cached import Cached
from omoide.embed.onnx import Onnx
from omoide.embed.static import Static
from omoide.text import fold

SETS = ("jsquad_ja_valid", "rpc_ja_dev", "cmrc2018_zh_dev", "drcd_zh_dev", "madial_zh", "locomo_en", "xquad_en")
SHORT_CHARS = 60
ROUNDS = 3
QUERIES = 200
NEAREST = 10

Bare = Callable[[Sequence[str]], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One embedder: texts a second and milliseconds of one question; of the bare library, where there is one."""

    name: str
    texts: float
    bare_texts: float | None
    question_ms: float
    bare_question_ms: float | None


def main(argv: Sequence[str]) -> int:
    """Print both tables; exit code 2 when a set is not there."""
    options = _parser().parse_args(argv)
    try:
        texts = _texts(max(options.texts, options.indexed))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    console = Console(width=max(120, Console().width))
    with tempfile.TemporaryDirectory(prefix="omoide-bench-") as folder:
        short = [text[:SHORT_CHARS] for text in texts[: options.texts]]
        console.print(speed_table([measure(*each, short) for each in _embedders(Path(folder), options)]))
    console.print(
        index_table(
            [
                index(size, depth, words, texts[: options.indexed])
                for size in options.dimensions
                for depth in options.depths
                for words in (False, True)
            ]
        )
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench embed", description=__doc__)
    parser.add_argument("--texts", type=int, default=20_000, help="texts to embed (default: %(default)s)")
    parser.add_argument("--indexed", type=int, default=20_000, help="texts in the index (default: %(default)s)")
    parser.add_argument("--dimensions", type=int, nargs="*", default=[1024], help="of the built-in embedder's vectors")
    parser.add_argument("--depths", type=int, nargs="*", default=[200], help="how deep the arm is searched")
    parser.add_argument("--static", type=Path, metavar="DIR", help="a static model")
    parser.add_argument("--onnx", type=Path, metavar="DIR", help="an ONNX model")
    parser.epilog = f"The texts are those of {', '.join(SETS)}, under ${DATA_VARIABLE}."
    return parser


def _embedders(folder: Path, options: argparse.Namespace) -> list[tuple[Embedder, Bare | None]]:
    from tests.embed import toys

    static = options.static or toys.static(folder / "static")
    onnx = options.onnx or toys.onnx(folder / "onnx")
    transformer = Onnx(onnx.name, onnx, threads=1)
    return [
        (Lexical(), None),
        (Static(static.name, static), _model2vec(static)),
        (transformer, _onnxruntime(transformer)),
        (Cached(transformer, folder / "vectors"), None),
    ]


def _model2vec(folder: Path) -> Bare:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder, force_download=False)
    return lambda texts: model.encode(list(texts), use_multiprocessing=False)


def _onnxruntime(transformer: Onnx) -> Bare:
    """The same session and tokenizer, each text alone in the order given, without batches by length."""

    def run(texts: Sequence[str]) -> object:
        return [transformer.embed([text], "passage") for text in texts[:500]]

    return run


def measure(embedder: Embedder, bare: Bare | None, texts: Sequence[str]) -> Row:
    """Ours and the bare library's in turn, the median of the rounds."""
    ours: list[float] = []
    theirs: list[float] = []
    embedder.embed(texts[:100], "passage")
    for _ in range(ROUNDS):
        ours.append(_seconds(lambda: embedder.embed(texts, "passage")))
        if bare is not None:
            theirs.append(_seconds(lambda: bare(texts)))
    one = [_seconds(lambda text=text: embedder.embed([text], "query")) for text in texts[:QUERIES]]  # type: ignore[misc]
    bare_one = [_seconds(lambda text=text: bare([text])) for text in texts[:QUERIES]] if bare else []  # type: ignore[misc]
    return Row(
        embedder.name + (" cached" if isinstance(embedder, Cached) else ""),
        len(texts) / median(ours),
        (min(len(texts), 500) if isinstance(embedder, Onnx) else len(texts)) / median(theirs) if theirs else None,
        median(one) * 1e3,
        median(bare_one) * 1e3 if bare_one else None,
    )


def speed_table(rows: Sequence[Row]) -> Table:
    """A row an embedder."""
    table = Table("embedder", "texts/s", "bare texts/s", "question ms", "bare ms", title="embedding, one thread")
    for row in rows:
        bare = "-" if row.bare_texts is None else f"{row.bare_texts:,.0f}"
        alone = "-" if row.bare_question_ms is None else f"{row.bare_question_ms:.3f}"
        table.add_row(row.name, f"{row.texts:,.0f}", bare, f"{row.question_ms:.3f}", alone)
    return table


def index(dimensions: int, depth: int, words: bool, texts: Sequence[str]) -> tuple[str, ...]:
    """One row: texts, dimensions, depth, recall, milliseconds of the index and of a scan, bytes a text."""
    embedder = Lexical(dimensions)
    folded = [fold(text) for text in texts]
    vectors = embedder.embed(folded, "passage")
    questions = [_part(text) for text in folded[:: max(len(folded) // QUERIES, 1)]]
    asked = embedder.embed(questions, "query")
    engine = _engine.Engine(dimensions=dimensions, lexical=False)
    for at in range(0, len(texts), 1_000):
        batch = zip(range(at, at + 1_000), folded[at : at + 1_000], vectors[at : at + 1_000], strict=False)
        documents = [
            _engine.Document(key=key, folded=text, words=_words(text), vectors=[vector]) for key, text, vector in batch
        ]
        engine.apply(at + 1, documents=documents)
    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(texts), dimensions)
    found, times, scans = 0, [], []
    for question, vector in zip(questions, asked, strict=True):
        query = _engine.Query(
            folded=question,
            words=[(word, 1.0, 0, 1) for word in _words(question)] if words else [],
            vector=vector,
            limit=2 * depth,
            candidates=depth,
            word_weight=float(words),
            vector_weight=1.0,
        )
        began = perf_counter()
        hits = engine.search(query).hits
        times.append(perf_counter() - began)
        began = perf_counter()
        cosines = matrix @ np.frombuffer(vector, dtype="<f4")
        scans.append(perf_counter() - began)
        near = [hit.key for hit in hits if hit.vectors_rank is not None and hit.vectors_rank <= NEAREST]
        found += _as_near(cosines, near)
    sizes = dict(engine.stats().bytes)
    size = sum(size for name, size in sizes.items() if "vector" in name or "link" in name or "graph" in name)
    times_ms = [seconds * 1e3 for seconds in times]
    return (
        f"{len(texts):,}",
        str(dimensions),
        str(depth),
        "yes" if words else "no",
        f"{found / (NEAREST * len(asked)):.3f}",
        f"{median(times_ms):.2f}",
        f"{quantiles(times_ms, n=20)[-1]:.2f}",
        f"{median(scans) * 1e3:.2f}",
        f"{size / len(texts):,.0f}",
    )


def _as_near(cosines: Any, keys: Sequence[int]) -> int:
    """How many of the found are as near as the tenth of an exact scan: equals may stand in for each other."""
    tenth = np.partition(cosines, -NEAREST)[-NEAREST]
    return sum(bool(cosines[key] >= tenth - 1e-3) for key in keys)


def _words(folded: str) -> list[str]:
    return re.findall("[a-z0-9]+", folded)


def _part(text: str) -> str:
    """Something like a question about a text: a stretch from its middle."""
    start = len(text) // 3
    return text[start : start + 30]


def index_table(rows: Sequence[tuple[str, ...]]) -> Table:
    """A row a size."""
    columns = (
        "texts",
        "dimensions",
        "depth",
        "words too",
        "recall@10",
        "ms p50",
        "ms p95",
        "numpy scan ms",
        "bytes a text",
    )
    table = Table(*columns, title="the built-in embedder's vectors in the index, held against an exact scan")
    for row in rows:
        table.add_row(*row)
    return table


def _texts(count: int) -> list[str]:
    """Distinct pieces of real texts in three languages, set by set in turn."""
    found: dict[str, None] = {}
    for name in SETS:
        lines = (line["text"] for line in read_lines(find(name) / "corpus.jsonl"))
        pieces = (text[at : at + SHORT_CHARS] for text in lines for at in range(0, len(text), SHORT_CHARS))
        found.update(dict.fromkeys(islice(pieces, count // len(SETS) * 2)))
    return list(found)[:count]


def _seconds(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began
