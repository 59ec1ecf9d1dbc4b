"""YAML that is nested too deeply, or too long, is refused before it is read whole."""

from __future__ import annotations

import json

import pytest
import yaml

from omoide.bounded_yaml import Loader
from omoide.nesting import MOST_LEVELS


class Short(Loader):
    most_values = 10


DEEP = [
    "zone: " + "[" * 20_000 + "]" * 20_000,
    "記憶: " + "{" * 20_000,
    "记忆: " + "[{a: " * 10_000,
    "- " * 20_000 + "memory",
    "? " * 20_000,
    '# "\n' + "[" * (MOST_LEVELS + 1),
    "\n".join(f"{' ' * level}茶:" for level in range(MOST_LEVELS + 2)),
]


@pytest.mark.parametrize("text", DEEP, ids=[each[:6] for each in DEEP])
def test_what_is_nested_too_deeply_is_refused_where_it_becomes_so(text: str) -> None:
    with pytest.raises(yaml.YAMLError, match=f"more than {MOST_LEVELS} lists and mappings") as raised:
        yaml.load(text, Loader=Loader)
    mark = raised.value.problem_mark  # type: ignore[attr-defined]
    assert mark.index <= len(text.partition(": ")[0]) + 2 + 5 * MOST_LEVELS or mark.line >= MOST_LEVELS


@pytest.mark.parametrize(
    "text",
    [
        "[" * MOST_LEVELS + "お茶" + "]" * MOST_LEVELS,
        "- " * MOST_LEVELS + "茶",
        "text: |\n  " + "[" * 1_000,
        "text: '" + "[{" * 1_000 + "'",
        "[" + "[]," * 1_000 + "]",
    ],
)
def test_what_is_not_is_read_as_ever(text: str) -> None:
    assert yaml.load(text, Loader=Loader) == yaml.safe_load(text)


def test_the_rest_of_too_many_values_is_not_read() -> None:
    with pytest.raises(yaml.YAMLError, match="more than 10 values") as raised:
        yaml.load("- 抹茶\n" * 5 + "- 龙井茶\n" * 5 + "- tea\n" * 5, Loader=Short)
    assert raised.value.problem_mark.line < 12  # type: ignore[attr-defined]


def test_characters_that_json_escapes_in_two_halves_are_whole() -> None:
    written = {"お茶 🍵": "𠮷野家", "茶 🍵": ["𨨏", "\ufeff茶"], "tea 🍵": "cup 👩‍👧"}
    assert yaml.load(json.dumps(written), Loader=Loader) == written


@pytest.mark.parametrize("text", [r'お茶: "\ud83d茶"', r'"\udf75": 茶', r'tea: "\udf75\ud83c"'])
def test_half_of_a_character_is_refused_where_it_stands(text: str) -> None:
    with pytest.raises(yaml.YAMLError, match="half of a character") as raised:
        yaml.load(text, Loader=Loader)
    assert raised.value.problem_mark.column == text.index('"')  # type: ignore[attr-defined]
