"""Makes the embedder that the user chose.

    lexical            the built-in one
    static:NAME        a static model in the models folder; NAME may also be a path of a folder
    onnx:NAME          a transformer in ONNX, likewise
    http:URL           an endpoint that speaks OpenAI's embeddings API
    auto               the URL if one is set, else the best model on the disk, else the built-in one

An embedder object of the caller's is used as it is.

Nothing is downloaded here: if a model is missing, the error says how to get it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from omoide.embed.lexical import Lexical
from omoide.embed.models import folder_of, on_disk
from omoide.embed.protocol import Embedder, Kind
from omoide.embed.unavailable import UnavailableEmbedder
from omoide.errors import InvalidArgument, OmoideError, filled

logger = logging.getLogger(__name__)

#: Stands between name and version of an embedder in the identity of an index.
VERSION_MARK = " @ "
URL_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The settings. `prefixes`: put before texts, for a model that wants this and does not say so itself; `dimensions`: how
    many numbers of each vector are kept; `cache`: the folder of cached vectors."""

    embedder: str | Embedder = "lexical"
    url: str | None = None
    model: str = ""
    key: str | None = field(default=None, repr=False)
    prefixes: Mapping[Kind, str] = field(default_factory=dict)
    dimensions: int | None = None
    threads: int | None = None
    timeout_seconds: float = 30.0
    models: Path = Path("models")
    cache: Path | None = None


def choose(choice: Choice) -> Embedder:
    """The embedder. Raises InvalidArgument, NotFound (the model), Unavailable (a library is not installed)."""
    if not isinstance(choice.embedder, str):
        return choice.embedder
    kind, name = _parsed(resolved(choice.embedder, choice))
    made = _BUILDERS[kind](name, choice)
    if choice.dimensions is None or kind == "lexical":
        return made
    from omoide.embed.truncated import Truncated

    return Truncated(made, choice.dimensions)


def earlier(identity: str, choice: Choice) -> Embedder:
    """The embedder with an identity (name @ version), which an index was built with; an UnavailableEmbedder if it cannot be had
    any more."""
    name, _, version = identity.rpartition(VERSION_MARK)
    if name.startswith("http:"):
        return UnavailableEmbedder(name, version, "unset")
    from omoide.embed.truncated import dimensions_kept

    try:
        found = choose(replace(choice, embedder=name, dimensions=dimensions_kept(version)))
    except OmoideError as error:
        logger.warning("%s, which an index was built with, cannot be had: %s", name, error)
        return UnavailableEmbedder(name, version, "lost")
    if found.version == version:
        return found
    found.close()
    return UnavailableEmbedder(name, version, "replaced")


def identity_of(embedder: Embedder) -> str:
    """The name @ version under which an index records its embedder."""
    return f"{embedder.name}{VERSION_MARK}{embedder.version}"


def resolved(embedder: str, choice: Choice) -> str:
    """The embedder that `auto` stands for; any other as it is."""
    if embedder != "auto":
        return embedder
    if choice.url is not None:
        return f"http:{choice.url}"
    best = next(iter(on_disk(choice.models)), None)
    return "lexical" if best is None else f"{best.kind}:{best.name}"


def _parsed(text: str) -> tuple[str, str]:
    if text.startswith(URL_SCHEMES):
        return "http", text
    kind, _, name = text.partition(":")
    if kind not in _BUILDERS or (kind != "lexical" and not name) or (kind == "lexical" and name):
        raise InvalidArgument(
            "embedder",
            f"{text!r} is not an embedder.",
            hint="Write lexical, static:NAME, onnx:NAME, http:URL or auto.",
            code="bad_setting",
            also=filled(
                {
                    "ja": "embedder に {text} は使えません。lexical、static:NAME、onnx:NAME、http:URL、auto のどれかにしてください。",
                    "zh": "embedder 不能是“{text}”。可用的有：lexical、static:NAME、onnx:NAME、http:URL、auto。",
                },
                text=text,
            ),
        )
    return kind, name


def _lexical(name: str, choice: Choice) -> Embedder:
    return Lexical()


def _static(name: str, choice: Choice) -> Embedder:
    from omoide.embed.static import Static

    return Static(name, folder_of("static", name, choice.models))


def _onnx(name: str, choice: Choice) -> Embedder:
    from omoide.embed.batched import Batched
    from omoide.embed.cached import Cached
    from omoide.embed.onnx import Onnx

    folder = folder_of("onnx", name, choice.models)
    return Cached(Batched(Onnx(name, folder, prefixes=choice.prefixes, threads=choice.threads)), choice.cache)


def _http(url: str, choice: Choice) -> Embedder:
    from omoide.embed.batched import Batched
    from omoide.embed.cached import Cached
    from omoide.embed.http import Endpoint, Http
    from omoide.embed.known_dimensions import KnownDimensions

    endpoint = Endpoint(
        url=url,
        model=choice.model,
        key=choice.key,
        prefixes=choice.prefixes,
        timeout_seconds=choice.timeout_seconds,
    )
    known = KnownDimensions(choice.cache)
    embedder = Http(
        endpoint, dimensions=known.get(endpoint.shown), on_dimensions=lambda n: known.put(endpoint.shown, n)
    )
    return Cached(Batched(embedder), choice.cache)


_BUILDERS: Mapping[str, Callable[[str, Choice], Embedder]] = {
    "lexical": _lexical,
    "static": _static,
    "onnx": _onnx,
    "http": _http,
}
