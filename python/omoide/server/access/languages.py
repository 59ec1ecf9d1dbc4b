"""The language of whom a request is from, as its head tells: a refusal has read no arguments.

Useful for: refusals over HTTP. Not useful for: calls of tools, whose arguments tell it (calls/translations.py).
Invariant: who reads English rather than Japanese or Chinese, or does not say, is told nothing beside the English.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.types import Scope

from omoide.traditional import message_language

#: Languages that are looked at: a browser names a few.
MOST_RANGES = 20
_RANGE = re.compile(r"\s*([a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*)?", re.ASCII)


def language_of_client(scope: Scope) -> str | None:
    """`ja`, `zh` or `zh-Hant` if the user of the client prefers that to English by Accept-Language (RFC 9110, 12.5.4); else None."""
    accepted = ",".join(Headers(scope=scope).getlist("accept-language")).lower()
    named = [found for each in accepted.split(",", MOST_RANGES)[:MOST_RANGES] if (found := _RANGE.fullmatch(each))]
    preferred = sorted(named, key=lambda found: -float(found[2] or 1))  # of equal ones, the first named
    for tag in (found[1] for found in preferred if found[2] is None or float(found[2]) > 0):
        language = tag.partition("-")[0]
        if language == "en":
            return None
        if language in ("ja", "zh"):
            return message_language(language, "", tag)
    return None
