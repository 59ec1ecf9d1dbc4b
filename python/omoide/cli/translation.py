"""Translates errors of commands into Japanese or Chinese, if the user writes that language.

Useful for: the error that ends a command, what `omoide import` leaves out, and what `omoide doctor` finds wrong. Not useful for: refusals of tools
(server/calls/translations.py) and argparse's messages.
Invariant: the English message is printed too, as users search for it and report it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omoide.errors import OmoideError, StoreError, system_refused

#: Variables that name the locale; the first one that is set counts.
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


def translation(
    error: OmoideError | OSError, words: Sequence[str], near: str | None, environ: Mapping[str, str]
) -> str:
    """The translation of message and hint; "" for users of other languages, and for errors without one. The language is that of
    the `words` typed and of the error's text, else `near` (the setting `language`), else the locale's."""
    from omoide.traditional import told_in

    return told_in(translations(error), language_for(" ".join((*words, str(error))), near, environ)) or ""


def language_for(text: str, near: str | None, environ: Mapping[str, str]) -> str | None:
    """The language (ja, zh, zh-Hant, or another one of the locale) for a user who wrote `text`; `near` and locale as above."""
    from omoide.text.detect import language_of
    from omoide.traditional import message_language

    tag = _tag(environ)
    near = near or tag[:2]
    return message_language(language_of(text, near) or near, text, tag)


def translations(error: OmoideError | OSError) -> Mapping[str, str]:
    """Message and hint by language; empty for errors without a translation."""
    from omoide.server.calls.translations import OF_CODES

    if isinstance(error, OSError):
        return system_refused(error, error.filename)
    return error.also or (OF_CODES.get(error.code, {}) if isinstance(error, StoreError) else {})


def _tag(environ: Mapping[str, str]) -> str:
    """The language tag of the locale, such as ja-jp or zh-tw; "" if none is set."""
    named = next((environ[name] for name in _LOCALES if environ.get(name)), "")
    return named.partition(".")[0].replace("_", "-").lower()
