"""What files become in a store, and that bringing them in again changes nothing."""

import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from omoide.app import Opened, opened
from omoide.config import load as load_settings
from omoide.errors import InvalidArgument
from omoide.memory import Memories
from omoide.model.memory import MAX_TEXT_CHARS, Archetype, Draft, EventTime, Memory, Status
from omoide.model.relation import Ref
from omoide.transfer import import_files
from omoide.transfer import load as loading
from omoide.transfer.dump import dump
from omoide.transfer.files import files_of, items_of
from omoide.transfer.lines import MOST_BYTES, PlacedRow, rows
from omoide.transfer.load import load
from omoide.transfer.notes import sections
from omoide.transfer.reasons import BadRow
from omoide.transfer.tally import Tally

TOKYO = ZoneInfo("Asia/Tokyo")
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write rows as JSON lines (a string is a line as it stands)."""

    def written(name: str, *rows: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return written


@pytest.fixture
def here(tmp_path: Path, clock: Any) -> Any:
    settings = load_settings({"data": str(tmp_path / "store"), "zone": "Asia/Tokyo"}, {})
    with opened(settings, clock=clock) as found:
        yield found


def bring(here: Opened, *paths: Path, scope: str | None = None) -> Tally:
    tally = Tally()
    load(here.memories, files_of(paths), tally, scope=scope)
    return tally


def outcomes(tally: Tally, noun: str) -> tuple[int, int, int]:
    return tally.count(noun, "added"), tally.count(noun, "updated"), tally.count(noun, "unchanged")


def bad(tally: Tally) -> list[str]:
    return [f"{Path(each.place).name} {each.reason}" for each in tally.bad]


CORPUS = [
    {
        "id": "8501:0",
        "text": "はじめまして",
        "timestamp": "2022-08-05T20:45:02",
        "lang": "ja",
        "session": "8501",
        "speaker": "相手",
    },
    {
        "id": "m1",
        "text": "Bart在圣诞节跳舞。",
        "timestamp": "2023-12-25",
        "lang": "zh",
        "scope": "Bart",
        "emotion": "开心",
    },
    {"id": 7, "title": "Tea", "text": "We drank tea.", "timestamp": "2023-05-08T13:56:00Z", "tags": ["tea"]},
]


def test_a_corpus_keeps_ids_times_scopes_sessions_and_what_we_have_no_noun_for(here: Opened, write: Write) -> None:
    assert outcomes(bring(here, write("corpus.jsonl", *CORPUS)), "memory") == (3, 0, 0)
    chat, diary, tea = here.memories.get(["8501:0", "m1", "7"])
    assert (chat.session_id, chat.scope, chat.lang, chat.extra) == ("8501", "global", "ja", {"speaker": "相手"})
    assert chat.stored_at == datetime(2022, 8, 5, 20, 45, 2, tzinfo=TOKYO), "without an offset: the store's zone"
    assert (diary.scope, diary.extra) == ("Bart", {"emotion": "开心"})
    assert diary.stored_at == datetime(2023, 12, 25, tzinfo=TOKYO)
    assert (tea.title, tea.tags, tea.stored_at) == ("Tea", ("tea",), datetime(2023, 5, 8, 13, 56, tzinfo=timezone.utc))
    assert here.memories.recall("圣诞节").hits[0].memory.id == "m1"


@pytest.mark.parametrize("written", ["09:30:00Z", "09:30:00.5z", "09:30:00.1234567Z", "18:30:00,123456789+09:00"])
def test_times_are_read_as_programs_write_them_on_every_python(here: Opened, write: Write, written: str) -> None:
    row = {"id": "tea", "text": "龙井茶", "timestamp": f"2024-03-21T{written}"}
    assert bad(bring(here, write("corpus.jsonl", row))) == []
    half_past_nine = datetime(2024, 3, 21, 9, 30, tzinfo=timezone.utc)
    assert here.memories.find("tea").stored_at.replace(microsecond=0) == half_past_nine


def test_a_field_is_named_as_the_line_calls_it_and_one_without_value_takes_nothing_from_another(
    here: Opened, write: Write
) -> None:
    rows = [
        {"text": "茶", "timestamp": "昨日"},
        {"text": "茶", "session": {}},
        {"id": "tea", "text": "龙井茶", "stored_at": "2024-03-21", "timestamp": None},
    ]
    tally = bring(here, write("corpus.jsonl", *rows))
    assert [reason.split(" is ")[0] for reason in bad(tally)] == ["corpus.jsonl:1 timestamp", "corpus.jsonl:2 session"]
    assert here.memories.find("tea").stored_at == datetime(2024, 3, 21, tzinfo=TOKYO)


@pytest.mark.parametrize("text", ["はい、行きます。", "好的，收到。", "Yes, on my way."])
@pytest.mark.parametrize("other", [{}, {"timestamp": None}])
def test_what_is_said_again_at_another_time_is_another_memory_whatever_its_time_is_called(
    here: Opened, write: Write, text: str, other: dict[str, None]
) -> None:
    rows = [{"text": text, name: f"2024-03-2{day}"} for day in (1, 2) for name in ("timestamp", "stored_at")]
    called = [row | other if "stored_at" in row else row for row in rows]
    assert outcomes(bring(here, write("chat.jsonl", *called)), "memory") == (2, 0, 2), "by either name the same time"
    assert {hit.memory.stored_at.day for hit in here.memories.recall("", limit=9).hits} == {20, 21}
    assert outcomes(bring(here, write("chat.jsonl", *called)), "memory") == (0, 0, 4)


def test_what_is_hidden_in_a_folder_stays_there(here: Opened, tmp_path: Path) -> None:
    for place in ("日記.md", ".trash/捨てた.md", ".git/说明.txt", "旅行/.obsidian/x.md", ".隠し.md", "旅行/京都.md"):
        file = tmp_path / ".notes" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(place, encoding="utf-8")
    bring(here, tmp_path / ".notes")
    assert {hit.memory.text for hit in here.memories.recall("", limit=9).hits} == {"日記.md", "旅行/京都.md"}
    bring(here, tmp_path / ".notes" / ".隠し.md")  # unless it is named
    assert here.memories.recall(".隠し").hits[0].memory.text == ".隠し.md"


def test_a_file_that_cannot_be_read_is_named_and_the_others_come(here: Opened, write: Write, tmp_path: Path) -> None:
    (tmp_path / "京都.md").write_text("抹茶", encoding="utf-8")
    gone = [tmp_path / "消えた.md", tmp_path / "消えた.jsonl"]
    tally = Tally()
    files = [gone[0], tmp_path / "京都.md", gone[1], write("corpus.jsonl", {"text": "龙井茶"})]
    load(here.memories, files, tally)
    assert outcomes(tally, "memory") == (2, 0, 0)
    assert [(bad.place, bad.reason) for bad in tally.bad] == [
        (str(path), "It cannot be read: No such file or directory.") for path in gone
    ]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that another user may enter, and this process one whom rights hold for, even where it is root's."""
    user, umask = os.geteuid(), os.umask(0o022)
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
        os.seteuid(user)
    os.umask(umask)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights are other ones")
@pytest.mark.parametrize("rights", [0o000, 0o444])
def test_a_folder_that_cannot_be_looked_into_is_named_and_the_others_come(place: Path, rights: int) -> None:
    for name in ("日記.md", "仕事/会议.txt", "閉/笔记.md", ".git/locked/x.md"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name, encoding="utf-8")
    (place / "閉").chmod(rights)
    (place / ".git" / "locked").chmod(0)
    if os.geteuid() == 0:
        os.seteuid(65534)
    found = [each for file in files_of([place]) for each in items_of(file, zone=TOKYO, scope="global")]
    (bad,) = (each for each in found if isinstance(each, BadRow))
    assert bad.place in (str(place / "閉"), str(place / "閉" / "笔记.md"))
    assert bad.reason == "It cannot be read: Permission denied."
    assert {each.place for each in found} == {f"{place}/日記.md:1", f"{place}/仕事/会议.txt:1", bad.place}
    assert [type(each) for each in items_of(*files_of([place / "閉"]), zone=TOKYO, scope="global")] == [BadRow]


@pytest.mark.parametrize("scope", ["", " ", "\u3000"])
def test_nothing_is_imported_into_a_blank_scope(here: Opened, write: Write, scope: str) -> None:
    with pytest.raises(InvalidArgument, match="scope is '"):
        import_files(here.memories, [write("corpus.jsonl", {"text": "龙井茶"})], scope=scope)
    assert not here.memories.recall("", limit=9).hits


