"""`omoide call`: calls a tool from the command line, with the arguments, rules and answers of a client's call."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from omoide.cli.common import COMMON, Commands, add_command, bring_index_up, legible, print_json, settings_of, text
from omoide.cli.translation import language_for
from omoide.config import Settings, nearest
from omoide.errors import InvalidArgument, filled, half_in, not_whole, shown

if TYPE_CHECKING:  # what a call needs takes longer to load than the other commands
    from omoide.families.tool import Result, Tool
    from omoide.server.calls.dispatcher import Dispatcher
    from omoide.server.calls.toolcall import ToolCall
    from omoide.server.calls.translations import UsualLanguage

#: Without words of a language: the one that an error is told in is also recognized by the error itself.
_EXAMPLE_OF_JSON = '{"query": "tea"}'
#: Between the name and the value of an argument, also as input methods write it.
_EQUALS = re.compile("[=＝]")
#: The client's name in the provenance of memories stored by this command.
CLIENT = "omoide call"

_EXAMPLES = """\
  omoide call store_memory text=昨日、京都で抹茶を飲んだ。 importance=0.8
  omoide call search_memory query=最近30天的会议 limit=3 --json
  omoide call forget_entity entityName=Jeff dryRun=true
  omoide call batch_store --arguments '{"memories": [{"text": "山と川"}]}'
"""


def add_to(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command."""
    names = (*COMMON, "scope", "archetype")
    made = add_command(commands, "call", run, help="call a tool as a client would", examples=_EXAMPLES, settings=names)
    made.add_argument("tool", metavar="TOOL", help="name of the tool; `omoide tools --tools all` lists all of them")
    made.add_argument(
        "given",
        nargs="*",
        default=[],
        type=text,
        metavar="NAME=VALUE",
        help="an argument; for a list, repeat NAME or write JSON",
    )
    made.add_argument(
        "--arguments", metavar="JSON", help="arguments as a JSON object (-: from stdin); NAME=VALUE takes precedence"
    )
    made.add_argument("--json", action="store_true", help="print the whole result as JSON, as clients get it")


def run(arguments: argparse.Namespace) -> int:
    """Call the tool and print its answer; 1 if that is an error."""
    from omoide.app import opened, require_store, tools
    from omoide.server.calls import provenance
    from omoide.server.protocol.wire import call_result

    settings = settings_of(arguments)
    tool = _offered(arguments.tool, settings)
    passed = {**_from_json(arguments.arguments), **_from_words(arguments.given, tool)}
    if tool.read_only:
        require_store(settings)
    with opened(settings, watch=provenance.note) as found:
        bring_index_up(found)
        usual = found.memories.usual_language
        called = _named(tool.name, tools(found.memories, settings))
        result = _answer(called, passed, lambda text: usual(text) or language_for(text, settings.language, os.environ))
    if arguments.json:
        print_json(call_result(result))
    else:
        texts = (result.text, result.note, result.sources)
        print(legible("\n\n".join(each for each in texts if each)), file=sys.stderr if result.is_error else sys.stdout)
    return int(result.is_error)


def _offered(name: str, settings: Settings) -> Tool:
    """The tool of that name. Raises InvalidArgument (there is none, or the settings leave it out)."""
    from omoide.app import tools_offered

    offered = tools_offered(settings)
    if settings.tools and name not in (tool.name for tool in offered):
        left_out = _named(name, tools_offered(replace(settings, tools=())))
        also = filled(
            {
                "ja": "設定 tools（OMOIDE_TOOLS、または omoide.yaml）が {name} を選んでいません。{name}、{family}、all のどれかを加えてください。",
                "zh": "设置 tools（OMOIDE_TOOLS 或 omoide.yaml）中没有 {name}。请加上 {name}、{family} 或 all。",
            },
            name=name,
            family=left_out.family,
        )
        message = f"The setting tools (OMOIDE_TOOLS, or in omoide.yaml) does not choose {name}."
        raise InvalidArgument("tool", message, hint=f"Add {name}, {left_out.family} or all to it.", also=also)
    return _named(name, offered)


def _named(name: str, offered: Iterable[Tool]) -> Tool:
    known = {tool.name: tool for tool in offered}
    if name not in known:
        meant = nearest(name, known)
        also = filled(
            {"ja": "ツール {name} はありません。{meant}", "zh": "没有工具“{name}”。{meant}"}, name=name, meant=meant
        )
        raise InvalidArgument("tool", f"There is no tool {name!r}.", hint=meant["en"], also=also)
    return known[name]


