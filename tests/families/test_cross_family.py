"""docs/doors.md, row by row: a memory stored through each writer, seen through each of the five searches.

Through a real client, in both eras, in Japanese, Chinese and English at once.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import CallToolResult, TextContent

from omoide import app
from omoide.config import load
from omoide.memory import Memories
from tests.server.conftest import serving

PAGE = Path(__file__).parents[2] / "docs" / "doors.md"
SEARCHES = ("SearchMemory", "search_memory", "query_memory", "chronica_search", "search_memory_graph")
Json = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """What is stored, and the question that finds it."""

    text: str
    question: str
    title: str
    name: str

    @property
    def sentence(self) -> str:
        return re.split("(?<=[。.])", self.text)[0]


SAMPLES = {
    "ja": Sample("昨日、京都で抹茶を飲んだ。とても苦かった。", "京都の抹茶", "京都旅行", "健太"),
    "zh": Sample("我们在北京喝了龙井茶。味道很好。", "北京 龙井茶", "北京之行", "小红"),
    "en": Sample("We drank Earl Grey in London. It was raining.", "Earl Grey London", "London trip", "Jeff"),
}

# --- writers: how a row of the page stores a sample -------------------------------------------------------------------


def _archetype(each: Sample, **more: Any) -> Json:
    return {"Title": each.title, "Content": each.text, "Context": "tea", **more}


def _fact(each: Sample, type: str = "person") -> Json:
    return {"entityName": each.name, "entityType": type, "observation": each.text}


def _entry(each: Sample, **more: Any) -> Json:
    return {"entry": {"kind": "log", "text": each.text, "title": each.title, **more}}


def _node(each: Sample) -> Json:
    return {"type": "concept", "label": each.title, "content": each.text}


WRITERS: dict[str, Callable[[Sample], Json]] = {
    "`StoreMemory`": _archetype,
    "`RecordDecision`": lambda each: _archetype(each, Status="decided", reasons=["cheap"]),
    "`LearnLesson`": lambda each: _archetype(each, next_time="less sugar"),
    "`store_memory`": lambda each: {"text": each.text},
    "`store_memory` in a scope": lambda each: {"text": each.text, "scope": "project:tea"},
    "`batch_store`": lambda each: {"memories": [{"text": each.text}]},
    "`store_case`": lambda each: {"title": each.title, "problem": each.text, "solutionSteps": ["wait"]},
    "`store_workflow_pattern`": lambda each: {"title": each.title, "trigger": each.text, "steps": ["wait"]},
    "`remember_fact`": _fact,
    "`remember_fact` of a preference": lambda each: _fact(each, "preference"),
    "`build_knowledge`": lambda each: {"facts": [_fact(each)]},
    "`chronica_save_entry`": _entry,
    "`chronica_save_entry` in a thread": lambda each: _entry(
        each, thread={"type": "normal", "id": f"t-{each.name}", "name": each.name}
    ),
    "`chronica_save_entry` in a project": lambda each: _entry(each, project=each.name),
    "`upsert_memory_node`": _node,
    "`add_interlinked_context`": lambda each: {"items": [_node(each)]},
}

# --- searches: the text and the two words that a search shows of its best hit -----------------------------------------


def _fegis(found: Json) -> tuple[Any, ...]:
    best = found["search_results"][0]
    return best["content"], best["title"], best["tool"]


def _recallnest(found: Json) -> tuple[Any, ...]:
    best = found["results"][0]
    return best["text"], best["category"], best["scope"]


def _textrawl(found: Json) -> tuple[Any, ...]:
    best = found["entities"][0]
    return best["memories"][0]["content"], best["entityType"], best["entityName"]


def _chronica(found: Json) -> tuple[Any, ...]:
    best = found["entries"][0]
    return best["text"], best["kind"], best.get("title")


def _contextplus(found: Json) -> tuple[Any, ...]:
    best = found["direct"][0]
    return best["content"], best["type"], best["label"]


QUESTIONS: dict[str, Callable[[str], Json]] = {
    "SearchMemory": lambda question: {"query": question, "detail": "full"},
    "search_memory": lambda question: {"query": question, "allScopes": True},
    "query_memory": lambda question: {"mode": "search", "query": question},
    "chronica_search": lambda question: {"query": question},
    "search_memory_graph": lambda question: {"query": question},
}
SHOWN = dict(zip(SEARCHES, (_fegis, _recallnest, _textrawl, _chronica, _contextplus), strict=True))

# --- the page ---------------------------------------------------------------------------------------------------------


def rows() -> dict[str, list[str]]:
    """The cells of the first table, by its first column."""
    table = PAGE.read_text(encoding="utf-8").partition("\n| stored by |")[2].partition("\n\n")[0]
    split = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()[2:]]
    return {cells[0]: cells[1:] for cells in split}


def meant(cell: str, sample: Sample) -> tuple[str | None, ...]:
    """What a cell says of a sample."""
    words = {"*title*": sample.title, "*name*": sample.name, "*sentence*": sample.sentence, "-": None}
    return tuple(words.get(word, word) for word in cell.split(", "))


def test_the_page_has_a_row_for_every_writer() -> None:
    assert rows().keys() == WRITERS.keys()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("writer", WRITERS)
async def test_what_a_tool_stores_is_seen_through_every_search(
    memories: Memories, clock: Any, tmp_path: Path, writer: str, mode: str
) -> None:
    offered = app.tools(memories, load({"data": str(tmp_path), "tools": "all"}, {}))
    tool = writer.split("`")[1]
    async with Client(serving(offered, clock), mode=mode) as client:
        for sample in SAMPLES.values():
            stored = await client.call_tool(tool, WRITERS[writer](sample))
            assert not stored.is_error, stored.content
        answers = {
            (language, search): await client.call_tool(search, QUESTIONS[search](sample.question))
            for language, sample in SAMPLES.items()
            for search in SEARCHES
        }
    cells = dict(zip(SEARCHES, rows()[writer], strict=True))
    for (language, search), answer in answers.items():
        text, *words = SHOWN[search](answer.structured_content or {})
        assert (language, search, tuple(words)) == (language, search, meant(cells[search], SAMPLES[language]))
        assert SAMPLES[language].text in text
        assert SAMPLES[language].sentence in text_of(answer)


def text_of(answer: CallToolResult) -> str:
    block = answer.content[0]
    assert isinstance(block, TextContent)
    return block.text