@pytest.mark.parametrize("scope", ["", " ", "\u3000"])
def test_a_blank_scope_is_none(here: Opened, write: Write, scope: str) -> None:
    bring(here, write("corpus.jsonl", {"id": "blank", "text": "龙井茶", "scope": scope}), scope="旅行")
    assert here.memories.find("blank").scope == "旅行"


def test_a_second_run_adds_nothing_and_a_changed_row_is_rewritten(here: Opened, write: Write, clock: Any) -> None:
    file = write("corpus.jsonl", *CORPUS, {"text": "番号のない行"})
    bring(here, file)
    seq = here.store.last_seq()
    clock.advance(days=1)
    assert outcomes(bring(here, file), "memory") == (0, 0, 4)
    assert here.store.last_seq() == seq
    here.memories.revise("m1", tags=("舞",))
    changed = [{**CORPUS[1], "text": "Bart在圣诞节唱歌。"}]
    assert outcomes(bring(here, write("more.jsonl", *changed)), "memory") == (0, 1, 0)
    revised = here.memories.find("m1")
    assert (revised.text, revised.tags) == ("Bart在圣诞节唱歌。", ("舞",)), "what the row does not say stays"


BAD = [
    ('{"text": "思い出"', "It is not JSON: Expecting ',' delimiter: character 15."),
    ('{"id": "m1", "text": "途中で切れ', "It is not JSON: Unterminated string starting at: character 22."),
    ('"记忆"', "It is not a JSON object."),
    ('["记忆"]', "It is not a JSON object. `jq -c '.[]' FILE | omoide import -` takes the objects of a list."),
    ('{"id": "x"}', "It has neither `text` (a memory) nor `doc` (triples of a memory)."),
    (
        '{"memory": "茶が好き", "content": null}',
        "It has neither `text` (a memory) nor `doc` (triples of a memory). "
        "If `memory` is its text, `jq -c '.text = .memory | del(.memory)' FILE | omoide import -` names it so.",
    ),
    ('{"text": "  "}', "The text is empty. Pass the text to remember."),
    ('{"text": 3}', "text is 3: a string is expected."),
    (
        '{"text": "茶", "timestamp": "昨日"}',
        "timestamp is '昨日': an ISO 8601 time is expected, such as 2024-03-21 or 2024-03-21T09:30:00+09:00.",
    ),
    ('{"text": "茶", "importance": 2}', "importance is 2.0; it lies between 0 and 1."),
    ('{"text": "茶", "tags": "a,b"}', "tags is 'a,b': a list is expected."),
    ('{"text": "茶", "weight": NaN}', "It is not JSON: NaN is not a JSON number."),
    ('{"text": null}', "It has no text."),
    (
        f'{{"text": "茶", "importance": 1{"0" * 400}}}',
        f"importance is 1{'0' * 58}…: it is no number that is kept there.",
    ),
    (
        f'{{"text": "茶", "event_time": {{"raw": "去年", "confidence": -1{"0" * 400}}}}}',
        f"confidence is -1{'0' * 57}…: it is no number that is kept there.",
    ),
    ('{"text": "茶", "extra": {"n": -1e999}}', "It is not JSON: '-1e999' is larger than any number that is kept."),
    (
        f'{{"text": "茶", "extra": {{"n": {"9" * 5000}}}}}',
        f"It is not JSON: '{'9' * 58}… is larger than any number that is kept.",
    ),
    (
        '{"text": "茶", "archetype": {"名": "茶"}}',
        "archetype is {'名': '茶'}: it has no field '名'; its fields are title, version, schema_version.",
    ),
    ('{"text": "茶", "archetype": {"title": "茶"}}', "archetype is {'title': '茶'}: it has no version."),
    ('{"text": "茶", "event_time": {"start": "2024-03-21"}}', "event_time is {'start': '2024-03-21'}: it has no raw."),
    ('{"text": "茶", "access_count": -1}', "access_count is -1: it is less than 0."),
    ('{"text": "茶", "access_count": 1e3}', "access_count is 1000.0: a whole number is expected."),
    (
        '{"text": "茶", "access_count": 9223372036854775808}',
        "access_count is 9223372036854775808: it does not fit 64 bits.",
    ),
    (
        '{"text": "茶", "access_count": 1, "last_accessed_at": "0001-01-01T00:00:00+14:00"}',
        "last_accessed_at is '0001-01-01T00:00:00+14:00': it is outside the years 1 to 9999 of UTC.",
    ),
    ('{"omoide": ["memory"]}', "['memory'] is not a noun of an export that this version knows."),
    ('{"doc": "nowhere", "triples": []}', "There is no memory 'nowhere'. Import its corpus first."),
    ('{"text": "茶", "lang": "ja", "text": "紅茶"}', "It has 'text' more than once, and one of them would be lost."),
    ('{"text": "茶", "extra": {"元": 1, "元": 2}}', "It has '元' more than once, and one of them would be lost."),
    ('{"omoide": "dream"}', "'dream' is not a noun of an export that this version knows."),
    ('{"omoide": "memory", "text": "茶"}', "It has no id."),
    ('{"omoide": "memory", "id": "茶"}', "It has no text."),
    ('{"omoide": "thread", "id": "旅", "type": "normal"}', "It has no name, created_at, updated_at."),
    ('{"omoide": "export", "format": 99}', "The export has format 99; this version reads 1. Upgrade omoide."),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_a_bad_line_is_named_and_the_rest_is_imported(here: Opened, write: Write, line: str, reason: str) -> None:
    tally = bring(here, write("mixed.jsonl", CORPUS[0], line, CORPUS[1]))
    assert bad(tally) == [f"mixed.jsonl:2 {reason}"]
    assert outcomes(tally, "memory") == (2, 0, 0)


@pytest.mark.parametrize(
    ("field", "reasons"),
    [
        ('"extra": {"深さ": {}}', {"It is nested too deeply."}),
        ('"其他": {}', {"It is nested too deeply."}),
        ('"tags": [{}]', {"It is nested too deeply.", f"tags is {'[' * 59}…: a string is expected."}),
    ],
)
def test_a_line_that_is_nested_too_deeply_is_named_wherever_that_would_show(
    here: Opened, write: Write, field: str, reasons: set[str]
) -> None:
    lines = [
        f'{{"text": "茶 \\ud83d\\ude00 {levels}", {field.replace("{}", "[" * levels + "]" * levels)}}}'
        for levels in range(400, 1000, 10)
    ]
    tally = bring(here, write("deep.jsonl", *lines))
    assert {reason.partition(" ")[2] for reason in bad(tally)} == reasons
    with here.store.read() as reader:
        assert len([*dump(reader)]) == 1 + tally.count("memory", "added")


ENTITY = {"omoide": "entity", "id": "茶", "entity_class": "node", "name": "龙井", "type": "concept"}
TIMES = dict.fromkeys(("created_at", "updated_at"), "2024-03-21T00:00:00+00:00")
ENTITY |= TIMES
RELATION = {"omoide": "relation", "id": "r", "source": {"kind": "memory", "id": "m1"}, "type": "知る"}
RELATION |= {"target": {"kind": "memory", "id": "8501:0"}, "created_at": "2024-03-21"}
REMINDER = {
    "omoide": "reminder",
    "id": "葉",
    "trigger": "茶",
    "action": "買う",
    "scope": "g",
    "created_at": "2024-03-21",
}

BAD_NOUNS = [
    (ENTITY | {"entity_class": "concept"}, "entity_class is 'concept': one of entity, node is expected."),
    (ENTITY | {"memory_id": "无"}, "memory_id: there is no memory '无'; the entity is stored without it."),
    (RELATION | {"memory_id": "無い"}, "memory_id: there is no memory '無い'."),
    (RELATION | {"target": {"kind": "memory"}}, "target is {'kind': 'memory'}: it has no id."),
    (RELATION | {"weight": float("nan")}, "weight is nan: it is no number that is kept there."),
    (REMINDER | {"status": "later"}, "status is 'later': one of pending, fired, expired is expected."),
]


@pytest.mark.parametrize(("row", "reason"), BAD_NOUNS, ids=[row[1] for row in BAD_NOUNS])
def test_a_bad_noun_is_named_and_leaves_a_sound_store(here: Opened, write: Write, row: Any, reason: str) -> None:
    tally = bring(here, write("export.jsonl", row, *CORPUS, row))
    assert set(bad(tally)) <= {f"export.jsonl:{line} {reason}" for line in (1, 5)} | {
        "export.jsonl:1 There is no memory 'm1' to relate. Store it before the relation."
    }
    assert f"export.jsonl:5 {reason}" in bad(tally)
    assert outcomes(tally, "memory") == (3, 0, 0)
    assert here.store.problems() == []


def test_a_node_may_come_before_the_memory_it_owns(here: Opened, write: Write) -> None:
    assert bring(here, write("export.jsonl", ENTITY | {"memory_id": "m1"}, *CORPUS)).bad == []
    assert here.memories.entities_by_id(["茶"])[0].memory_id == "m1"


def test_an_import_that_ends_before_the_memories_of_its_nodes_leaves_a_sound_store(here: Opened, write: Write) -> None:
    nodes = [ENTITY | {"id": str(number), "name": f"龙井{number}", "memory_id": f"m{number}"} for number in range(101)]
    owned = [{"id": f"m{number}", "text": f"京都の{number}番目の茶"} for number in range(101)]
    file = write("export.jsonl", *nodes, *owned)

    def interrupt(_: Tally) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(here.memories, [file], Tally(), committed=interrupt)
    assert here.store.problems() == []
    assert bring(here, file).bad == []
    assert outcomes(bring(here, file), "entity") == (0, 0, 101)
    assert {each.memory_id for each in here.memories.entities_by_id(map(str, range(101)))} == {
        each["id"] for each in owned
    }


@pytest.mark.parametrize("id", ["ﾔﾏﾀﾞ", "小红（二）", "ＴｅａＲｏｏｍ", "ordinary"])
def test_what_is_known_of_an_entity_is_found_whatever_its_id_is_written_in(here: Opened, write: Write, id: str) -> None:
    assert (
        bring(here, write("export.jsonl", ENTITY | {"id": id}, {"id": "1", "text": "茶室", "entities": [id]})).bad == []
    )
    assert here.memories.entities_by_id([id])[0].id == id
    total, known = here.memories.observations(id)
    assert (total, [each.text for each in known]) == (1, ["茶室"])


def test_when_a_memory_was_last_read_comes_back_without_a_count_too(here: Opened, write: Write) -> None:
    bring(here, write("a.jsonl", {"id": "1", "text": "茶", "last_accessed_at": "2024-03-21T00:00:00Z"}))
    assert here.memories.get(["1"])[0].last_accessed_at == datetime(2024, 3, 21, tzinfo=timezone.utc)


def test_bytes_that_are_not_utf_8_are_named(here: Opened, tmp_path: Path) -> None:
    file = tmp_path / "old.jsonl"
    file.write_bytes('{"text": "日記"}\n'.encode("shift_jis") + b'{"text": "diary"}\n')
    tally = bring(here, file)
    assert bad(tally) == ["old.jsonl:1 It is not UTF-8 (byte 11). Convert the file and import it again."]
    assert outcomes(tally, "memory") == (1, 0, 0)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"text": "京都の日記"}'.encode("cp932"), "It is not UTF-8: it looks like Shift_JIS."),
        ('{"text": "とはつるあの①コーヒー"}'.encode("cp932"), "It is not UTF-8: it looks like Shift_JIS."),
        ('{"text": "京都の日記"}'.encode("euc_jp"), "It is not UTF-8: it looks like EUC-JP."),
        ('{"text": "我在北京喝茶，很高兴。"}'.encode("gb18030"), "It is not UTF-8 (byte 11)."),
        ('{"text": "我在臺北喝茶，很高興。"}'.encode("big5"), "It is not UTF-8 (byte 11)."),
        ('{"text": "서울의 일기"}'.encode("euc_kr"), "It is not UTF-8 (byte 11)."),
        ('{"text": "こんにちは、京都'.encode()[:-1], "It is not UTF-8 (byte 32)."),
        ('{"text": "café"}'.encode("latin-1"), "It is not UTF-8 (byte 14)."),
    ],
)
def test_a_line_in_an_old_encoding_of_japanese_is_known_as_one(
    here: Opened, tmp_path: Path, row: bytes, said: str
) -> None:
    file = tmp_path / "old.jsonl"
    file.write_bytes(row + b"\n")
    assert bad(bring(here, file)) == [f"old.jsonl:1 {said} Convert the file and import it again."]


