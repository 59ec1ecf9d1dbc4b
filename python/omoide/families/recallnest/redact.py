"""Replaces keys, tokens, passwords, cookies and the numbers of cards and Chinese identity papers before a text is stored.

Useful for: secrets that an agent stores in passing. Not useful for: finding every secret; only forms that can hardly be
anything else are known, so that ordinary text stays unchanged.
Invariant: pure; takes time linear in the length of the text; the answer says what was replaced.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

#: The key of `Memory.extra` for the kinds that were replaced in a memory.
REDACTED = "redacted"
#: A random key of this length has a digit; identifiers and slugs that begin like one (sk-toggleable__label-arrow), and words after
#: Bearer (authentication/authorization), have none.
_HAS_DIGIT = r"(?=[\w.~+/-]{0,99}\d)"
#: What follows "the password is" where a text says how passwords are kept (managers, hashes, ciphers and encodings), or where the
#: password comes from (variables, placeholders and user1's birthday).
_NO_PASSWORD = (
    r"1Password|KeePass|OAuth-?\d|(?:argon|base|md|pbkdf|sha|aes|rsa|tls|utf)[-_]?\d|[bs]crypt|hmac"
    r"|[\w-]{1,40}(?:-(?:based|encoded|encrypted|hashed|protected)\b|'s\s)"
    r"|\$\{|<|\{\{|process\.env|os\.(?:environ|getenv)"
)
#: A call in source code, as getPassword(user1); few passwords end in parentheses after letters alone.
_CALL = r"[A-Za-z_$.]{1,60}\([^\s()]{0,60}\)"
#: Between quotation marks a password ends at the second one, so that what follows in the same line of JSON is kept.
_PASSWORD = "|".join(
    rf"{mark}(?!{_NO_PASSWORD})((?={chars}{{0,100}}\d)(?={chars}{{0,100}}[A-Za-z]){chars}{{6,100}})"
    for mark, chars in (('"', "[!#-~]"), ("'", "[!-&(-~]"), (rf"[「『“]?(?![\"']|{_CALL})", "[!-~]"))
)
#: What stands between the user and the host of a URL, but for what examples have there, ports (localhost:8080@…) and the tags of
#: images (docker://alpine:3.19@sha256:…).
_PASSWORD_OF_URL = (
    r"://[\w.~%!$&*+=-]{0,100}:(?!(?:password|passwd|passphrase|pass|pwd|pw|secret|token|x+|\*+|\.+|(?-i:[A-Z_]+)|\d{1,5})@)"
    r"([\w.~%!&*+=;,^-][\w.~%!$&*+=;,^-]{0,200})@(?!sha\d)[A-Za-z\d]"
)
#: Where a name may begin: after no letter or digit (DB_PASSWORD), or as a word of its own in dbPassword.
_BEGIN = r"(?:(?<![^\W_])|(?-i:(?<=[a-z\d])(?=[A-Z])))"
#: Between a name and its value; the name may be between quotation marks; := and => are signs of equality, too.
_IS = r"[\"']?[\s\u3000]*[:：=＝][=>]?"
#: A random value has several digits, one of them before a letter; names of variables and files hardly do.
_KEY = (
    r"(?=[\w+/-]{0,200}\d[A-Za-z])(?=[\w+/-]{0,200}\d[^\d\s]{0,200}\d)"
    r"((?:[A-Za-z\d+/]{40}|[\w-]{16,200})={0,2})(?![\w+/(\[]|\.\w)"
)
_NAMED_KEY = (
    rf"(?:{_BEGIN}(?:api[-_ ]?key|secret[-_]?key|secret[-_]?access[-_]?key|client[-_]?secret|(?:access|auth|refresh)[-_ ]?token)"
    rf"(?:{_IS}|\s+is\b)"
    r"|(?:API ?キー|シークレットキー|API ?密[钥鑰]|API ?金鑰)[\s\u3000]*(?:[:：=＝]|は|是|为|為))"
    rf"[\s\u3000:：]{{0,3}}[\"'「『“]?{_KEY}"
)
_BASE64 = r"[A-Za-z\d+/]"
_LINE_BREAK = r"(?:\s{1,2}|\\n)"
#: The header lines of an encrypted key have hyphens (DEK-Info: AES-128-CBC), though never five. A key that is cut off is as long as
#: its lines are no words.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:((?:(?!-----)[\s\S]){1,20000})-----END"
    rf"|{_LINE_BREAK}?({_BASE64}{{40,20000}}={{0,2}}(?:{_LINE_BREAK}{_BASE64}{{20,100}}={{0,2}}){{0,400}}"
    rf"(?:{_LINE_BREAK}{_BASE64}{{1,20}}={{1,2}})?))",
    re.ASCII,
)
#: Keys by what their services begin them with: OpenAI, Anthropic and others, GitHub, AWS, Google, Slack, GitLab, Hugging Face, npm,
#: PyPI, Stripe, SendGrid, DigitalOcean, Groq, xAI, Shopify, Telegram, age, Azure's storage, webhooks of Slack and Discord.
_KNOWN_KEYS = (
    rf"\b(?:sk-{_HAS_DIGIT}[\w-]{{20,200}}|gh[opsur]_\w{{30,100}}|github_pat_\w{{30,200}}|A(?:K|S)IA[0-9A-Z]{{16}}\b"
    r"|AIza[\w-]{35}|ya29\.[\w-]{30,300}|xox[abprs]-[\w-]{10,200}|xapp-\d-[0-9A-Z]{8,20}-\d{8,20}-[0-9a-f]{32,100}"
    r"|glpat-[\w-]{20,100}|hf_[0-9A-Za-z]{30,100}|npm_[0-9A-Za-z]{36}|pypi-AgE[\w-]{30,300}"
    r"|[rs]k_(?:live|test)_[0-9A-Za-z]{16,200}|whsec_[0-9A-Za-z+/]{24,100}=?|SG\.[\w-]{16,32}\.[\w-]{32,64}"
    r"|dop_v1_[0-9a-f]{64}|gsk_[0-9A-Za-z]{40,100}|xai-[0-9A-Za-z]{40,100}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}"
    r"|\d{8,10}:AA[\w-]{33}\b|AGE-SECRET-KEY-1[0-9A-Z]{58})"
    r"|\bAccountKey=([A-Za-z\d+/]{60,120}={0,2})|hooks\.slack\.com/services/(T\w{6,20}/B\w{6,20}/\w{16,40})"
    r"|discord(?:app)?\.com/api/webhooks/\d{15,20}/([\w-]{50,100})"
)
#: A session, rather than a setting, has a value of some length with a digit in it.
_COOKIE = (
    r"\b(?i:(?:Set-)?Cookie) ?: ?((?=[^\r\n\"']{0,200}?=(?=[^\s;\"']{0,99}\d)[^\s;\"']{16})"
    r"[\w.-]{1,100}=[^\s;\"']{0,4000}(?:; ?[\w.-]{1,100}=[^\s;\"']{0,4000}){0,50})"
)
#: Kind -> (casefolded strings, one of which every text with such a secret contains; pattern of the secret). If the pattern has
#: groups, only the one that matched is replaced. Every repetition is bounded. Words are ASCII: Han characters and kana beside a
#: secret neither hide it nor are part of it.
_FORMS: Mapping[str, tuple[Sequence[str], re.Pattern[str]]] = MappingProxyType(
    {
        "private_key": (["-----begin"], _PRIVATE_KEY),
        "jwt": (["eyj"], re.compile(r"\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000}", re.ASCII)),
        "api_key": (
            [
                *"sk- gho_ ghp_ ghs_ ghu_ ghr_ github_pat_ akia aiza xox glpat- hf_ npm_".split(),
                *"api_key api-key apikey secret_key secret-key secretkey access_key access-key accesskey".split(),
                *"asia ya29. xapp- pypi-age sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sg. dop_v1_ gsk_ xai- shp :aa".split(),
                *"age-secret-key- accountkey= hooks.slack.com /api/webhooks/".split(),
                *"client_secret client-secret clientsecret シークレットキー apiキー api密钥 api密鑰 api金鑰".split(),
                *("api key", "api キー", "api 密钥", "api 密鑰", "api 金鑰"),
                *(f"{use}{joint}token" for use in ("access", "auth", "refresh") for joint in ("_", "-", " ", "")),
            ],
            re.compile(rf"{_KNOWN_KEYS}|(?i:{_NAMED_KEY})", re.ASCII),
        ),
        "token": (["bearer "], re.compile(rf"\b(?i:Bearer) {_HAS_DIGIT}([\w.~+/-]{{20,2000}}=*)", re.ASCII)),
        "cookie": (["cookie:", "cookie :"], re.compile(_COOKIE, re.ASCII)),
        "password": (
            ["basic ", *"password passwd passphrase パスワード 密码 密碼 口令 _pass _pwd ://".split()],
            re.compile(
                rf"(?:{_BEGIN}(?:password|passwd|passphrase)(?:{_IS}|(?: (?:for|to|of)(?: [\w'.-]{{1,30}}){{1,5}}?)?\s+is\b)"
                rf"|(?<![^\W_])(?:admin|database|db|ftp|mail|mysql|pg|postgres|redis|root|smtp|user)_(?:pass|pwd){_IS}"
                r"|(?:パスワード|密码|密碼|口令)[\s\u3000]*(?:[:：=＝]|は|是|为|為))"
                rf"[\s\u3000:：]{{0,3}}(?:{_PASSWORD})|{_PASSWORD_OF_URL}"
                rf"|\bauthorization{_IS}\s?[\"']?basic (?=[a-z+/]{{0,400}}[\d=])([a-z\d+/]{{8,400}}={{0,2}})",
                re.IGNORECASE | re.ASCII,
            ),
        ),
    }
)
_KIND_OF: Mapping[str, str] = MappingProxyType(
    {begin: kind for kind, (beginnings, _) in _FORMS.items() for begin in beginnings}
)


def _is_card(digits: str) -> bool:
    """Whether the last digit is the check of the others by Luhn's formula (ISO/IEC 7812-1): every second digit from the right
    doubled, the sum of all digits a multiple of ten."""
    doubled = (2 * int(digit) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(each - 9 * (each > 9) for each in doubled)) % 10 == 0


def _is_identity(number: str) -> bool:
    """Whether it has a day of birth and the check of GB 11643: weights 2 ** n modulo 11 from the right, X for ten."""
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    values = [10 if digit in "xX" else int(digit) for digit in number]
    return sum(value * pow(2, place, 11) for place, value in enumerate(reversed(values))) % 11 == 1


class _Number(NamedTuple):
    """The form of a number, with blanks or hyphens in it, and whether one without them is right."""

    form: re.Pattern[str]
    is_right: Callable[[str], bool]


#: Not part of a longer number, nor of a decimal or a name.
_ALONE = r"(?<![\w.-]){}(?![\w-]|\.\d)"
#: Kind -> its numbers: cards by how their schemes begin them (Visa, Mastercard, Discover and JCB, UnionPay, American Express).
_NUMBERS: Mapping[str, _Number] = MappingProxyType(
    {
        "id_number": _Number(
            re.compile(
                _ALONE.format(r"[1-8]\d{5}([ -]?)(?:19|20)\d{6}\1\d{3}[\dXx]"),
                re.ASCII,
            ),
            _is_identity,
        ),
        "card_number": _Number(
            re.compile(
                _ALONE.format(
                    r"(?:(?:4\d|5[1-5]|2[2-7]|35|6[02-5])\d\d([ -]?)\d{4}\1\d{4}\1\d{4}"
                    r"|62\d\d([ -]?)\d{4}\2\d{4}\2\d{4}\2\d{3}|3[47]\d\d([ -]?)\d{6}\3\d{5})"
                ),
                re.ASCII,
            ),
            _is_card,
        ),
    }
)
#: What every such number contains.
_LONG_NUMBER = re.compile(r"\d(?:[ -]?\d){14}", re.ASCII)


#: Full-width letters and digits are read as those of ASCII; marks are not, as ！ and ， end a sentence of Japanese or Chinese.
_HALF_WIDTH = {ord(char) + 0xFEE0: char for char in string.ascii_letters + string.digits}


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with `[REDACTED:<kind>]` in place of secrets, and the kinds found."""
    kinds, folded = list[str](), text.translate(_HALF_WIDTH).casefold()
    numbers = _NUMBERS if _LONG_NUMBER.search(folded) else {}
    if not numbers and not any(map(folded.__contains__, _KIND_OF)):  # the usual case
        return text, ()
    for kind in dict.fromkeys([_KIND_OF[begin] for begin in _KIND_OF if begin in folded]):
        secrets = (match.span(match.lastindex or 0) for match in _matches(_FORMS[kind][1], text))
        text, found = _replaced(kind, text, secrets)
        kinds += [kind] * found
    for kind, (form, is_right) in numbers.items():
        digits = ((match.span(), re.sub("[ -]", "", match[0])) for match in _matches(form, text))
        text, found = _replaced(kind, text, (span for span, number in digits if is_right(number)))
        kinds += [kind] * found
    return text, tuple(kinds)


def _matches(form: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return form.finditer(text.translate(_HALF_WIDTH))


def _replaced(kind: str, text: str, secrets: Iterable[tuple[int, int]]) -> tuple[str, bool]:
    """The text without these [start, end), and whether there were any."""
    parts, end = list[str](), 0
    for first, last in secrets:
        parts += [text[end:first], f"[REDACTED:{kind}]"]
        end = last
    return "".join([*parts, text[end:]]), bool(parts)
