"""What is told beside an answer: in English, and behind it in the language of what was sent.

Useful for: what was not used, or not as it came. Not useful for: refusals; the server says beside those what this says here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from omoide.traditional import told_in

#: What to answer a text in: ja, zh, zh-Hant, else en.
LanguageOf = Callable[[str], str]

#: So much of a text tells its language.
READ_CHARS = 2_000


def in_both(words: Mapping[str, str], sent: str, language_of: LanguageOf) -> str:
    """The words in English and in the language of the text that was sent; once, where that is English."""
    both = words["en"], told_in(words, language_of(sent[:READ_CHARS]))
    return " ".join(dict.fromkeys(filter(None, both)))