def _answer(tool: Tool, passed: Mapping[str, Any], language: UsualLanguage) -> Result:
    from omoide.app import utc_now
    from omoide.server.access.visitor import LOCAL
    from omoide.server.calls.dispatcher import Dispatcher
    from omoide.server.calls.sessions import Sessions
    from omoide.server.calls.toolcall import ToolCall
    from omoide.server.calls.workspaces import OneWorkspace, workspace_of

    dispatcher = Dispatcher([tool], OneWorkspace(workspace_of([tool], Sessions(utc_now), language)))
    call = ToolCall(LOCAL, tool.name, passed, client=CLIENT)
    return dispatcher.answer(call._replace(confirmed=_confirmed(dispatcher, call)))


def _confirmed(dispatcher: Dispatcher, call: ToolCall) -> bool | None:
    """What the person at the terminal says to the tool's question, which is no yes where there is none; None where nobody is there
    to be asked."""
    if not sys.stdin.isatty():
        return None
    question = asyncio.run(dispatcher.question(call))
    if question is None:
        return False
    print(legible(question), end=" [y/N] ", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes", "はい", "是")


def _from_json(given: str | None) -> Mapping[str, Any]:
    if given is None:
        return {}
    try:
        found = _read(sys.stdin.buffer.read() if given == "-" else given)
    except (ValueError, RecursionError) as error:
        raise _not_an_object(f"--arguments is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise _not_an_object("--arguments is not a JSON object.")
    return found


def _not_an_object(message: str) -> InvalidArgument:
    also = filled(
        {
            "ja": "--arguments には JSON のオブジェクトを渡してください。例：{example}",
            "zh": "--arguments 应为 JSON 对象，例如 {example}",
        },
        example=_EXAMPLE_OF_JSON,
    )
    return InvalidArgument("arguments", message, hint=f"Pass an object such as {_EXAMPLE_OF_JSON}.", also=also)


def _from_words(given: Iterable[str], tool: Tool) -> Mapping[str, Any]:
    """The arguments given as NAME=VALUE: each as text, as JSON or as a list of all values given under its name, whichever fits
    the schema first."""
    values: dict[str, list[str]] = {}
    for each in given:
        name, *value = _EQUALS.split(each, 1)
        if not (name and value):
            known = ", ".join(tool.input_schema.get("properties", {}))
            words = {
                "ja": "{each} は 名前=値 の形ではありません。{tool} で使えるもの：{known}。",
                "zh": "{each} 不是 名称=值 的形式。{tool} 可用的有：{known}。",
            }
            also = filled(words, each=shown(each), tool=tool.name, known=known)
            hint = f"{tool.name} knows: {known}."
            raise InvalidArgument("given", f"{shown(each)} is no NAME=VALUE.", hint=hint, also=also)
        values.setdefault(name, []).extend(value)
    return {name: _fitting(texts, tool, name) for name, texts in values.items()}


def _fitting(texts: list[str], tool: Tool, name: str) -> Any:
    """The first reading that fits the schema, else the first of the right type: the tool will say what is wrong with it."""
    from jsonschema_rs import Draft202012Validator

    schema = tool.input_schema
    own = {**schema.get("properties", {}).get(name, {}), "$defs": schema.get("$defs", {})}
    kind = {"type": own["type"]} if "type" in own else {}
    fits = (each for want in (own, kind) for each in filter(Draft202012Validator(want).is_valid, _readings(texts)))
    return next(fits, texts if len(texts) > 1 else texts[0])


def _readings(texts: list[str]) -> Iterator[Any]:
    if len(texts) == 1:
        yield texts[0]
        yield from _as_json(texts[0])
    yield texts
    values = [value for each in texts for value in _as_json(each)]
    if len(values) == len(texts):
        yield values


def _as_json(given: str) -> Iterator[Any]:
    """The value of JSON, which may be written in full width where it is none otherwise (０．８)."""
    for written in (given, unicodedata.normalize("NFKC", given)):
        try:
            yield _read(written)
        except (ValueError, RecursionError):
            continue
        return


def _read(given: str | bytes) -> Any:
    """The JSON value. A lone surrogate is refused: no client can send one, and no answer can contain one. Raises ValueError,
    RecursionError, InvalidArgument."""
    found = json.loads(given)
    if (half := half_in(found)) is not None:
        raise not_whole("arguments", "An argument", half)
    return found
