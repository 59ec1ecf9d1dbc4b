"""Whatever stands in an argument is data: every nasty string in every argument of every tool."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from omoide import app
from omoide.config import Settings
from omoide.families.tool import Result
from omoide.server.access.visitor import LOCAL
from omoide.server.calls.dispatcher import Dispatcher
from omoide.server.calls.toolcall import ToolCall
from tests.reliability.nasty import STRINGS, anything, arguments, fitting

PLAIN = ("抹茶", "龙井茶", "tea")


def ask(dispatcher: Dispatcher, name: str, given: Mapping[str, Any]) -> Result:
    return dispatcher.answer(ToolCall(LOCAL, name, given))


def is_our_fault(result: Result) -> bool:
    return "fault of the server" in result.text or "internal_error" in str(result.structured)


def sound(settings: Settings) -> list[str]:
    with app.opened(settings) as found:
        return found.store.problems() + app.verify(found)


@pytest.mark.parametrize("which", STRINGS)
def test_a_nasty_string_is_data_in_every_argument_of_every_tool(
    dispatcher: Dispatcher, settings: Settings, dice: random.Random, which: str
) -> None:
    ask(dispatcher, "store_memory", {"text": "抹茶と龙井茶 tea"})
    blamed = []
    for tool in dispatcher.tools:
        properties = tool.input_schema.get("properties", {})
        for name, schema in properties.items():
            given = {each: fitting(dice, properties[each], PLAIN) for each in tool.input_schema.get("required", ())}
            given[name] = [STRINGS[which]] if schema.get("type") == "array" else STRINGS[which]
            if is_our_fault(ask(dispatcher, tool.name, given)):
                blamed.append((tool.name, name))
    assert blamed == []
    assert sound(settings) == []


@pytest.mark.parametrize("which", STRINGS)
def test_a_nasty_string_as_the_name_of_an_argument_is_no_fault_of_ours(
    dispatcher: Dispatcher, settings: Settings, dice: random.Random, which: str
) -> None:
    blamed = []
    for tool in dispatcher.tools:
        properties = tool.input_schema.get("properties", {})
        given = {each: fitting(dice, properties[each], PLAIN) for each in tool.input_schema.get("required", ())}
        if is_our_fault(ask(dispatcher, tool.name, {**given, STRINGS[which]: 1})):
            blamed.append(tool.name)
    assert blamed == []
    assert sound(settings) == []


UNSTORABLE = {"empty", "space", "lone surrogate", "reversed pair"}


@pytest.mark.parametrize("which", [which for which in STRINGS if which not in UNSTORABLE])
def test_a_nasty_text_comes_back_as_it_was(dispatcher: Dispatcher, settings: Settings, which: str) -> None:
    text = f"抹茶 {STRINGS[which]} 龙井茶"[:4_000]
    stored = ask(dispatcher, "store_memory", {"text": text})
    assert not stored.is_error, stored.text
    with app.opened(settings) as found:
        for query in ("抹茶", "龙井茶", STRINGS[which][:500]):
            hits = found.memories.recall(query).hits
            assert query in ("抹茶", "龙井茶") or not hits or hits[0].memory.text == text
        assert found.memories.recall("抹茶").hits[0].memory.text == text


@pytest.mark.parametrize("which", sorted(UNSTORABLE))
def test_what_is_no_text_is_refused_and_says_why(dispatcher: Dispatcher, which: str) -> None:
    refused = ask(dispatcher, "store_memory", {"text": STRINGS[which]})
    assert refused.is_error
    assert not is_our_fault(refused)


def test_values_that_fit_no_schema_are_refused_and_harm_nothing(
    dispatcher: Dispatcher, settings: Settings, dice: random.Random, attacks: Callable[[int, int], int]
) -> None:
    blamed = []
    for _ in range(attacks(15, 300)):
        for tool in dispatcher.tools:
            given = arguments(dice, tool.input_schema, PLAIN, wrong=0.3)
            if dice.random() < 0.2:
                given = {name: anything(dice) for name in given}
            if is_our_fault(ask(dispatcher, tool.name, given)):
                blamed.append((tool.name, given))
    assert blamed == [], f"{len(blamed)} of {tool.name}"
    assert sound(settings) == []
