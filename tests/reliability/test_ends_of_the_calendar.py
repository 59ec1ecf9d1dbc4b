"""What programs store at the calendar's first or last instant (they write those where they know no time, or for what does not
end) is found and shown in every zone, though its days there may be beyond the calendar."""

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide import app
from omoide.config import load
from omoide.families.tool import Caller
from omoide.memory import Memories
from omoide.model.memory import Draft, EventTime
from omoide.server.calls.call import Call

FIRST, LAST = datetime(1, 1, 1, tzinfo=timezone.utc), datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
TEXTS = ["抹茶が好き。昨日飲んだ。", "我喜欢抹茶。昨天喝了。", "I like matcha. I had some yesterday."]
#: How each tool that shows when something was is asked.
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("search_memory", {"detail_level": "full", "render": "highlight"}),
    ("explain_memory", {}),
    ("SearchMemory", {}),
    ("query_memory", {"mode": "search"}),
    ("chronica_search", {}),
    ("chronica_timeline", {}),
    ("search_memory_graph", {}),
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "UTC", "Asia/Tokyo"])
@pytest.mark.parametrize("at", [FIRST, LAST], ids=["first", "last"])
def test_what_stands_at_an_end_of_the_calendar_is_shown_in_every_zone(
    tmp_path: Path, at: datetime, zone: str, text: str
) -> None:
    settings = load({"data": str(tmp_path), "zone": zone, "tools": "all"}, {})
    with app.opened(settings) as found:
        for tool in ("store_memory", "chronica_save_entry"):
            again = Draft(text=text, stored_at=at, tool=tool, thread="茶", event_time=EventTime("昨日", start=at))
            found.memories.remember_many([again, again])
        calls = {tool.name: Call(tool) for tool in app.tools(found.memories, settings)}
        for name, more in ASKED:
            query = {} if name == "chronica_timeline" else {"query": text}
            answer = calls[name](Caller("1"), {**query, **more})
            assert not answer.is_error, (name, answer.text)
            assert text in json.dumps(answer.structured, ensure_ascii=False, default=dict), name


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("at", [FIRST, LAST], ids=["first", "last"])
def test_an_observation_may_end_at_an_end_of_the_calendar(memories: Memories, at: datetime, text: str) -> None:
    entity, told = memories.observe("抹茶", "thing", Draft(text=text, valid_until=at))
    assert (told.disposition, told.memory.valid_until) == ("stored", at)
    assert memories.observations(entity.id)[0] == (at == LAST)