@pytest.mark.parametrize(
    ("text", "encoding", "known"),
    [
        ("京都の日記", "iso2022_jp", "ISO-2022-JP"),
        ("서울의 일기", "iso2022_kr", "ISO-2022-KR"),
        ("北京", None, "ISO-2022-CN"),
    ],
)
def test_a_line_in_the_encoding_of_old_mail_is_known_as_one(
    here: Opened, tmp_path: Path, text: str, encoding: str | None, known: str
) -> None:
    file = tmp_path / "old.jsonl"
    old = text.encode(encoding) if encoding else b"\x1b$)A\x0e1>>)\x0f"  # Python does not write the Chinese one
    file.write_bytes(b'{"text": "' + old + b'"}\n{"text": "diary"}\n')
    tally = bring(here, file)
    assert bad(tally) == [f"old.jsonl:1 It is not UTF-8: it looks like {known}. Convert the file and import it again."]
    assert outcomes(tally, "memory") == (1, 0, 0)


LINES = '{"text": "京都の日記"}\n{"text": "北京"}\n{"text": "diary"}\n'
OTHER_KINDS = [
    ("a.jsonl", LINES.encode("utf-16"), "It is UTF-16. Convert it, as `iconv -f UTF-16 -t UTF-8` does"),
    ("a.jsonl", b"\xfe\xff" + LINES.encode("utf-16-be"), "It is UTF-16. Convert it, as `iconv -f UTF-16 -t UTF-8`"),
    ("a.jsonl", LINES.encode("utf-16-le"), "It is UTF-16LE. Convert it, as `iconv -f UTF-16LE -t UTF-8` does"),
    ("a.jsonl", LINES.encode("utf-16-be"), "It is UTF-16BE. Convert it, as `iconv -f UTF-16BE -t UTF-8` does"),
    (
        "a.jsonl",
        gzip.compress(LINES.encode(), mtime=0),
        "It is compressed. Unpack it, as in `zcat FILE | omoide import -`.",
    ),
    ("a.jsonl", LINES.encode("utf-32"), "It is UTF-32. Convert it, as `iconv -f UTF-32 -t UTF-8` does"),
    ("a.jsonl", b"\0\0\xfe\xff" + LINES.encode("utf-32-be"), "It is UTF-32. Convert it, as `iconv -f UTF-32 -t UTF-8`"),
    ("a.jsonl", LINES.encode("utf-32-le"), "It is UTF-32LE. Convert it, as `iconv -f UTF-32LE -t UTF-8` does"),
    ("a.jsonl", LINES.encode("utf-32-be"), "It is UTF-32BE. Convert it, as `iconv -f UTF-32BE -t UTF-8` does"),
    ("a.txt", "今天的日记".encode("utf-32"), "It is UTF-32. Convert it, as `iconv -f UTF-32 -t UTF-8` does"),
    ("a.txt", "a diary".encode("utf-32-be"), "It is not UTF-8: it looks like UTF-32LE / UTF-32BE. Convert the file"),
    ("a.txt", "京都の日記".encode("utf-16"), "It is UTF-16. Convert it, as `iconv -f UTF-16 -t UTF-8` does"),
    ("a.txt", "a diary".encode("utf-16-le"), "It is not UTF-8: it looks like UTF-16LE / UTF-16BE. Convert the file"),
    ("a.md", "a diary".encode("utf-16-be"), "It is not UTF-8: it looks like UTF-16LE / UTF-16BE. Convert the file"),
    ("a.md", b"PROG\1\0\0\0\2\0\0\0main\0\0\0\0", "It is no text: there are zero bytes in it."),
    ("a.txt", "京都の日記\n北京\0a diary\n".encode(), "It is no text: there are zero bytes in it."),
    (
        "a.md",
        "# 日記\n京都の抹茶\n".encode("iso2022_jp"),
        "It is not UTF-8: it looks like ISO-2022-JP. Convert the file",
    ),
    (
        "a.md",
        "# 日記\n京都の抹茶\n".encode("shift_jis"),
        "It is not UTF-8: it looks like Shift_JIS. Convert the file and import it again.",
    ),
    ("a.txt", "コーヒー\r\n".encode("euc_jp"), "It is not UTF-8: it looks like EUC-JP. Convert the file"),
    ("a.md", "# 日記\n臺北的茶\n".encode("big5"), "It is not UTF-8 (byte 3). Convert the file and import it again."),
    ("a.txt", b'{"omoide": "export", "format": 1}\n', "It is what `omoide export` wrote, and no note. Name it .jsonl"),
    ("a.txt", "在北京喝茶".encode("gb18030"), "It is not UTF-8 (byte 1). Convert the file and import it again."),
]


