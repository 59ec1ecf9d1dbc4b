"""What the commands share: flags for settings, the settings themselves, output and progress."""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from omoide.config import SETTINGS, Settings, flag_of, is_text, load, nearest, variables_of
from omoide.errors import InvalidArgument, NotFound, OmoideError

if TYPE_CHECKING:
    from rich.table import Table

    from omoide.app import Opened

#: Settings that every command takes.
COMMON = ("data", "zone", "week_starts", "japanese", "language", "embedder", "models")
#: A sentence in each language, to try its dictionary.
SAMPLES = {"Japanese": "京都で抹茶を飲んだ", "Chinese": "我们在北京喝茶", "English": "we drank tea"}


def _where_it_is_set(name: str) -> str:
    variable, about = variables_of(name)[0], SETTINGS[name]
    if not about.flag or name.startswith("embedder_") or name == "vector_storage":
        return f"Set {variable}, or {name} in omoide.yaml."
    if about.http:
        return "Only `omoide serve` takes it."
    return f"Not every command takes it; those that use it read {variable}, or {name} in omoide.yaml, too."


#: Hints for settings that have no flag on a command, although it may use them; those of HTTP only `omoide serve` uses. Those that
#: have no flag anywhere, and what an index is made with, every command reads.
_SET_ELSEWHERE = {flag_of(name): _where_it_is_set(name) for name in SETTINGS if name not in COMMON}
#: Width of a table when it does not go to a terminal, in columns.
PIPED_WIDTH = 160

#: Characters that could move a terminal's cursor, rename its window or reverse the rest of a line, with the visible symbols that
#: replace them. Line ends and tabs stay.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
_PICTURES |= {ord("\r"): ord(" "), 0x7F: 0x2421, **dict.fromkeys(range(0x80, 0xA0), 0xFFFD)}
_PICTURES |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)

#: What input methods, word processors and web pages make of the dashes of a flag.
_DASHES = re.compile("^[-‐‑‒–—―−ー－]+")

Commands = argparse._SubParsersAction  # argparse has no public name for it


class Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviated flags (`--token` must not mean `--tokens`), and suggests the nearest for unknown ones."""

    def __init__(self, **given: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **given)

    def format_usage(self) -> str:
        """What is printed above an error: the words that a command takes, without its flags, which fill a screen."""
        words = [each for each in self._actions if not each.option_strings]
        formatter = self.formatter_class(prog=self.prog if self._subparsers else f"{self.prog} [FLAG ...]")
        formatter.add_usage(self.usage, words, ())
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """End with exit code 2, the message and where to read more."""
        super().error(f"{message}\n`{self.prog} --help` says more.")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after --help or an error. Raises OSError (stdout cannot take the help)."""
        sys.stdout.flush()
        super().exit(status, message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuses unknown flags; lets words stand before, between and after flags."""
        if self._subparsers is None:
            before = args[: args.index("--")] if "--" in args else args  # behind it nothing is a flag
            if meant := self._flags_in_other_dashes(before):
                said, plain = " ".join(meant), " ".join(meant.values())
                self.error(f"unrecognized arguments: {said}. Did you mean {plain}, with two plain dashes?")
            if words := self._words_with_dash(before):
                behind = f"What begins with a dash stands behind --, as in `{self.prog} -- {' '.join(words)}`."
                self.error(f"unrecognized arguments: {' '.join(words)}. {behind}")
        found, unknown = super().parse_known_args(args, namespace)
        end = unknown.index("--") if "--" in unknown else len(unknown)  # from here on nothing is a flag
        if unknown and not any(each.startswith("-") for each in unknown[:end]):
            unknown = self._left_by_the_last(found, unknown[:end] + unknown[end + 1 :])
        if unknown:
            known = [flag for flag in self._option_string_actions if flag.startswith("--")]
            flags = [each.partition("=")[0] for each in unknown if each.startswith("--")]
            hints = [_SET_ELSEWHERE.get(flag) or nearest(flag, known, "--")["en"] for flag in flags]
            self.error(f"unrecognized arguments: {' '.join(unknown)}. {' '.join(hints)}".rstrip())
        return found, unknown

    def _flags_in_other_dashes(self, given: Sequence[str]) -> dict[str, str]:
        """Words that are flags but for their dashes, with the flag: argparse would take —limit for a word of the query."""
        meant = {each: _DASHES.sub("--", each.partition("=")[0]) for each in given if not each.startswith("--")}
        return {each: flag for each, flag in meant.items() if flag in self._option_string_actions}

    def _words_with_dash(self, given: Sequence[str]) -> list[str]:
        """What argparse would take for unknown flags, though it looks like none: a flag of one dash is a single letter."""
        return [
            each
            for each in given
            if re.match("-[^-]", each)
            and not re.fullmatch("-[a-zA-Z]", each)
            and each[:2] not in self._option_string_actions
            and not self._negative_number_matcher.match(each)
        ]

    def _left_by_the_last(self, found: argparse.Namespace, words: list[str]) -> list[str]:
        """Give words to the last positional argument, which argparse fills from adjacent words only; returns those it cannot
        take."""
        for last in self._get_positional_actions()[-1:]:
            values = [self._get_value(last, word) for word in words]
            if last.nargs in ("*", "+"):
                setattr(found, last.dest, [*getattr(found, last.dest), *values])
                return []
            if last.nargs == "?" and getattr(found, last.dest) == last.default:
                setattr(found, last.dest, values[0])
                return words[1:]
        return words


def add_command(
    commands: Commands[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    help: str,
    examples: str,
    settings: Sequence[str] = COMMON,
) -> argparse.ArgumentParser:
    """Add a command with a flag for each of `settings`; its --help ends with `examples`."""
    made = commands.add_parser(
        name,
        help=help,
        description=help[0].upper() + help[1:] + ".",
        epilog=f"examples:\n{examples}",
    )
    made.set_defaults(run=run)
    for setting in settings:
        _add_setting(made, setting)
    return made


def _add_setting(parser: argparse.ArgumentParser, name: str) -> None:
    about = SETTINGS[name]
    if about.is_switch:
        parser.add_argument(
            flag_of(name), dest=name, action=argparse.BooleanOptionalAction, default=None, help=about.help
        )
    else:
        parser.add_argument(flag_of(name), dest=name, metavar=about.metavar, help=about.help)


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings for this command, read when first asked for; flags take precedence over the environment, and that over the
    file. Raises InvalidArgument."""
    if "settings" not in arguments:
        arguments.settings = load({name: value for name, value in vars(arguments).items() if name in SETTINGS})
    settings: Settings = arguments.settings
    return settings


def exit_code(error: OmoideError | OSError) -> int:
    """The exit code of a command that fails with `error`; `omoide.cli` says what the codes mean."""
    return 2 if isinstance(error, (InvalidArgument, NotFound)) else 1


def text(word: str) -> str:
    """The argparse type of a text that is searched for or stored: UTF-8, whatever the locale says."""
    try:
        return word if is_text(word) else os.fsencode(word).decode()
    except UnicodeDecodeError:
        raise argparse.ArgumentTypeError(f"{word!a} is not UTF-8") from None


def name(word: str) -> str:
    """The argparse type of a name: stripped, as in a setting, and not blank."""
    if not (given := text(word).strip()):
        raise argparse.ArgumentTypeError(f"{word!r} is no name")
    return given


def whole_number(word: str) -> int:
    """The argparse type of a number, in digits of any width."""
    try:
        return int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is no whole number") from None


def path(word: str) -> Path:
    """The argparse type of a file or folder. An empty one, as of a variable that is not set, would be the present folder, and ./-
    would be -, which stands for stdin or stdout."""
    if not word:
        raise argparse.ArgumentTypeError("it is empty; write . for the present folder")
    named = Path(word)
    return named.absolute() if word != "-" == str(named) else named


def path_in_flag(word: str) -> Path:
    """The argparse type of a path after a flag. Shells leave the ~ of `--flag=~/x` as it is."""
    try:
        return path(word).expanduser()
    except RuntimeError:
        raise argparse.ArgumentTypeError(
            f"it is not known where the home of {word!r} is; write the whole path"
        ) from None


def named_file(word: str) -> Path:
    """The argparse type of a file to be written that cannot be stdout."""
    if word == "-":
        raise argparse.ArgumentTypeError("a file is expected; write ./- for one that is called -")
    return path(word)


class NotFrom(logging.Filter):
    """Lets pass the messages of all loggers but one, where a Filter lets pass those of one."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write a message."""
        return record.name != self.name


@contextmanager
def without_warnings_of(logger: str) -> Iterator[None]:
    """Keep the warnings of a logger from stderr while the block runs, for a command that says the same in its own words."""
    others = NotFrom(logger)
    if logging.lastResort is None:
        yield
        return
    logging.lastResort.addFilter(others)
    try:
        yield
    finally:
        logging.lastResort.removeFilter(others)


def legible(stored: str) -> str:
    """A stored text made safe for a terminal: whoever wrote it must not control the reader's. The length stays the same."""
    return stored.translate(_PICTURES)


def print_json(value: object) -> None:
    """Print a value for programs: in UTF-8, whatever the terminal's encoding."""
    written = f"{json.dumps(value, ensure_ascii=False, indent=1, default=dict)}\n"
    # File names that are not UTF-8 become JSON escapes, which Python reads back as the same name.
    in_utf8().write(written.encode("utf-8", "backslashreplace").decode())


def in_utf8() -> TextIO:
    """Stdout, set to UTF-8 so that it takes every character."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    return sys.stdout


def columns_of_terminal() -> int | None:
    """The width of the terminal; None if stdout is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_table(table: Table) -> None:
    """Print a table to stdout; into a pipe PIPED_WIDTH wide, without spaces at the ends of lines. Long cells are folded: a text
    without spaces would lose its end otherwise."""
    from rich.console import Console

    for column in table.columns:
        column.overflow = "fold"
    if columns_of_terminal() is not None:
        Console().print(table)
        return
    console = Console(width=PIPED_WIDTH)
    with console.capture() as drawn:
        console.print(table)
    print("\n".join(line.rstrip(" ") for line in drawn.get().split("\n")), end="")


@contextmanager
def watched(doing: str) -> Iterator[Callable[[int, int | None], None]]:
    """A progress bar on stderr while the block runs: call what it yields with (done, of how many or None)."""
    if not sys.stderr.isatty():  # nobody watches, so the drawing library is not loaded either
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def waited_for(doing: str) -> Iterator[None]:
    """The same for work whose amount is unknown: a spinner."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(doing):
        yield


def bring_index_up(opened: Opened) -> None:
    """Have the index follow every change, with a progress bar."""
    with watched("indexing") as progress:
        opened.index.catch_up(progress)
