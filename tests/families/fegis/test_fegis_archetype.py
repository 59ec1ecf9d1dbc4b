"""Archetype files: what they make, and how they are refused."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omoide.errors import InvalidArgument
from omoide.families.fegis.archetype import MAX_LISTING_CHARS, ArchetypeFile, built_in, load_archetype, read_archetype
from omoide.families.fegis.document import MAX_FILE_BYTES, MAX_VALUES
from omoide.model.memory import Archetype
from omoide.traditional import HANT, told_in
from tests.server.conftest import OMOIDE, environment

DOCS = Path(__file__).parents[3] / "docs"
SIMPLE = """
version: "1.0"
title: simple
parameters:
  Priority: {description: "Task priority level", examples: [low, high]}
  Category: {description: "Type of note"}
tools:
  NoteTaker:
    description: "Capture notes"
    parameters:
      Category:          # required, no default
      Priority: low      # required, with a default hint
    frames:
      summary: {required: true}
      key_points: {type: List, required: true}
      related_topics: {type: List}
"""


def load(text: str) -> ArchetypeFile:
    return read_archetype(text, Path("道具.yaml"))


def schema(parameters: str = "", pool: str = "", frames: str = "") -> dict[str, Any]:
    text = f"parameters: {{{pool}}}\ntools: {{T: {{parameters: {{{parameters}}}, frames: {{{frames}}}}}}}"
    return dict(load(text).tools[0].input_schema)


@pytest.mark.requirement("fegis.archetype.schema")
def test_the_worked_example_makes_its_schema() -> None:
    made = load(SIMPLE).tools[0]
    assert (made.name, made.description) == ("NoteTaker", "Capture notes")
    assert (made.parameters, made.frames) == (("Category", "Priority"), ("summary", "key_points", "related_topics"))
    assert made.input_schema == {
        "type": "object",
        "properties": {
            "Title": {"type": "string", "description": "A clear, descriptive title", "x-required": True},
            "Content": {"type": "string", "description": "The main content", "x-required": True},
            "Context": {
                "type": "string",
                "description": "Relevant context that informed this response",
                "x-required": True,
            },
            "Category": {"type": "string", "description": "Type of note", "x-required": True},
            "Priority": {
                "type": "string",
                "description": "Task priority level",
                "examples": ["low", "high"],
                "default": "low",
                "x-required": True,
            },
            "summary": {"type": "string", "x-required": True},
            "key_points": {"type": "array", "items": {}, "x-required": True},
            "related_topics": {"type": "array", "items": {}},
        },
        "required": ["Category", "Content", "Context", "Priority", "Title", "key_points", "summary"],
        "additionalProperties": False,
    }
    assert list(made.input_schema["properties"])[:3] == ["Title", "Content", "Context"]


@pytest.mark.requirement(
    "fegis.archetype.schema", "fegis.archetype.types", "fegis.archetype.examples", "fegis.archetype.skipped"
)
@pytest.mark.parametrize(
    ("pool", "parameters", "frames", "name", "made"),
    [
        ("P: {type: List}", "P: ", "", "P", {"type": "array", "items": {}, "description": "", "x-required": True}),
        (
            "P: {example_values: [低, 高]}",
            "P: ",
            "",
            "P",
            {"type": "string", "description": "", "examples": ["低", "高"], "x-required": True},
        ),
        (
            "P: {examples: [2025-01-01, .nan, {1: 二}, [2025-01-01, {2: .inf}]], type: Integer}",
            "P: '3'",
            "",
            "P",
            {
                "type": "integer",
                "description": "",
                "examples": ["2025-01-01", "nan", {"1": "二"}, ["2025-01-01", {"2": "inf"}]],
                "default": "3",
                "x-required": True,
            },
        ),
        (
            "P: {examples: 低}",
            "P: ",
            "",
            "P",
            {"type": "string", "description": "", "examples": ["低"], "x-required": True},
        ),
        ("P: {description: 2025}", "P: ", "", "P", {"type": "string", "description": "2025", "x-required": True}),
        ("P: ", "P: 3", "", "P", None),
        ("P: ", "P: true", "", "P", None),
        ("P: ", 'P: ""', "", "P", None),
        ("P: ", "P: [a]", "", "P", None),
        ("", "P: a", "", "P", None),
        ("", "", "要点: {type: BOOLEAN}", "要点", {"type": "boolean"}),
        ("", "", "要点: {required: }", "要点", {"type": "string"}),
        ("", "", "要点: ", "要点", {"type": "string"}),
        ("P: {type: number}", "P: ", "P: {type: object}", "P", {"type": "object"}),
    ],
)
def test_each_parameter_and_frame_makes_its_property(
    pool: str, parameters: str, frames: str, name: str, made: dict[str, Any] | None
) -> None:
    assert schema(parameters, pool, frames)["properties"].get(name) == made


@pytest.mark.requirement("fegis.archetype.skipped")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tools: {T: {parameters: {優先度: 高}}}", "道具.yaml, at tools.T.parameters.優先度: skipped: the top-level"),
        (
            "parameters: {深さ: }\ntools: {T: {parameters: {深さ: 3}}}",
            "at tools.T.parameters.深さ: skipped: 3 is no default.",
        ),
        (
            "parameters: {気分: }\ntools: {T: {parameters: {気分: 良い}, frames: {気分: {type: List}}}}",
            "at tools.T.parameters.気分: skipped: a frame of the same name takes its place.",
        ),
        (
            "tools: {日記を書く: }",
            "at tools.日記を書く: some clients refuse tools with '日記を書く' as a name",
        ),
        ("tools: {T: {frames: {心情: }}}", "at tools.T.frames.心情: some clients refuse tools with '心情' as a name"),
        ("title: 絵文字\nmodes: {Symbol: }", "道具.yaml: modes: not read. Known here: version, title,"),
        ("title: 絵文字\nmodes: {Symbol: }", "道具.yaml: it describes no tool; SearchMemory alone is offered."),
        ("tools: {T: {frame: {f: }}}", "at tools.T: frame: not read. Known here: description, parameters, frames."),
        ("tools: {T: {frames: {f: {description: 説明}}}}", "at tools.T.frames.f: description: not read."),
        ("tools:\n  T:\n  T: {description: 后者}", "道具.yaml: 'T' is written more than once in the lines from 2 on"),
    ],
)
def test_what_has_no_effect_is_named_in_the_log(text: str, said: str, caplog: pytest.LogCaptureFixture) -> None:
    load(text)
    assert said in caplog.text


@pytest.mark.requirement("fegis.archetype.skipped")
def test_nothing_is_said_of_several_mappings_that_are_merged(caplog: pytest.LogCaptureFixture) -> None:
    pool = "parameters:\n  P: &p {type: number}\n  Q: &q {description: 番号}\n  R: {<<: *p, <<: *q}\n"
    (tool,) = load(pool + "tools: {T: {parameters: {R: }}}").tools
    made = {"type": "number", "description": "番号", "x-required": True}
    assert (tool.input_schema["properties"]["R"], caplog.text) == (made, "")


@pytest.mark.requirement("fegis.archetype.version")
@pytest.mark.parametrize(
    ("text", "archetype"),
    [
        ("version: 0.01\ntitle: 心", Archetype("心", "0.01")),
        ("version: '1.10'\ntitle: a", Archetype("a", "1.10")),
        ("version: 1.10\ntitle: 007", Archetype("007", "1.10")),
        ("version:\ntitle:\ntools:", Archetype("unknown", "unknown")),
        ("version: 2025-07-02\ntitle: a", Archetype("a", "2025-07-02")),
        ("tools:", Archetype("unknown", "unknown")),
    ],
)
def test_a_version_is_a_text(text: str, archetype: Archetype) -> None:
    assert load(text) == ArchetypeFile(archetype, ())


@pytest.mark.requirement("fegis.archetype.bom")
def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + SIMPLE.encode())
    assert load_archetype(path).archetype.title == "simple"


@pytest.mark.requirement("fegis.archetype.default")
def test_the_built_in_archetype_has_valid_schemas_and_names_no_other_door_uses() -> None:
    made = built_in()
    for tool in made.tools:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.description
    assert [tool.name for tool in made.tools] == ["StoreMemory", "RecordDecision", "LearnLesson"]


def bomb(line: str, lines: int = 30) -> str:
    """A few lines, each nine times the one before, that would fill any machine once written out."""
    later = (line.format(each=f"a{at}", nine=",".join(9 * [f"*a{at - 1}"])) for at in range(1, lines))
    return "\n".join(["a0: &a0 {k: 爆}", *later])


#: As Python words it.
NO_SUCH_DAY = (
    "day 30 must be in range 1..28 for month 2 in year 2025"
    if sys.version_info >= (3, 14)
    else "day is out of range for month"
)


@pytest.mark.requirement("fegis.archetype.schema")
@pytest.mark.parametrize("name", ["お茶 🍵", "𠮷野家", "茶 🍵", "tea 🍵"])
def test_a_file_written_as_json_makes_the_same_tools(name: str) -> None:
    parameter = {"description": name, "examples": [name]}
    tool = {"description": name, "parameters": {name: name}, "frames": {f"{name}2": None}}
    written = {"version": name, "title": name, "parameters": {name: parameter}, "tools": {name: tool}}
    made = load(json.dumps(written))
    assert made == load(json.dumps(written, ensure_ascii=False))
    assert (made.archetype.title, made.tools[0].name, made.tools[0].parameters) == (name, name, (name,))


@pytest.mark.requirement("fegis.archetype.errors")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "道具.yaml: it is empty."),
        ("- a", "道具.yaml: expected `name: value` lines, found list"),
        ("tools: [", "道具.yaml: Failed to parse YAML: line 1, column 9: while parsing a flow node, expected the node"),
        ("tools: 道具", "at tools: expected `name: value` lines, found str '道具'"),
        ("tools: {T: {frames: [a]}}", "at tools.T.frames: expected `name: value` lines, found list"),
        ("tools: {T: {frames: {f: {type: Liste}}}}", "at tools.T.frames.f: 'Liste' is not a type."),
        ("tools: {T: {frames: {f: {required: 'no'}}}}", "at tools.T.frames.f: `required` is 'no'."),
        ("tools: {T: {frames: {Title: }}}", "at tools.T.frames: Title is always there."),
        ("tools: {SearchMemory: }", "at tools.SearchMemory: a tool cannot be called 'SearchMemory'."),
        (f"tools: {{{300 * '道'}: }}", f": a tool cannot be called '{40 * '道'}'."),
        ("parameters: {P: {type: 数}}\ntools: {T: {parameters: {P: }}}", "at parameters.P: '数' is not a type."),
        ("a: !!python/object:os.system {}", "Failed to parse YAML:"),
        ("tools: {T: {frames: {No: }}}", "at tools.T.frames: a name is missing, or reads as False."),
        ("title: [一]", "at title: expected a single value."),
        ("version: 1\ntitle: 2025-02-30", f"Failed to parse YAML: line 2, column 8: 2025-02-30: {NO_SUCH_DAY}"),
        ("version: 1\ntools: {记笔记: {description: 2024-13-01}}", "line 2, column 28: 2024-13-01"),
        ("version: !!timestamp 昨日", "line 1, column 10"),
        ("version: !!float", "line 1, column 10"),
        ("version: !!int 壱", "line 1, column 10"),
        (r'tools: {T: {description: "お茶 \ud83c"}}', "line 1, column 26: half of a character"),
        (5000 * "[", "lists and mappings are inside one another"),
        ("a: &a [*a]", "it contains itself."),
        (bomb("{each}: &{each} [{nine}]"), f"it stands for more than {MAX_VALUES:,} values."),
        (bomb("{each}: &{each} {{<<: [{nine}]}}"), f"it stands for more than {MAX_VALUES:,} values."),
        (
            "tools: {" + ", ".join(f"道具{number}: " for number in range(1000)) + "}",
            f"more than {MAX_LISTING_CHARS:,} char",
        ),
    ],
)
def test_a_bad_file_is_refused_with_its_path_and_place(text: str, said: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        load(text)
    assert "道具.yaml" in refusal.value.message
    assert said in refusal.value.message
    assert "\n" not in refusal.value.message


@pytest.mark.requirement("fegis.archetype.errors")
@pytest.mark.parametrize(
    ("text", "ja", "zh", "hant"),
    [
        (
            "",
            "archetype のファイル 道具.yaml：空です。少なくとも `tools:` にツールを一つ書いてください。",
            "archetype 文件“道具.yaml”：文件为空。请至少在 `tools:` 中写一个工具。",
            "archetype 檔案「道具.yaml」：檔案為空。請至少在 `tools:` 中寫一個工具。",
        ),
        (
            "tools: 道具箱",
            "archetype のファイル 道具.yaml の tools：`名前: 値` の行を書くところに '道具箱' があります。",
            "archetype 文件“道具.yaml”的“tools”：此处应为“name: value”形式的行，却是 '道具箱'。",
            "archetype 檔案「道具.yaml」的「tools」：此處應為「name: value」形式的行，卻是 '道具箱'。",
        ),
        (
            "tools: {记笔记: {frames: {f: {type: 数组}}}}",
            "道具.yaml の tools.记笔记.frames.f：'数组' という型はありません。使えるもの：list, array,",
            "“道具.yaml”的“tools.记笔记.frames.f”：没有 '数组' 这种类型。可用的有：list, array,",
            "「道具.yaml」的「tools.记笔记.frames.f」：沒有 '数组' 這種類型。可用的有：list, array,",
        ),
        (
            "tools: [",
            "YAML として読めません（line 1, column 9: while parsing",
            "无法作为 YAML 读取（“line 1, column 9: while parsing",
            "無法作為 YAML 讀取（「line 1, column 9: while parsing",
        ),
        (
            "tools: {T: {frames: {f: {required: 'いいえ'}}}}",
            "`required` が 'いいえ' になっています。true か false にしてください。",
            "`required` 是 'いいえ'，应为 true 或 false。",
            "`required` 是 'いいえ'，應為 true 或 false。",
        ),
        (
            "tools: {T: {frames: {Title: }}}",
            "Title は使えません。Title, Content, Context はどのツールにもあります。",
            "不能使用 Title：每个工具都有 Title, Content, Context。请换一个名称。",
            "不能使用 Title：每個工具都有 Title, Content, Context。請換一個名稱。",
        ),
        (
            "tools: {SearchMemory: }",
            "'SearchMemory' はツールの名前に使えません。短い、ほかにない名前にしてください。",
            "'SearchMemory' 不能作为工具的名称。请使用简短且不重复的名称。",
            "'SearchMemory' 不能作為工具的名稱。請使用簡短且不重複的名稱。",
        ),
        (
            "tools: {T: {frames: {No: }}}",
            "名前がないか、False と読まれました。引用符で囲んでください",
            "缺少名称，或被读作“False”。请加上引号",
            "缺少名稱，或被讀作「False」。請加上引號",
        ),
        ("title: [一]", "の title：値は一つにしてください。", "的“title”：应为单个值。", "的「title」：應為單個值。"),
        ("a: &a [*a]", "自分自身を含んでいます。", "包含自身。", "包含自身。請去掉指回其所在位置的別名。"),
        (
            bomb("{each}: &{each} [{nine}]"),
            "展開すると値が 20,000 個を超えます。分けてください。エイリアスを減らしてもかまいません。",
            "展开后超过 20,000 个值。请拆分文件。也可以减少别名。",
            "展開後超過 20,000 個值。請拆分檔案。也可以減少別名。",
        ),
        (
            "tools: {" + ", ".join(f"道具{number}: " for number in range(1000)) + "}",
            "ツールの記述が 200,000 文字を超えています。",
            "工具的描述超过 200,000 个字符。",
            "工具的描述超過 200,000 個字元。",
        ),
    ],
)
def test_a_bad_file_is_refused_in_japanese_and_chinese_too(text: str, ja: str, zh: str, hant: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        load(text)
    also = refusal.value.also
    told = {language: told_in(also, language) or "" for language in ("ja", "zh", HANT)}
    assert (ja in told["ja"], zh in told["zh"], hant in told[HANT]) == (True, True, True), told


@pytest.mark.requirement("fegis.archetype.errors")
@pytest.mark.parametrize(
    ("raw", "said", "ja", "zh"),
    [
        (None, "Archetype file not found: ", "がありません。", "没有文件"),
        (
            b"title: \xff",
            "it is not UTF-8 (byte 7).",
            "UTF-8 ではありません（7 バイト目）。",
            "不是 UTF-8（第 7 字节）。",
        ),
        (
            b"#" * (MAX_FILE_BYTES + 1),
            "it is larger than 250,000 bytes.",
            "250,000 バイトを超えています。分けてください。",
            "超过 250,000 字节。请拆分文件。",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_path(
    tmp_path: Path, raw: bytes | None, said: str, ja: str, zh: str
) -> None:
    path = tmp_path / "a.yaml"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(InvalidArgument) as refusal:
        load_archetype(path)
    also = refusal.value.also
    for words, told in ((said, refusal.value.message), (ja, also["ja"]), (zh, also["zh"])):
        assert words in told
        assert str(path) in told


@pytest.mark.requirement("fegis.archetype.errors")
def test_a_folder_is_not_an_archetype(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="it cannot be read") as refusal:
        load_archetype(tmp_path)
    assert refusal.value.also["ja"].endswith("：フォルダーです。")
    assert refusal.value.also["zh"].endswith("：这是文件夹。")


@pytest.mark.requirement("fegis.archetype.errors")
def test_a_refused_file_ends_the_start_with_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "爆弾.yaml"
    path.write_text(bomb("{each}: &{each} [{nine}]"), encoding="utf-8")
    command = [*OMOIDE, "serve", "--data", str(tmp_path / "store"), "--archetype", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode != 0
    assert "爆弾.yaml: it stands for more than 20,000 values. Split it" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.requirement("fegis.archetype.file")
def test_the_example_of_the_documentation_makes_its_tool() -> None:
    (example,) = re.findall(r"```yaml\n(.+?)```", (DOCS / "archetypes.md").read_text(encoding="utf-8"), re.DOTALL)
    [made] = load(example).tools
    assert made.input_schema["required"] == ["Category", "Content", "Context", "Priority", "Title", "summary"]
    assert (made.parameters, made.frames) == (("Category", "Priority"), ("summary", "key_points"))
