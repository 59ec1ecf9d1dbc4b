"""Memories that are pinned to a scope are imported into that alone: nothing outside of it is read, changed or revealed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import omoide
from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.model.relation import Ref
from omoide.transfer import import_files
from omoide.transfer.dump import dump
from omoide.transfer.tally import Tally

AT = datetime(2026, 1, 1, tzinfo=timezone.utc).isoformat()
SCOPES = ["日記", "研发", "team"]
Bring = Callable[..., Tally]


@pytest.fixture
def bring(tmp_path: Path) -> Bring:
    """Import rows into the store, pinned to a scope (None: not pinned)."""

    def brought(scope: str | None, *rows: dict[str, Any], into: str | None = None) -> Tally:
        file = tmp_path / "rows.jsonl"
        file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
        with here(tmp_path, scope) as memories:
            return import_files(memories, [file], scope=into)

    return brought


def here(folder: Path, scope: str | None = None) -> Memories:
    return omoide.open(folder / "store", scope=scope)


def everything(folder: Path) -> list[str]:
    with here(folder) as memories, memories.store.read() as reader:
        return list(dump(reader))


def timed(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the times that its noun requires."""
    times = {"entity": ("created_at", "updated_at"), "thread": ("created_at", "updated_at"), "memory": ()}
    return row | dict.fromkeys(times.get(row["omoide"], ("created_at",)) if "omoide" in row else (), AT)


def reasons(tally: Tally) -> list[str]:
    return [each.reason for each in tally.bad]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(
    "row",
    [
        {"id": "theirs", "text": "上書き"},
        {"id": "theirs", "title": "题目", "text": "给别人的"},
        {"id": "theirs", "text": "mine now", "scope": "others"},
        {"omoide": "memory", "id": "theirs", "text": "an exported row"},
        {"omoide": "entity", "id": "their-entity", "entity_class": "entity", "name": "健太", "type": "person"},
        {"omoide": "thread", "id": "their-thread", "name": "新しい名前", "type": "normal"},
        {"omoide": "reminder", "id": "their-reminder", "trigger": "茶", "action": "買う", "scope": "global"},
        {"doc": "theirs", "triples": [["小红", "住在", "北京"]]},
        {"id": "about", "text": "龙井茶", "entities": ["their-entity"]},
        {
            "omoide": "relation",
            "id": "r",
            "type": "x",
            "source": {"kind": "memory", "id": "mine"},
            "target": {"kind": "memory", "id": "theirs"},
        },
        {
            "omoide": "relation",
            "id": "r",
            "type": "x",
            "source": {"kind": "memory", "id": "mine"},
            "target": {"kind": "entity", "id": "their-entity"},
        },
        {
            "omoide": "relation",
            "id": "r",
            "type": "x",
            "source": {"kind": "memory", "id": "mine"},
            "target": {"kind": "memory", "id": "mine2"},
            "home": "others",
        },
    ],
)
def test_no_row_of_a_limited_import_changes_what_other_scopes_have(
    tmp_path: Path, bring: Bring, scope: str, row: dict[str, Any]
) -> None:
    theirs = [
        {"id": "theirs", "text": "他人の秘密 别人的秘密", "scope": "others", "title": "秘"},
        {"omoide": "entity", "id": "their-entity", "entity_class": "entity", "name": "Jeff", "type": "person", "home": "others"},
        {"omoide": "thread", "id": "their-thread", "name": "theirs", "type": "normal", "home": "others"},
        {"omoide": "reminder", "id": "their-reminder", "trigger": "tea", "action": "buy", "scope": "others"},
    ]  # fmt: skip
    mine = [{"id": id, "text": f"抹茶 {id}", "scope": scope} for id in ("mine", "mine2")]
    assert reasons(bring(None, *map(timed, theirs), *mine)) == []
    before = everything(tmp_path)
    tally = bring(scope, timed(row))
    assert len(tally.bad) == 1
    assert not tally.counts
    assert "秘" not in tally.bad[0].reason
    assert set(tally.bad[0].also) == {"ja", "zh"}
    assert everything(tmp_path) == before


@pytest.mark.parametrize("scope", SCOPES)
def test_what_of_an_import_names_no_scope_is_of_the_one_it_is_limited_to(
    tmp_path: Path, bring: Bring, scope: str
) -> None:
    rows: list[dict[str, Any]] = [
        {"omoide": "entity", "id": "e", "entity_class": "entity", "name": "Jeff", "type": "person"},
        {"omoide": "thread", "id": "t", "name": "相談", "type": "normal"},
        {"omoide": "memory", "id": "m", "text": "Jeff 喝龙井茶", "entities": ["e"], "scope": "global"},
        {"omoide": "memory", "id": "deep", "text": "抹茶", "scope": f"{scope}：旅"},
        {
            "omoide": "relation",
            "id": "r",
            "type": "says",
            "source": {"kind": "memory", "id": "m"},
            "target": {"kind": "entity", "id": "e"},
        },
        {"omoide": "reminder", "id": "n", "trigger": "茶", "action": "買う", "scope": "global"},
        {"id": "told", "text": "小红住在北京"},
        {"doc": "told", "triples": [["小红", "住在", "北京"]]},
    ]
    tally = bring(scope, *map(timed, rows))
    assert reasons(tally) == []
    again = bring(scope, *map(timed, rows))
    assert {outcome for counts in again.counts.values() for outcome, count in counts.items() if count} == {"unchanged"}
    with here(tmp_path, scope) as memories:
        assert [each.scope for each in memories.get(["m", "told", "deep"])] == [scope, scope, f"{scope}：旅"]
        assert {each.home for each in memories.list_entities()[1]} == {scope}
        assert [each.home for each in memories.relations_of(Ref("memory", "m"))] == [scope]
        assert [each.home for each in memories.threads()] == [scope]
        assert [each.id for each in memories.pending_reminders()] == ["n"]
    with here(tmp_path, "elsewhere") as others:
        assert others.list_entities() == (0, [])
        assert (others.threads(), others.pending_reminders()) == ([], [])


