"""`omoide doctor --repair`: what is wrong is told, and mended without losing what can be read."""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from omoide.app import INDEX_FOLDER, STORE_FILE, open_memories, opened, repair, verify
from omoide.cli import main
from omoide.config import Settings, load
from omoide.errors import StoreError
from omoide.model.entity import EntityDraft
from omoide.model.memory import Draft, EventTime
from omoide.model.relation import Ref, RelationDraft
from omoide.store.folder_lock import locked_folder
from omoide.store.layout import LOG_FILE
from omoide.store.migrations import migrate, shipped
from omoide.store.sqlite import SqliteStore
from omoide.store.sqlite.damaged_values import TEXTS as TEXTS_LOOKED_AT
from omoide.store.sqlite.transactions import SqliteWriter

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
LATER = datetime(2026, 11, 22, tzinfo=timezone.utc)
TEXTS = [f"{number}番目の思い出 {word}" for number, word in enumerate(["抹茶", "龙井茶", "Earl Grey"] * 100)]
#: As many as it takes for others to stand beside a row that is spoilt: `doctor` searches for each of them.
FEW = TEXTS[:30]


def stored_in(data: Path, texts: Sequence[str]) -> Path:
    with open_memories(data) as memories:
        stored = memories.remember_many(Draft(text=text) for text in texts)
        jeff, _ = memories.observe("Jeff", "person", "Jeff drinks tea")
        memories.relate(Ref("memory", stored[0].memory.id), Ref("entity", jeff.id), "about")
        memories.recall("茶")
    return data


@pytest.fixture(scope="module")
def many_stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored_in(tmp_path_factory.mktemp("many"), TEXTS)


@pytest.fixture(scope="module")
def few_stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored_in(tmp_path_factory.mktemp("few"), FEW)


@pytest.fixture
def settings(many_stored: Path, tmp_path: Path) -> Settings:
    return load({"data": str(shutil.copytree(many_stored, tmp_path / "data"))}, {})


@pytest.fixture
def few(few_stored: Path, tmp_path: Path) -> Settings:
    return load({"data": str(shutil.copytree(few_stored, tmp_path / "data"))}, {})


