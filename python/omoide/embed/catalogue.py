"""Which models are known by name, and where are their files?

docs/embedders.md says how they compare. Any other model is pulled with --from DIR or named by its folder.
"""

from __future__ import annotations

from dataclasses import dataclass

from omoide.embed.models import ModelKind

SOURCE = "https://huggingface.co"

_STATIC = ("config.json", "tokenizer.json", "model.safetensors")
_TRANSFORMER = (
    "config.json",
    "tokenizer.json",
    "modules.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    "onnx/model.onnx",
)


@dataclass(frozen=True, slots=True)
class Known:
    """A model that can be pulled by name."""

    name: str
    kind: ModelKind
    repository: str
    files: tuple[str, ...]
    about: str
    source: str = SOURCE

    @property
    def url(self) -> str:
        """The address of the model's files."""
        return f"{self.source}/{self.repository}/resolve/main"


MODELS = (
    Known(
        "multilingual-e5-small",
        "onnx",
        "intfloat/multilingual-e5-small",
        _TRANSFORMER,
        "about 100 languages, 384 numbers, 470 MB, MIT",
    ),
    Known(
        "bge-m3",
        "onnx",
        "BAAI/bge-m3",
        (*_TRANSFORMER, "onnx/model.onnx_data", "onnx/Constant_7_attr__value"),
        "about 100 languages, 1024 numbers, 2.3 GB, MIT",
    ),
    Known(
        "all-MiniLM-L6-v2",
        "onnx",
        "sentence-transformers/all-MiniLM-L6-v2",
        _TRANSFORMER,
        "English, 384 numbers, 90 MB, Apache 2.0",
    ),
    Known(
        "potion-multilingual-128M",
        "static",
        "minishlab/potion-multilingual-128M",
        _STATIC,
        "about 100 languages, 256 numbers, 510 MB, MIT",
    ),
    Known("potion-base-8M", "static", "minishlab/potion-base-8M", _STATIC, "English, 256 numbers, 30 MB, MIT"),
)
