"""What an import says of a row or a file that it leaves out, in each language."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from datetime import timezone
from pathlib import Path

import pytest

import omoide
from omoide.model.memory import MAX_TEXT_CHARS
from omoide.transfer import import_files
from omoide.transfer.files import items_of
from omoide.transfer.reasons import BadRow

THREAD = '{"omoide": "thread", "id": "旅", "name": "旅"'
ENTITY = '{"omoide": "entity", "id": "茶", "entity_class": "node", "name": "龙井", "type": "concept", '
ENTITY += '"created_at": "2024-03-21", "updated_at": "2024-03-21"'
RELATION = '{"omoide": "relation", "id": "r", "type": "知る", "created_at": "2024-03-21", '
RELATION += '"source": {"kind": "memory", "id": "m1"}'

#: (content of the file, what is said in Japanese, in Chinese); the English is in test_load.
LINES = [
    ('{"text": "記憶"', "JSON ではありません（14 文字目）。", "不是 JSON（第 14 个字符）。"),
    ('{"text": "茶", "n": NaN}', "JSON の数ではないか、大きすぎる数があります。", "有的数字不是 JSON 的数字，或过大。"),
    (
        '{"text": "茶", "n": 1e999}',
        "JSON の数ではないか、大きすぎる数があります。",
        "有的数字不是 JSON 的数字，或过大。",
    ),
    ('"记忆"', "JSON のオブジェクトではありません。", "不是 JSON 对象。"),
    (
        '["记忆"]',
        "JSON のオブジェクトではなく配列です。`jq -c '.[]' FILE | omoide import -` で中身を取り込めます。",
        "这是 JSON 数组，不是对象。其中的对象请用 `jq -c '.[]' FILE | omoide import -` 导入。",
    ),
    (
        '{"id": "x"}',
        "`text`（記憶）も `doc`（記憶の三つ組）もありません。",
        "缺少 `text`（记忆）或 `doc`（记忆的三元组）。",
    ),
    (
        '{"memory": "茶"}',
        "`text`（記憶）も `doc`（記憶の三つ組）もありません。`memory` が本文なら、"
        "`jq -c '.text = .memory | del(.memory)' FILE | omoide import -` で取り込めます。",
        "缺少 `text`（记忆）或 `doc`（记忆的三元组）。如果 `memory` 是文本，请用 "
        "`jq -c '.text = .memory | del(.memory)' FILE | omoide import -` 导入。",
    ),
    (
        '{"text": "\\ud83d"}',
        "文字が途中で切れています（サロゲートペアの片方だけです）。文字全体を送るか、取り除いてください。",
        "含有不完整的字符（只有代理对的一半），请发送完整的字符或将其去掉。",
    ),
    ("[" * 100_000, "入れ子が深すぎます。", "嵌套过深。"),
    (
        '{"text": "茶", "text": "紅茶"}',
        "'text' が二度以上あります。どれかが失われるので、一つにしてください。",
        "“'text'”出现了不止一次，其中有的会丢失。请只保留一个。",
    ),
    ('{"text": "  "}', "text が必要です。", "缺少 text。"),
    ('{"text": null}', "text が必要です。", "缺少 text。"),
    (f"{THREAD}}}", "type, created_at, updated_at が必要です。", "缺少 type, created_at, updated_at。"),
    (
        f'{{"text": "{"茶" * (MAX_TEXT_CHARS + 1)}"}}',
        "text は 1,000,000 文字までです（1,000,001 文字ありました）。",
        "text 最多 1,000,000 个字符（现有 1,000,001 个）。",
    ),
    (
        f'{{"text": "茶", "id": "{"x" * 201}"}}',
        "id は 200 文字までです（201 文字ありました）。",
        "id 最多 200 个字符（现有 201 个）。",
    ),
    ('{"text": "茶", "id": ""}', "id が必要です。", "缺少 id。"),
    (
        '{"text": "茶", "importance": 2}',
        "importance が 2.0 になっています。0 以上 1 以下にしてください。",
        "importance 是 2.0，应在 0 到 1 之间。",
    ),
    ('{"text": 3}', "text に 3 は使えません：文字列にしてください。", "text 不能是“3”：应为字符串。"),
    (
        '{"text": "茶", "tags": "旅"}',
        "tags に '旅' は使えません：配列にしてください。",
        "tags 不能是“'旅'”：应为数组。",
    ),
    (
        '{"text": "茶", "extra": 3}',
        "extra に 3 は使えません：オブジェクトにしてください。",
        "extra 不能是“3”：应为对象。",
    ),
    (
        '{"text": "茶", "confidence": true}',
        "confidence に True は使えません：数値にしてください。",
        "confidence 不能是“True”：应为数字。",
    ),
    (
        f'{RELATION}, "target": {{"kind": "memory", "id": "m1"}}, "weight": NaN}}',
        "weight に nan は使えません：保存できない数です。",
        "weight 不能是“nan”：这个数字无法保存。",
    ),
    (
        '{"text": "茶", "access_count": 1.5}',
        "access_count に 1.5 は使えません：整数にしてください。",
        "access_count 不能是“1.5”：应为整数。",
    ),
    (
        '{"text": "茶", "access_count": 9223372036854775808}',
        "access_count に 9223372036854775808 は使えません：64 ビットに収まりません。",
        "access_count 不能是“9223372036854775808”：超过 64 位。",
    ),
    (
        '{"text": "茶", "access_count": -1}',
        "access_count に -1 は使えません：0 以上にしてください。",
        "access_count 不能是“-1”：不能小于 0。",
    ),
    *(
        (
            f'{{"text": "茶", "timestamp": {written}}}',
            f"timestamp に {shown} は使えません：ISO 8601 の時刻（2024-03-21、2024-03-21T09:30:00+09:00 など）に"
            "してください。",
            f"timestamp 不能是“{shown}”：应为 ISO 8601 时间，例如 2024-03-21 或 2024-03-21T09:30:00+09:00。",
        )
        for written, shown in (('"昨日"', "'昨日'"), ("7", "7"))
    ),
    (
        '{"text": "茶", "timestamp": "0001-01-01T00:00:00+14:00"}',
        "timestamp に '0001-01-01T00:00:00+14:00' は使えません：UTC で 1 年から 9999 年までの時刻にしてください。",
        "timestamp 不能是“'0001-01-01T00:00:00+14:00'”：应在 UTC 1 年至 9999 年之间。",
    ),
    (
        '{"text": "茶", "archetype": {"名": 1}}',
        "archetype に {'名': 1} は使えません：'名' は使えません。使えるもの：title, version, schema_version。",
        "archetype 不能是“{'名': 1}”：没有字段“'名'”，可用的有：title, version, schema_version。",
    ),
    (
        '{"text": "茶", "archetype": {"title": "茶"}}',
        "archetype に {'title': '茶'} は使えません：version が必要です。",
        "archetype 不能是“{'title': '茶'}”：缺少 version。",
    ),
    (
        ENTITY.replace('"node"', '"茶"') + "}",
        "entity_class に '茶' は使えません：次のどれかにしてください：entity, node。",
        "entity_class 不能是“'茶'”：只能是以下之一：entity, node。",
    ),
    (
        f'{RELATION}, "target": {{"kind": "茶"}}}}',
        "target に {'kind': '茶'} は使えません：kind は memory か entity にしてください。",
        "target 不能是“{'kind': '茶'}”：其 kind 只能是 memory 或 entity。",
    ),
    (
        '{"omoide": "夢"}',
        "この版の omoide は '夢' という種類を知りません。",
        "此版本的 omoide 没有“'夢'”这一类型。",
    ),
    (
        '{"omoide": "export", "format": 99}',
        "エクスポートの形式は 99 ですが、この版で読めるのは 1 です。omoide を更新してください。",
        "导出文件的格式是“99”，此版本只能读取 1。请更新 omoide。",
    ),
    ('{"doc": "m1", "entities": 3}', "entities は配列にしてください。", "entities 应为数组。"),
    (
        '{"doc": "m1", "entities": [3]}',
        "entities：3 は 1〜200 文字の名前ではありません。",
        "entities：“3”不是 1～200 个字符的名称。",
    ),
    (
        '{"doc": "m1", "relations": [["茶", "は", "飲み物"]]}',
        "triples に 'relations' というフィールドはないので、そこだけ取り込みませんでした。使えるもの：doc, entities, triples。",
        "triples 没有字段“'relations'”，该字段未导入。可用的有：doc, entities, triples。",
    ),
    (
        '{"doc": "m1", "triples": [["茶"]]}',
        "triples：['茶'] は、それぞれ 1〜200 文字の名前である三つの文字列ではありません。",
        "triples：“['茶']”不是三个字符串（每个是 1～200 个字符的名称）。",
    ),
    (
        '{"doc": "無い"}',
        "記憶 無い がありません。先にその記憶を取り込んでください。",
        "没有记忆“無い”。请先导入它。",
    ),
    (
        f'{RELATION}, "target": {{"kind": "memory", "id": "m1"}}, "memory_id": "無い"}}',
        "memory_id：記憶 無い がありません。",
        "memory_id：没有记忆“無い”。",
    ),
    (
        f'{ENTITY}, "memory_id": "無い"}}',
        "memory_id：記憶 無い がないので、エンティティだけを保存しました。",
        "memory_id：没有记忆“無い”，只保存了实体。",
    ),
    (
        f'{RELATION}, "target": {{"kind": "entity", "id": "無い"}}}}',
        "無い がありません。関係の前に保存してください。",
        "没有“無い”。请在关系之前保存它。",
    ),
    (
        "\n".join(
            (
                ENTITY + "}",
                ENTITY.replace("龙井", "抹茶").replace('"id": "茶"', '"id": "a"') + "}",
                ENTITY.replace('"id": "茶"', '"id": "a"') + "}",
            )
        ),
        "龙井（concept）はすでにあります（ID：茶）。それを変更するか、別の名前か type にしてください。",
        "已有“龙井”（concept），ID 为“茶”。请更新它，或使用其他名称或 type。",
    ),
    *(
        (
            f'{{"omoide": "thread", "id": "{id}", "name": "旅", "type": "normal", '
            '"created_at": "2024-03-21", "updated_at": "2024-03-21"}',
            ja,
            zh,
        )
        for id, ja, zh in (
            ("", "id が必要です。", "缺少 id。"),
            ("旅" * 201, "id は 200 文字までです（201 文字ありました）。", "id 最多 200 个字符（现有 201 个）。"),
        )
    ),
    (
        '{"text": "日記"}'.encode("shift_jis"),
        "UTF-8 ではありません（11 バイト目）。ファイルを変換してから取り込んでください。",
        "不是 UTF-8（第 11 字节）。请转换文件后再导入。",
    ),
    (
        '{"text": "日記"}'.encode("iso2022_jp"),
        "UTF-8 ではなく、ISO-2022-JP のようです。ファイルを変換してから取り込んでください。",
        "不是 UTF-8，可能是 ISO-2022-JP。请转换文件后再导入。",
    ),
    (
        '{"text": "日記"}'.encode("utf-16-le"),
        "UTF-16LE です。`iconv -f UTF-16LE -t UTF-8` などで変換してから取り込んでください。",
        "这是 UTF-16LE。请转换后再导入，例如 `iconv -f UTF-16LE -t UTF-8`。",
    ),
    (
        gzip.compress("日記".encode()),
        "圧縮されています。`zcat FILE | omoide import -` のように展開してください。",
        "这是压缩文件。请解压，例如 `zcat FILE | omoide import -`。",
    ),
]
NOTES = [
    (
        '{"omoide": "export", "format": 1}',
        "ノートではなく、`omoide export` が書いたものです。名前を .jsonl にするか、`omoide import - < FILE` で"
        "取り込んでください。",
        "这不是笔记，而是 `omoide export` 写入的文件。请将名称改为 .jsonl，或用 `omoide import - < FILE` 导入。",
    ),
    (
        "日記".encode("shift_jis"),
        "UTF-8 ではありません（1 バイト目）。ファイルを変換してから取り込んでください。",
        "不是 UTF-8（第 1 字节）。请转换文件后再导入。",
    ),
    (
        "日記\0",
        "テキストではありません（値が 0 のバイトがあります）。",
        "不是文本（其中有值为 0 的字节）。",
    ),
]
LARGE = [
    (".jsonl", "行が 9 バイトを超えています。", "此行超过 9 字节。"),
    (".md", "ファイルが 9 バイトを超えています。分けて取り込んでください。", "文件超过 9 字节。请分成几个文件导入。"),
]


def told(folder: Path, name: str, content: str | bytes) -> Mapping[str, str]:
    """What is said of the last row of the file that is left out."""
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with omoide.open(folder / "store") as memories:
        memories.remember("抹茶", id="m1")
        return import_files(memories, [file]).bad[-1].also


@pytest.mark.parametrize(("content", "ja", "zh"), LINES, ids=[ja[:40] for _, ja, _ in LINES])
def test_a_bad_line_is_told_in_japanese_and_chinese(content: str | bytes, ja: str, zh: str, tmp_path: Path) -> None:
    assert told(tmp_path, "日記.jsonl", content) == {"ja": ja, "zh": zh}


@pytest.mark.parametrize(("content", "ja", "zh"), NOTES)
def test_a_bad_note_is_told_in_japanese_and_chinese(content: str | bytes, ja: str, zh: str, tmp_path: Path) -> None:
    assert told(tmp_path, "笔记.md", content) == {"ja": ja, "zh": zh}


@pytest.mark.parametrize(("kind", "ja", "zh"), LARGE)
def test_a_line_or_note_that_is_too_large_is_told_in_japanese_and_chinese(
    kind: str, ja: str, zh: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("lines", "notes"):
        monkeypatch.setattr(f"omoide.transfer.{module}.MOST_BYTES", 9)
    assert told(tmp_path, f"日記{kind}", "京都で抹茶") == {"ja": ja, "zh": zh}


def test_a_file_that_cannot_be_read_is_told_in_japanese_and_chinese(tmp_path: Path) -> None:
    gone = tmp_path / "消えた.jsonl"
    (bad,) = items_of(gone, zone=timezone.utc, scope="旅")
    assert isinstance(bad, BadRow)
    assert bad.also == {"ja": "ファイルかフォルダーがありません。", "zh": "没有这个文件或文件夹。"}