@pytest.mark.parametrize(("name", "content", "reason"), OTHER_KINDS)
def test_a_file_that_is_no_utf_8_is_said_to_be_so_once(
    here: Opened, tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    [told] = bad(bring(here, file))
    assert told.startswith(f"{name} {reason}")
    assert here.memories.counts().memories == 0


def test_an_export_under_the_name_of_a_note_is_known_as_one(here: Opened, tmp_path: Path) -> None:
    here.memories.remember("京都で抹茶を飲んだ")
    with here.store.read() as reader:
        (tmp_path / "all.txt").write_text("\n".join(dump(reader)), encoding="utf-8")
    assert bad(bring(here, tmp_path / "all.txt"))[0].startswith("all.txt It is what `omoide export` wrote")


def test_a_first_line_of_nothing_but_zeros_hides_no_line_after_it(here: Opened, tmp_path: Path) -> None:
    file = tmp_path / "torn.jsonl"
    file.write_bytes(b"\0" * 9 + b"\n" + LINES.encode())
    tally = bring(here, file)
    assert bad(tally) == ["torn.jsonl:1 It is not JSON: Expecting value: character 1."]
    assert outcomes(tally, "memory") == (3, 0, 0)


@pytest.mark.parametrize("time", ["2024-10-27T02:30:00", "2024-03-31T02:30:00"])
def test_a_time_when_clocks_are_changed_changes_nothing_when_it_comes_again(
    write: Write, tmp_path: Path, clock: Any, time: str
) -> None:
    with opened(load_settings({"data": str(tmp_path / "store"), "zone": "Europe/Berlin"}, {}), clock=clock) as here:
        file = write("log.jsonl", {"text": "時計を直した。", "timestamp": time, "valid_from": time})
        assert outcomes(bring(here, file), "memory") == (1, 0, 0)
        assert outcomes(bring(here, file), "memory") == (0, 0, 1)
        assert here.memories.recall("時計").hits[0].memory.stored_at.isoformat().endswith(":30:00+00:00")


def test_triples_beside_a_corpus_become_entities_and_relations(here: Opened, write: Write) -> None:
    corpus = write(
        "set/corpus.jsonl", {"id": "d0", "text": "夏目漱石は「こころ」を書いた。", "timestamp": "1914-04-20"}
    )
    write(
        "set/triples.jsonl",
        {
            "doc": "d0",
            "entities": ["夏目漱石"],
            "triples": [["夏目漱石", "書いた", "こころ"], ["夏目漱石", "x", "長" * 201]],
        },
    )
    tally = bring(here, corpus)
    assert (outcomes(tally, "entity"), outcomes(tally, "relation")) == ((2, 0, 0), (1, 0, 0))
    assert len(tally.bad) == 1
    author = here.memories.entity("夏目漱石")
    assert author is not None
    assert author.type == "concept"
    (relation,) = here.memories.relations_of(Ref("entity", author.id))
    assert (relation.type, relation.memory_id) == ("書いた", "d0")
    assert relation.created_at == datetime(1914, 4, 20, tzinfo=TOKYO)
    assert author.id in here.memories.find("d0").entities
    again = bring(here, corpus)
    assert [outcomes(again, noun) for noun in ("memory", "entity", "relation")] == [(0, 0, 1), (0, 0, 2), (0, 0, 1)]


NOTES = """\
Before any heading.

# 旅行
京都へ。

## 抹茶
宇治で飲んだ。

```sh
# not a heading
```

## 空

# 旅行
重名的一节。
"""


def test_notes_are_a_memory_for_each_section(here: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "深い").mkdir(parents=True)
    (folder / "trip.md").write_text(NOTES, encoding="utf-8")
    (folder / "深い" / "memo.txt").write_text("# 停车\n在地下二层", encoding="utf-8")
    assert outcomes(bring(here, folder, scope="notes"), "memory") == (5, 0, 0)
    stored = here.memories.recall("", limit=10, order="oldest").hits
    assert {(hit.memory.title, hit.memory.text.splitlines()[0]) for hit in stored} == {
        ("trip", "Before any heading."),
        ("旅行", "京都へ。"),
        ("旅行 / 抹茶", "宇治で飲んだ。"),
        ("旅行", "重名的一节。"),
        ("memo", "# 停车"),
    }
    assert {hit.memory.scope for hit in stored} == {"notes"}
    (folder / "trip.md").write_text(NOTES.replace("京都へ", "奈良へ"), encoding="utf-8")
    assert outcomes(bring(here, folder, scope="notes"), "memory") == (0, 1, 4)


def test_what_is_imported_again_stays_in_its_scope_unless_another_is_named(here: Opened, write: Write) -> None:
    def scopes() -> dict[str, str]:
        return {hit.memory.text: hit.memory.scope for hit in here.memories.recall("", limit=10).hits}

    rows = [{"id": "ja", "text": "会議は水曜日"}, {"id": "zh", "text": "会议改到周五", "scope": " "}]
    named = {"id": "en", "text": "We meet on Monday", "scope": "work"}
    note = write("日記.md")
    note.write_text("# 旅行\n川沿いの宿", encoding="utf-8")
    corpus = write("corpus.jsonl", *rows, named)
    into_tea = {"会議は水曜日": "tea", "会议改到周五": "tea", "川沿いの宿": "tea", "We meet on Monday": "work"}
    assert outcomes(bring(here, corpus, note, scope="tea"), "memory") == (4, 0, 0)
    assert outcomes(bring(here, corpus, note), "memory") == (0, 0, 4)
    assert scopes() == into_tea
    note.write_text("# 旅行\n山の宿", encoding="utf-8")
    assert outcomes(bring(here, note), "memory") == (0, 1, 0)
    assert scopes()["山の宿"] == "tea"
    assert outcomes(bring(here, corpus, note, scope="旅"), "memory") == (0, 3, 1)
    assert set(scopes().values()) == {"旅", "work"}


@pytest.mark.parametrize("names", [["甲", "乙"], ["乙", "甲", "triples"], ["triples", "甲", "乙"]])
def test_triples_beside_a_corpus_of_several_files_are_read_after_all_of_them(
    here: Opened, write: Write, names: list[str]
) -> None:
    corpus = {
        "甲": write("甲.jsonl", {"id": "ja", "text": "山田さんは京都に住んでいる。"}),
        "乙": write("乙.jsonl", {"id": "zh", "text": "小红在北京。"}, {"id": "en", "text": "Jeff lives in London."}),
        "triples": write("triples.jsonl", *({"doc": id, "entities": [id]} for id in ("ja", "zh", "en"))),
    }
    assert bring(here, *(corpus[name] for name in names)).bad == []


@pytest.mark.parametrize(("name", "link"), [("日記", "今日"), ("笔记", "今天"), ("notes", "latest")])
def test_a_note_with_a_link_to_it_is_one_note(here: Opened, tmp_path: Path, name: str, link: str) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / f"{name}.md").write_text("京都で抹茶を飲んだ。", encoding="utf-8")
    (folder / f"{link}.md").symlink_to(f"{name}.md")
    assert outcomes(bring(here, folder), "memory") == (1, 0, 0)
    assert outcomes(bring(here, folder), "memory") == (0, 0, 1)
    assert here.memories.recall("抹茶").hits[0].memory.title == name
    assert [file.name for file in files_of([folder / f"{link}.md", folder])] == [f"{link}.md"]


