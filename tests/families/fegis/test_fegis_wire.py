"""The texts and keys that clients of `SearchMemory` rely on."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from omoide.families.fegis.previews import content_preview, relative_time, title_of
from omoide.families.fegis.wire import DETAILS, Shown, found, view
from omoide.model.memory import Archetype, Memory

NOW = datetime(2025, 7, 2, 6, 15, 11, 123456, tzinfo=timezone.utc)
FILLER = "Three words here "


@pytest.mark.requirement("fegis.shown.relative-time")
@pytest.mark.parametrize(
    ("age", "said"),
    [
        (timedelta(seconds=0), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(hours=1, minutes=59), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1, hours=23), "1 day ago"),
        (timedelta(days=6, hours=23), "6 days ago"),
        (timedelta(days=7), "1 week ago"),
        (timedelta(days=13), "1 week ago"),
        (timedelta(days=29), "4 weeks ago"),
        (timedelta(days=30), "1 month ago"),
        (timedelta(days=59), "1 month ago"),
        (timedelta(days=60), "2 months ago"),
        (timedelta(days=400), "13 months ago"),
        (timedelta(seconds=-5), "just now"),
    ],
)
def test_age_is_said_in_the_largest_whole_unit(age: timedelta, said: str) -> None:
    assert relative_time(NOW - age, NOW) == said


@pytest.mark.requirement("fegis.shown.preview")
@pytest.mark.parametrize(
    ("content", "preview"),
    [
        ("", ""),
        ("  a\n b\t c ", "a b c"),
        ("Short? Yes! " + 200 * "x", "Short. Yes."),
        ("One. Two. " + 20 * FILLER, "One. Two."),
        ("Version 3.14 is out. " + 20 * "filler text ", "Version 3. 14 is out."),
        ("One. " + 145 * "x", "One. " + 145 * "x"),
        (151 * "A", 147 * "A" + "..."),
        (200 * "!", 97 * "!" + "..."),
        (20 * "東京の天気について話した。", (20 * "東京の天気について話した。")[:147] + "..."),
        ("今天和朋友去吃火锅。", "今天和朋友去吃火锅。"),
    ],
)
def test_a_preview_fits_in_150_characters(content: str, preview: str) -> None:
    assert content_preview(content) == preview
    assert len(content_preview(content)) <= 150


@pytest.mark.requirement("fegis.shown.untitled")
@pytest.mark.parametrize(
    ("text", "title", "shown"),
    [
        ("昨日、京都で抹茶を飲んだ。とてもよかった。", None, "昨日、京都で抹茶を飲んだ。"),
        ("今天去了上海。天气很好。", "", "今天去了上海。"),
        ("Version 3.14 is out. Install it.", None, "Version 3.14 is out."),
        ("Version 3.14 is out.", "題", "題"),
    ],
)
def test_an_untitled_memory_is_called_by_its_first_sentence(text: str, title: str | None, shown: str) -> None:
    memory = Memory(id="m", number=1, text=text, title=title, stored_at=NOW, updated_at=NOW)
    assert title_of(memory) == shown


MEMORY = Memory(
    id="3f2b8c1e",
    number=1,
    text="We anchored on the first name proposed.",
    title="Anchoring in the naming debate",
    context="Reviewing yesterday's API discussion",
    tool="BiasDetector",
    session_id="b0f6a7f2",
    sequence_order=2,
    preceding_id="0d9a2a57",
    agent_id="claude_desktop",
    archetype=Archetype("default", "0.01"),
    parameters={"BiasScope": "anchoring"},
    frames={"identified_biases": ["anchoring"]},
    stored_at=datetime(2025, 7, 2, 4, 15, 11, 123456, tzinfo=timezone.utc),
    updated_at=NOW,
)
VIEWS = {
    "compact": {
        "memory_id": "3f2b8c1e",
        "title": "Anchoring in the naming debate",
        "tool": "BiasDetector",
        "context": "Reviewing yesterday's API discussion",
        "session_id": "b0f6a7f2",
        "score": 0.84,
    },
    "summary": {
        "memory_id": "3f2b8c1e",
        "title": "Anchoring in the naming debate",
        "context": "Reviewing yesterday's API discussion",
        "tool": "BiasDetector",
        "score": 0.84,
        "content_preview": "We anchored on the first name proposed.",
        "relative_time": "2 hours ago",
        "session_id": "b0f6a7f2",
    },
    "graph": {
        "memory_id": "3f2b8c1e",
        "title": "Anchoring in the naming debate",
        "preceding_memory_id": "0d9a2a57",
        "session_id": "b0f6a7f2",
        "sequence_order": 2,
        "tool": "BiasDetector",
        "relative_time": "2 hours ago",
        "timestamp": "2025-07-02T04:15:11.123456+00:00",
        "score": 0.84,
        "meta.agent_id": "claude_desktop",
        "meta.archetype_title": "default",
    },
    "full": {
        "memory_id": "3f2b8c1e",
        "score": 0.84,
        "title": "Anchoring in the naming debate",
        "content": "We anchored on the first name proposed.",
        "context": "Reviewing yesterday's API discussion",
        "tool": "BiasDetector",
        "session_id": "b0f6a7f2",
        "sequence_order": 2,
        "timestamp": "2025-07-02T04:15:11.123456+00:00",
        "preceding_memory_id": "0d9a2a57",
        "parameters": {"BiasScope": "anchoring"},
        "frames": {"identified_biases": ["anchoring"]},
        "meta": {
            "agent_id": "claude_desktop",
            "schema_version": "1.0",
            "fegis_version": "2.0.0",
            "archetype_title": "default",
            "archetype_version": "0.01",
        },
    },
}


@pytest.mark.requirement("fegis.shown.details")
@pytest.mark.parametrize("detail", DETAILS)
def test_each_detail_has_its_keys_in_order(detail: str) -> None:
    shown = view(Shown(MEMORY, 0.84, NOW), detail)
    assert list(shown.items()) == list(VIEWS[detail].items())


@pytest.mark.requirement("fegis.shown.details", "fegis.shown.untitled")
def test_what_a_memory_of_another_door_does_not_have_is_null() -> None:
    foreign = Memory(id="m", number=2, text="抹茶が好き。", stored_at=NOW, updated_at=NOW, tool="store_memory")
    assert view(Shown(foreign, 1.0, NOW), "graph") == {
        "memory_id": "m",
        "title": "抹茶が好き。",
        "preceding_memory_id": None,
        "session_id": None,
        "sequence_order": None,
        "tool": "store_memory",
        "relative_time": "just now",
        "timestamp": "2025-07-02T06:15:11.123456+00:00",
        "score": 1.0,
        "meta.agent_id": None,
        "meta.archetype_title": None,
    }


@pytest.mark.requirement("fegis.search.missing")
@pytest.mark.parametrize("notes", [[], ["vectors による順位づけなしの結果です。"]])
def test_what_is_said_of_an_answer_stands_beside_its_results(notes: list[str]) -> None:
    answer = found([], notes)
    assert answer.structured == json.loads(answer.text) == {"search_results": [], **({"notes": notes} if notes else {})}
