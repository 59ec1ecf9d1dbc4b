"""In which language a person is told what went wrong: as it was typed, else as the setting or the locale has it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.cli import main, parser
from omoide.cli.common import settings_of
from omoide.cli.translation import translation
from omoide.errors import StoreError, StoreFull, StoreReadOnly, StoreTooNew

NO_STORE = {
    "en": "omoide: There is no store in {data}.\nName its folder with --data, or fill one with `omoide import`.\n",
    "ja": "{data} に記憶の保存先がありません。--data でフォルダーを指定するか、`omoide import` で取り込んでください。\n",
    "zh": "“{data}”中没有记忆的存储。请用 --data 指定文件夹，或用 `omoide import` 导入。\n",
    "zh-Hant": "「{data}」中沒有記憶的儲存區。請用 --data 指定資料夾，或用 `omoide import` 匯入。\n",
}


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has been told nothing of languages."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "OMOIDE_LANGUAGE", "OMOIDE_DATA"):
        monkeypatch.delenv(name, raising=False)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "environ", "language"),
    [
        (["search", "京都で飲んだお茶"], {}, "ja"),
        (["search", "上周的会议记录"], {}, "zh"),
        (["search", "上週的會議記錄"], {}, "zh-Hant"),
        (["search", "where did we park"], {}, "en"),
        (["search", "where did we park"], {"LANG": "en_US.UTF-8"}, "en"),
        (["search", "where did we park"], {"LANG": "C.UTF-8"}, "en"),
        (["stats"], {"LANG": "ja_JP.UTF-8"}, "ja"),
        (["stats"], {"LANG": "zh_CN.UTF-8"}, "zh"),
        (["stats"], {"LANG": "zh_TW.UTF-8"}, "zh-Hant"),
        (["stats"], {"LANG": "en_US.UTF-8", "LC_ALL": "zh_HK"}, "zh-Hant"),
        (["stats"], {"LANG": "en_US.UTF-8", "OMOIDE_LANGUAGE": "ja"}, "ja"),
        (["stats", "--language", "zh"], {"LANG": "ja_JP.UTF-8"}, "zh"),
        (["search", "会議"], {"LANG": "ja_JP.UTF-8"}, "ja"),
        (["search", "お茶"], {"LANG": "zh_CN.UTF-8"}, "ja"),
    ],
)
def test_an_error_is_told_in_the_language_of_whoever_typed(
    words: list[str],
    environ: dict[str, str],
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    data = tmp_path / "none"
    english = NO_STORE["en"].format(data=data)
    beside = "" if language == "en" else NO_STORE[language].format(data=data)
    assert told(capsys, *words, "--data", str(data)) == english + beside


@pytest.mark.parametrize("environ", [{}, {"LANG": "en_US.UTF-8"}])
def test_no_example_of_ours_makes_an_error_chinese(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    said = told(capsys, "call", "search_memory", "--arguments", "[tea]")
    assert said.splitlines()[1:] == ['Pass an object such as {"query": "tea"}.']


JA, ZH, TW = "ja_JP.UTF-8", "zh_CN.UTF-8", "zh_TW.UTF-8"
ISSUER = (
    *("serve", "--http", "--public-url", "http://127.0.0.1/mcp"),
    *("--oauth-issuer", "https://a.example", "--oauth-jwks"),
)


@pytest.mark.parametrize(
    ("locale", "words", "said"),
    [
        (JA, ["import", "{there}/無い.jsonl"], "ファイル {there}/無い.jsonl がありません。"),
        (ZH, ["import", "{there}/没有.jsonl"], "没有文件“{there}/没有.jsonl”。"),
        (
            JA,
            ["import", "{there}/写真.png"],
            "{there}/写真.png は取り込めない種類のファイルです。取り込めるもの：.json",
        ),
        (ZH, ["import", "{there}"], "文件夹“{there}”中没有笔记（.md、.markdown、.txt）。"),
        (JA, ["restore", "{there}/写真.png"], "{there}/写真.png は壊れているか、omoide のバックアップではありません。"),
        (ZH, ["restore", "{there}/没有.zip"], "没有文件“{there}/没有.zip”。"),
        (JA, ["backup", "{there}/全部.zip"], "{there}/data に記憶の保存先がありません。"),
        (ZH, ["call", "no_such_tool"], "没有工具“no_such_tool”。"),
        (JA, ["tools", "--tools", "no_such_tool"], "no_such_tool というツールもファミリーもありません。"),
        (ZH, ["tools", "--tools", "没有"], "没有名为“没有”的工具或工具组。"),
        (JA, ["models", "pull", "無い"], "無い というモデルは登録されていません。"),
        (ZH, ["models", "pull", "没有"], "没有名为“没有”的模型。"),
        (JA, ["serve", "--http", "--host", "0.0.0.0"], "0.0.0.0 にはほかのマシンから接続でき、誰でも"),
        (ZH, ["serve", "--http", "--host", "0.0.0.0"], "其他机器可以连接“0.0.0.0”，任何人都能读写全部记忆。"),
        (JA, ["serve", "--port", "1"], "--port は HTTP で提供するときだけ使えます。"),
        (ZH, ["stats", "--zone", "京都"], "“--zone”不能是 '京都'。应为 IANA 时区名，例如 Asia/Tokyo、"),
        (JA, ["serve", "--http", "--port", "70000"], "--port に '70000' は使えません。ポートは 0 から 65535 までです"),
        (TW, ["serve", "--http", "--port", "八"], "「--port」不能是 '八'。應為連接埠號碼。"),
        (ZH, ["serve", "--http", "--rate-limit", "多"], "“--rate-limit”不能是 '多'。应为 1 到 1000000 的整数。"),
        (
            JA,
            ["serve", "--japanese", "mecab"],
            "--japanese に 'mecab' は使えません。sudachi か fugashi にしてください。",
        ),
        (TW, ["stats", "--week-starts", "週日"], "「--week-starts」不能是 '週日'。應為 monday, sunday 或 saturday。"),
        (ZH, ["serve", "--session-idle-minutes", "0"], "应大于 0 且不超过 100000（单位：分钟）。"),
        (
            JA,
            ["serve", "--http", "--public-url", "[例"],
            "https://memory.example.org/mcp のような URL にしてください。",
        ),
        (JA, ["search", "tea", "--limit", "0"], "--limit は 1 以上"),
        (ZH, ["call", "search_memory", "=会议"], "不是 名称=值 的形式。"),
        (JA, ["call", "search_memory", "--arguments", "会議"], "--arguments には JSON のオブジェクトを"),
        (ZH, ["call", "search_memory", "--arguments", '["会议"]'], "--arguments 应为 JSON 对象，例如 "),
        (JA, ["models", "pull"], "モデルの名前（NAME）が必要です。`omoide models list` で一覧が出ます。"),
        (ZH, ["models", "pull"], "缺少模型名称（NAME）。"),
        (JA, ["models", "list", "ruri"], "`omoide models list` に NAME は使えません。"),
        (ZH, ["models", "pull", "ruri", "--json"], "`omoide models pull` 不能使用 --json。"),
        (JA, ["models", "pull", "ruri", "--from", "{there}"], "{there} にモデルがありません。"),
        (ZH, ["models", "pull", "ruri", "--from", "{there}/没有"], "“{there}/没有”中没有模型。"),
        (JA, ["serve", "--http", "--tokens", "{there}/写真.png"], "{there}/写真.png はトークンとして読めません。"),
        (ZH, ["serve", "--http", "--tokens", "{there}"], "“{there}”不是普通文件。"),
        (ZH, ["serve", "--http", "--tokens", "{there}/没有"], "无法读写“{there}/没有”：没有这个文件或文件夹。"),
        (
            JA,
            ["serve", "--http", "--oauth-issuer", "https://a.example"],
            "oauth_issuer には oauth_jwks も必要です。`omoide serve --help`",
        ),
        (ZH, ["serve", "--http", "--oauth-audience", "会议"], "oauth_audience 还需要 oauth_issuer。"),
        (JA, ["import", "{there}/茶.md", "--embedder", "mecab"], "embedder に mecab は使えません。"),
        (ZH, ["import", "{there}/茶.md", "--embedder", "onnx:没有"], "中没有名为“没有”的模型。"),
        (JA, ["import", "{there}/茶.md", "--embedder", "onnx:{there}"], "{there} はモデルとして使えません。"),
        (ZH, ["import", "{there}/茶.md", "--embedder", "static:{there}"], "“{there}”不能作为模型使用。"),
        (JA, ["import", "{there}/茶.md", "--embedder", "http://"], "http:// は URL として使えません。"),
        (ZH, ["import", "{there}/茶.md", "--embedder", "http://a:b@x.example"], "embedder 的 URL 中有密码。"),
        (JA, ["models", "pull", ".", "--from", "{there}/模型"], ". はフォルダーの名前にできません。"),
        (ZH, ["models", "pull", "a/b", "--from", "{there}/模型"], "“a/b”不能作为文件夹的名称。"),
        (JA, [*ISSUER, "ftp://a.example"], "oauth_jwks に ftp://a.example は使えません。"),
        (ZH, [*ISSUER, "https://a.example:x"], "oauth_jwks 不能是“https://a.example:x”。"),
        (ZH, [*ISSUER, "{there}/没有"], "没有文件“{there}/没有”。"),
        (TW, [*ISSUER, "{there}/沒有"], "沒有檔案「{there}/沒有」。"),
        (TW, ["import", "{there}/茶.md", "--embedder", "onnx:{there}"], "「{there}」不能作為模型使用。"),
        (JA, ["import", "{there}/管"], "{there}/管 は通常のファイルではありません。"),
        (JA, ["tools", "--archetype", "{there}/道具.yaml"], "ファイル {there}/道具.yaml がありません。"),
        (ZH, ["tools", "--archetype", "{there}/工具.yaml"], "没有文件“{there}/工具.yaml”。"),
        (JA, ["tools", "--archetype", "{there}/管"], "archetype のファイル {there}/管：通常のファイルではありません。"),
        (
            ZH,
            ["tools", "--archetype", "{there}/写真.png"],
            "archetype 文件“{there}/写真.png”：不是 UTF-8（第 0 字节）。",
        ),
        (TW, ["tools", "--archetype", "{there}"], "archetype 檔案「{there}」：這是資料夾。"),
        (
            JA,
            ["tools", "--tools", "recalnest"],
            "recalnest というツールもファミリーもありません。recallnest ではありませんか。",
        ),
        (ZH, ["tools", "--tools", "recalnest"], "没有名为“recalnest”的工具或工具组。您要的是否是 recallnest？"),
        (JA, ["call", "serch_memory"], "ツール serch_memory はありません。search_memory ではありませんか。"),
        (ZH, ["call", "serch_memory"], "没有工具“serch_memory”。您要的是否是 search_memory？"),
        (JA, ["models", "pull", "bge-m"], "bge-m というモデルは登録されていません。bge-m3 ではありませんか。ほかの"),
        (ZH, ["models", "pull", "bge-m"], "没有名为“bge-m”的模型。您要的是否是 bge-m3？其他模型可用"),
    ],
)
def test_what_people_meet_most_is_told_in_japanese_and_chinese(
    locale: str,
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LANG", locale)
    (tmp_path / "写真.png").write_bytes(b"\x89PNG")
    os.mkfifo(tmp_path / "管")
    if "--embedder" in words:  # elsewhere the folder has no notes
        (tmp_path / "茶.md").touch()
    (tmp_path / "模型" / "onnx").mkdir(parents=True)
    (tmp_path / "模型" / "onnx" / "model.onnx").touch()
    told_now = told(capsys, *(word.format(there=tmp_path) for word in words), "--data", str(tmp_path / "data"))
    english, last = told_now.splitlines()[0], told_now.splitlines()[-1]
    assert english.startswith("omoide: ")
    assert said.format(there=tmp_path) in last


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        (JA, "{file} を読み書きできません：ファイルかフォルダーがありません。"),
        (ZH, "无法读写“{file}”：没有这个文件或文件夹。"),
        ("en_US", "Name a file that this user may write."),
    ],
)
def test_a_file_of_tokens_that_cannot_be_written_is_told_in_the_language_of_the_locale(
    locale: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANG", locale)
    file = tmp_path / "missing" / "tokens.jsonl"
    lines = told(capsys, "token", str(file), "alice").splitlines()
    assert lines[0] == f"omoide: {file} cannot be written: No such file or directory."
    assert lines[-1] == said.format(file=file)


@pytest.mark.parametrize(
    ("code", "file", "locale", "said"),
    [
        (errno.EACCES, "思い出.jsonl", JA, "思い出.jsonl を読み書きできません：権限がありません。"),
        (errno.EACCES, "笔记.jsonl", ZH, "无法读写“笔记.jsonl”：没有权限。"),
        (errno.ENOSPC, None, "zh_TW.UTF-8", "磁碟已滿。"),
        (errno.ELOOP, "輪", JA, "輪 を読み書きできません：リンクをたどると元に戻ってしまいます。"),
        (errno.ELOOP, "环", "zh_TW.UTF-8", "無法讀寫「环」：連結繞回了自身。"),
        (errno.EMFILE, "茶", JA, "茶 を読み書きできません：Too many open files。"),
        (errno.EACCES, "tea.jsonl", "en_US", ""),
    ],
)
def test_what_the_system_refuses_is_told_in_the_language_of_the_locale(
    code: int, file: str | None, locale: str, said: str
) -> None:
    assert translation(OSError(code, os.strerror(code), file), ["stats"], None, {"LANG": locale}) == said


def test_an_error_is_told_by_the_settings_that_the_command_ran_with(tmp_path: Path) -> None:
    arguments = parser().parse_args(["search", "抹茶", "--data", str(tmp_path)])
    file = tmp_path / "omoide.yaml"
    for language in ("ja", "zh"):
        file.write_text(f"language: {language}", encoding="utf-8")
        assert settings_of(arguments).language == "ja"


@pytest.mark.parametrize(
    ("locale", "said"),
    [(JA, "フォルダー {folder} がありません。"), (ZH, "没有文件夹“{folder}”。"), ("en_US", "Make it first.")],
)
def test_a_backup_into_a_folder_that_is_not_there_is_refused_in_the_language_of_the_locale(
    locale: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANG", locale)
    folder = tmp_path / "missing"
    with open_memories(tmp_path / "data") as memories:
        memories.remember("抹茶")
    assert (
        told(capsys, "backup", str(folder / "all.zip"), "--data", str(tmp_path / "data"))
        .splitlines()[-1]
        .startswith(said.format(folder=folder))
    )


@pytest.mark.parametrize(
    ("content", "environ", "said"),
    [
        ("prot: 1", {"OMOIDE_LANGUAGE": "ja"}, "{file}: prot という設定はありません。port ではありませんか。"),
        ("prot: 1", {"LANG": ZH}, "“{file}”：没有“prot”这一设置。您要的是否是 port？"),
        ("設定: 1", {"OMOIDE_LANGUAGE": "ja"}, "設定 という設定はありません。使えるもの：agent_id, archetype,"),
        ("設定: 1", {"LANG": TW}, "沒有「設定」這一設定。可用的有：agent_id, archetype,"),
        ("token: 0042", {"LANG": JA}, "token に *** は使えません。文字列にしてください。引用符で囲まないと、"),
        ('models: "~\\0"', {"LANG": ZH}, "含有路径中不能使用的字符。"),
        ("zone: 北京时间", {}, "不能是 '北京时间'。"),
        (
            "data: 別の記憶",
            {"LANG": JA},
            "data は {file} に書けません。OMOIDE_DATA か --data を使って",
        ),
        ("- 一\n- 二", {"LANG": ZH}, "“{file}”无法作为设置读取。"),
        ("port: [", {"LANG": JA}, "{file} は設定として読めません。"),
    ],
)
def test_a_file_of_settings_that_cannot_be_used_is_told_in_japanese_and_chinese(
    content: str,
    environ: dict[str, str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / "omoide.yaml"
    file.write_text(content, encoding="utf-8")
    last = told(capsys, "stats", "--data", str(tmp_path)).splitlines()[-1]
    assert said.format(file=file) in last
    assert "ひみつ" not in last


def test_two_tools_of_one_name_are_told_of_in_the_language_of_the_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archetype = tmp_path / "道具.yaml"
    archetype.write_text("tools: {search_memory: }", encoding="utf-8")
    for locale, said in (
        (JA, "fegis と recallnest のどちらにも 'search_memory' というツールがあります。archetype のファイルに"),
        (ZH, "fegis 和 recallnest 都有名为 'search_memory' 的工具。请更改 archetype 文件"),
    ):
        monkeypatch.setenv("LANG", locale)
        assert main(["tools", "--archetype", str(archetype), "--data", str(tmp_path / "data")]) == 1
        assert capsys.readouterr().err.splitlines()[-1].startswith(said)


def test_a_restore_over_a_store_is_refused_in_the_language_of_the_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, backup = tmp_path / "data", tmp_path / "all.zip"
    with open_memories(data):
        pass
    assert main(["backup", str(backup), "--data", str(data)]) == 0
    for locale, said in ((JA, f"{data} にはすでに記憶の保存先があり"), (ZH, f"“{data}”中已有记忆的存储")):
        monkeypatch.setenv("LANG", locale)
        capsys.readouterr()
        assert main(["restore", str(backup), "--data", str(data)]) == 1
        assert capsys.readouterr().err.splitlines()[-1].startswith(said)


ROWS = {
    "en": "",
    "ja": "  text に ['记忆'] は使えません：文字列にしてください。\n",
    "zh": "  text 不能是“['记忆']”：应为字符串。\n",
    "zh-Hant": "  text 不能是「['记忆']」：應為字串。\n",
}
ENDS = {
    "en": ("", "", ""),
    "ja": ("  ほかに 1 件\n", "  51 件を取り込めませんでした。\n", "  取り込むものがありません。\n"),
    "zh": ("  另有 1 项\n", "  有 51 项无法导入。\n", "  没有可以导入的内容。\n"),
    "zh-Hant": ("  另有 1 項\n", "  有 51 項無法匯入。\n", "  沒有可以匯入的內容。\n"),
}


PARTLY = {
    "en": "",
    "ja": "  1 件は、上に示した部分を除いて取り込みました。\n",
    "zh": "  有 1 项已导入，但不含上面指出的部分。\n",
    "zh-Hant": "  有 1 項已匯入，但不含上面指出的部分。\n",
}


@pytest.mark.parametrize(("lang", "language"), [("en_US.UTF-8", "en"), (JA, "ja"), (ZH, "zh"), (TW, "zh-Hant")])
def test_a_row_that_is_imported_but_for_a_part_is_not_said_to_be_left_out(
    lang: str,
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LANG", lang)
    file = tmp_path / "corpus.jsonl"
    triples = [["健太", "住む", "京都"], ["小红", "住在"], [1, 2, 3]]
    rows = [{"id": "m", "text": "健太と小红"}, {"doc": "m", "entities": [""], "triples": triples}]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    command = ["import", str(file), "--data", str(tmp_path / "data")]
    assert main(command) == 1
    told = capsys.readouterr()
    assert told.err.count(f"{file}:2: ") == 3
    assert told.err.endswith(f"omoide: 1 imported without what is named above\n{PARTLY[language]}")
    assert "could not be imported" not in told.err
    assert main([*command, "--json"]) == 1
    bad = json.loads(capsys.readouterr().out)["bad"]
    assert [(each["place"], each["partly"]) for each in bad] == [(f"{file}:2", True)] * 3


@pytest.mark.parametrize(
    ("name", "environ", "language"),
    [
        ("corpus", {}, "en"),
        ("corpus", {"LANG": "en_US.UTF-8"}, "en"),
        ("corpus", {"LANG": JA}, "ja"),
        ("corpus", {"LANG": ZH}, "zh"),
        ("corpus", {"LANG": TW}, "zh-Hant"),
        ("corpus", {"LANG": TW, "OMOIDE_LANGUAGE": "ja"}, "ja"),
        ("思い出", {"LANG": ZH}, "ja"),
        ("笔记", {}, "zh"),
    ],
)
def test_rows_that_are_left_out_are_told_in_the_language_of_whoever_imports(
    name: str,
    environ: dict[str, str],
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    file, english = tmp_path / f"{name}.jsonl", "text is ['记忆']: a string is expected."
    file.write_text('{"text": ["记忆"]}\n' * 51, encoding="utf-8")
    command = ["import", str(file), "--data", str(tmp_path / "data")]
    more, bad, empty = ENDS[language]
    assert main(command) == 1
    rows = "".join(f"{file}:{line}: {english}\n{ROWS[language]}" for line in range(1, 51))
    assert capsys.readouterr().err == f"{rows}… and 1 more\n{more}omoide: 51 could not be imported\n{bad}"
    assert main([*command, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["bad"][0] == {"place": f"{file}:1", "reason": english}
    file.write_text("", encoding="utf-8")
    assert main(command) == 0
    assert capsys.readouterr().err == f"omoide: there is nothing in it to import\n{empty}"


@pytest.mark.parametrize(
    ("kind", "ja", "zh"),
    [
        (StoreReadOnly, "書き込めるようにしてください。", "请允许写入该文件及其文件夹。"),
        (StoreFull, "空きを作ってからやり直してください。", "请清理空间后重试。"),
        (StoreTooNew, "その版以降の omoide を使ってください。", "请使用该版本或更新版本的 omoide。"),
    ],
)
def test_what_to_do_about_a_store_is_told_in_japanese_and_chinese_too(kind: type[StoreError], ja: str, zh: str) -> None:
    error = kind("It cannot be written.", hint="Do something.")
    for language, step in (("ja_JP.UTF-8", ja), ("zh_CN.UTF-8", zh)):
        said = translation(error, "", None, {"LANG": language})
        assert said is not None
        assert said.endswith(step)
