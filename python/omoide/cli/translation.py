"""Translates the error that ends a command into Japanese or Chinese, if the user writes that language.

Useful for: errors of commands. Not useful for: refusals of tools (server/calls/translations.py) and argparse's messages.
Invariant: the English message is printed too, as users search for it and report it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omoide.errors import OmoideError, StoreError

#: Variables that name the locale; the first one that is set counts.
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


def translation(error: OmoideError, words: Sequence[str], near: str | None, environ: Mapping[str, str]) -> str:
    """The translation of message and hint; "" for users of other languages, and for errors without one. The language is that of
    the `words` typed and of the error's message, else `near` (the setting `language`), else the locale's."""
    from omoide.server.calls.translations import OF_CODES
    from omoide.text.detect import language_of
    from omoide.traditional import told_in, written

    known = error.also or (OF_CODES.get(error.code, {}) if isinstance(error, StoreError) else {})
    text, tag = " ".join((*words, error.message)), _tag(environ)
    near = near or tag[:2]
    language = language_of(text, near) or near
    return told_in(known, written(language, text, tag)) or ""


def _tag(environ: Mapping[str, str]) -> str:
    """The language tag of the locale, such as ja-jp or zh-tw; "" if none is set."""
    named = next((environ[name] for name in _LOCALES if environ.get(name)), "")
    return named.partition(".")[0].replace("_", "-").lower()
