"""An error in the language of whoever typed the command: Japanese or Chinese, beside the English words.

Useful for: what a command ends with. Not useful for: refusals of tools, which `server/calls/translated` tells by their arguments,
and what argparse says.
Invariant: the English words are told, too: they are what is searched for and reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omoide.errors import OmoideError, StoreError

#: Where a terminal's language is told, the first that is set.
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


def beside(error: OmoideError, words: Sequence[str], near: str | None, environ: Mapping[str, str]) -> str:
    """What happened and what to do; "" for people of other languages, and for what has no such words. Their language is that of
    the `words` they typed or that the error quotes, else `near` (the setting `language`), else the locale's."""
    from omoide.server.calls.translated import OF_CODES
    from omoide.text.detect import language_of
    from omoide.traditional import told_in, written

    known = error.also or (OF_CODES.get(error.code, {}) if isinstance(error, StoreError) else {})
    text, tag = " ".join((*words, error.message)), _tag(environ)
    near = near or tag[:2]
    language = language_of(text, near) or near
    return told_in(known, written(language, text, tag)) or ""


def _tag(environ: Mapping[str, str]) -> str:
    """Of the locale: ja-jp, zh-tw."""
    named = next((environ[name] for name in _LOCALES if environ.get(name)), "")
    return named.partition(".")[0].replace("_", "-").lower()
