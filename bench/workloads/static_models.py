"""Generates static models as large as real ones: tokenizers trained on the texts, vectors of random numbers.

Useful for: how fast texts become vectors. Not useful for: what vectors find.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import punctuation
from typing import Any

import numpy as np

from tests.embed import toys

TOKENS = 30_000
DIMENSIONS = 256


def learnt_models(folder: Path, texts: Sequence[str]) -> list[Path]:
    """Folders of two models: WordPiece like potion-base, Unigram like potion-multilingual."""
    return [_model(folder / "wordpiece", _wordpiece(texts)), _model(folder / "unigram", _unigram(texts))]


def _wordpiece(texts: Sequence[str]) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]"]
    made.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=TOKENS, special_tokens=special, show_progress=False)
    )
    return made


def _unigram(texts: Sequence[str]) -> Any:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.Unigram())
    apart = [normalizers.Replace(mark, f" {mark} ") for mark in punctuation]
    one_space = [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip(left=False, right=True)]
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), *apart, *one_space])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    made.train_from_iterator(
        texts,
        trainers.UnigramTrainer(vocab_size=TOKENS, special_tokens=special, unk_token="<unk>", show_progress=False),
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    return made


def _model(folder: Path, tokenizer: Any) -> Path:
    folder.mkdir()
    table = np.random.default_rng(1).standard_normal((tokenizer.get_vocab_size(), DIMENSIONS)).astype("<f4")
    toys.safetensors(folder / "model.safetensors", {"embeddings": ("F32", table.shape, table.tobytes())})
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text('{"normalize": true}')
    return folder