@pytest.mark.parametrize(
    "outline",
    [
        "# 牛乳を買う\n# 卵\n",
        "# 今天\r\n## 写周报\r\n",
        "# Milk\n\n## Eggs",
        "---\ntags: [買い物]\n---\n# 牛乳\n# 卵",
        "Aujourd'hui, 今天。\n\n# 写周报\n",
    ],
)
def test_headings_without_any_text_are_the_text(here: Opened, tmp_path: Path, outline: str) -> None:
    (tmp_path / "todo.md").write_bytes(outline.encode())
    assert outcomes(bring(here, tmp_path / "todo.md"), "memory") == (1, 0, 0)
    (hit,) = here.memories.recall("").hits
    assert (hit.memory.title, hit.memory.text.split()) == ("todo", outline.split())
    assert outcomes(bring(here, tmp_path / "todo.md"), "memory") == (0, 0, 1)


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
def test_a_name_that_is_no_utf_8_keeps_no_note_out(here: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    names = {r"\x93\xfa\x8bL": "日記".encode("shift_jis"), r"\xb1ʼ\xc7": "笔记".encode("gb18030"), "tea": b"tea"}
    for name in names.values():
        inside = folder / os.fsdecode(name)
        inside.mkdir(parents=True)
        (inside / os.fsdecode(name + b".md")).write_text("京都で抹茶を飲んだ。我们喝茶。", encoding="utf-8")
    assert outcomes(bring(here, folder), "memory") == (3, 0, 0)
    stored = {hit.memory.title: hit.memory.extra["file"] for hit in here.memories.recall("", limit=9).hits}
    assert stored == {name: str(folder / name / f"{name}.md") for name in names}
    assert outcomes(bring(here, folder), "memory") == (0, 0, 3)


@pytest.mark.parametrize(
    ("markdown", "texts"),
    [
        ("# 会議\n一回目\n# 会議\n二回目\n## 1\n議題は京都\n", ["一回目", "二回目", "議題は京都"]),
        ("# 会议\n## 1\n议程\n# 会议\n第二次\n", ["议程", "第二次"]),
        ("# a\nx\n# a\ny\n## 1\nz\n## 1\nw\n", ["x", "y", "z", "w"]),
        ("改行\u2028# ではない\x0c# これも", ["改行\u2028# ではない\x0c# これも"]),
    ],
)
def test_no_section_of_a_file_takes_the_place_of_another(
    here: Opened, tmp_path: Path, markdown: str, texts: list[str]
) -> None:
    file = tmp_path / "日記.md"
    file.write_text(markdown, encoding="utf-8")
    assert outcomes(bring(here, file), "memory") == (len(texts), 0, 0)
    assert sorted(hit.memory.text for hit in here.memories.recall("", limit=10).hits) == sorted(texts)
    assert outcomes(bring(here, file), "memory") == (0, 0, len(texts))


def test_an_export_brings_back_every_field_of_every_noun(
    here: Opened, write: Write, tmp_path: Path, clock: Any
) -> None:
    fill(here.memories, clock)
    number = here.memories.find("full").number
    with here.store.write() as writer:
        writer.mark_accessed([number], now=clock())
    with here.store.read() as reader:
        lines = list(dump(reader))
    settings = load_settings({"data": str(tmp_path / "other")}, {})
    clock.advance(days=30)
    with opened(settings, clock=clock) as there:
        file = write("export.jsonl", *lines)
        assert bring(there, file).bad == []
        with there.store.read() as reader:
            assert list(dump(reader)) == lines
        again = bring(there, file)
        assert all(counts["added"] == counts["updated"] == 0 for counts in again.counts.values())
        assert there.memories.recall("抹茶").hits[0].memory == Memory(
            **{**vars_of(here.memories.find("full")), "number": there.memories.find("full").number}
        )


def test_an_export_has_every_row_also_those_that_no_index_follows(here: Opened, clock: Any) -> None:
    fill(here.memories, clock)
    with here.store.read() as reader:
        lines = list(dump(reader))
    with here.store.write() as writer:
        writer.rows("DELETE FROM changes")
    with here.store.read() as reader:
        assert list(dump(reader)) == lines


def vars_of(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in Memory.__dataclass_fields__}


def fill(memories: Memories, clock: Any) -> None:
    """Every noun, every field of a memory away from its default."""
    now = clock()
    entity, _ = memories.observe("夏目漱石", "person", "猫を書いた")
    thread = memories.create_thread("設計", "project")
    clock.advance(hours=1)
    memories.remember(
        Draft(
            text="宇治で抹茶を飲んだ\n二杯",
            id="full",
            title="お茶",
            context="旅",
            kind="decision",
            category="preferences",
            tags=("旅行", "茶"),
            topic="茶",
            scope="session:一",
            thread=thread.id,
            thread_type="project",
            thread_name="設計",
            project="思い出",
            session_id="一",
            sequence_order=3,
            preceding_id="前",
            agent_id="me",
            tool="store",
            archetype=Archetype("t", "2", "1.1"),
            source="agent",
            importance=0.1,
            confidence=0.2,
            stored_at=now,
            event_time=EventTime("昨日", now, now + timedelta(days=1), 0.5),
            valid_from=now,
            valid_until=now + timedelta(days=9),
            status=Status.PENDING_REVIEW,
            superseded_by="後",
            canonical_key="k",
            entities=(entity.id,),
            links_source="s",
            links_refs=("r", {"n": 1}),
            parameters={"量": 2},
            frames={"心": ["静"]},
            extra={"speaker": "私", "上限": float("inf"), "下限": [float("-inf")]},
            lang="ja",
        )
    )
    memories.upsert_node("concept", "茶", "喝茶", {"k": "v"})
    memories.relate(("夏目漱石", "person"), ("猫", None), "書いた", weight=0.5, metadata={"年": 1905}, memory_id="full")
    memories.remind("会議", "資料", scope="global", expires_in_days=3)
    memories.remind("meeting", "slides", scope="global")
    assert memories.due_reminders("the meeting", scope="global")


def test_an_entity_known_under_another_id_is_the_same_entity(
    here: Opened, write: Write, tmp_path: Path, clock: Any
) -> None:
    fill(here.memories, clock)
    with here.store.read() as reader:
        file = write("export.jsonl", *dump(reader))
    with opened(load_settings({"data": str(tmp_path / "other")}, {}), clock=clock) as there:
        there.memories.observe("夏目漱石", "person", "坊っちゃんを書いた")
        assert bring(there, file).bad == []
        author = there.memories.entity("夏目漱石", "person")
        assert author is not None
        assert there.memories.observations(author.id)[0] == 3
        assert [each.type for each in there.memories.relations_of(Ref("entity", author.id))] == ["書いた"]


def noun(kind: str, **fields: Any) -> dict[str, Any]:
    return {
        "omoide": kind,
        **fields,
        "created_at": "2024-03-21T00:00:00+00:00",
        "updated_at": "2024-03-22T00:00:00+00:00",
    }


def test_what_is_here_under_another_id_loses_nothing_to_an_import(here: Opened, write: Write) -> None:
    kyoto = {"entity_class": "entity", "type": "location"}
    tea = noun("entity", id="茶", entity_class="entity", name="茶", type="concept")
    relation = {
        "omoide": "relation",
        "target": {"kind": "entity", "id": "茶"},
        "type": "has",
        "created_at": "2024-03-21",
    }
    ours = (
        tea,
        noun(
            "entity", id="1", name="Kyoto", aliases=["京都", "きょうと"], description="古都", metadata={"a": 1}, **kyoto
        ),
        relation | {"id": "r1", "source": {"kind": "entity", "id": "1"}, "weight": 0.5, "metadata": {"a": 1}},
    )
    theirs = (
        tea,
        noun(
            "entity", id="2", name="京都", aliases=["KYOTO", "洛", "京都"], metadata={"b": 2}, access_count=3, **kyoto
        ),
        relation | {"id": "r2", "source": {"kind": "entity", "id": "2"}, "metadata": {"b": 2}},
    )
    bring(here, write("ours.jsonl", *ours))
    assert outcomes(bring(here, write("theirs.jsonl", *theirs)), "entity") == (0, 1, 1)
    with here.store.read() as reader:
        (found,) = reader.entities_named("Kyoto")
        (edge,) = reader.relations_of(Ref("entity", "1"))
    assert (found.id, found.name, found.aliases) == ("1", "Kyoto", ("京都", "きょうと", "洛"))
    assert (found.description, found.metadata, found.access_count) == ("古都", {"a": 1, "b": 2}, 3)
    assert (edge.weight, edge.metadata) == (0.5, {"a": 1, "b": 2})
    again = bring(here, write("theirs.jsonl", *theirs))
    assert (outcomes(again, "entity"), outcomes(again, "relation")) == ((0, 0, 2), (0, 0, 1))


OTHER_CHARACTERS = pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("台北", "臺北"),
        ("臺北", "台北"),
        ("たなか", "ﾀﾅｶ"),
        ("山田 太郎", "山田太郎"),
        ("张伟", "張偉"),
        ("Mary  Ann", "mary ann"),
    ],
)


