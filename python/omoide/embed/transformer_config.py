"""Reads from a transformer's folder how to pool token vectors, and the prefixes it wants before texts.

The files are those of sentence-transformers: `modules.json` with the pooling's `config.json`, `sentence_bert_config.json`,
`config_sentence_transformers.json` (prompts), and `config.json`. Defaults: the mean, 512 tokens, and for the e5 family, whose
folders do not give them, the prefixes that its authors ask for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from omoide.embed.models import unusable
from omoide.embed.protocol import Kind

DEFAULT_TOKENS = 512
#: Longer passages are about too much for one vector, even if the model accepts them.
MOST_TOKENS = 512
#: What models call the prompts of each kind.
_PROMPTS: Mapping[Kind, tuple[str, ...]] = {
    "query": ("query", "retrieval.query", "Retrieval-query", "s2p_query"),
    "passage": ("passage", "document", "retrieval.passage", "Retrieval-document"),
}
_E5_PREFIXES: Mapping[Kind, str] = {"query": "query: ", "passage": "passage: "}


class Pooling(Enum):
    """How token vectors are combined to one."""

    MEAN = "mean"
    FIRST = "cls"
    LAST = "lasttoken"
    GREATEST = "max"


_SWITCHES = {
    "pooling_mode_mean_tokens": Pooling.MEAN,
    "pooling_mode_cls_token": Pooling.FIRST,
    "pooling_mode_lasttoken": Pooling.LAST,
    "pooling_mode_max_tokens": Pooling.GREATEST,
}


@dataclass(frozen=True, slots=True)
class TransformerConfig:
    """The configuration in the folder."""

    pooling: Pooling
    max_tokens: int
    prefixes: Mapping[Kind, str]


def read_config(folder: Path) -> TransformerConfig:
    """Read the configuration. Raises InvalidArgument: a file is not JSON or says something of another kind, a step after pooling is
    not known."""
    try:
        _refuse_unknown_steps(folder)
        return TransformerConfig(_pooling(folder), _max_tokens(folder), _prefixes(folder))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise unusable(folder, f"The configuration in {folder} cannot be read: {error}") from None


def _pooling(folder: Path) -> Pooling:
    told = _json(folder / "1_Pooling" / "config.json")
    chosen = [pooling for switch, pooling in _SWITCHES.items() if told.get(switch)]
    if isinstance(told.get("pooling_mode"), str):
        chosen = [each for each in Pooling if each.value == told["pooling_mode"]]
    if len(chosen) > 1 or (told and not chosen):
        raise unusable(folder, f"{folder}: this kind of pooling is not known: {told}.")
    return chosen[0] if chosen else Pooling.MEAN


def _max_tokens(folder: Path) -> int:
    said = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    said = said or _json(folder / "config.json").get("max_position_embeddings")
    return min(int(said or DEFAULT_TOKENS), MOST_TOKENS)


def _prefixes(folder: Path) -> Mapping[Kind, str]:
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    found = {kind: next((prompts[name] for name in names if prompts.get(name)), "") for kind, names in _PROMPTS.items()}
    if any(found.values()):
        return found
    return _E5_PREFIXES if "e5" in folder.name.lower().split("-") else {}


def _refuse_unknown_steps(folder: Path) -> None:
    """Raise for a layer other than transformer, pooling and normalising, which would otherwise be skipped silently."""
    path = folder / "modules.json"
    steps = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    for step in steps:
        kind = str(step.get("type", "")).rpartition(".")[2]
        if kind not in {"Transformer", "Pooling", "Normalize"}:
            raise unusable(
                folder,
                f"{folder} has a step {kind!r} after its transformer, which is not done here.",
                hint="Serve it with TEI or Ollama and choose http:URL.",
            )


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise unusable(path, f"{path} cannot be read: {error}") from None
    return content if isinstance(content, dict) else {}