def run_sql(settings: Settings, *statements: str) -> None:
    with closing(sqlite3.connect(settings.data / STORE_FILE, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


WRONG = [
    ("DELETE FROM entities", "names of missing entities"),
    ("DELETE FROM entity_names", "entities without their name"),
    ("UPDATE entity_names SET name_folded = '杰夫'", "entities without their name"),
    ("DELETE FROM memory_entities; DELETE FROM entities", "relations with a missing end"),
    ("UPDATE relations SET source_id = '無い'", "relations with a missing end"),
    ("UPDATE relations SET memory_id = '无'", "relations read from a missing memory"),
    ("UPDATE entities SET memory_id = 'gone'", "nodes of a missing memory"),
    ("DELETE FROM changes WHERE kind = 'memory' AND number % 2", "memories that no index will follow"),
    ("DELETE FROM changes WHERE kind = 'relation'", "relations that no index will follow"),
]


@pytest.mark.parametrize(("statements", "told"), WRONG, ids=[row[0] for row in WRONG])
def test_rows_that_contradict_each_other_are_told_and_mended(
    few: Settings, capsys: pytest.CaptureFixture[str], statements: str, told: str
) -> None:
    run_sql(few, *statements.split(";"))
    data = str(few.data)
    assert main(["doctor", "--data", data]) == 1
    assert told in capsys.readouterr().out
    assert main(["doctor", "--data", data, "--repair"]) == 0
    assert f"Mended: {told}: " in capsys.readouterr().out
    assert main(["doctor", "--data", data]) == 0
    with opened(few) as found:
        assert len(found.memories.recall("", limit=1000).hits) == len(FEW) + 1


def test_the_aliases_of_which_a_torn_page_left_nothing_are_told_and_mended(
    few: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    aliases = ("ＪＥＦＦ君", "杰夫", "J-Man")
    data, told = str(few.data), "entities without an alias of theirs: 1."
    with opened(few) as found, found.memories.write() as writer:
        (jeff,) = writer.entities_named("Jeff")
        writer.put_entity(replace(jeff, aliases=aliases), now=NOW)
        writer.put_entity(
            EntityDraft(id="j", entity_class="entity", name="J", type="person", aliases=("J\0J",)), now=NOW
        )
    assert main(["doctor", "--data", data]) == 0
    run_sql(few, f"DELETE FROM entity_names WHERE entity = {jeff.number} AND name_folded <> 'jeff'")
    assert main(["doctor", "--data", data]) == 1
    assert told in capsys.readouterr().out
    assert main(["doctor", "--data", data, "--repair"]) == 0
    assert f"Mended: {told}" in capsys.readouterr().out
    assert main(["doctor", "--data", data]) == 0
    with opened(few) as found, found.memories.store.read() as reader:
        assert [each.id for name in aliases for each in reader.entities_named(name)] == [jeff.id] * len(aliases)


SPOILT = [
    (
        "UPDATE memories SET text = CAST(x'e88cb6ffe88cb6' AS TEXT) WHERE number = 7",
        "memories with a text that is none",
    ),
    ("UPDATE memories SET title = x'00ff' WHERE number = 7", "memories with a text that is none"),
    ("UPDATE memories SET category = CAST(x'e88c' AS TEXT) WHERE number = 7", "memories with a text that is none"),
    ("UPDATE entities SET description = CAST(x'80' AS TEXT)", "entities with a text that is none"),
    ("UPDATE entities SET name = CAST(x'4a80' AS TEXT)", "entities with a text that is none"),
    ("UPDATE entities SET aliases = CAST(x'5b228022225d' AS TEXT)", "entities with a text that is none"),
    ("UPDATE memories SET tags = '[\"茶' WHERE number = 7", "memories whose tags cannot be read"),
    ("UPDATE memories SET tags = '[\"茶\", 1]' WHERE number = 7", "memories whose tags cannot be read"),
    ("UPDATE memories SET tags = '[\"\\ud800\"]' WHERE number = 7", "memories whose tags cannot be read"),
    ('UPDATE memories SET extra = \'{"茶": "\\udfff"}\' WHERE number = 7', "memories whose extra cannot be read"),
    ("UPDATE entities SET aliases = '[null, \"ジェフ\"]'", "entities whose aliases cannot be read"),
    ('UPDATE entities SET aliases = \'["杰夫", ["Jeff"]]\'', "entities whose aliases cannot be read"),
    ("UPDATE memories SET access_count = -9223372036854775808", "memories whose access_count is no whole number"),
    ("UPDATE relations SET weight = 9e999", "relations whose weight is no number"),
    ("UPDATE memories SET number = number - 300 WHERE number < 4", "memories without a number"),
    ("UPDATE memories SET number = 9223372036854775807 - number WHERE number < 4", "memories without a number"),
    ("UPDATE entities SET number = -9223372036854775808", "entities without a number"),
    ("UPDATE relations SET number = -1", "relations without a number"),
    ("UPDATE changes SET seq = 4611686018427387904 WHERE number = 7 AND kind = 'memory'", "changes of no row"),
    ("UPDATE memories SET number = 4611686018427387904 WHERE number = 4", "memories without a number"),
    ("UPDATE changes SET seq = 9223372036854775807 WHERE number = 7 AND kind = 'memory'", "changes of no row"),
    ("UPDATE memories SET extra = 'null' WHERE number = 7", "memories whose extra cannot be read"),
    ("UPDATE memories SET extra = '[]' WHERE number = 7", "memories whose extra cannot be read"),
    ("UPDATE memories SET stored_at = 9223372036854775807 WHERE number = 7", "memories whose stored_at is no time"),
    ("UPDATE memories SET valid_until = -9e18 WHERE number = 7", "memories whose valid_until is no time"),
    ("UPDATE memories SET importance = 'よ' WHERE number = 7", "memories whose importance is no number from 0 to 1"),
    ("UPDATE memories SET confidence = 1e300 WHERE number = 7", "memories whose confidence is no number from 0 to 1"),
    (
        "UPDATE memories SET sequence_order = -1e300 WHERE number = 7",
        "memories whose sequence_order is no whole number",
    ),
    ("UPDATE relations SET weight = '重い'", "relations whose weight is no number"),
    ("UPDATE memories SET status = 'actixe' WHERE number = 7", "memories of an unknown status"),
    ("UPDATE relations SET metadata = '{'", "relations whose metadata cannot be read"),
    ("UPDATE changes SET kind = 'memorx' WHERE number = 7 AND kind = 'memory'", "changes of unknown kinds"),
    ("UPDATE changes SET number = '七' WHERE number = 7 AND kind = 'memory'", "changes of no row"),
    ("UPDATE changes SET number = -7 WHERE number = 7 AND kind = 'memory'", "changes of no row"),
    ("UPDATE changes SET seq = -seq WHERE number = 7 AND kind = 'memory'", "changes of no row"),
    ("UPDATE sqlite_sequence SET seq = '三百' WHERE name = 'memories'", "tables whose last number is none"),
    ("UPDATE sqlite_sequence SET seq = 9223372036854775807", "tables whose last number is none"),
    (
        "INSERT INTO reminders VALUES ('葉', '茶', '买茶', 'g', 'pendinh', 0, NULL, NULL)",
        "reminders of an unknown status",
    ),
]


@pytest.mark.parametrize(("statement", "told"), SPOILT, ids=[row[0][7:40] for row in SPOILT])
def test_a_value_that_is_none_is_told_and_mended_and_keeps_nothing_else_from_being_read(
    few: Settings, capsys: pytest.CaptureFixture[str], statement: str, told: str
) -> None:
    run_sql(few, statement)
    data = str(few.data)
    assert main(["doctor", "--data", data]) == 1
    assert told in capsys.readouterr().out
    assert main(["doctor", "--data", data, "--repair"]) == 0
    assert main(["doctor", "--data", data]) == 0
    with opened(few) as found:
        texts = [hit.memory.text for hit in found.memories.recall("", limit=1000).hits]
    assert len(texts) == len(FEW) + 1
    assert len({*FEW} - {*texts}) <= 1, "at most the spoilt text is another"


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE memories SET tags = '[茶' WHERE number = 7", "memory number 7 cannot be read"),
        ("UPDATE entities SET aliases = '[茶'", "entity 1 cannot be read"),
        ("UPDATE memories SET tags = '[1]' WHERE number = 7", "memory number 7 cannot be read"),
        ("UPDATE entities SET aliases = '[\"茶\", null]'", "entity 1 cannot be read"),
        ("UPDATE relations SET metadata = '3'", "relation 1 cannot be read"),
        ("UPDATE relations SET weight = '重い'", "relation 1 cannot be read"),
        ("UPDATE threads SET created_at = 9e18", "thread 't' cannot be read"),
        ("UPDATE reminders SET expires_at = '明日'", "reminder 'x' cannot be read"),
        ("UPDATE threads SET name = x'8c6f'", "thread 't' cannot be read"),
        ("UPDATE memories SET context = x'8c6f' WHERE id = (SELECT min(id) FROM memories)", "memory '"),
    ],
)
def test_what_reads_a_spoilt_row_says_which_it_is(
    settings: Settings, capsys: pytest.CaptureFixture[str], statement: str, told: str
) -> None:
    with closing(sqlite3.connect(settings.data / STORE_FILE, isolation_level=None)) as connection:
        for table in ("threads", "reminders"):
            insert(connection, table, ROWS[table])
        connection.execute(statement)
    assert main(["export", "--data", str(settings.data)]) == 1
    assert f"The store is damaged: {told}" in capsys.readouterr().err
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 0
    assert main(["export", "--data", str(settings.data)]) == 0


@pytest.mark.parametrize("spoilt", ["number = '七'", "number = 7.5", "number = -7", "kind = '記憶'"])
def test_a_change_that_no_index_can_follow_is_told_by_number_and_repaired(
    settings: Settings, capsys: pytest.CaptureFixture[str], spoilt: str
) -> None:
    run_sql(
        settings,
        "INSERT OR REPLACE INTO changes (seq, kind, number, at) VALUES (1000, 'memory', 7, 0)",
        f"UPDATE changes SET {spoilt} WHERE seq = 1000",
    )
    data = str(settings.data)
    assert main(["search", "抹茶", "--data", data]) == 1
    assert "The store is damaged: change 1000 cannot be read" in capsys.readouterr().err
    assert main(["doctor", "--data", data, "--repair"]) == 0
    assert main(["search", "抹茶", "--data", data]) == 0


@pytest.mark.parametrize(
    "spoilt",
    [
        *("importance = 'よ'", "sequence_order = -1e300", "sequence_order = '三'", "title = x'00ff'", "text = x'ff'"),
        *("tags = '[\"\\ud800\"]'", f"tags = '{'[' * 3000}{']' * 3000}'", f"extra = '{'[' * 3000}{']' * 3000}'"),
    ],
)
def test_what_no_index_can_follow_is_told_by_number_and_repaired(
    settings: Settings, capsys: pytest.CaptureFixture[str], spoilt: str
) -> None:
    run_sql(
        settings,
        f"UPDATE memories SET {spoilt} WHERE number = 7",
        "INSERT OR REPLACE INTO changes (kind, number, at) VALUES ('memory', 7, 0)",
    )
    data = str(settings.data)
    assert main(["search", "抹茶", "--data", data]) == 1
    assert "The store is damaged: memory number 7 cannot be read" in capsys.readouterr().err
    assert main(["doctor", "--data", data, "--repair"]) == 0
    assert main(["search", "抹茶", "--data", data]) == 0


def test_a_history_without_a_name_is_told_and_repaired(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    run_sql(settings, "UPDATE histories SET id = x'ff'")
    data = str(settings.data)
    assert main(["search", "抹茶", "--data", data]) == 1
    assert "is damaged: a text in it is none" in capsys.readouterr().err
    assert main(["doctor", "--data", data, "--repair"]) == 0
    assert main(["search", "抹茶", "--data", data]) == 0


def test_of_a_spoilt_text_all_but_the_spoilt_characters_is_kept(settings: Settings) -> None:
    run_sql(settings, "UPDATE memories SET text = CAST(x'e88cb6ffe88cb6' AS TEXT) WHERE number = 7")
    repair(settings)
    with opened(settings) as found:
        assert "茶\ufffd茶" in {hit.memory.text for hit in found.memories.recall("", limit=1000).hits}


def test_an_error_about_a_spoilt_text_does_not_quote_it(settings: Settings) -> None:
    run_sql(settings, "UPDATE memories SET title = CAST('極秘の見出し' || x'ff' AS TEXT) WHERE number = 7")
    with opened(settings) as found, pytest.raises(StoreError) as raised:
        found.memories.get([found.memories.recall(TEXTS[6]).hits[0].memory.id])
    assert "doctor --repair" in raised.value.hint
    assert "極秘" not in str(raised.value)


FLIPPED = [
    ("121番目の思い出 龙井茶", "121番目の思い出 龙井荷"),
    ("120番目の思い出 抹茶", "120番目の思い出 抹荷"),
    ("Jeff drinks tea", "Jeff drinks pea"),
]


@pytest.mark.parametrize(("written", "found"), FLIPPED)
def test_a_flipped_bit_that_leaves_a_text_is_told_by_the_memory_and_told_once(
    settings: Settings, capsys: pytest.CaptureFixture[str], written: str, found: str
) -> None:
    path = settings.data / STORE_FILE
    with closing(sqlite3.connect(path)) as connection:
        ((flipped,),) = connection.execute("SELECT id FROM memories WHERE text = ?", (written,))
    content, row = (
        path.read_bytes(),
        f"{flipped}{written}",
    )  # an id that ends with 12 may stand before the text of number 1
    assert content.count(row.encode()) >= 1
    path.write_bytes(content.replace(row.encode(), f"{flipped}{found}".encode()))
    with opened(settings) as store:
        assert flipped in [
            each.memory.id for each in store.memories.recall("", limit=1000).hits if each.memory.text == found
        ]
    data, told = str(settings.data), f"memories that do not say what was written: 1 ({flipped})."
    assert main(["doctor", "--data", data]) == 1
    assert told in capsys.readouterr().out
    assert main(["doctor", "--data", data, "--repair"]) == 0
    assert f"Mended: {told}" in capsys.readouterr().out
    assert main(["doctor", "--data", data]) == 0
    with opened(settings) as store:
        assert flipped in [hit.memory.id for hit in store.memories.recall(found).hits], "the index has followed"


OTHER_VALUES = {
    "memories": ["title = '題'", "importance = 0.25", "status = 'archived'", "valid_until = 1", "tags = '[\"茶\"]'"],
    "entities": [
        "name = '杰夫'",
        "type = 'concept'",
        "aliases = '[\"ジェフ\"]'",
        "metadata = '{\"a\":1}'",
        "home = 'x'",
    ],
    "relations": ["type = '关于'", "weight = 0.5", "metadata = '{\"重さ\":1}'", "created_at = 1"],
}


@pytest.mark.parametrize(
    ("table", "other"), [(table, each) for table, others in OTHER_VALUES.items() for each in others]
)
def test_another_value_in_any_column_is_told_and_mended(settings: Settings, table: str, other: str) -> None:
    run_sql(settings, f"UPDATE {table} SET {other} WHERE number = (SELECT max(number) FROM {table})")
    with opened(settings) as found:
        assert any(f"{table} that do not say what was written: 1 (" in problem for problem in found.store.problems())
        found.store.mend()
        assert found.store.problems() == []


def test_many_that_do_not_say_what_was_written_are_counted_and_some_named(settings: Settings) -> None:
    run_sql(settings, "UPDATE memories SET title = 'x'")
    with opened(settings) as found:
        (problem,) = found.store.problems()
    assert problem.startswith("memories that do not say what was written: 301 (")
    assert problem.count(", ") == 20
    assert problem.endswith(", …).")


EVENT = EventTime("一昨日", NOW, NOW, 1)
WRITTEN = [
    Draft(text="全部", importance=1, confidence=0, event_time=EVENT, valid_from=NOW, stored_at=NOW, sequence_order=3),
    Draft(text="最大 2^53", extra={"n": 2**53 + 1, "小数": 0.1 + 0.2, "空": None}, tags=("", "茶\0")),
    Draft(text="true", importance=True, confidence=1e-320, frames={"a": [1, "二", {"三": False}]}),
]


@pytest.mark.parametrize("draft", WRITTEN, ids=lambda draft: draft.text)
def test_what_was_written_read_and_written_again_is_what_was_written(tmp_path: Path, draft: Draft) -> None:
    with SqliteStore(tmp_path / "omoide.db") as store:
        with store.write() as writer:
            number = writer.put_memory(replace(draft, id="書"), now=NOW).number
            writer.mark_accessed([number], now=NOW)
        assert store.problems() == []
        with store.write() as writer:
            writer.put_memory(replace(draft, id="書", title="题"), now=NOW)
        assert store.problems() == []


TEA = EntityDraft(id="茶", entity_class="node", name="茶", type="concept")

GRAPH_WRITES: list[Callable[[SqliteWriter], object]] = [
    lambda writer: writer.put_entity(replace(TEA, name="お茶", memory_id="書"), now=LATER),
    lambda writer: writer.put_entity(
        replace(
            TEA,
            type="fact",
            access_count=3,
            aliases=("Tea", "お茶"),
            description="飲み物",
            metadata={"熱い": True, "度": 70},
            home="project:茶",
        ),
        now=LATER,
    ),
    lambda writer: writer.touch_entity("人", now=LATER),
    lambda writer: relate(writer, weight=1),
    lambda writer: relate(writer, weight=0.1 + 0.2, metadata={"理由": [1, None, "喝"]}),
    lambda writer: relate(writer, weight=None, memory_id="書"),
    lambda writer: writer.remove_memory("書"),
    lambda writer: writer.remove_entity("人", with_observations=False),
]


def relate(writer: SqliteWriter, weight: float | None, **fields: Any) -> None:
    drunk = RelationDraft(id="関", source=Ref("entity", "茶"), target=Ref("entity", "人"), type="飲む", weight=weight)
    writer.put_relation(replace(drunk, **fields), now=LATER)


def test_every_write_of_the_graph_leaves_rows_that_say_what_was_written(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "omoide.db") as store:
        with store.write() as writer:
            writer.put_memory(Draft(id="書", text="茶を飲む"), now=NOW)
            for id in ("茶", "人"):
                writer.put_entity(replace(TEA, id=id, name=id), now=NOW)
        for write in GRAPH_WRITES:
            with store.write() as writer:
                write(writer)
            assert store.problems() == []


@pytest.mark.parametrize(("table", "other"), [(table, others[0]) for table, others in OTHER_VALUES.items()])
def test_rows_from_before_there_were_checksums_are_not_told(settings: Settings, table: str, other: str) -> None:
    run_sql(settings, f"UPDATE {table} SET checksum = NULL, {other} WHERE number = 1")
    with opened(settings) as found:
        assert [each for each in found.store.problems() if "what was written" in each] == []


def test_every_column_with_text_is_looked_at(settings: Settings) -> None:
    known = {(table, name) for table, names in TEXTS_LOOKED_AT.items() for name in names.split()}
    with closing(sqlite3.connect(settings.data / STORE_FILE)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in {*tables} - {"meta"}:
            for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})"):
                assert kind != "TEXT" or (table, name) in known | {("changes", "kind")}, (table, name)


PAGE = 4096


def garbled(content: bytes) -> bytes:
    dice = random.Random(5)
    flipped = bytearray(content)
    for _ in range(10):
        flipped[dice.randrange(PAGE, len(flipped))] ^= 0xFF
    return bytes(flipped)


def doubled(content: bytes) -> bytes:
    """A page stands in the place of another, too, as a write that went astray leaves it."""
    _, kept, lost, *_ = pages_of_memories(content)
    return content[:lost] + content[kept : kept + PAGE] + content[lost + PAGE :]


def misdescribed(content: bytes) -> bytes:
    """The description of a table is no text any more."""
    return content.replace(b"CREATE TABLE threads", b"CREATE \xdd\xbeBLE threads", 1)


HURT = {
    "a table described wrongly": (misdescribed, 1.0),
    "ten flipped bytes": (garbled, 0.8),
    "a page in two places": (doubled, 0.8),
    "no head": (lambda content: bytes(100) + content[100:], 1.0),
    "no first page": (lambda content: bytes(PAGE) + content[PAGE:], 1.0),
    "another first page": (lambda content: random.Random(8).randbytes(PAGE) + content[PAGE:], 1.0),
    "text in the first page": (lambda content: ("思い出" * PAGE).encode()[:PAGE] + content[PAGE:], 1.0),
    "a first page of rows": (
        lambda content: content[(at := pages_of_memories(content)[1]) : at + PAGE] + content[PAGE:],
        1.0,
    ),
    "no end": (lambda content: content[: len(content) * 9 // 10], 0.5),
}


@pytest.mark.parametrize(("hurt", "share"), HURT.values(), ids=HURT.keys())
def test_much_of_a_hurt_file_is_saved(settings: Settings, hurt: Any, share: float) -> None:
    path = settings.data / STORE_FILE
    path.write_bytes(hurt(path.read_bytes()))
    repair(settings)
    with opened(settings) as found:
        assert found.store.problems() == []
        assert verify(found) == []
        kept = {hit.memory.text for hit in found.memories.recall("", limit=1000).hits}
    assert len(kept & {*TEXTS}) >= share * len(TEXTS)
    assert not [path for path in settings.data.glob("*.sqlite3.*") if path.is_dir()]


def with_an_index_short_of_a_row(path: Path) -> None:
    """Every row can be read, but not be found by one of SQLite's own indexes."""
    with closing(sqlite3.connect(path)) as connection:
        roots = connection.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index' AND sql > ''").fetchall()
    content = bytearray(path.read_bytes())
    heads = ((page - 1) * PAGE for (page,) in roots)
    head = next(at for at in heads if content[at] == INDEX_LEAF and content[at + CELLS])
    content[head + CELLS] -= 1
    path.write_bytes(content)


def test_an_index_of_sqlite_that_lacks_a_row_is_told_and_rebuilt_in_the_same_file(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings.data / STORE_FILE
    with_an_index_short_of_a_row(path)
    assert main(["doctor", "--data", str(settings.data)]) == 1
    found = re.search(r"(Fragmentation of .*\.) Back up the folder, then run ", capsys.readouterr().out)
    assert found
    told, done, *_ = repair(settings)
    assert told == f"Found: {found[1]}"
    assert done == "Rebuilt the indexes of the store."
    assert not [*settings.data.glob("*.damaged-*")]
    with opened(settings) as found:
        assert found.store.problems() == []
        assert found.memories.recall("", limit=1).considered == len(TEXTS) + 1


#: How the pages of SQLite's b-trees begin (its file format, 1.6), and where the lower byte of their number of cells is.
INDEX_LEAF = 0x0A
LEAF = 0x0D
CELLS = 4


def pages_of_memories(content: bytes) -> list[int]:
    starts = range(PAGE, len(content), PAGE)
    return [at for at in starts if content[at] == LEAF and "番目の思い出".encode() in content[at : at + PAGE]]


@pytest.mark.parametrize(("which", "forgotten"), [(0, 0), (5, 0), (-1, 0), (0, 5_000)])
def test_of_a_torn_file_all_but_the_torn_page_is_saved_and_the_file_kept(
    settings: Settings, which: int, forgotten: int
) -> None:
    """`forgotten`: how many memories there were once, before the last one."""
    for table, column in (("memories", "number"), ("changes", "number"), ("memory_entities", "memory")):
        last = f"{column} = (SELECT max(number) FROM memories)"
        run_sql(settings, f"UPDATE {table} SET {column} = {column} + {forgotten} WHERE {last}")
    run_sql(settings, f"UPDATE sqlite_sequence SET seq = seq + {forgotten} WHERE name = 'memories'")
    path = settings.data / STORE_FILE
    content = bytearray(path.read_bytes())
    at = pages_of_memories(content)[which]
    torn = content[at : at + PAGE]
    content[at : at + PAGE] = b"\xff" * PAGE
    path.write_bytes(bytes(content))
    repair(settings)
    with opened(settings) as found:
        assert found.store.problems() == []
        assert verify(found) == []
        kept = {hit.memory.text for hit in found.memories.recall("", limit=1000).hits}
    lost = {*TEXTS, "Jeff drinks tea"} - kept
    assert kept <= {*TEXTS, "Jeff drinks tea"}
    assert 0 < len(lost) < 50
    assert all(text.encode() in torn for text in lost)
    (aside,) = settings.data.glob("*.damaged-*")
    assert aside.read_bytes() == bytes(content)


#: A row of every table that each version knows, by the columns that it must have.
ROWS: dict[str, dict[str, object]] = {
    "entities": {
        **{"id": "e", "entity_class": "entity", "name": "茶", "name_folded": "茶", "type": "concept", "aliases": "[]"},
        **{"metadata": '{"omoide:scopes": ["東"]}', "access_count": 1, "created_at": 0, "updated_at": 0},
    },
    "entity_names": {"name_folded": "茶", "entity": 1},
    "relations": {
        **{"id": "r", "source_kind": "entity", "source_id": "e", "target_kind": "entity", "target_id": "e"},
        **{"type": "is", "weight": 1, "metadata": "{}", "created_at": 0},
    },
    "threads": {"id": "t", "name": "日々", "type": "normal", "created_at": 0, "updated_at": 0},
    "reminders": {
        **{"id": "x", "trigger": "茶", "action": "喝茶", "scope": "global", "status": "pending", "created_at": 0},
    },
}
MEMORY: dict[str, object] = {
    **{"category": "fact", "tags": "[]", "scope": "global", "source": "", "importance": 0.5, "confidence": 0.5},
    **{"stored_at": 0, "updated_at": 0, "status": "active", "links_refs": "[]"},
    **dict.fromkeys(("parameters", "frames", "extra"), "{}"),
}


def insert(connection: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", [*row.values()])


def of_schema(path: Path, schema: int) -> None:
    """A store as the first `schema` migrations left it, with a row of every kind and many memories."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, "", shipped()[:schema], now=NOW)
        connection.execute("BEGIN")
        for number, text in enumerate(TEXTS):
            insert(connection, "memories", {"id": str(number), "text": text, **MEMORY})
        for table, row in ROWS.items():
            insert(connection, table, row)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


@pytest.mark.parametrize("schema", range(1, len(shipped()) + 1))
@pytest.mark.parametrize("has_its_first_page", [True, False])
def test_what_is_saved_of_a_damaged_store_of_an_older_version_is_upgraded(
    tmp_path: Path, schema: int, has_its_first_page: bool
) -> None:
    settings = load({"data": str(tmp_path / "data")}, {})
    path = settings.data / STORE_FILE
    of_schema(path, schema)
    torn(path)
    if not has_its_first_page:
        path.write_bytes(bytes(PAGE) + path.read_bytes()[PAGE:])
    repair(settings)
    with opened(settings) as found:
        assert found.store.problems() == []
        counts = found.memories.counts()
        with found.store.read() as reader:
            (tea,) = reader.entities(["e"])
    assert len(TEXTS) > counts.memories > len(TEXTS) * 3 // 4
    assert (counts.entities, counts.relations, counts.threads, counts.reminders) == (1, 1, 1, 1)
    # A later migration read the home from there.
    assert (tea.home, dict(tea.metadata)) == (
        ("東", {}) if schema < (4 if has_its_first_page else 3) else ("", {"omoide:scopes": ["東"]})
    )


def torn(path: Path) -> bytes:
    content = bytearray(path.read_bytes())
    at = pages_of_memories(content)[3]
    content[at : at + PAGE] = b"\xff" * PAGE
    path.write_bytes(content)
    return bytes(content)


def test_a_repair_that_ends_before_the_last_step_leaves_a_store_that_can_be_repaired_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(source: Path, target: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(source), None, str(target))

    path = settings.data / STORE_FILE
    damaged = torn(path)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", ended)
        with pytest.raises(StoreError, match="Input/output"):
            repair(settings, clock=lambda: NOW)
    assert path.read_bytes() == damaged
    repair(settings, clock=lambda: LATER)
    with opened(settings) as found:
        assert found.store.problems() == []
        assert found.memories.counts().memories > len(TEXTS) * 3 // 4


def test_two_repairs_of_one_store_are_not_at_work_at_once(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = torn(settings.data / STORE_FILE)
    with locked_folder(settings.data):
        assert main(["doctor", "--data", str(settings.data), "--repair"]) == 1
        told = capsys.readouterr().out
    assert "BAD  repair       The stores in" in told
    assert "are being repaired or restored by another process; nothing was done here." in told
    assert " store  " not in told, "what somebody else repairs is not judged meanwhile"
    assert (settings.data / STORE_FILE).read_bytes() == damaged
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 0


def test_of_a_link_to_a_store_the_file_is_repaired_that_it_leads_to(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, elsewhere = settings.data / STORE_FILE, tmp_path / "別の円盤" / "记忆.sqlite3"
    elsewhere.parent.mkdir()
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    damaged = torn(elsewhere)
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 0
    assert path.is_symlink()
    (aside,) = elsewhere.parent.glob("*.damaged-*")
    assert f"kept as {aside}." in capsys.readouterr().out
    assert aside.read_bytes() == damaged
    with SqliteStore(elsewhere) as store, store.read() as reader:
        assert reader.count_memories() > len(TEXTS) * 3 // 4


def test_an_index_that_is_a_link_is_made_anew_where_it_leads_to(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index, elsewhere = settings.data / INDEX_FOLDER, tmp_path / "別の円盤" / "索引"
    assert main(["search", "抹茶", "--data", str(settings.data)]) == 0
    elsewhere.parent.mkdir()
    index.rename(elsewhere)
    index.symlink_to(elsewhere)
    (before,) = elsewhere.iterdir()
    (before / "残り").touch()
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 0
    assert "ok   repair       Removed the index; it is made anew." in capsys.readouterr().out
    assert index.is_symlink()
    assert [each.name for each in elsewhere.iterdir()] == [before.name]
    assert not (before / "残り").exists()


def test_a_store_whose_file_system_knows_no_links_is_repaired(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(source), None, str(target))

    damaged = torn(settings.data / STORE_FILE)
    monkeypatch.setattr(os, "link", no_links)
    repair(settings)
    with opened(settings) as found:
        assert found.store.problems() == []
    (aside,) = settings.data.glob("*.damaged-*")
    assert aside.read_bytes() == damaged


def test_a_store_that_cannot_be_opened_is_not_taken_for_damaged_and_nothing_takes_its_place(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings.data / STORE_FILE
    content = path.read_bytes()
    Path(f"{path}-wal").mkdir()  # no log can be opened there
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 1
    assert "BAD  repair       The store" in capsys.readouterr().out
    assert path.read_bytes() == content
    assert not [*settings.data.glob("*.damaged-*"), *settings.data.glob("*.salvaged")]


def test_a_file_of_which_nothing_can_be_saved_is_left_as_it_is(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings.data / STORE_FILE
    content = path.read_bytes()[:PAGE] + b"\xff" * (path.stat().st_size - PAGE)
    path.write_bytes(content)
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 1
    assert "left as it is" in capsys.readouterr().out
    assert path.read_bytes() == content
    assert not list(settings.data.glob("*.salvaged"))


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A data folder with a store whose log was not written into its file yet, as a crash leaves it."""
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with open_memories(tmp_path / "live") as memories:
        memories.remember_many(Draft(text=text) for text in TEXTS)
        for name in (STORE_FILE, LOG_FILE):
            shutil.copy(tmp_path / "live" / name, crashed / name)
    return crashed


CUT_OFF = {"gone": Path.unlink, "empty": lambda path: path.write_bytes(b"")}


@pytest.mark.parametrize("cut_off", CUT_OFF.values(), ids=CUT_OFF.keys())
def test_of_a_store_that_was_emptied_what_the_log_holds_is_saved(
    crashed: Path, capsys: pytest.CaptureFixture[str], cut_off: Callable[[Path], object]
) -> None:
    cut_off(crashed / STORE_FILE)
    assert main(["doctor", "--data", str(crashed)]) == 1
    assert "there is a log of its last writes" in capsys.readouterr().out
    assert main(["doctor", "--data", str(crashed), "--repair"]) == 0
    with open_memories(crashed) as memories:
        assert {hit.memory.text for hit in memories.recall("", limit=1000).hits} == {*TEXTS}


def test_of_an_emptied_store_behind_a_link_what_the_log_holds_is_saved(crashed: Path, tmp_path: Path) -> None:
    there = tmp_path / "別の円盤"
    crashed.rename(there)
    crashed.mkdir()
    (crashed / STORE_FILE).symlink_to(there / STORE_FILE)
    (crashed / INDEX_FOLDER).mkdir()
    (there / STORE_FILE).write_bytes(b"")
    assert main(["doctor", "--data", str(crashed), "--repair"]) == 0
    with open_memories(crashed) as memories:
        assert {hit.memory.text for hit in memories.recall("", limit=1000).hits} == {*TEXTS}


def repair_killed_at(step: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Path, step, lambda *_: os._exit(9))
        if not (child := os.fork()):
            main(["doctor", "--data", str(data), "--repair"])
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_a_log_that_a_killed_repair_has_set_aside_is_not_mixed_into_what_is_written_since(settings: Settings) -> None:
    path = settings.data / STORE_FILE
    with open_memories(settings.data) as memories:
        memories.remember("ログだけにある思い出")
        log = Path(f"{path}-wal").read_bytes()
    aside = path.with_name(f"{path.name}.damaged-20261121T000000")
    os.link(path, aside)
    Path(f"{aside}-wal").write_bytes(log)
    with open_memories(settings.data) as memories:
        memories.remember_many(Draft(text=f"之后写的 {number}") for number in range(50))
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 0
    with opened(settings) as found:
        assert found.store.problems() == []
        kept = {hit.memory.text for hit in found.memories.recall("", limit=1000).hits}
    assert kept >= {*TEXTS, *(f"之后写的 {number}" for number in range(50))}
    assert Path(f"{aside}-wal").read_bytes() == log


@pytest.mark.parametrize("ends_at", ["replace", "rename"])
@pytest.mark.parametrize("cut_off", CUT_OFF.values(), ids=CUT_OFF.keys())
def test_what_a_repair_leaves_that_is_killed_is_told_and_taken_back_by_the_next_and_nothing_is_lost(
    crashed: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    ends_at: str,
    cut_off: Callable[[Path], object],
) -> None:
    cut_off(crashed / STORE_FILE)
    repair_killed_at(ends_at, crashed, monkeypatch)
    with pytest.raises(StoreError, match=r"there is a log|its repair was ended in the middle"):
        open_memories(crashed)
    assert main(["doctor", "--data", str(crashed)]) == 1
    assert "BAD  repair       A repair of " in (told := capsys.readouterr().out)
    assert "was ended in the middle" in told
    assert main(["doctor", "--data", str(crashed), "--repair"]) == 0
    assert "Removed what a repair left that was ended in the middle." in capsys.readouterr().out
    with open_memories(crashed) as memories:
        assert {hit.memory.text for hit in memories.recall("", limit=1000).hits} == {*TEXTS}
    assert not [*crashed.glob("*.repairing")]
    assert main(["doctor", "--data", str(crashed)]) == 0


@pytest.mark.parametrize("cut_off", CUT_OFF.values(), ids=CUT_OFF.keys())
def test_a_store_that_was_emptied_is_not_begun_anew_while_its_index_is_there(
    settings: Settings, capsys: pytest.CaptureFixture[str], cut_off: Callable[[Path], object]
) -> None:
    cut_off(settings.data / STORE_FILE)
    for _ in range(2):  # nor is it by having been tried
        with pytest.raises(StoreError, match="is empty or gone, but the index of its memories is there"):
            open_memories(settings.data)
    assert main(["doctor", "--data", str(settings.data), "--repair"]) > 0
    shutil.rmtree(settings.data / INDEX_FOLDER)
    with open_memories(settings.data) as memories:
        assert memories.counts().memories == 0


def test_an_index_that_has_lost_memories_is_told_and_made_anew(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(settings) as found:
        found.index.catch_up()
        lost = found.memories.recall("", limit=3).hits
        numbers = {memory.id: number for number, memory in numbered(found).items()}
        keys = [numbers[hit.memory.id] << 1 for hit in lost]
        # As a fault of the engine would: the store is not asked.
        engine = found.index._serving.engine
        engine.apply(engine.applied, removed=keys, history=engine.history)
        assert verify(found) == ["3 memories are missing."]
        shutil.rmtree(settings.data / INDEX_FOLDER)  # of what it had before
        found.index._serving.snapshot = 0
    assert main(["doctor", "--data", str(settings.data)]) == 1
    assert "3 memories are missing" in capsys.readouterr().out
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 0


def test_an_index_that_knows_other_texts_than_the_store_is_told(settings: Settings) -> None:
    with opened(settings) as found:
        found.index.catch_up()
        first, *numbers = numbered(found)
        said = ["ゴルフ。", "小提琴。", "violin!", "——……!?"]
        with sqlite3.connect(settings.data / STORE_FILE) as other:  # of which no change tells
            other.executemany("UPDATE memories SET text = ? WHERE number = ?", zip(said, numbers, strict=False))
        assert verify(found) == [f"Not found by their own words: 3 of {len(numbers) + 1} memories."]
        with sqlite3.connect(settings.data / STORE_FILE) as other:
            other.execute("DELETE FROM memories WHERE number = ?", (first,))
        assert verify(found) == [
            "1 memory is no longer in the store.",
            f"Not found by their own words: 3 of {len(numbers)} memories.",
        ]


def test_texts_that_begin_with_a_long_rule_or_a_row_of_signs_are_not_taken_for_lost(settings: Settings) -> None:
    rules = "-" * 70, "——" * 40, "*" * 65, "。" * 200, f"{'=' * 66}\n", "_" * 80, "・・" * 40
    with opened(settings) as found:
        for rule, said in zip(rules, ("京都のお茶", "北京的茶", "tea in London") * 3, strict=False):
            found.memories.remember(f"{rule}{said}")
        found.memories.remember("——……!?" * 20)
        assert verify(found) == []


def numbered(found) -> dict:
    with found.store.read() as reader:
        return reader.memories_by_number(range(1, 2 * len(TEXTS)))


def test_a_torn_snapshot_is_told_and_made_anew(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    (rows,) = settings.data.glob("index/*/*/data")
    rows.write_bytes(rows.read_bytes()[:-100])
    assert main(["doctor", "--data", str(settings.data)]) == 0
    assert "data is torn" in capsys.readouterr().out
    assert main(["doctor", "--data", str(settings.data)]) == 0
    assert "is torn" not in capsys.readouterr().out


def test_an_index_that_cannot_be_removed_is_not_said_to_be(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    index = settings.data / INDEX_FOLDER
    shutil.rmtree(index)
    index.write_text("索引ではない 不是索引", encoding="utf-8")
    assert main(["doctor", "--data", str(settings.data), "--repair"]) == 1
    assert f"The index {index} could not be removed." in capsys.readouterr().out
    assert main(["search", "抹茶", "--data", str(settings.data)]) == 0


def test_what_others_write_during_a_check_is_not_taken_for_a_fault_of_the_index(settings: Settings) -> None:
    with opened(settings) as found:

        class Busy:
            """An index that others write past as soon as it has caught up."""

            def catch_up(self) -> int:
                applied = found.index.catch_up()
                found.memories.remember("検査の最中に書かれた")
                gone, changed = found.memories.recall("抹茶", limit=2).hits
                found.memories.forget(gone.memory.id)
                found.memories.revise(changed.memory.id, text="检查的时候改了")
                return applied

            def __getattr__(self, name: str) -> Any:
                return getattr(found.index, name)

        assert verify(replace(found, index=Busy())) == []


def test_who_has_the_store_open_while_it_is_repaired_follows_what_was_saved(settings: Settings) -> None:
    path = settings.data / STORE_FILE
    with opened(settings) as serving:
        serving.memories.recall("茶")
        lost = pages_of_memories(path.read_bytes())[:2]
        with path.open("r+b") as file:
            for at in lost:
                file.seek(at)
                file.write(bytes(PAGE))
        repair(settings)
        with serving.store.read() as reader:
            saved = reader.count_memories()
        assert saved < len(TEXTS)
        assert verify(serving) == []
        serving.memories.remember("修復のあとに書いた")
        assert verify(serving) == []
        assert serving.index.state().stats.documents == saved + 1


def test_who_has_the_store_open_while_a_reminder_is_mended_fires_it(few: Settings) -> None:
    with opened(few) as serving:
        serving.memories.remind("京都", "抹茶を買う", scope="global")
        run_sql(few, "UPDATE reminders SET status = 'pendinh'")
        assert serving.memories.due_reminders("京都へ行く", scope=None) == []
        serving.memories.remind("茶", "お湯を沸かす", scope="global")  # from here on, the spoilt state is known
        assert serving.memories.due_reminders("龙井", scope=None) == []
        repair(few)
        assert [each.action for each in serving.memories.due_reminders("京都へ行く", scope=None)] == ["抹茶を買う"]
