"""What an attacker sends: strings that have broken something somewhere, numbers at every edge, and arguments made of
them after a tool's own schema."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

STRINGS: Mapping[str, str] = {
    "empty": "",
    "space": "　 \t\r\n",
    "NUL": "茶\0茶",
    "lone surrogate": "茶\ud800",
    "reversed pair": "\udc00\ud800",
    "bidi": "\u202eevil\u202c \u2066\u2069",
    "zero width": "抹\u200b茶\u200d\ufeff",
    "combining": "e" + "\u0301" * 2_000,
    "noncharacter": "\uffff\ufdd0",
    "astral": "𠮷野家🍵👨‍👩‍👧‍👦",
    "control": "".join(map(chr, range(32))) + "\x7f\x9b",
    "sql quote": "'; DROP TABLE memories; --",
    "sql union": "' UNION SELECT token FROM meta --",
    "like": "%_\\%",
    "fts": '"AND" OR NOT (茶* NEAR/2 :^ {a b}) -x',
    "regex": "(a+)+$[[:alpha:]]\\",
    "glob": "*?[!a-z]{a,b}",
    "path": "../../../etc/passwd",
    "windows path": "C:\\con\\..\\..\\nul",
    "url": "file:///etc/passwd?mode=rw#x",
    "template": "{{7*7}} ${7*7} %s %n {0.__class__}",
    "html": "<script>alert(1)</script><!--]]>",
    "shell": "$(rm -rf /) `id` | ; & > /tmp/x",
    "log4j": "${jndi:ldap://127.0.0.1/a}",
    "json": '{"__proto__": {"x": 1}}',
    "yaml": "!!python/object/apply:os.system ['id']",
    "date": "9999-99-99T99:99:99+99:99",
    "long date": "前" * 900,
    "digits": "9" * 900,
    "long": "茶" * 5_000,
    "longer": "a b " * 30_000,
    "separator": "a\u2028b\u2029c\x85",
    "scope": "global:*",
    "nan": "NaN",
}

NUMBERS: Sequence[Any] = (0, -0.0, -1, 1, 2**31, -(2**31) - 1, 2**53, 2**63 - 1, 2**63, -(2**63), 10**30, 10**400)
NUMBERS = (*NUMBERS, 0.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf"))


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    made: Any = "底"
    for _ in range(depth):
        made = [made]
    return made


def anything(dice: random.Random) -> Any:
    """A value that no schema asks for."""
    kinds: Sequence[Any] = (None, True, [], {}, [[]], {"": None}, nested(50), [None] * 1_000, {"a": nested(20)})
    return dice.choice([*kinds, dice.choice(NUMBERS), dice.choice([*STRINGS.values()])])


def fitting(dice: random.Random, schema: Mapping[str, Any], words: Sequence[str]) -> Any:
    """A value after the schema, of `words` and nasty strings."""
    if "enum" in schema:
        return dice.choice(schema["enum"])
    kind = schema.get("type", "string")
    kind = dice.choice(kind) if isinstance(kind, list) else kind
    if kind == "string":
        return dice.choice([*words, *words, *STRINGS.values()])[: schema.get("maxLength", 4_000)]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", -3), schema.get("maximum", 50)
        return dice.randint(int(low), int(high)) if kind == "integer" else dice.uniform(low, high)
    if kind == "boolean":
        return dice.random() < 0.5
    if kind == "array":
        least = schema.get("minItems", 0)
        return [fitting(dice, schema.get("items", {}), words) for _ in range(dice.randint(least, least + 2))]
    if kind == "object":
        return arguments(dice, schema, words)
    return None


def arguments(
    dice: random.Random, schema: Mapping[str, Any], words: Sequence[str], wrong: float = 0.0
) -> dict[str, Any]:
    """Arguments after a tool's schema; a share of `wrong` values fits nothing."""
    required = schema.get("required", ())
    made: dict[str, Any] = {}
    for name, about in schema.get("properties", {}).items():
        if name in required or dice.random() < 0.4:
            made[name] = anything(dice) if dice.random() < wrong else fitting(dice, about, words)
    if wrong and dice.random() < 0.1:
        made[dice.choice([*STRINGS.values()])[:50]] = anything(dice)
    return made
