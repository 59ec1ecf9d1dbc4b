"""How fast is each embedder compared with the underlying library, and what does the built-in one's index cost and find?

The first table: short texts a second and core, and milliseconds for one question, for our embedder and the library alone,
timed in turn over the same texts in CPU time; and the share of vectors that equal the library's but for the last
bits. Models are generated unless --static or --onnx names a real one: static ones of random numbers, their
tokenizers trained on the texts; an ONNX graph of one look-up; an endpoint in this process. The second table: real
texts compared by spelling in the engine's index, the ten nearest checked against all cosines computed by their
definition; beside it the same texts with hashed vectors of spellings, checked against an exact scan.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import log, sqrt
from pathlib import Path
from statistics import median
from time import process_time, thread_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.dataset import DATA_VARIABLE, find, read_lines
from bench.options import at_least
from bench.statistics import percentile
from bench.workloads.bare import Bare, httpx, model2vec, onnxruntime
from bench.workloads.static_models import learnt_models
from omoide import _engine
from omoide.embed import Embedder, Lexical
from omoide.embed.cached import Cached
from omoide.embed.http import Endpoint, Http
from omoide.embed.onnx import Onnx
from omoide.embed.static import Static
from omoide.text import fold
from tests.embed import toys
from tests.embed.endpoint import running

SETS = ("jsquad_ja_valid", "rpc_ja_dev", "cmrc2018_zh_dev", "drcd_zh_dev", "madial_zh", "locomo_en", "xquad_en")
SHORT_CHARS = 60
ROUNDS = 3
QUERIES = 200
NEAREST = 10

#: Characters that are indexed as grams.
GRAMS = re.compile(
    "[\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7fb\uf900-\ufaff]"
)
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Row:
    """One embedder: texts a second and milliseconds of one question; the same of the library alone, if there is one, and the
    share of vectors that equal the library's."""

    name: str
    texts: float
    bare_texts: float | None
    question_ms: float
    bare_question_ms: float | None
    alike: float | None


