"""`omoide models list | pull NAME`: embedding models on this machine. The only command that downloads."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from omoide.cli.common import Commands, add_command, settings_of, watched
from omoide.errors import InvalidArgument

_EXAMPLES = """\
  omoide models list
  omoide models pull multilingual-e5-small
  omoide models pull ruri --from ~/Downloads/ruri-v3-30m
  omoide serve --embedder onnx:multilingual-e5-small
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(
        commands, "models", run, help="list or get embedding models", examples=_EXAMPLES, settings=("data", "models")
    )
    made.add_argument("action", choices=("list", "pull"), help="list what is here, or pull one")
    made.add_argument("name", nargs="?", metavar="NAME", help="model to pull")
    made.add_argument("--from", dest="source", type=Path, metavar="DIR", help="pull from this folder, not the network")
    made.add_argument("--check", action="store_true", help="with list: read every file and hold it to its checksum")


def run(arguments: argparse.Namespace) -> int:
    """List or pull."""
    from omoide.app import models_folder

    settings = settings_of(arguments)
    models = models_folder(settings.data, settings.models)
    if arguments.action == "list":
        return _list(models, check=arguments.check)
    if arguments.name is None:
        raise InvalidArgument("name", "Which model?", hint="`omoide models list` names those that are known.")
    return _pull(arguments.name, arguments.source, models)


def _list(models: Path, *, check: bool) -> int:
    from omoide.embed.catalogue import MODELS
    from omoide.embed.models import on_disk
    from omoide.embed.pull import damaged

    here = on_disk(models)
    bad = 0
    print(f"In {models}:" if here else f"No models in {models}.")
    for model in here:
        wrong = damaged(model.folder) if check else []
        bad += bool(wrong)
        print(f"  {model.kind}:{model.name:<28} {model.megabytes:,.0f} MB  {_damage(wrong) if check else ''}".rstrip())
    print("To be pulled by name:")
    for known in MODELS:
        if known.name not in {model.name for model in here}:
            print(f"  {known.kind}:{known.name:<28} {known.about}")
    return 1 if bad else 0


def _damage(wrong: list[str]) -> str:
    return f"DAMAGED: {', '.join(wrong)}" if wrong else "whole"


def _pull(name: str, source: Path | None, models: Path) -> int:
    from omoide.config import nearest
    from omoide.embed.catalogue import MODELS
    from omoide.embed.models import kind_of
    from omoide.embed.pull import copy, pull

    known = {each.name: each for each in MODELS}
    if source is None and name not in known:
        hint = f"{nearest(name, known)} Any other model comes with --from DIR."
        raise InvalidArgument("name", f"No model is known as {name!r}.", hint=hint)
    with watched(f"pulling {name}") as progress:
        moved = _by_file(progress)
        pulled = pull(known[name], models, moved) if source is None else copy(name, source, models, moved)
    for file, checksum in pulled.checksums.items():
        print(f"{checksum}  {file}")
    print(f"{pulled.folder} is whole. Use it with --embedder {kind_of(pulled.folder)}:{name}")
    return 0


def _by_file(progress: Callable[[int, int | None], None]) -> Callable[[str, int, int | None], None]:
    return lambda _, done, total: progress(done, total)