@OTHER_CHARACTERS
def test_what_is_read_from_a_text_is_of_the_entity_that_is_there_in_other_characters(
    here: Opened, write: Write, stored: str, said: str
) -> None:
    here.memories.observe(stored, "person", "一つ目の事実")
    rows = {"id": "d", "text": "第二个事实"}, {"doc": "d", "entities": [said], "triples": [[said, "is in", "Asia"]]}
    assert outcomes(bring(here, write("facts.jsonl", *rows)), "entity") == (1, 0, 1)
    entity = here.memories.entity(stored, "person")
    assert entity is not None
    assert here.memories.observations(entity.id)[0] == 2
    assert [each.type for each in here.memories.relations_of(Ref("entity", entity.id))] == ["is in"]


@OTHER_CHARACTERS
def test_what_is_read_from_a_text_is_of_the_node_that_is_there_in_other_characters(
    here: Opened, write: Write, stored: str, said: str
) -> None:
    here.memories.observe("Asia", "location", "広い")
    rows = [{"id": f"d{at}", "text": f"事实 {at}"} for at in range(loading.BATCH)]
    file = write("facts.jsonl", *rows, {"doc": "d0", "entities": ["欧州"]}, {"doc": "d0", "entities": [said]})
    node = here.memories.upsert_node("concept", stored, "内容")
    assert outcomes(bring(here, file), "entity") == (1, 0, 1)
    assert here.memories.get(["d0"])[0].entities[-1] == node.id


@OTHER_CHARACTERS
def test_names_in_other_characters_meet_within_an_import_too(
    here: Opened, write: Write, stored: str, said: str
) -> None:
    here.memories.observe("Asia", "location", "広い")
    rows = {"id": "d", "text": "事实"}, {"doc": "d", "entities": [stored, "Asia", said]}
    assert outcomes(bring(here, write("facts.jsonl", *rows)), "entity") == (1, 0, 2)
    assert here.memories.list_entities()[0] == 2


@OTHER_CHARACTERS
def test_names_in_other_characters_meet_what_a_server_stores_during_an_import(
    here: Opened, write: Write, stored: str, said: str
) -> None:
    here.memories.observe("Asia", "location", "広い")
    rows = [{"id": f"d{at}", "text": f"事实 {at}"} for at in range(loading.BATCH)]
    rows += [{"doc": "d0", "entities": ["Asia", "欧州"]}] * loading.BATCH
    file = write("facts.jsonl", *rows, {"doc": "d1", "entities": [said]})

    def a_server_stores_it_at_the_end_of(batch: Tally) -> None:
        if batch.rows == 3 * loading.BATCH:  # the second, which looked names up
            here.memories.observe(stored, "person", "一つ目の事実")

    tally = Tally()
    load(here.memories, [file], tally, committed=a_server_stores_it_at_the_end_of)
    assert tally.bad == []
    assert {each.name for each in here.memories.list_entities()[1]} == {"Asia", "欧州", stored}


@OTHER_CHARACTERS
def test_an_exported_entity_is_the_one_that_is_there_in_other_characters(
    here: Opened, write: Write, stored: str, said: str
) -> None:
    entity, _ = here.memories.observe(stored, "person", "事実")
    given = {"entity_class": "entity", "name": said}
    rows = (
        noun("entity", id="1", type="person", description="說明", **given),
        noun("entity", id="2", type="location", **given),
        noun("entity", id="3", type="person", **given | {"entity_class": "node"}),
    )
    assert outcomes(bring(here, write("theirs.jsonl", *rows)), "entity") == (2, 1, 0)
    (met,) = here.memories.entities_by_id([entity.id])
    assert (met.name, met.aliases, met.description) == (stored, (said,), "說明")
    assert outcomes(bring(here, write("theirs.jsonl", *rows)), "entity") == (0, 0, 3)


@OTHER_CHARACTERS
def test_an_exported_entity_is_the_node_that_is_there_in_other_characters(
    here: Opened, write: Write, stored: str, said: str
) -> None:
    node = here.memories.upsert_node("concept", stored, "内容")
    file = write("theirs.jsonl", noun("entity", id="1", type="concept", entity_class="entity", name=said))
    assert outcomes(bring(here, file), "entity")[0] == 0
    assert here.memories.list_entities(entity_class=None)[0] == 1
    (met,) = here.memories.entities_by_id([node.id])
    assert (met.entity_class, met.name, met.memory_id) == ("node", stored, node.memory_id)


@pytest.mark.parametrize(
    ("name", "fact", "content"),
    [
        ("認証", "担当は健太", "ログインを扱う"),
        ("认证", "由小红负责", "处理登录"),
        ("Auth", "owned by Jeff", "handles login"),
    ],
)
@pytest.mark.parametrize("node_is_here", [True, False])
def test_an_entity_and_a_node_of_one_name_and_type_are_one_thing(
    here: Opened, write: Write, tmp_path: Path, clock: Any, name: str, fact: str, content: str, node_is_here: bool
) -> None:
    with opened(load_settings({"data": str(tmp_path / "other")}, {}), clock=clock) as there:
        with_node, with_fact = (here, there) if node_is_here else (there, here)
        with_node.memories.upsert_node("concept", name, content)
        with_fact.memories.observe(name, "concept", fact)
        with there.store.read() as reader:
            file = write("export.jsonl", *dump(reader))
    for first in (True, False):
        changes = first and not node_is_here
        assert outcomes(bring(here, file), "entity") == (0, int(changes), int(not changes))
        (one,) = here.memories.entities_named(name)
        assert one.entity_class == "node"
        assert [each.text for each in here.memories.get([one.memory_id or ""])] == [content]
        assert [each.text for each in here.memories.observations(one.id)[1]] == [fact]


@pytest.mark.parametrize(
    ("name", "content"), [("認証", "ログインを扱う"), ("认证", "处理登录"), ("Auth", "handles login")]
)
def test_an_entity_becomes_the_node_of_a_memory_that_is_there(
    here: Opened, write: Write, name: str, content: str
) -> None:
    entity, _ = here.memories.observe(name, "concept", "事実")
    bring(here, write("memories.jsonl", {"id": "m", "text": content}))
    given = {"entity_class": "node", "name": name, "memory_id": "m"}
    assert outcomes(bring(here, write("node.jsonl", noun("entity", id="1", type="concept", **given))), "entity")[1] == 1
    (met,) = here.memories.entities_by_id([entity.id])
    assert (met.entity_class, met.memory_id) == ("node", "m")


@OTHER_CHARACTERS
def test_what_an_export_has_apart_stays_apart(here: Opened, write: Write, stored: str, said: str) -> None:
    given = {"entity_class": "entity", "type": "person"}
    rows = [noun("entity", id=name, name=name, **given) for name in (stored, said)]
    assert outcomes(bring(here, write("export.jsonl", *rows)), "entity") == (2, 0, 0)
    assert outcomes(bring(here, write("export.jsonl", *rows)), "entity") == (0, 0, 2)
    other = noun("entity", id="3", name=said, **given)
    assert outcomes(bring(here, write("other.jsonl", other)), "entity") == (0, 0, 1)


@pytest.mark.parametrize("said", ["長", "长", "a"])
def test_a_section_that_is_too_long_is_named_by_the_line_of_its_heading(
    here: Opened, tmp_path: Path, said: str
) -> None:
    note = tmp_path / "日記.md"
    note.write_text(f"前書き\n\n# 一\n短い\n\n## 二\n{said * (MAX_TEXT_CHARS + 1)}\n# 三\n短い\n", encoding="utf-8")
    tally = bring(here, note)
    (problem,) = bad(tally)
    assert problem.startswith("日記.md:6 The text has 1,000,001 characters")
    assert outcomes(tally, "memory") == (3, 0, 0)


@pytest.mark.parametrize(
    ("field", "value"), [("weight", 0.25), ("metadata", {"根拠": "日記"}), ("memory_id", "8501:0")]
)
def test_a_relation_of_which_one_thing_is_said_anew_is_updated(
    here: Opened, write: Write, field: str, value: Any
) -> None:
    said = RELATION | {"weight": 0.5, "metadata": {"根拠": "手紙"}, "memory_id": "m1"}
    bring(here, write("first.jsonl", *({"id": id, "text": "喝茶"} for id in ("m1", "8501:0")), said))
    assert outcomes(bring(here, write("again.jsonl", said)), "relation") == (0, 0, 1)
    assert outcomes(bring(here, write("anew.jsonl", said | {field: value})), "relation") == (0, 1, 0)
    (known,) = here.memories.relations_of(Ref("memory", "m1"))
    assert getattr(known, field) == value


