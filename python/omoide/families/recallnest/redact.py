"""Replaces keys, tokens and passwords before a text is stored.

Useful for: secrets that an agent stores in passing. Not useful for: finding every secret; only forms that can hardly be
anything else are known, so that ordinary text stays unchanged.
Invariant: pure; takes time linear in the length of the text; the answer says what was replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

#: The key of `Memory.extra` for the kinds that were replaced in a memory.
REDACTED = "redacted"
#: A random key of this length has a digit; identifiers and slugs that begin like one (sk-toggleable__label-arrow), and words after
#: Bearer (authentication/authorization), have none.
_HAS_DIGIT = r"(?=[\w.~+/-]{0,99}\d)"
#: What follows "the password is" where a text says how passwords are kept (managers, hashes, ciphers and encodings), or where the
#: password comes from (variables and placeholders).
_NO_PASSWORD = (
    r"1Password|KeePass|(?:argon|base|md|pbkdf|sha|aes|rsa|tls|utf)[-_]?\d|[bs]crypt|hmac"
    r"|\$\{|<|\{\{|process\.env|os\.(?:environ|getenv)"
)
#: Between quotation marks a password ends at the second one, so that what follows in the same line of JSON is kept.
_PASSWORD = "|".join(
    rf"{mark}(?!{_NO_PASSWORD})((?={chars}{{0,100}}\d)(?={chars}{{0,100}}[A-Za-z]){chars}{{6,100}})"
    for mark, chars in (('"', "[!#-~]"), ("'", "[!-&(-~]"), ("[「『“]?(?![\"'])", "[!-~]"))
)
#: The header lines of an encrypted key have hyphens (DEK-Info: AES-128-CBC), though never five.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----((?:(?!-----)[\s\S]){1,20000})-----END", re.ASCII
)
#: Kind -> (casefolded strings, one of which every text with such a secret contains; pattern of the secret). If the pattern has
#: groups, only the one that matched is replaced. Every repetition is bounded. Words are ASCII: Han characters and kana beside a
#: secret neither hide it nor are part of it.
_FORMS: Mapping[str, tuple[Sequence[str], re.Pattern[str]]] = MappingProxyType(
    {
        "private_key": (["-----begin"], _PRIVATE_KEY),
        "jwt": (["eyj"], re.compile(r"\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000}", re.ASCII)),
        "api_key": (
            "sk- gho_ ghp_ ghs_ ghu_ ghr_ github_pat_ akia aiza xox glpat- hf_ npm_".split(),
            re.compile(
                rf"\b(?:sk-{_HAS_DIGIT}[\w-]{{20,200}}|gh[opsur]_\w{{30,100}}|github_pat_\w{{30,200}}|AKIA[0-9A-Z]{{16}}\b"
                r"|AIza[\w-]{35}|xox[abprs]-[\w-]{10,200}|glpat-[\w-]{20,100}|hf_[0-9A-Za-z]{30,100}|npm_[0-9A-Za-z]{36})",
                re.ASCII,
            ),
        ),
        "token": (["bearer "], re.compile(rf"\b(?i:Bearer) {_HAS_DIGIT}([\w.~+/-]{{20,2000}}=*)", re.ASCII)),
        "password": (
            "password passwd passphrase パスワード 密码 密碼 口令".split(),
            re.compile(
                # The name may be the end of DB_PASSWORD, or be between quotation marks; := and => are signs of equality, too.
                r"(?:(?<![^\W_])(?:password|passwd|passphrase)(?:[\"']?[\s\u3000]*[:：=＝][=>]?|\s+is\b)"
                r"|(?:パスワード|密码|密碼|口令)[\s\u3000]*(?:[:：=＝]|は|是|为|為))"
                rf"[\s\u3000:：]{{0,3}}(?:{_PASSWORD})",
                re.IGNORECASE | re.ASCII,
            ),
        ),
    }
)
_KIND_OF: Mapping[str, str] = MappingProxyType(
    {begin: kind for kind, (beginnings, _) in _FORMS.items() for begin in beginnings}
)


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with `[REDACTED:<kind>]` in place of secrets, and the kinds found."""
    kinds, folded = [], text.casefold()
    if not any(map(folded.__contains__, _KIND_OF)):  # the usual case
        return text, ()
    for kind in dict.fromkeys([_KIND_OF[begin] for begin in _KIND_OF if begin in folded]):
        text, count = _FORMS[kind][1].subn(partial(_replaced, kind), text)
        kinds += [kind] * bool(count)
    return text, tuple(kinds)


def _replaced(kind: str, match: re.Match[str]) -> str:
    whole, start = match[0], match.start()
    first, last = match.span(match.lastindex or 0)
    return f"{whole[: first - start]}[REDACTED:{kind}]{whole[last - start :]}"