@pytest.mark.parametrize(("name", "alike"), [("健太", "健太"), ("臺北", "台北"), ("Jeff", "jeff")])
def test_a_limited_import_makes_its_own_of_an_entity_that_only_others_know(
    tmp_path: Path, bring: Bring, name: str, alike: str
) -> None:
    with here(tmp_path, "others") as others:
        theirs, _ = others.observe(name, "concept", Draft(text="别人的秘密"))
    bring("日記", {"id": "m", "text": alike}, {"doc": "m", "entities": [alike]})
    with here(tmp_path, "日記") as memories:
        (own,) = memories.list_entities()[1]
        assert (own.name, own.home) == (alike, "日記")
        assert own.id != theirs.id
        assert [each.text for each in memories.observations(own.id)[1]] == [alike]
    with here(tmp_path, "others") as others:
        assert others.list_entities()[1] == [theirs]


@pytest.mark.parametrize("scope", SCOPES)
def test_an_imported_node_is_not_given_the_content_of_another_scope(tmp_path: Path, bring: Bring, scope: str) -> None:
    bring(None, {"id": "theirs", "text": "他人の秘密", "scope": "others"})
    node = {"omoide": "entity", "id": "n", "entity_class": "node", "name": "茶", "type": "concept"}
    tally = bring(scope, timed(node | {"memory_id": "theirs"}))
    assert reasons(tally) == ["memory_id: there is no memory 'theirs'; the entity is stored without it."]
    with here(tmp_path, scope) as memories:
        (known,) = memories.list_entities(entity_class="node")[1]
        assert known.memory_id is None


@pytest.mark.parametrize("scope", [None, *SCOPES])
def test_a_relation_with_the_id_of_another_one_is_a_relation_of_its_own(
    tmp_path: Path, bring: Bring, scope: str | None
) -> None:
    def relation(source: str, target: str, type: str, **more: Any) -> dict[str, Any]:
        ends = {"source": {"kind": "memory", "id": source}, "target": {"kind": "memory", "id": target}}
        return timed({"omoide": "relation", "id": "same", "type": type, **ends, **more})

    texts = [("a", "others"), ("b", "others"), ("mine", scope or "team"), ("mine2", scope or "team")]
    bring(None, *({"id": id, "text": f"茶 {id}", "scope": place} for id, place in texts))
    bring(None, relation("a", "b", "知る", home="others"))
    for added in (1, 0):
        tally = bring(scope, relation("mine", "mine2", "认识"))
        assert (reasons(tally), tally.count("relation", "added")) == ([], added)
    with here(tmp_path) as memories:
        assert [each.type for each in memories.relations_of(Ref("memory", "a"))] == ["知る"]
        assert [each.type for each in memories.relations_of(Ref("memory", "mine"))] == ["认识"]


@pytest.mark.parametrize("scope", SCOPES)
def test_notes_that_another_scope_has_imported_are_imported_into_this_one_too(tmp_path: Path, scope: str) -> None:
    note, line = tmp_path / "note.md", tmp_path / "line.jsonl"
    note.write_text("# 茶\n京都で抹茶を飲んだ。\n# 会议\n会议改到周五。\n", encoding="utf-8")
    line.write_text('{"text": "We drank tea."}\n', encoding="utf-8")
    with here(tmp_path) as everyone:
        import_files(everyone, [note, line])
    before = everything(tmp_path)
    for outcome in ("added", "unchanged"):
        with here(tmp_path, scope) as memories:
            tally = import_files(memories, [note, line])
            assert (reasons(tally), tally.count("memory", outcome)) == ([], 3)
    note.write_text("# 茶\n京都で煎茶を飲んだ。\n# 会议\n会议改到周五。\n", encoding="utf-8")
    with here(tmp_path, scope) as memories:
        assert import_files(memories, [note], scope=f"{scope}:2").count("memory", "updated") == 2
        texts = {hit.memory.text: hit.memory.scope for hit in memories.recall("", limit=9).hits}
    assert texts == {"京都で煎茶を飲んだ。": f"{scope}:2", "会议改到周五。": f"{scope}:2", "We drank tea.": scope}
    assert [row for row in everything(tmp_path) if f'"scope": "{scope}' not in row] == before
    theirs = json.loads(before[-1])["id"]
    node = {"omoide": "entity", "id": "n", "entity_class": "node", "name": "茶", "type": "concept", "memory_id": theirs}
    rows = tmp_path / "node.jsonl"
    rows.write_text(json.dumps(timed(node)), encoding="utf-8")
    with here(tmp_path, scope) as memories:
        assert len(import_files(memories, [rows, note, line]).bad) == 1
        assert [each.memory_id for each in memories.list_entities(entity_class="node")[1]] == [None]
    with here(tmp_path) as everyone:
        assert import_files(everyone, [note]).count("memory", "updated") == 1
