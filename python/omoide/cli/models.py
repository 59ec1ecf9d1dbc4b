"""`omoide models list | pull NAME`: lists and downloads embedding models. No other command downloads."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from omoide.cli.common import Commands, add_command, path_in_flag, print_json, settings_of, watched
from omoide.errors import InvalidArgument, filled

if TYPE_CHECKING:
    from omoide.embed.catalogue import Known
    from omoide.embed.models import Model

_EXAMPLES = """\
  omoide models list
  omoide models pull multilingual-e5-small
  omoide models pull ruri --from ~/Downloads/ruri-v3-30m
  omoide serve --embedder onnx:multilingual-e5-small
"""

_LIST_HINT = "`omoide models list` names those that are known."
_NO_NAME_ALSO = {
    "ja": "モデルの名前（NAME）が必要です。`omoide models list` で一覧が出ます。",
    "zh": "缺少模型名称（NAME）。可用 `omoide models list` 列出已知模型。",
}


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    made = add_command(
        commands,
        "models",
        run,
        help="list or download embedding models",
        examples=_EXAMPLES,
        settings=("data", "models"),
    )
    made.add_argument("action", choices=("list", "pull"), metavar="list|pull", help="list the models, or download one")
    made.add_argument("name", nargs="?", metavar="NAME", help="model to download")
    made.add_argument(
        "--from",
        dest="source",
        type=path_in_flag,
        metavar="DIR",
        help="copy the model from this folder instead of downloading it",
    )
    made.add_argument("--json", action="store_true", help="with list: one JSON object instead of a table")
    made.add_argument(
        "--check", action="store_true", help="with list: read every file and compare it with its checksum"
    )


def run(arguments: argparse.Namespace) -> int:
    """List or pull."""
    from omoide.app import models_folder

    _refuse_what_the_action_has_no_use_for(arguments)
    settings = settings_of(arguments)
    models = models_folder(settings.data, settings.models)
    if arguments.action == "list":
        return _list(models, check=arguments.check, as_json=arguments.json)
    if arguments.name is None:
        raise InvalidArgument("name", "NAME is missing: which model?", hint=_LIST_HINT, also=_NO_NAME_ALSO)
    return _pull(arguments.name, arguments.source, models)


def _refuse_what_the_action_has_no_use_for(arguments: argparse.Namespace) -> None:
    unused = {"list": {"NAME": "name", "--from": "source"}, "pull": {"--check": "check", "--json": "json"}}
    for shown, name in unused[arguments.action].items():
        if getattr(arguments, name):
            command = f"omoide models {arguments.action}"
            also = filled(
                {"ja": "`{command}` に {shown} は使えません。", "zh": "`{command}` 不能使用 {shown}。"},
                command=command,
                shown=shown,
            )
            raise InvalidArgument(name, f"`{command}` takes no {shown}.", hint=f"See {command} --help.", also=also)


def _list(models: Path, *, check: bool, as_json: bool) -> int:
    from omoide.embed.catalogue import MODELS
    from omoide.embed.models import on_disk
    from omoide.embed.pull import damaged

    here = on_disk(models)
    known = [each for each in MODELS if each.name not in {model.name for model in here}]
    wrong = {model.name: damaged(model.folder) for model in here} if check else {}
    show = _print_json if as_json else _print_lists
    show(models, here, known, wrong)
    return int(any(wrong.values()))


def _print_json(
    models: Path, here: Sequence[Model], known: Sequence[Known], wrong: Mapping[str, list[str] | None]
) -> None:
    listed = [
        {"name": f"{each.kind}:{each.name}", "megabytes": round(each.megabytes), "damaged": wrong.get(each.name)}
        for each in here
    ]
    pulled = [{"name": f"{each.kind}:{each.name}", "about": each.about} for each in known]
    print_json({"folder": str(models.absolute()), "here": listed, "known": pulled})


def _print_lists(
    models: Path, here: Sequence[Model], known: Sequence[Known], wrong: Mapping[str, list[str] | None]
) -> None:
    print(f"In {models}:" if here else f"No models in {models}.")
    for model in here:
        whole = _damage(wrong[model.name]) if wrong else ""
        print(f"  {f'{model.kind}:{model.name}':<34} {model.megabytes:,.0f} MB  {whole}".rstrip())
    print("To be pulled by name:")
    for each in known:
        print(f"  {f'{each.kind}:{each.name}':<34} {each.about}")


def _damage(wrong: list[str] | None) -> str:
    if wrong is None:
        return "not pulled: there are no checksums to compare it with"
    return f"DAMAGED: {', '.join(wrong)}" if wrong else "whole"


def _pull(name: str, source: Path | None, models: Path) -> int:
    from omoide.config import nearest
    from omoide.embed.catalogue import MODELS
    from omoide.embed.models import kind_of
    from omoide.embed.pull import copy, pull

    known = {each.name: each for each in MODELS}
    if source is None and name not in known:
        meant = nearest(name, known)
        hint = f"{meant['en']} Any other model comes with --from DIR."
        also = filled(
            {
                "ja": "{name} というモデルは登録されていません。{meant}ほかのモデルは --from フォルダー で取り込めます。",
                "zh": "没有名为“{name}”的模型。{meant}其他模型可用 --from 文件夹 导入。",
            },
            name=name,
            meant=meant,
        )
        raise InvalidArgument("name", f"No model is known as {name!r}.", hint=hint, also=also)
    with watched(f"pulling {name}") as progress:
        moved = _by_file(progress)
        pulled = pull(known[name], models, moved) if source is None else copy(name, source, models, moved)
    for file, checksum in pulled.checksums.items():
        print(f"{checksum}  {file}")
    print(f"{pulled.folder} is whole. Use it with --embedder {kind_of(pulled.folder)}:{name}")
    return 0


def _by_file(progress: Callable[[int, int | None], None]) -> Callable[[str, int, int | None], None]:
    return lambda _, done, total: progress(done, total)
