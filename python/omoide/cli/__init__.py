"""The command line: `omoide COMMAND`, with one module for each command; COMMANDS lists them.

Exit codes: 0 done; 1 something failed, or part of the input could not be used; 2 the command cannot be run as it was given;
130 interrupted. Answers go to stdout, everything else to stderr.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

import omoide
from omoide.cli.common import NotFrom, Parser, exit_code, legible, settings_of
from omoide.cli.translation import translation
from omoide.config import nearest
from omoide.errors import OmoideError

#: In the order of --help. Only the module of the command that runs is imported, as a client waits for `serve` to start.
COMMANDS = (
    "serve",
    "import",
    "export",
    "backup",
    "restore",
    "search",
    "call",
    "stats",
    "doctor",
    "models",
    "token",
    "tools",
)

_EXAMPLES = """\
examples:
  omoide serve                             one client, on stdin and stdout
  omoide serve --http                      many, http://127.0.0.1:8765/mcp
  omoide import notes/ corpus.jsonl        Markdown, text and JSON lines
  omoide search 京都で飲んだお茶           find in Japanese,
  omoide search 上周的会议                 in Chinese,
  omoide search "where did we park"        in English
  omoide call store_memory text=山と川     any tool, as a client calls it
  omoide export all.jsonl                  everything, as JSON lines
  omoide backup all.zip                    every store, while servers write

Every command has --help. The store is in ~/.omoide unless --data or
OMOIDE_DATA names another folder.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Raises KeyboardInterrupt."""
    import uuid  # noqa: F401 - orjson, which imports it, crashes if Ctrl-C ends that import

    from omoide.store import interrupted

    _prepare_streams()
    interrupted.listen()
    return _run(sys.argv[1:] if argv is None else argv)


def _run(given: Sequence[str]) -> int:
    if given[:1] == ["help"]:
        given = [*given[1:2], "--help"]
    known = parser(given[:1] if given and given[0] in COMMANDS else COMMANDS)
    if not given:
        known.print_help(sys.stderr)
        return 2
    if misfit := _no_command(given[0]):
        known.error(misfit)
    arguments = argparse.Namespace()
    try:
        arguments = known.parse_args(given)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe, as in `omoide export | head`
        return 1
    except (OmoideError, OSError) as error:
        also = translation(error, given, _language(arguments), os.environ)
        lines = (f"omoide: {_message(error)}", getattr(error, "hint", ""), also)
        print(legible("\n".join(line for line in lines if line)), file=sys.stderr)
        return exit_code(error)
    return code


def _language(arguments: argparse.Namespace) -> str | None:
    """The setting `language`, even if the settings cannot be loaded: they may be what is wrong."""
    try:
        return settings_of(arguments).language
    except (OmoideError, OSError):
        return getattr(arguments, "language", None) or os.environ.get("OMOIDE_LANGUAGE")


def _message(error: OmoideError | OSError) -> str:
    """What went wrong; for an error of the system: what it could not do, and with which file."""
    if isinstance(error, OmoideError):
        return error.message
    if not error.strerror:
        return str(error)
    # Only asking for the present folder names no file.
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "The present folder is gone. Change to another one."
    return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."


#: Words that other programs use as commands -> what to write here.
_MEANT = {
    "add save store remember 追加 保存 添加": "`omoide call store_memory text=…`.",
    "forget delete remove rm 削除 删除": "`omoide call forget_memory memoryId=…`; `omoide search … --json` tells ids.",
    "find query recall ask 検索 搜索": "`omoide search …`.",
    "list ls 一覧 列表": '`omoide search ""`, which lists the newest.',
    "status info": "`omoide stats`.",
    "check repair": "`omoide doctor`.",
    "start run 起動 启动": "`omoide serve`.",
}


def _no_command(first: str) -> str:
    """What is wrong with the first word; "" if it is a command."""
    if first in COMMANDS or first in ("-h", "--help", "--version"):
        return ""
    if first.startswith("-"):
        return f"a command comes first, as in `omoide search 京都 {first} …`"
    meant = next((line for words, line in _MEANT.items() if first.lower() in words.split()), None)
    return f"there is no command {first!r}. {f'Write {meant}' if meant else nearest(first, COMMANDS)['en']}"


def _prepare_streams() -> None:
    """Open /dev/null in place of standard streams that the parent process has closed: the next file we open would get their
    number. Replace characters that the terminal cannot show, rather than fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
        if sys.stdout is sys.__stdout__:
            sys.stdout = _naming_itself(sys.stdout)
    if logging.lastResort is not None:  # log messages look like our errors; `serve` has a real log
        logging.lastResort.setFormatter(_Legible("omoide: %(message)s"))
        logging.lastResort.addFilter(_CONCERNS_COMMANDS)


def _naming_itself(stream: TextIOWrapper) -> TextIOWrapper:
    return TextIOWrapper(
        BufferedWriter(_Stdout(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
    )


class _Stdout(FileIO):
    """Names itself in errors, as a file does. After one it drops what comes: the rest of a buffer must not fail again at the end of
    the process."""

    def write(self, data: Any, /) -> int:
        """Write bytes. Raises OSError."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = "stdout"
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            raise


#: How long an endpoint is left alone matters to a process that goes on asking it.
_CONCERNS_COMMANDS = NotFrom("omoide.embed.circuit_breaker")


class _Legible(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return legible(super().format(record))


def parser(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The command line with these commands."""
    made = Parser(
        prog="omoide",
        description="Memory search for AI agents, in Japanese, Chinese and English.",
        epilog=_EXAMPLES,
    )
    made.add_argument("--version", action="version", version=f"omoide {omoide.__version__}")
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    for name in names:
        # `import` is a keyword of Python.
        import_module(f"omoide.cli.{'import_' if name == 'import' else name}").add_to(commands)
    return made