def test_a_scope_that_said_a_relation_still_knows_it_after_others_came_in(here: Opened, write: Write) -> None:
    ends = [{"id": id, "text": id, "scope": "旅:京都"} for id in ("m1", "8501:0")]
    said = [RELATION | {"id": scope, "home": scope, "metadata": {scope: 1}} for scope in ("旅", "旅:京都", "旅")]
    bring(here, write("ends.jsonl", *ends))
    assert outcomes(bring(here, write("said.jsonl", *said)), "relation") == (2, 0, 1)
    for scope in ("旅", "旅:京都"):
        pinned = Memories(here.store, here.index, clock=here.memories.clock, zone=TOKYO, scope=scope)
        (known,) = pinned.relations_of(Ref("memory", "m1"))
        assert (known.home, known.metadata) == (scope, {scope: 1})


@pytest.mark.parametrize(
    ("home", "other"), [("日記:旅", "日記：旅"), ("旅行：北京", "旅行:北京"), ("trips", "ｔｒｉｐｓ")]
)
def test_a_scope_in_other_widths_has_one_relation(here: Opened, write: Write, home: str, other: str) -> None:
    bring(here, write("ends.jsonl", *({"id": id, "text": id, "scope": home} for id in ("m1", "8501:0"))))
    said = [RELATION | {"id": each, "home": each, "metadata": {each: 1}} for each in (home, other)]
    assert outcomes(bring(here, write("said.jsonl", *said)), "relation") == (1, 1, 0)
    assert outcomes(bring(here, write("again.jsonl", *said)), "relation") == (0, 0, 2)
    pinned = Memories(here.store, here.index, clock=here.memories.clock, zone=TOKYO, scope=other)
    (known,) = pinned.relations_of(Ref("memory", "m1"))
    assert (known.home, known.metadata) == (home, {home: 1, other: 1})


@pytest.mark.parametrize(
    ("name", "scope", "other"), [("健太", "旅：京都", "旅:京都"), ("小红", "旅行:北京", "旅行：北京")]
)
def test_triples_of_a_scope_in_other_widths_are_not_stored_again(
    here: Opened, write: Write, name: str, scope: str, other: str
) -> None:
    texts = [{"id": id, "text": f"{name}{id}", "scope": id} for id in (scope, other)]
    bring(here, write("texts.jsonl", *texts))
    told = [{"doc": id, "entities": [name, "京都"], "triples": [[name, "住む", "京都"]]} for id in (scope, other)]
    assert outcomes(bring(here, write("told.jsonl", *told)), "relation") == (1, 0, 1)


def test_the_scopes_that_a_former_export_has_in_one_relation_each_get_theirs(here: Opened, write: Write) -> None:
    ends = [{"id": id, "text": id, "scope": "旅:京都"} for id in ("m1", "8501:0")]
    bring(here, write("ends.jsonl", *ends))
    said = write("said.jsonl", RELATION | {"metadata": {"omoide:scopes": ["旅", "旅:京都"], "旅": 1}})
    assert outcomes(bring(here, said), "relation") == (1, 0, 0)
    assert outcomes(bring(here, said), "relation") == (0, 0, 1)
    with here.store.read() as reader:
        known = reader.relations_of(Ref("memory", "m1"))
    assert [(each.home, each.metadata) for each in known] == [("旅", {"旅": 1}), ("旅:京都", {"旅": 1})]


@pytest.mark.parametrize(("name", "scope"), [("健太", "旅"), ("小红", "旅行"), ("Jeff", "trips")])
def test_what_is_read_from_a_text_is_known_where_the_text_is(here: Opened, write: Write, name: str, scope: str) -> None:
    texts = [{"id": id, "text": f"{name} {id}", "scope": id} for id in (scope, "elsewhere")]
    bring(here, write("texts.jsonl", *texts))
    told = write("told.jsonl", *({"doc": each["id"], "entities": [name, "京都"]} for each in texts))
    triples = write("read.jsonl", {"doc": scope, "entities": [], "triples": [[name, "住む", "京都"]]})
    bring(here, told)
    assert outcomes(bring(here, triples), "relation") == (1, 0, 0)
    assert outcomes(bring(here, triples), "relation") == (0, 0, 1)
    for pinned, known in ((scope, 1), ("elsewhere", 0), (None, 1)):
        seen = Memories(here.store, here.index, clock=here.memories.clock, zone=TOKYO, scope=pinned)
        entity = seen.entity(name)
        assert entity is not None
        assert len(seen.relations_of(Ref("entity", entity.id))) == known


def test_a_memory_is_written_once_for_many_lines_about_it(here: Opened, write: Write) -> None:
    bring(here, write("text.jsonl", {"id": "小説", "text": "山田与小红的故事"}))
    before = here.store.last_seq()
    told = [{"doc": "小説", "triples": [[f"人物{number}", "知る", f"人物{number + 1}"]]} for number in range(50)]
    assert outcomes(bring(here, write("read.jsonl", *told)), "relation") == (50, 0, 0)
    assert here.store.last_seq() == before + 51 + 50 + 1
    again = {"id": "小説", "text": "山田与小红的故事，第二版"}
    more = [{"doc": "小説", "entities": [name]} for name in ("Jeff", "健太")]
    assert bring(here, write("more.jsonl", more[0], again, more[1])).bad == []
    known = here.memories.find("小説")
    assert (known.text, len(known.entities)) == (again["text"], 51 + 2)


@pytest.mark.parametrize(("stored", "came"), [("台北", "臺北"), ("たなか", "タナカ"), ("O’Brien", "O'Brien")])
def test_an_entity_stored_in_other_characters_is_reused_whatever_a_scope_calls_its_own(
    here: Opened, write: Write, stored: str, came: str
) -> None:
    given = {"entity_class": "entity", "type": "location"}
    own = noun("entity", id="1", name=stored, **given)
    of_a_scope = noun("entity", id="2", name=came, home="旅", **given)
    bring(here, write("stored.jsonl", own, of_a_scope))
    bring(here, write("more.jsonl", noun("entity", id="3", name=came, **given)))
    with here.store.read() as reader:
        assert [(each.id, each.home) for each in reader.entities(["1", "2", "3"])] == [("1", ""), ("2", "旅")]


@pytest.mark.parametrize("name", ["健太", "山田 太郎", "たなか", "小红", "O'Brien"])
@pytest.mark.parametrize("entity_class", ["entity", "node"])
def test_a_scope_in_other_widths_has_one_entity_of_a_name(
    here: Opened, write: Write, name: str, entity_class: str
) -> None:
    type = "person" if entity_class == "entity" else "note"
    told = [
        noun("entity", id=id, name=name, type=type, entity_class=entity_class, home=home)
        for id, home in (("1", "日記:旅"), ("2", "日記：旅"), ("3", "日記"))
    ]
    for number, each in enumerate(told):
        bring(here, write(f"{number}.jsonl", each))
    assert outcomes(bring(here, write("again.jsonl", *told)), "entity") == (0, 0, 3)
    with here.store.read() as reader:
        assert [each.home for each in reader.entities(["1", "2", "3"])] == ["日記:旅", "日記"]


def test_an_exported_entity_comes_back_with_what_it_has_not(here: Opened, write: Write) -> None:
    given = {"id": "1", "entity_class": "entity", "name": "Kyoto", "type": "location"}
    bring(here, write("later.jsonl", noun("entity", description="古都", **given)))
    assert outcomes(bring(here, write("earlier.jsonl", noun("entity", **given))), "entity") == (0, 1, 0)
    with here.store.read() as reader:
        assert [each.description for each in reader.entities(["1"])] == [None]


def test_a_thread_stays_at_home_in_the_scope_it_was_made_in(
    here: Opened, write: Write, tmp_path: Path, clock: Any
) -> None:
    with opened(load_settings({"data": str(tmp_path / "pinned"), "scope": "team:a"}, {}), clock=clock) as there:
        made = there.memories.create_thread("設計", "project")
        with there.store.read() as reader:
            file = write("export.jsonl", *dump(reader))
    assert bring(here, file).bad == []
    assert here.memories.threads() == [made]


def test_each_batch_is_one_transaction_that_counts_when_it_is_committed(here: Opened, write: Write) -> None:
    rows = [{"id": str(number), "text": f"記憶{number}"} for number in range(loading.BATCH + 1)]
    seen: list[int] = []
    tally = Tally()
    load(
        here.memories,
        [write("big.jsonl", *rows)],
        tally,
        committed=lambda tally: seen.append(tally.rows),
    )
    assert seen == [loading.BATCH, loading.BATCH + 1]


