"""`onnx:<name or folder>`: a transformer as an ONNX graph (multilingual-e5, bge-m3, all-MiniLM, ...), with the extra `onnx`.

The folder is in the format of sentence-transformers: `tokenizer.json`, the graph, and the configuration of pooling and prefixes
(see transformer_config.py). If the graph outputs sentence vectors, these are used.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from omoide.embed.fingerprint import fingerprint
from omoide.embed.models import TOKENIZER, onnx_file, unusable
from omoide.embed.protocol import TRANSFORMER_WEIGHT, EmbedderUnavailable, Kind, TextRefused, Vector, well_formed, zero
from omoide.embed.transformer_config import Pooling, TransformerConfig, read_config
from omoide.errors import Unavailable, filled

logger = logging.getLogger(__name__)

#: Tokens of one run, with padding; a run has texts of about the same length.
BATCH_TOKENS = 8_192
#: The longest text of a run may be this many times as long as the shortest.
STRETCH = 2
#: Names of the padding token.
PADS = ("<pad>", "[PAD]")
#: A text that every graph embeds.
PROBE = "probe"
_REFUSES_TEXT = {
    "en": "{name} cannot embed a text of {length:,} characters.",
    "ja": "{name} は {length:,} 文字のテキストを埋め込めません。",
    "zh": "“{name}”无法嵌入一段 {length:,} 个字符的文本。",
}
_FAILS = {
    "en": "{name} does not work now; the log says why.",
    "ja": "{name} は今使えません。理由はログにあります。",
    "zh": "“{name}”目前无法使用，原因见日志。",
}
#: Names of outputs that are sentence vectors.
SENTENCE_OUTPUTS = ("sentence_embedding", "sentence_embeddings", "dense_vecs")


class Onnx:
    """See the module. `threads` None: half of the cores. Raises InvalidArgument (an incomplete folder), Unavailable (the
    extra is not installed)."""

    semantic = True
    weight = TRANSFORMER_WEIGHT
    instant = False

    def __init__(
        self, name: str, folder: Path, *, prefixes: Mapping[Kind, str] | None = None, threads: int | None = None
    ) -> None:
        runtime, tokenizers = _libraries()
        graph = onnx_file(folder)
        if graph is None or not (folder / TOKENIZER).is_file():
            raise unusable(folder, f"{folder} lacks {TOKENIZER} or onnx/model.onnx.")
        self.name = f"onnx:{name}"
        config = read_config(folder)
        self._prefixes = {**config.prefixes, **{kind: text for kind, text in (prefixes or {}).items() if text}}
        self.version = f"{fingerprint(folder)} {sorted(self._prefixes.items())}"
        self.max_tokens = config.max_tokens
        self._pooling = config.pooling
        self._tokenizer = _tokenizer(tokenizers, folder / TOKENIZER, config)
        self._pad_id = _pad_id(self._tokenizer)
        self._session = _session(runtime, graph, threads)
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._output = _output(self._session)
        self.dimensions = self._probed(graph)

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """See Embedder."""
        prefix = self._prefixes.get(kind, "")
        telling = [at for at, text in enumerate(texts) if text.strip()]
        made = self._made(well_formed(prefix + texts[at] for at in telling))
        vectors = {at: row.astype("<f4").tobytes() for at, row in zip(telling, made, strict=True)}
        return [vectors.get(at, zero(self.dimensions)) for at in range(len(texts))]

    def close(self) -> None:
        """Does nothing; the graph is freed with the object."""

    def _probed(self, graph: Path) -> int:
        """How many numbers a text's vector has. Raises InvalidArgument if the graph makes no vectors."""
        import numpy as np

        try:
            (row,) = self._run([PROBE])
            numbers = np.asarray(row, dtype=np.float32)
        except Exception as error:  # the library raises nothing more precise
            raise unusable(graph, f"{graph} makes no vectors of texts: {error}") from None
        if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
            said = f"its output has the shape {numbers.shape}" if numbers.ndim != 1 else "its numbers are not finite"
            raise unusable(graph, f"{graph} makes no vectors of texts: {said}.")
        return int(numbers.size)

    def _made(self, texts: Sequence[str]) -> list[Any]:
        """One row for each text. Raises TextRefused (the graph fails on one of them: it has no row for a token, or fewer positions
        than the folder says), EmbedderUnavailable (it fails on any)."""
        try:
            return self._run(texts)
        except Exception as error:  # the library raises nothing more precise
            logger.warning("%s fails: %s", self.name, error)
        values = {"name": self.name, "length": max(map(len, texts))}
        refused, failing = filled(_REFUSES_TEXT, **values), filled(_FAILS, **values)
        try:
            self._run([PROBE])
        except Exception:
            raise EmbedderUnavailable(failing.pop("en"), also=failing) from None
        raise TextRefused(refused.pop("en"), also=refused)

    def _run(self, texts: Sequence[str]) -> list[Any]:
        """One row for each text, in order."""
        encodings = self._tokenizer.encode_batch(list(texts))
        rows: dict[int, Any] = {}
        for batch in _batches([len(each.ids) for each in encodings]):
            rows |= zip(batch, self._pooled([encodings[at] for at in batch]), strict=True)
        return [rows[at] for at in range(len(texts))]

    def _pooled(self, encodings: Sequence[Any]) -> Any:
        import numpy as np

        longest = max(len(each.ids) for each in encodings)
        for each in encodings:
            each.pad(longest, pad_id=self._pad_id)
        given = {
            "input_ids": [each.ids for each in encodings],
            "attention_mask": [each.attention_mask for each in encodings],
            "token_type_ids": [each.type_ids for each in encodings],
        }
        arrays = {name: np.array(rows, dtype=np.int64) for name, rows in given.items()}
        (found,) = self._session.run([self._output], {name: arrays[name] for name in self._inputs & arrays.keys()})
        return _POOLERS[self._pooling](found, arrays["attention_mask"]) if found.ndim == 3 else found