def main(argv: Sequence[str]) -> int:
    """Print both tables; exit code 2 if a set is missing."""
    options = _parser().parse_args(argv)
    try:
        texts = _texts(max(options.texts, options.indexed))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    console = Console(width=max(120, Console().width))
    short = [text[:SHORT_CHARS] for text in texts[: options.texts]]
    with tempfile.TemporaryDirectory(prefix="omoide-bench-") as folder, running() as endpoint:
        endpoint.poison = None
        embedders = _embedders(Path(folder), options, short, endpoint.url)
        console.print(speed_table([measure(*each, short) for each in embedders]))
    pieces = texts[: options.indexed]
    console.print(
        index_table(
            [spelled(depth, pieces) for depth in options.depths]
            + [
                index(size, depth, words, pieces)
                for size in options.dimensions
                for depth in options.depths
                for words in (False, True)
            ]
        )
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench embed", description=__doc__)
    parser.add_argument("--texts", type=at_least(NEAREST), default=20_000, help="texts to embed (default: %(default)s)")
    parser.add_argument(
        "--indexed", type=at_least(NEAREST), default=20_000, help="texts in the index (default: %(default)s)"
    )
    parser.add_argument(
        "--dimensions", type=at_least(1), nargs="*", default=[1024], help="of the built-in embedder's vectors"
    )
    parser.add_argument("--depths", type=at_least(1), nargs="*", default=[200], help="how deep the arm is searched")
    parser.add_argument("--static", type=Path, metavar="DIR", help="a static model")
    parser.add_argument("--onnx", type=Path, metavar="DIR", help="an ONNX model")
    parser.epilog = f"The texts are those of {', '.join(SETS)}, under ${DATA_VARIABLE}."
    return parser


def _embedders(
    folder: Path, options: argparse.Namespace, texts: Sequence[str], url: str
) -> list[tuple[Embedder, Bare | None]]:
    static = [options.static] if options.static else learnt_models(folder, texts)
    onnx = options.onnx or toys.onnx(folder / "onnx")
    transformer = Onnx(onnx.name, onnx, threads=1)
    return [
        (Lexical(), None),
        *((Static(each.name, each), model2vec(each)) for each in static),
        (transformer, onnxruntime(onnx)),
        (Cached(transformer, folder / "vectors"), None),
        (Http(Endpoint(url=url)), httpx(url)),
    ]


def measure(embedder: Embedder, bare: Bare | None, texts: Sequence[str]) -> Row:
    """Time ours and the library alone in turn; the least of the rounds counts."""
    ours: list[float] = []
    theirs: list[float] = []
    vectors = embedder.embed(texts, "passage")
    for _ in range(ROUNDS):
        ours.append(_seconds(lambda: embedder.embed(texts, "passage")))
        if bare is not None:
            theirs.append(_seconds(lambda: bare(texts)))
    one = [_seconds(lambda text=text: embedder.embed([text], "query")) for text in texts[:QUERIES]]  # type: ignore[misc]
    bare_one = [_seconds(lambda text=text: bare([text])) for text in texts[:QUERIES]] if bare else []  # type: ignore[misc]
    return Row(
        embedder.name.partition(":http")[0] + (" cached" if isinstance(embedder, Cached) else ""),
        len(texts) / min(ours),
        len(texts) / min(theirs) if theirs else None,
        median(one) * 1e3,
        median(bare_one) * 1e3 if bare_one else None,
        None if bare is None else _alike(vectors, bare(texts)),
    )


def _alike(ours: Sequence[bytes], theirs: Any) -> float:
    """The share of vectors that agree; sums of products differ in their last bits from batch to batch."""
    rows = np.frombuffer(b"".join(ours), dtype="<f4").reshape(len(ours), -1)
    return float(np.isclose(rows, theirs, rtol=1e-5, atol=1e-6).all(axis=1).mean())


def speed_table(rows: Sequence[Row]) -> Table:
    """A row an embedder."""
    columns = ("embedder", "texts/s", "bare texts/s", "question ms", "bare ms", "alike")
    table = Table(*columns, title="embedding, by seconds of the processor")
    for row in rows:
        bare = "-" if row.bare_texts is None else f"{row.bare_texts:,.0f}"
        alone = "-" if row.bare_question_ms is None else f"{row.bare_question_ms:.3f}"
        alike = "-" if row.alike is None else f"{row.alike:.3f}"
        table.add_row(row.name, f"{row.texts:,.0f}", bare, f"{row.question_ms:.3f}", alone, alike)
    return table


def index(dimensions: int, depth: int, words: bool, texts: Sequence[str]) -> tuple[str, ...]:
    """One row: recall, milliseconds of the index and of a scan, texts a second into the index, bytes a text."""
    embedder = Lexical(dimensions)
    folded = [fold(text) for text in texts]
    vectors = embedder.embed(folded, "passage")
    questions = [_part(text) for text in folded[:: max(len(folded) // QUERIES, 1)]]
    asked = embedder.embed(questions, "query")
    engine = _engine.Engine(dimensions=dimensions, lexical=False)
    began = process_time()
    for at in range(0, len(texts), 1_000):
        batch = zip(range(at, at + 1_000), folded[at : at + 1_000], vectors[at : at + 1_000], strict=False)
        documents = [
            _engine.Document(key=key, folded=text, words=_words(text), vectors=[vector]) for key, text, vector in batch
        ]
        engine.apply(at + 1, documents=documents)
    seconds = process_time() - began
    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(texts), dimensions)
    found, times, scans = 0, [], []
    for question, vector in zip(questions, asked, strict=True):
        query = _engine.Query.of(
            _engine.Question(question, words=[_engine.Word(word, 0, 1) for word in _words(question)] if words else []),
            vector=vector,
            limit=2 * depth,
            candidates=depth,
            word_weight=float(words),
            vector_weight=1.0,
        )
        began = thread_time()
        hits = engine.search(query).hits
        times.append(thread_time() - began)
        began = thread_time()
        cosines = matrix @ np.frombuffer(vector, dtype="<f4")
        scans.append(thread_time() - began)
        near = [hit.key for hit in hits for arm, rank, _ in hit.measured.arms if arm == "vectors" and rank <= NEAREST]
        found += _as_near(cosines, near)
    sizes = dict(engine.stats().bytes)
    size = sum(size for name, size in sizes.items() if "vector" in name or "link" in name or "graph" in name)
    by = f"vectors of {dimensions:,}" + (" and words" if words else "")
    return _row(by, depth, len(texts), found / (NEAREST * len(asked)), times, median(scans), seconds, size)


def _row(
    by: str,
    depth: int,
    texts: int,
    recall: float,
    times: Sequence[float],
    naive: float,
    seconds: float,
    size: int,
) -> tuple[str, ...]:
    return (
        f"{texts:,}",
        by,
        str(depth),
        f"{recall:.3f}",
        f"{median(times) * 1e3:.2f}",
        f"{percentile(times, 0.95) * 1e3:.2f}",
        f"{naive * 1e3:.2f}",
        f"{texts / seconds:,.0f}",
        f"{size / texts:,.0f}",
    )


def spelled(depth: int, texts: Sequence[str]) -> tuple[str, ...]:
    """One row: the same for spellings, which have no vectors. Seconds are CPU time."""
    folded = [fold(text) for text in texts]
    engine = _engine.Engine(dimensions=1)
    began = process_time()
    for at in range(0, len(texts), 1_000):
        batch = enumerate(folded[at : at + 1_000], at)
        engine.apply(at + 1, documents=[_engine.Document(key=key, folded=text, words=[]) for key, text in batch])
    seconds = process_time() - began
    naive = Naive(folded)
    found, times, scans = 0, [], []
    for question in (_part(text) for text in folded[:: max(len(folded) // QUERIES, 1)]):
        query = _engine.Query.of(
            _engine.Question(question), evenly=True, limit=NEAREST, candidates=depth, word_weight=0.0, vector_weight=1.0
        )
        began = thread_time()
        hits = engine.search(query).hits
        times.append(thread_time() - began)
        began = thread_time()
        cosines = naive.cosines(question)
        scans.append(thread_time() - began)
        tenth = min(NEAREST, int(np.count_nonzero(cosines)))
        found += _as_near(cosines, [hit.key for hit in hits]) + NEAREST - tenth
    size = dict(engine.stats().bytes)["spellings"]
    return _row("spelling", depth, len(texts), found / (NEAREST * len(times)), times, median(scans), seconds, size)


class Naive:
    """Cosines of spellings by their definition (docs/engine.md), for texts of letters, digits and Han, kana and Hangul."""

    def __init__(self, folded: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = {}
        self._values: dict[str, list[float]] = {}
        self._lengths = np.ones(len(folded))
        for at, text in enumerate(folded):
            values = _values(text)
            for piece, value in values.items():
                self._places.setdefault(piece, []).append(at)
                self._values.setdefault(piece, []).append(value)
            self._lengths[at] = _length(values)

    def cosines(self, text: str) -> Any:
        """The cosine of the text and each of the others, in their order."""
        sums = np.zeros(len(self._lengths))
        values = _values(text)
        for piece, value in values.items():
            sums[self._places.get(piece, [])] += value * np.array(self._values.get(piece, []))
        return sums / self._lengths / _length(values)


def _values(folded: str) -> dict[str, float]:
    """1 + ln of the count of each gram and each letter trigram in the text."""
    words = (f"\1{word}\1" for word in WORD.findall(GRAMS.sub(" ", folded)))
    sequences = (word[at : at + 3] for word in words for at in range(len(word) - 2))
    return {piece: 1 + log(count) for piece, count in Counter(chain(_engine.grams(folded), sequences)).items()}


def _length(values: dict[str, float]) -> float:
    return sqrt(sum(value * value for value in values.values())) or 1.0


def _as_near(cosines: Any, keys: Sequence[int]) -> int:
    """How many of the found are as near as the tenth of an exact scan, so that equals are interchangeable."""
    tenth = np.partition(cosines, -NEAREST)[-NEAREST]
    return sum(bool(cosines[key] >= tenth - 1e-3) for key in keys)


def _words(folded: str) -> list[str]:
    return re.findall("[a-z0-9]+", folded)


def _part(text: str) -> str:
    """A substitute for a question about a text: a part of its middle."""
    start = len(text) // 3
    return text[start : start + 30]


def index_table(rows: Sequence[tuple[str, ...]]) -> Table:
    """A row a size."""
    columns = (
        "texts",
        "compared by",
        "depth",
        "recall@10",
        "ms p50",
        "ms p95",
        "numpy ms",
        "texts/s",
        "bytes a text",
    )
    table = Table(*columns, title="spellings in the index, held against all worked out")
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
    began = process_time()
    work()
    return process_time() - began
