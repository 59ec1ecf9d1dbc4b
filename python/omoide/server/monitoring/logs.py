"""How the log is written, on stderr: as lines for people or as JSON lines for machines.

Useful for: entry points, once. Invariant: it contains no text of a memory or a question, and no session id that would let anyone
in. The message of an unexpected exception may quote what was being worked on, so only its type and its stack are logged.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import traceback
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, TextIO

from omoide.errors import OmoideError

logger = logging.getLogger(__name__)

_ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def configure(stream: TextIO, *, level: int, as_json: bool) -> None:
    """Have every logger of the process write to `stream`, and log warnings and uncaught exceptions there too."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if as_json else Lines())
    handler.addFilter(_cut_quotations)
    handler.addFilter(_shorten_session_ids)
    handler.addFilter(_leave_out_non_requests)
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.captureWarnings(True)
    threading.excepthook = _thread_failed
    sys.excepthook = _process_failed


def report(error: OmoideError | OSError) -> None:
    """Log an error that keeps a server from starting or going on."""
    code = {"code": error.code} if isinstance(error, OmoideError) else {}
    logger.error("%s", error, extra={"fields": code})


def _cut_quotations(record: logging.LogRecord) -> bool:
    """Cut what asyncio says of an uncaught error before it quotes the exception."""
    if record.name == "asyncio":
        record.msg, record.args = re.split(r"[\n(]", record.getMessage(), maxsplit=1)[0], ()
    return True


#: A session's id, and the part of it that is enough to tell one from another.
_SESSION = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24}\b")


def _shorten_session_ids(record: logging.LogRecord) -> bool:
    """Shorten the session ids that the SDK logs: with a whole one, and the token, anyone could use the session."""
    if record.name.startswith("mcp."):
        record.msg, record.args = _SESSION.sub(r"\1…", record.getMessage()), ()
    return True


#: What uvicorn warns of whenever what comes is no request.
_NO_REQUEST = "Invalid HTTP request received."


def _leave_out_non_requests(record: logging.LogRecord) -> bool:
    """Whether to write a record. What is no request is counted in the metrics, and logged with `-v` alone: anyone who can connect could
    fill the disk with it."""
    return record.msg != _NO_REQUEST or logging.root.isEnabledFor(logging.INFO)


def _thread_failed(args: threading.ExceptHookArgs) -> None:
    """Log an uncaught exception of a thread; Python itself would print its message too."""
    error = args.exc_value
    if isinstance(error, SystemExit):  # a normal way for a thread to end, as in Python's own hook
        return
    exc_info = (type(error), error, args.exc_traceback) if error is not None else None
    logger.error("the thread %s failed", args.thread.name if args.thread else "?", exc_info=exc_info)


def _process_failed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The same for the main thread."""
    logger.critical("the process failed", exc_info=(kind, error, trace))


class Lines(logging.Formatter):
    """For people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the name is logging's)
        """The line with its fields. It stays one line, whatever name a client gives itself."""
        fields = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        return _one_line(f"{super().formatMessage(record).rstrip()} {fields}".rstrip())

    def formatException(self, ei: _ExceptionInfo) -> str:  # noqa: N802 (the name is logging's)
        """Without the exception's message."""
        return "\n".join(f"  {where}" for where in _places(ei))


class JsonLines(logging.Formatter):
    """For machines: one object a line, with `at`, `level`, `logger`, `event` and the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["exception"] = _places(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def _one_line(text: str) -> str:
    """The text with line ends and other invisible characters as escapes."""
    if text.isprintable():
        return text
    shown = (each.isprintable() or unicodedata.category(each) == "Zs" for each in text)
    return "".join(
        each if is_shown else each.encode("unicode_escape").decode() for each, is_shown in zip(text, shown, strict=True)
    )


def _fields(record: logging.LogRecord) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = getattr(record, "fields", {})
    return fields


def _places(ei: _ExceptionInfo) -> list[str]:
    """The type of the exception and its stack, the innermost call last."""
    kind, _, trace = ei
    way = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]
    return [kind.__name__ if kind else "no exception", *way]