def _mean(tokens: Any, mask: Any) -> Any:
    weights = mask[:, :, None].astype(tokens.dtype)
    return (tokens * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1)


def _first(tokens: Any, mask: Any) -> Any:
    return tokens[:, 0]


def _last(tokens: Any, mask: Any) -> Any:
    return tokens[range(len(tokens)), mask.sum(axis=1) - 1]


def _greatest(tokens: Any, mask: Any) -> Any:
    import numpy as np

    return np.where(mask[:, :, None] == 1, tokens, -np.inf).max(axis=1)


_POOLERS = {Pooling.MEAN: _mean, Pooling.FIRST: _first, Pooling.LAST: _last, Pooling.GREATEST: _greatest}


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The indexes of texts to run together, sorted by length, so that little is padding."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        too_many = (len(batch) + 1) * lengths[at] > BATCH_TOKENS
        if batch and (too_many or lengths[at] > STRETCH * lengths[batch[0]]):
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _libraries() -> tuple[Any, Any]:
    # Otherwise the runtime (1.31) gives the machine an id and reports every run to its maker, from the moment it is loaded.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
        import tokenizers
    except ImportError:
        raise Unavailable(
            "ONNX models need libraries that are not installed.",
            hint="pip install 'omoide[onnx]'",
            also={
                "ja": "ONNX のモデルに必要なライブラリがありません。pip install 'omoide[onnx]' で入ります。",
                "zh": "缺少 ONNX 模型所需的库。可用 pip install 'omoide[onnx]' 添加。",
            },
        ) from None
    return onnxruntime, tokenizers


def _tokenizer(tokenizers: Any, path: Path, config: TransformerConfig) -> Any:
    try:
        made = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more precise
        raise unusable(path, f"{path} cannot be read: {error}") from None
    made.no_padding()
    made.enable_truncation(config.max_tokens)
    return made


def _pad_id(tokenizer: Any) -> int:
    known = (tokenizer.token_to_id(token) for token in PADS)
    return next((id for id in known if id is not None), 0)


def _session(runtime: Any, graph: Path, threads: int | None) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads or max((os.cpu_count() or 2) // 2, 1)
    options.inter_op_num_threads = 1
    try:
        return runtime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises nothing more precise
        raise unusable(graph, f"{graph} cannot be run: {error}") from None


def _output(session: Any) -> str:
    names = [each.name for each in session.get_outputs()]
    return next((name for name in SENTENCE_OUTPUTS if name in names), names[0])