def test_a_line_that_is_too_long_is_passed_over_and_the_lines_after_it_keep_their_numbers() -> None:
    fits = b'{"id": "' + b"7" * (MOST_BYTES - 11) + b'"}\n'
    assert len(fits) == MOST_BYTES
    found = list(rows(io.BytesIO(fits + b"x" + fits + b"9" * MOST_BYTES * 2 + b"\n{}\n"), "f"))
    assert [each.place for each in found] == ["f:1", "f:2", "f:3", "f:4"]
    assert [type(each) for each in found] == [PlacedRow, BadRow, BadRow, PlacedRow]


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_what_docs_cli_says_brings_in_the_files_of_other_memory_servers(here: Opened, tmp_path: Path) -> None:
    listed = [{"id": "1", "memory": "京都が好き", "user_id": "健太", "created_at": "2024-03-21T00:00:00Z"}]
    (tmp_path / "memories.json").write_text(json.dumps(listed), encoding="utf-8")
    graph = [
        {"type": "entity", "name": "健太", "entityType": "人", "observations": ["抹茶が好き", "住在京都"]},
        {"type": "entity", "name": "omoide", "entityType": "project", "observations": []},
        {"type": "relation", "from": "健太", "to": "omoide", "relationType": "works_on"},
    ]
    (tmp_path / "memory.json").write_text("\n".join(map(json.dumps, graph)), encoding="utf-8")
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    recipes = re.findall(r"^(jq .*?) \| omoide import -", page, re.MULTILINE | re.DOTALL)
    files = []
    for recipe in recipes:
        files.append(tmp_path / f"{len(files)}.jsonl")
        files[-1].write_bytes(
            subprocess.run(["sh", "-c", recipe], cwd=tmp_path, capture_output=True, check=True).stdout
        )
    tally = bring(here, *files)
    assert (tally.bad, outcomes(tally, "memory"), outcomes(tally, "relation")) == ([], (4, 0, 0), (1, 0, 0))
    kept = here.memories.find("1")
    assert (kept.text, kept.extra, kept.stored_at.year) == ("京都が好き", {"user_id": "健太"}, 2024)
    with here.store.read() as reader:
        (relation,) = reader.relations_after(0, 2)
        ends = [reader.entity(end.id).name for end in (relation.source, relation.target)]
    assert (ends, relation.type) == (["健太", "omoide"], "works_on")
    assert [hit.memory.text for hit in here.memories.recall("健太の抹茶", limit=1).hits] == ["健太: 抹茶が好き"]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# C#", "C#"),
        ("## F# と C#", "F# と C#"),
        ("# 茶 ##", "茶"),
        ("#\t茶\t", "茶"),
        ("# 茶 # 水", "茶 # 水"),
        (f"# 茶{' ' * 100_000}水", f"茶{' ' * 100_000}水"),
        (f"# 茶{' #' * 50_000}", f"茶{' #' * 49_999}"),
    ],
)
def test_a_heading_is_what_stands_between_its_marks_however_long_it_is(line: str, heading: str) -> None:
    assert [each.headings for each in sections(f"{line}\n緑茶")] == [(), (heading,)]


@pytest.mark.parametrize(
    "markdown",
    [
        "# 一\n```抹茶``` を飲む\n# 二\n煎茶\n",
        "# 一\n``` 代码 ``` 在行内\n# 二\n煎茶\n",
        "# 一\n````\n# no ```\n````\n# 二\n煎茶\n",
        "# 一\n~~~ a`b\n# no\n~~~\n# 二\n煎茶\n",
    ],
)
def test_only_a_code_block_hides_headings(markdown: str) -> None:
    assert [each.headings for each in sections(markdown)] == [(), ("一",), ("二",)]


@pytest.mark.parametrize(
    ("before", "headings"),
    [
        ("---\n# 旅の記録\ntags:\n  - 京都\n  # 抹茶\n- 宇治\n\nlang: ja\n---\n", []),
        ("---\n标题: 龙井茶\n# 备注\n...\n", []),
        ("---\n# 京都\n---\n", ["京都"]),
        ("---\ntitle: tea\u2028茶\n# ```\n---\n", []),
        ("---\n\n# 京都\n抹茶: 二杯\n---\n", ["京都"]),
        ("---\n# 京都\n抹茶を飲んだ。\n---\n", ["京都"]),
        ("---\ntitle: tea\n# Kyoto\n", ["Kyoto"]),
        ("茶\n---\n# 京都\n---\n", ["京都"]),
        ("---\n" + "- a: b\n" * 20_000 + "# 茶", ["茶"]),
    ],
)
def test_a_comment_among_the_properties_of_a_note_is_no_heading(before: str, headings: list[str]) -> None:
    found = sections(f"{before}\n# 本文\n緑茶")
    assert [each.headings[0] for each in found if each.headings] == [*headings, "本文"]


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ({"relations": [["緑茶", "は", "飲み物"]]}, "relations"),
        ({"text": "失われる文", "entities": ["緑茶"]}, "text"),
        ({"entity": "緑茶", "triples": []}, "entity"),
    ],
)
def test_a_field_that_triples_do_not_have_is_named_and_the_rest_is_imported(
    here: Opened, write: Write, extra: Any, named: str
) -> None:
    tally = bring(here, write("triples.jsonl", {"id": "m", "text": "緑茶"}, {"doc": "m"} | extra))
    said = f"triples: there is no field '{named}'; it was left out. The fields are doc, entities, triples."
    assert bad(tally) == [f"triples.jsonl:2 {said}"]
    assert outcomes(tally, "entity") == (len(extra.get("entities", ())), 0, 0)


@pytest.mark.parametrize(
    ("row", "known"),
    [
        ({"omoide": "memory", "id": "m", "text": "緑茶"}, "text, title, context"),
        (ENTITY, "id, name, type"),
        ({"omoide": "thread", "id": "旅", "name": "旅", "type": "normal"} | TIMES, "id, name, type, home"),
        (REMINDER, "id, trigger, action"),
    ],
)
def test_a_field_that_an_exported_noun_does_not_have_is_named_and_the_rest_is_imported(
    here: Opened, write: Write, row: Any, known: str
) -> None:
    tally = bring(here, write("export.jsonl", row | {"标签": ["茶"], "empty": None}))
    (said,) = bad(tally)
    assert said.startswith(
        f"export.jsonl:1 {row['omoide']}: there is no field '标签'; it was left out. The fields are "
    )
    assert known in said
    assert outcomes(tally, row["omoide"]) == (1, 0, 0)


@pytest.mark.parametrize("text", ["緑茶の資料", "绿茶资料", "All about green tea"])
def test_a_text_with_the_name_of_its_document_is_a_memory(here: Opened, write: Write, text: str) -> None:
    assert bring(here, write("notes.jsonl", {"id": "m", "text": text, "doc": "tea.pdf"})).bad == []
    assert (here.memories.find("m").text, here.memories.find("m").extra) == (text, {"doc": "tea.pdf"})


def test_of_two_names_of_one_field_ours_counts_and_the_other_is_kept(here: Opened, write: Write) -> None:
    row = {
        "id": "m",
        "text": "緑茶",
        "timestamp": "2023-01-01",
        "stored_at": "2024-03-21",
        "session": 7,
        "session_id": "s",
    }
    assert bring(here, write("notes.jsonl", row)).bad == []
    kept = here.memories.find("m")
    assert (kept.stored_at, kept.session_id) == (datetime(2024, 3, 21, tzinfo=TOKYO), "s")
    assert kept.extra == {"timestamp": "2023-01-01", "session": 7}


@pytest.mark.parametrize("lacking", ["doc", "omoide"])
def test_a_row_with_a_null_in_a_column_of_other_rows_is_a_memory(here: Opened, write: Write, lacking: str) -> None:
    assert bring(here, write("notes.jsonl", {"id": "m", "text": "緑茶", lacking: None})).count("memory", "added") == 1


def test_triples_may_leave_a_list_null(here: Opened, write: Write) -> None:
    rows = {"id": "m", "text": "緑茶"}, {"doc": "m", "entities": ["緑茶"], "triples": None}
    tally = bring(here, write("notes.jsonl", *rows))
    assert (tally.bad, tally.count("entity", "added")) == ([], 1)


def test_a_text_that_is_null_may_be_in_another_column(here: Opened, write: Write) -> None:
    (bad,) = bring(here, write("notes.jsonl", {"text": None, "content": "緑茶"})).bad
    assert "If `content` is its text, " in bad.reason
