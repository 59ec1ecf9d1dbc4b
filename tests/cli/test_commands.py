"""The commands as a person meets them: what is printed where, and the exit code."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from io import StringIO
from pathlib import Path
from shutil import rmtree
from typing import Any
from unicodedata import east_asian_width

import pytest

from omoide.app import open_memories
from omoide.cli import COMMANDS, main, parser
from omoide.store.layout import STORE_FILE, tenant_folder
from tests.embed.endpoint import running

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("OMOIDE_DATA", raising=False)
    return str(tmp_path / "store")


@pytest.fixture
def filled(data: str, tmp_path: Path, capsys: Captured) -> str:
    rows = [
        {"id": "ja", "text": "昨日、京都で抹茶を飲んだ。", "timestamp": "2024-03-21"},
        {"id": "zh", "text": "我们在北京喝了[b]龙井茶[/b]。", "timestamp": "2024-03-22", "scope": "trip"},
        {"id": "en", "text": "We drank Earl Grey in London.", "timestamp": "2024-03-23", "scope": "trip:uk"},
    ]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["import", str(corpus), "--data", data]) == 0
    assert capsys.readouterr().out == "memory    added 3  updated 0  unchanged 0\n"
    return data


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("京都のお茶", "2024-03-21  global   昨日、京都で抹茶を飲んだ。"),
        ("北京龙井", "2024-03-22  trip     我们在北京喝了[b]龙井茶[/b]。"),
        ("earl grey", "2024-03-23  trip:uk  We drank Earl Grey in London."),
    ],
)
def test_search_shows_a_table(filled: str, capsys: Captured, query: str, shown: str) -> None:
    assert main(["search", query, "--data", filled, "--zone", "UTC"]) == 0
    assert " ".join(shown.split()) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "sentence", ["昨日は京都で抹茶を飲んだ。", "我们昨天在北京喝了龙井茶。", "We drank Earl Grey in London. "]
)
def test_a_long_text_is_shown_to_its_end_whether_it_has_spaces_or_not(
    data: str, capsys: Captured, sentence: str
) -> None:
    with open_memories(data) as memories:
        memories.remember(f"{sentence * 20}終")
    assert main(["search", "抹茶 龙井茶 earl", "--data", data, "--tokens", "2000"]) == 0
    shown = "".join(capsys.readouterr().out.split())
    assert ("終" in shown, "…" in shown) == (True, False)


def test_search_as_json_is_complete(filled: str, capsys: Captured) -> None:
    assert main(["search", "龙井茶", "--data", filled, "--json", "--scope", "trip"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["considered"], answer["hits"][0]["id"], answer["hits"][0]["scope"]) == (2, "zh", "trip")
    assert 0.4 < answer["hits"][0]["relevance"] <= 1


def test_a_search_that_finds_nothing_says_among_how_many(filled: str, capsys: Captured) -> None:
    assert main(["search", "茶", "--scope", "elsewhere", "--data", filled]) == 0
    assert capsys.readouterr().out == "Nothing found among 0 memories.\n"


def test_search_fills_a_budget_of_tokens(filled: str, capsys: Captured) -> None:
    assert main(["search", "茶", "--data", filled, "--json", "--tokens", "2000"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (0 < answer["tokens"] <= 2000, answer["omitted"]) == (True, 0)
    assert all(hit["excerpt"] == [0, len(hit["text"])] for hit in answer["hits"])
    assert main(["search", "茶", "--data", filled, "--tokens", "1"]) == 0
    assert capsys.readouterr().out == f"0 tokens; {len(answer['hits'])} memories did not fit.\n"


def test_search_gives_each_memory_a_place_where_that_is_wanted(filled: str, capsys: Captured) -> None:
    with open_memories(filled) as memories:
        memories.remember("会議は金曜日です。")
        memories.remember("会議は、金曜日")
    assert main(["search", "会議は金曜日", "--data", filled]) == 0
    assert "(+1 alike)" in capsys.readouterr().out
    assert main(["search", "会議は金曜日", "--data", filled, "--repeats"]) == 0
    assert "alike" not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["export", "backup"])
def test_a_file_that_cannot_be_written_is_called_as_it_was_given(
    filled: str, tmp_path: Path, capsys: Captured, command: str
) -> None:
    file = tmp_path / ("x" * 250)  # there is no room for the name of what it is written to first
    assert main([command, str(file), "--data", filled]) == 1
    assert capsys.readouterr().err == f"omoide: {file}: File name too long.\n"


def test_export_and_import_carry_a_store_to_another_folder(filled: str, tmp_path: Path, capsys: Captured) -> None:
    file, other = tmp_path / "思い出.jsonl", str(tmp_path / "other")
    assert main(["export", str(file), "--data", filled]) == 0
    assert main(["import", str(file), "--data", other]) == 0
    capsys.readouterr()
    for where in ([], ["-"]):
        assert main(["export", *where, "--data", other]) == 0
        assert capsys.readouterr().out == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["export", "backup"])
def test_a_file_that_is_called_like_stdout_is_written_where_its_folder_is_named(
    filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command, "./-", "--data", filled]) == 0
    assert (tmp_path / "-").stat().st_size > 0


class Terminal(StringIO):
    """What is shown to a person."""

    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """Without what makes them bold."""
        return [line.rstrip() for line in re.sub(r"\x1b\[\d*m", "", self.getvalue()).splitlines()]


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (
            40,
            [
                "1.00  2024-03-22  trip",
                "  我们在北京喝了[b]龙井茶[/b]。",
                "  北京 龙井茶",
            ],
        ),
        (
            26,
            [
                "1.00  2024-03-22  trip",
                "  我们在北京喝了[b]龙井茶[",
                "  /b]。",
                "  北京 龙井茶",
            ],
        ),
        (
            100,
            [
                "relevance  date        scope  memory                         why",
                "1.00       2024-03-22  trip   我们在北京喝了[b]龙井茶[/b]。  北京 龙井茶",
            ],
        ),
    ],
)
def test_a_narrow_terminal_is_shown_paragraphs_as_wide_as_it_is(
    filled: str, monkeypatch: pytest.MonkeyPatch, columns: int, shown: list[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["search", "北京龙井茶", "--limit", "1", "--data", filled, "--zone", "UTC"]) == 0
    assert terminal.lines() == shown


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        (["search", "抹茶"], "抹茶␛[2J␛]0;窓␇\ufffd1m␡ 好き\ufffdきす\ufffd"),
        (["call", "search_memory", "query=抹茶"], "抹茶␛[2J␛]0;窓␇\ufffd1m␡ 好き\ufffdきす\ufffd"),
        (["stats"], "by_scope 窓␛[2J"),
    ],
)
def test_a_stored_text_does_not_drive_the_terminal(data: str, capsys: Captured, command: list[str], seen: str) -> None:
    with open_memories(data) as memories:
        memories.remember("抹茶\x1b[2J\x1b]0;窓\x07\x9b1m\x7f 好き\u202eきす\u2066\r\n隠す\r跡", title="題\x1b[31m")
        memories.remember("別の話", scope="窓\x1b[2J")
    main([*command, "--data", data])
    shown = "".join(capsys.readouterr())
    assert seen in shown
    assert {character for character in shown if ord(character) < 32 or 0x7F <= ord(character) < 0xA0} == {"\n"}


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "gbk", "latin-1"])
@pytest.mark.parametrize(
    "command",
    ["search 抹茶 龙井茶", "search 抹茶 龙井茶 --json", "call search_memory query=茶 --json", "tools", "--help"],
)
def test_a_terminal_of_another_encoding_is_shown_what_it_can_show(filled: str, encoding: str, command: str) -> None:
    variables = {**os.environ, "OMOIDE_DATA": filled, "PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-m", "omoide", *command.split()], capture_output=True, env=variables)
    assert (done.returncode, done.stderr) == (0, b"")
    if "--json" in command:
        assert "龙井茶" in done.stdout.decode() or "抹茶" in done.stdout.decode()


def test_words_in_utf8_are_understood_in_a_locale_of_another_encoding(filled: str) -> None:
    variables = {**os.environ, "OMOIDE_DATA": filled, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "omoide", "search", "龙井茶", "--json"]
    done = subprocess.run(command, capture_output=True, check=True, env=variables)
    assert json.loads(done.stdout)["hits"][0]["id"] == "zh"


def test_an_import_with_bad_lines_names_them_and_ends_with_1(data: str, tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "mixed.jsonl"
    file.write_text('{"text": "茶"}\n{"text": ""}\n', encoding="utf-8")
    assert main(["import", str(file), "--data", data]) == 1
    captured = capsys.readouterr()
    assert captured.out == "memory    added 1  updated 0  unchanged 0\n"
    assert "mixed.jsonl:2: The text is empty." in captured.err
    assert "1 could not be imported" in captured.err
    assert main(["import", str(file), "--data", data, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["counts"] == {"memory": {"added": 0, "updated": 0, "unchanged": 1}}
    assert [(Path(bad["place"]).name, bad["reason"]) for bad in told["bad"]] == [
        ("mixed.jsonl:2", "The text is empty. Pass the text to remember.")
    ]


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
@pytest.mark.parametrize("name", ["日記".encode("shift_jis"), "笔记".encode("gb18030"), b"caf\xe9"])
def test_a_report_in_json_tells_of_a_file_whose_name_is_no_utf_8(
    data: str, tmp_path: Path, capsys: Captured, name: bytes
) -> None:
    file = tmp_path / os.fsdecode(name + b".jsonl")
    file.write_text('{"text": " "}\n')
    assert main(["import", str(file), "--data", data, "--json"]) == 1
    assert [bad["place"] for bad in json.loads(capsys.readouterr().out)["bad"]] == [f"{file}:1"]


@pytest.mark.parametrize(
    ("pinned", "outside", "told"),
    [
        ("仕事", "おうち", "スコープ 'おうち' は '仕事' の外にあります。"),
        ("工作", "我们的笔记", "作用域 '我们的笔记' 在 '工作' 之外"),
        ("work", "home", "The scope 'home' is outside of 'work'."),
    ],
)
def test_an_import_of_a_process_with_a_scope_goes_nowhere_else(
    data: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
    pinned: str,
    outside: str,
    told: str,
) -> None:
    monkeypatch.setenv("OMOIDE_SCOPE", pinned)
    (tmp_path / "note.txt").write_text("昨日、京都で抹茶を飲んだ。", encoding="utf-8")
    command = ["import", str(tmp_path / "note.txt"), "--data", data, "--into"]
    assert main([*command, outside]) == 2
    captured = capsys.readouterr()
    assert (captured.out, told in captured.err) == ("", True)
    assert main([*command, f"{pinned}:2024"]) == 0
    assert main(["search", "抹茶", "--data", data]) == 0
    assert f"{pinned}:2024" in capsys.readouterr().out


def test_an_import_reads_json_lines_from_a_pipe(filled: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    program = f"{sys.executable} -m omoide"
    for _ in range(2):
        piped = f"{program} export --data {filled} | {program} import - --data {other}"
        done = subprocess.run(["bash", "-c", piped], capture_output=True, text=True, check=True)
    assert done.stdout == "memory    added 0  updated 0  unchanged 3\n"
    spoilt = f"echo '会议' | {program} import - --data {other}"
    done = subprocess.run(["bash", "-c", spoilt], capture_output=True, text=True, check=False)
    assert (done.returncode, "stdin:1: It is not JSON" in done.stderr) == (1, True)


def corpus_of_teas(folder: Path) -> str:
    rows = (
        {"text": f"{text} {at}"} for at in range(25) for text in ("抹茶を飲んだ。", "我们喝了龙井茶。", "We drank tea.")
    )
    (folder / "teas.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder / "teas.jsonl")


def test_an_import_ends_when_all_that_it_brought_in_has_its_vectors(
    data: str, tmp_path: Path, capsys: Captured
) -> None:
    with running() as endpoint:
        assert main(["import", corpus_of_teas(tmp_path), "--data", data, "--embedder", endpoint.url]) == 0
        assert capsys.readouterr() == ("memory    added 75  updated 0  unchanged 0\n", "")
        assert main(["stats", "--json", "--data", data, "--embedder", endpoint.url]) == 0
        assert json.loads(capsys.readouterr().out)["embedder"]["waiting"] == 0


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("ja", "75 件にはまだベクトルがありません。サーバーが後で作るまで、言葉だけで見つかります。"),
        ("zh", "有 75 项还没有向量。在服务器生成之前，只能按词找到。"),
    ],
)
def test_an_import_does_not_wait_for_an_embedder_that_is_down_and_says_so(
    data: str, tmp_path: Path, capsys: Captured, language: str, told: str
) -> None:
    with running() as endpoint:
        endpoint.faults = ["", *["400"] * 200]  # it answers once, with the length of its vectors
        command = ["import", corpus_of_teas(tmp_path), "--data", data, "--embedder", endpoint.url]
        assert main([*command, "--language", language]) == 0
    english, translation = capsys.readouterr().err.splitlines()
    assert english.startswith("omoide: 75 have no vectors yet, and are found by their words until a server has")
    assert translation.strip() == told


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff\u3000\r\n"])
def test_an_import_of_nothing_says_so(data: str, tmp_path: Path, capsys: Captured, content: str) -> None:
    (tmp_path / "empty.md").write_text(content, encoding="utf-8")
    assert main(["import", str(tmp_path / "empty.md"), "--data", data]) == 0
    assert capsys.readouterr() == ("", "omoide: there is nothing in it to import\n")


def test_stats_count(filled: str, capsys: Captured) -> None:
    assert main(["stats", "--json", "--data", filled]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert (counted["memories"], counted["index"]["documents"]) == (3, 3)
    assert main(["stats", "--data", filled]) == 0
    table = capsys.readouterr().out
    assert "by_scope trip:uk" in table
    assert "None" not in table
    assert [line for line in table.splitlines() if line != line.rstrip()] == [], "in a pipe no line is padded"


def test_doctor_finds_a_sound_store_sound(filled: str, capsys: Captured) -> None:
    assert main(["doctor", "--data", filled]) == 0
    assert "BAD" not in capsys.readouterr().out
    assert main(["doctor", "--data", filled, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["fine"], {finding["fine"] for finding in told["findings"]}) == (True, {True})


def test_doctor_counts_one_memory_as_one_and_shows_words_as_people_write_them(data: str, capsys: Captured) -> None:
    with open_memories(data) as memories:
        memories.remember("昨日、京都で抹茶を飲んだ。")
    assert main(["doctor", "--data", data]) == 0
    told = capsys.readouterr().out
    assert "1 memory, 0 entities, 0 relations\n" in told
    assert "京都で抹茶を飲んだ: " in told
    assert "饮" not in told


@pytest.mark.parametrize(
    ("name", "content", "locale", "told"),
    [
        ("words.txt", "東京ばな奈\n".encode("shift_jis"), "ja_JP.UTF-8", "この単語のファイルは読めない"),
        ("synonyms.txt", "龙井茶，绿茶\n".encode("gb18030"), "zh_CN.UTF-8", "这个单词文件无法读取"),
        ("words.txt", "caf\u00e9\n".encode("latin-1"), "en_US.UTF-8", "What is in it does not count"),
    ],
)
def test_doctor_names_words_that_cannot_be_read(
    filled: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured, name: str, content: bytes, locale: str, told: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    (Path(filled) / name).write_bytes(content)
    assert main(["doctor", "--data", filled]) == 1
    shown = capsys.readouterr().out
    assert f"BAD  words        {Path(filled, name)} is not UTF-8." in shown
    assert told in shown
    (Path(filled) / name).write_text("茶\n" * 2_000_000, encoding="utf-8")
    assert main(["doctor", "--data", filled]) == 1
    assert f"{Path(filled, name)} cannot be read: it is larger than 5,000,000 bytes." in capsys.readouterr().out
    (Path(filled) / name).unlink()
    (Path(filled) / name).mkdir()
    assert main(["doctor", "--data", filled]) == 1
    assert f"{Path(filled, name)} cannot be read: it is not a regular file." in capsys.readouterr().out
    (Path(filled) / name).rmdir()
    (Path(filled) / name).write_text("龙井茶, 抹茶", encoding="utf-8")
    assert main(["doctor", "--data", filled]) == 0


def test_doctor_finds_a_torn_store_bad(filled: str, capsys: Captured) -> None:
    file = Path(filled) / "omoide.sqlite3"
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8_192] = b"\xff" * 8_192
    file.write_bytes(content)
    assert main(["doctor", "--data", filled]) == 1
    captured = capsys.readouterr()
    assert "BAD" in captured.out or "damaged" in captured.err or "malformed" in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("ja_JP.UTF-8", "omoide の保存先ではないファイルです。"),
        ("zh_CN.UTF-8", "该文件不是 omoide 的存储。"),
        ("zh_TW.UTF-8", "該檔案不是 omoide 的儲存區。"),
        ("en_US.UTF-8", None),
    ],
)
def test_doctor_tells_what_is_wrong_in_the_language_of_the_user_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, locale: str, told: str | None
) -> None:
    (tmp_path / "omoide.sqlite3").write_text("no store\n")
    for name in ("LC_ALL", "LC_MESSAGES", "OMOIDE_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", locale)
    assert main(["doctor", "--data", str(tmp_path)]) == 1
    _, bad, below, *_ = capsys.readouterr().out.splitlines()
    assert bad.startswith("BAD  store        ")
    assert below.startswith(f"{'':18}{told}" if told else "ok   Japanese")
    assert main(["doctor", "--data", str(tmp_path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][1].keys() == {"name", "fine", "detail"}


@pytest.mark.parametrize(
    ("language", "told"),
    [("ja", "保存先の内容に問題があります。フォルダー"), ("zh", "存储的内容有问题。请先备份")],
)
def test_doctor_tells_what_to_do_about_rows_in_the_language_of_the_user_too(
    filled: str, capsys: Captured, language: str, told: str
) -> None:
    with closing(sqlite3.connect(Path(filled, STORE_FILE))) as connection, connection:
        connection.execute("UPDATE memories SET importance = 'x'")
    assert main(["doctor", "--data", filled, "--language", language]) == 1
    assert f"\n{'':18}{told}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", None),
        ("ja", "索引を保存できないので、コマンドごとに作り直されます。"),
        ("zh", "索引无法保存，每条命令都要重新生成。"),
    ],
)
def test_doctor_finds_an_index_bad_that_cannot_be_saved(
    filled: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch, language: str, told: str | None
) -> None:
    monkeypatch.setenv("LC_ALL", language)
    index = Path(filled, "index")
    rmtree(index, ignore_errors=True)
    index.touch()
    assert main(["doctor", "--data", filled]) == 1
    shown = capsys.readouterr().out.splitlines()
    (at,) = (at for at, line in enumerate(shown) if line.startswith("BAD "))
    assert shown[at].startswith(f"BAD  index        It cannot be saved in {index} (Not a directory)")
    assert shown[at + 1].startswith(f"{'':18}{told}" if told else "ok   Japanese")


NO_FUGASHI = "sys.modules['fugashi'] = None"
NO_DICTIONARY = "sys.modules['unidic_lite'] = types.SimpleNamespace(DICDIR='無い')"


def after(loss: str, *command: str) -> subprocess.CompletedProcess[str]:
    """What a command does where a library is not installed."""
    program = f"import sys, types; {loss}; import omoide.cli; sys.exit(omoide.cli.main({[*command]}))"
    environment = {**os.environ, "LC_ALL": "ja_JP.UTF-8", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False, env=environment
    )


@pytest.mark.parametrize("loss", [NO_FUGASHI, NO_DICTIONARY])
def test_doctor_finds_a_dictionary_bad_that_is_not_installed(filled: str, loss: str) -> None:
    done = after(loss, "doctor", "--japanese", "fugashi", "--data", filled)
    assert done.returncode == 1
    bad = [line for line in done.stdout.splitlines() if line.startswith("BAD ")]
    assert (
        f"BAD  {'Japanese':<12} The Japanese analyser fugashi, or its dictionary, is not installed. Install it with: pip"
        in bad[-1]
    )
    assert f"{'':18}日本語の解析器 fugashi またはその辞書がインストールされていません。" in done.stdout
    assert "ok   Chinese" in done.stdout


@pytest.mark.parametrize("loss", [NO_FUGASHI, NO_DICTIONARY])
def test_a_part_that_is_not_installed_is_told_without_a_traceback(filled: str, loss: str) -> None:
    assert main(["search", "京都", "--data", filled]) == 0  # there is an index, which answers meanwhile
    done = after(loss, "doctor", "--japanese", "fugashi", "--data", filled)
    assert "Traceback" not in done.stderr
    assert "the new index could not be built; the present one goes on answering: The Japanese analyser" in done.stderr


def test_a_repair_says_what_it_found_and_that_it_is_repaired(filled: str) -> None:
    file = Path(filled, STORE_FILE)
    file.write_bytes(file.read_bytes()[:-4096] + b"\xff" * 4096)
    command = [sys.executable, "-m", "omoide", "doctor", "--repair", "--data", filled]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    found, repaired = [line for line in done.stdout.splitlines() if line.startswith("ok   repair")][:2]
    assert found == f"ok   repair       Found: The store {file} is damaged."
    assert "the damaged file is kept as" in repaired
    assert (done.stderr, done.returncode) == ("", 0)


def test_doctor_says_whose_store_it_repairs_before_it_says_what_it_did(data: str, capsys: Captured) -> None:
    for tenant in ("alice", "王小明"):
        with open_memories(tenant_folder(Path(data), tenant)) as memories:
            memories.remember("抹茶")
    assert main(["doctor", "--data", data, "--repair", "--json"]) == 0
    told = [finding["name"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert told[1:9] == ["tenant", "repair", "store", "index"] * 2


def test_doctor_looks_at_each_disk_that_stores_are_on_once(data: str, tmp_path: Path, capsys: Captured) -> None:
    memory_disk = Path("/dev/shm")
    if not memory_disk.is_dir() or memory_disk.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second disk here")
    with tempfile.TemporaryDirectory(dir=memory_disk) as elsewhere:
        for tenant in ("alice", "山田", "小明"):
            folder = tenant_folder(Path(data), tenant)
            if tenant == "alice":
                folder.parent.mkdir(parents=True)
                folder.symlink_to(elsewhere, target_is_directory=True)
            with open_memories(folder) as memories:
                memories.remember("お茶 茶 tea")
        main(["doctor", "--data", data, "--json"])
        told = [each for each in json.loads(capsys.readouterr().out)["findings"] if each["name"] == "disk"]
        alice = tenant_folder(Path(data), "alice")
        assert [each["detail"].partition(" free in ")[2] for each in told] == [data, str(alice)]


def test_tools_lists_what_a_client_is_offered(data: str, capsys: Captured) -> None:
    assert main(["tools", "--data", data, "--tools", "chronica,search_memory", "--json"]) == 0
    offered = json.loads(capsys.readouterr().out)
    assert {tool["family"] for tool in offered} == {"chronica", "recallnest"}
    assert [tool["name"] for tool in offered if tool["family"] == "recallnest"] == ["search_memory"]


def test_tools_tells_what_each_tool_and_all_together_cost(data: str, capsys: Captured) -> None:
    assert main(["tools", "--data", data, "--tools", "search_memory_graph,query_memory"]) == 0
    *rows, total = capsys.readouterr().out.splitlines()
    costs = [int(row.split()[2]) for row in rows]
    assert [row.split()[0] for row in rows] == ["query_memory", "search_memory_graph"]
    assert total.startswith(f"2 tools, {sum(costs):,} tokens")
    assert min(costs) > 100


def test_tools_are_listed_in_the_columns_that_a_terminal_has(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["tools", "--data", data]) == 0
    (search,) = (line for line in terminal.lines() if line.startswith("chronica_search "))
    assert search.endswith(" tokens  エントリを検索 / Search entries")
    assert [line for line in terminal.lines() if columns(line) > 80] == []


@pytest.mark.parametrize(
    ("chosen", "timeline", "others"),
    [
        ([], False, True),
        (["--tools", "all"], True, True),
        (["--tools", "chronica"], True, False),
        (["--tools", "chronica_timeline,search_memory"], True, True),
    ],
)
def test_tools_beyond_searching_and_saving_are_offered_on_request(
    data: str, capsys: Captured, chosen: list[str], timeline: bool, others: bool
) -> None:
    assert main(["tools", "--data", data, *chosen, "--json"]) == 0
    offered = {tool["name"] for tool in json.loads(capsys.readouterr().out)}
    assert ("chronica_timeline" in offered, "search_memory" in offered) == (timeline, others)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["search", "茶"], 2, "There is no store in"),
        (["stats"], 2, "or fill one with `omoide import`"),
        (["export"], 2, "There is no store in"),
        (["doctor"], 2, "There is no store in"),
        (["import", "nowhere.jsonl"], 2, "There is no file nowhere.jsonl."),
        (["import", "/dev/null"], 2, "/dev/null is not a regular file.\nJSON lines from a pipe come in by stdin"),
        (["tools", "--tools", "recalnest"], 2, "Did you mean recallnest?"),
        (["search", "茶", "--limit", "0"], 2, "--limit is 0; at least 1 is expected"),
        (["search", "茶", "--limit", "9" * 20], 2, "at most 1,000,000,000."),
        (
            ["search", "茶の会議", "--tokens", "0"],
            2,
            "--tokens は 1 以上 1,000,000,000 以下にしてください（0 でした）。",
        ),
        (["search", "会议在哪里", "--tokens", "-3"], 2, "--tokens 应在 1 到 1,000,000,000 之间（现为 -3）。"),
        (["search", "茶", "--scope", "\udcff"], 2, "--scope is '\\udcff': a name is expected, in UTF-8."),
        (["tools", "--zone", "Tokyo"], 2, "--zone is 'Tokyo': an IANA zone is expected, such as Asia/Tokyo"),
        (["serve", "--port", "http"], 2, "--port is 'http': a port number is expected."),
        (["serve", "--http", "--host", "0.0.0.0"], 2, "say --insecure"),
        (["serve", "--port", "9000", "--workers", "2"], 2, "takes --port, --workers.\nAdd --http."),
        (["serve", "--insecure"], 2, "Only a server over HTTP takes --insecure."),
        (
            ["serve", "--embedder-url", "http://127.0.0.1:9/v1", "--embedder-model", "m"],
            2,
            "The embedder lexical does not use --embedder-url, --embedder-model.\nName the embedder with --embedder",
        ),
        (["serve", "--http", "--embedder-dimensions", "64"], 2, "does not use --embedder-dimensions."),
        (
            ["serve", "--embedder", "http://127.0.0.1:9/v1", "--embedder-url", "http://127.0.0.1:9/v2"],
            2,
            "The embedder http://127.0.0.1:9/v1 does not use --embedder-url.",
        ),
        (["serve", "--embedder-model", "模型"], 2, "“lexical”不使用 --embedder-model。请用 --embedder 指定"),
        (["serve", "--embedder-model", "モデル"], 2, "--embedder-model は lexical では使われません。"),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    data: str, capsys: Captured, arguments: list[str], code: int, said: str
) -> None:
    assert main([*arguments, "--data", data]) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("asked", "same"),
    [(["help"], ["--help"]), (["help", "search"], ["search", "--help"]), (["help", "import"], ["import", "--help"])],
)
def test_help_is_a_command_too(capsys: Captured, asked: list[str], same: list[str]) -> None:
    def told(arguments: list[str]) -> str:
        with pytest.raises(SystemExit, match="0"):
            main(arguments)
        return capsys.readouterr().out

    assert told(asked) == told(same) != ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["search", "茶", "--scoppe", "project:お茶"], "Did you mean --scope?"),
        (["search", "茶", "--limits=3"], "Did you mean --limit?"),
        (["search", "茶", "--after", "昨日"], "unrecognized arguments: --after 昨日. Known: --data, --"),
        (["serve", "--http", "--host", "0.0.0.0", "--ins"], "Did you mean --insecure?"),
        (["serve", "--http", "--token", "秘密"], "秘密. Set OMOIDE_TOKEN, or token in omoide.yaml.\n"),
        (["serve", "--http", "--related-scopes={}"], "Set OMOIDE_RELATED_SCOPES, or related_scopes in omoide.yaml."),
        (
            ["search", "茶", "--embedder-model", "bge-m3"],
            "Set OMOIDE_EMBEDDER_MODEL, or embedder_model in omoide.yaml.",
        ),
        (["serve", "--embedder-mode", "bge-m3"], "Did you mean --embedder-model?"),
        (
            ["call", "store_memory", "text=茶", "--default-scope", "お茶"],
            "those that use it read OMOIDE_DEFAULT_SCOPE, or default_scope in omoide.yaml, too.\n",
        ),
        (
            ["import", "日記.md", "--scope", "日記"],
            "those that use it read OMOIDE_SCOPE, or scope in omoide.yaml, too.",
        ),
        (["stats", "--port", "80"], "unrecognized arguments: --port 80. Only `omoide serve` takes it.\n"),
        (["token", "tokens.jsonl", "山田", "--data", "d"], "--data d. Known: --help, --name, --rights.\n"),
        (["search", "\udce3\udc81"], r"'\udce3\udc81' is not UTF-8"),
        (["call", "store_memory", "text=\udcff"], r"'text=\udcff' is not UTF-8"),
        (["serv"], "there is no command 'serv'. Did you mean serve?"),
        (["料理", "茶"], "there is no command '料理'. Known: backup, call"),
        (["検索", "茶"], "there is no command '検索'. Write `omoide search …`."),
        (["add", "茶"], "there is no command 'add'. Write `omoide call store_memory text=…`."),
        (["start"], "there is no command 'start'. Write `omoide serve`."),
        (["启动"], "there is no command '启动'. Write `omoide serve`."),
        (["Forget", "x"], "Write `omoide call forget_memory memoryId=…`"),
        (["列表"], 'Write `omoide search ""`, which lists the newest.'),
        (["--data", "there", "stats"], "a command comes first, as in `omoide search 京都 --data …`"),
        (["search", "茶", "--limit", "3", "--here", "--", "-5"], "unrecognized arguments: --here"),
        (["backup", "-"], "write ./- for one that is called -"),
        (["token", "-", "山田"], "a file is expected"),
        (["export", "a", "b"], "unrecognized arguments: b.\n"),
        (["search", "-京都"], "unrecognized arguments: -京都. What begins with a dash stands behind --, as in `omoide"),
        (["search", "会议", "-上周", "--limit", "3"], "as in `omoide search -- -上周`.\n"),
        (["search", "京都", "－－limit", "3"], "arguments: －－limit. Did you mean --limit, with two plain dashes?"),
        (["search", "会议", "—limit=3", "–json"], "Did you mean --limit --json, with two plain dashes?"),
        (["search", "tea", "-limit", "3"], "unrecognized arguments: -limit. Did you mean --limit,"),
        (["import", "-notes.md"], "as in `omoide import -- -notes.md`.\n"),
        (["search", "tea", "-x"], "unrecognized arguments: -x.\n"),
        (["import", "日記.md", "--into", ""], "'' is no name"),
        (["import", "笔记.md", "--into", " \u3000"], "argument --into: ' \\u3000' is no name"),
        (["import", ""], "argument FILE: it is empty; write . for the present folder"),
        (["import", "日記.md", ""], "argument FILE: it is empty"),
        (["export", ""], "argument FILE: it is empty"),
        (["backup", ""], "argument FILE: it is empty"),
        (["restore", ""], "argument FILE: it is empty"),
        (["token", "", "山田"], "argument FILE: it is empty"),
        (["models", "pull", "ruri", "--from", ""], "argument --from: it is empty"),
        (["models", "pull", "ruri", "--from=~無い/模型"], "not known where the home of '~無い/模型' is"),
        (["help", "serv"], "there is no command 'serv'. Did you mean serve?"),
        (["call"], "the following arguments are required: TOOL\n"),
        (["search", "茶", "--limit", "三"], "argument --limit: '三' is no whole number"),
        (["search", "会议", "--tokens", "2k"], "argument --tokens: '2k' is no whole number"),
    ],
)
def test_flags_have_to_be_spelled_out(capsys: Captured, arguments: list[str], said: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "usage", "more"),
    [
        (
            ["search", "茶", "--limitt", "3"],
            "usage: omoide search [FLAG ...] QUERY [QUERY ...]",
            "`omoide search --help`",
        ),
        (["serve", "--prot", "1"], "usage: omoide serve [FLAG ...]", "`omoide serve --help`"),
        (["导入"], "usage: omoide COMMAND ...", "`omoide --help`"),
    ],
)
def test_an_error_about_a_flag_shows_no_screen_full_of_flags(
    capsys: Captured, arguments: list[str], usage: str, more: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    first, *_, last = capsys.readouterr().err.splitlines()
    assert (first, last) == (usage, f"{more} says more.")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_into_eighty_columns(capsys: Captured, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"] if command else ["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 10
    assert [line for line in lines if columns(line) >= 80] == []


def columns(line: str) -> int:
    """How many columns of a terminal a line takes."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in line)


@pytest.mark.parametrize(
    ("arguments", "name", "found"),
    [
        (["search", "京都の", "--limit", "3", "お茶", "--json", "は"], "query", ["京都の", "お茶", "は"]),
        (["call", "search_memory", "--json", "query=会议"], "given", ["query=会议"]),
        (
            ["call", "--json", "search_memory", "query=会议", "--scope", "a", "limit=3"],
            "given",
            ["query=会议", "limit=3"],
        ),
        (["import", "日記.md", "--into", "a", "笔记.md"], "files", [Path("日記.md"), Path("笔记.md")]),
        (["import", "日記.md", "--into", " 仕事 "], "into", "仕事"),
        (["models", "pull", "--from", "there", "ruri"], "name", "ruri"),
        (["models", "pull", "ruri", "--from=~/模型"], "source", Path("~").expanduser() / "模型"),
        (["search", "気温", "--limit", "3", "--", "-5", "--json"], "query", ["気温", "-5", "--json"]),
        (["export", "--data", "there", "all.jsonl"], "file", Path("all.jsonl")),
    ],
)
def test_flags_may_stand_between_words(arguments: list[str], name: str, found: object) -> None:
    assert getattr(parser().parse_args(arguments), name) == found


@pytest.mark.parametrize(
    "look", [["search", "茶"], ["tools"], ["call", "search_memory", "query=茶"], ["call", "serch"]]
)
def test_looking_for_a_store_does_not_make_one(data: str, look: list[str]) -> None:
    main([*look, "--data", data])
    assert not Path(data).exists()


@pytest.mark.parametrize("look", [["search", "茶"], ["stats"], ["export"], ["call", "search_memory", "query=茶"]])
def test_where_only_tenants_have_stores_one_is_to_be_named(data: str, capsys: Captured, look: list[str]) -> None:
    alice = Path(data, "tenants", "alice")
    open_memories(alice).close()
    assert main([*look, "--data", data]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert f"only the stores of tenants (1).\nName one with --data, such as {alice}." in told.err
    assert main([*look, "--data", str(alice)]) == 0
    assert main(["doctor", "--data", data]) == 0
    assert [path.name for path in Path(data).iterdir()] == ["tenants"]


def test_who_says_nothing_is_shown_the_commands(capsys: Captured) -> None:
    assert main([]) == 2
    told = capsys.readouterr()
    assert (told.out, all(f"  {command} " in told.err for command in COMMANDS)) == ("", True)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit, match="0"):
        parser().parse_args([command, "--help"])
    shown = capsys.readouterr().out
    assert f"omoide {command}" in shown
    assert "examples:" in shown


def test_the_help_of_search_shows_how_to_filter_by_what_it_has_no_flags_for(data: str, capsys: Captured) -> None:
    assert main(["call", "store_memory", "text=会議は金曜日です。", "category=events", "--data", data]) == 0
    with pytest.raises(SystemExit, match="0"):
        main(["search", "--help"])
    (shown,) = [line.split()[1:] for line in capsys.readouterr().out.splitlines() if "omoide call" in line]
    for when, hits in (("after=先週", 1), ("after=翌日", 0)):
        filtered = [when if word.startswith("after=") else word for word in shown]
        main([*filtered, "--data", data])
        assert capsys.readouterr().out.count("会議は金曜日です。") == hits


@pytest.mark.parametrize("command", [["search", "茶", "--json"], ["call", "search_memory", "query=茶"], ["doctor"]])
def test_what_draws_for_people_is_not_loaded_where_nobody_watches(filled: str, command: list[str]) -> None:
    program = f"import sys, omoide.cli; omoide.cli.main({[*command, '--data', filled]}); print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize(
    ("command", "translated"),
    [
        ("export", []),
        ("tools --json", []),
        ("--help", []),
        ("search 茶", ["无法读写“stdout”：磁盘已满。"]),
        ("search 京都の茶", ["stdout を読み書きできません：ディスクに空きがありません。"]),
    ],
)
def test_an_output_that_takes_nothing_is_named_and_told_of_in_words(
    filled: str, command: str, translated: list[str], buffered: bool
) -> None:
    program = f"{sys.executable} {'' if buffered else '-u'} -m omoide {command}" + (
        "" if command in ("tools --json", "--help") else f" --data {filled}"
    )
    done = subprocess.run(
        ["bash", "-c", f"unset PYTHONUNBUFFERED; {program} > /dev/full"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["omoide: stdout: No space left on device.", *translated]


def test_what_is_logged_beside_an_answer_is_said_as_errors_are_and_once(filled: str) -> None:
    def told(*command: str) -> str:
        program = [sys.executable, "-m", "omoide", *command, "--data", filled, "--embedder", "http://127.0.0.1:9/v1"]
        return subprocess.run(program, capture_output=True, text=True, check=True).stderr

    away = "The embedder http://127.0.0.1:9/v1/embeddings cannot be reached (Connection refused)."
    assert told("search", "京都") == f"omoide: without the ranking by vectors: {away}\n"
    assert told("stats") == f"omoide: {away} The built-in embedder stands in.\n"


def test_a_broken_pipe_is_not_a_crash(filled: str) -> None:
    command = f"{sys.executable} -m omoide export --data {filled} | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("stats >&-", 0, ""),
        ("search 茶 >&-", 0, ""),
        ("export >&-", 0, ""),
        ("search 茶 --data nowhere 2>&-", 2, ""),
        ("call batch_store --arguments - <&-", 2, "--arguments is not JSON"),
        ("serve <&-", 0, "3 memories in"),
    ],
)
def test_a_closed_stream_leads_nowhere(filled: str, command: str, code: int, said: str) -> None:
    given = f"{sys.executable} -m omoide {command}"
    environment = {**os.environ, "OMOIDE_DATA": filled}
    done = subprocess.run(["bash", "-c", given], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, "Traceback" in done.stderr, said in done.stderr) == (code, False, True)


def test_nothing_is_shared_between_runs(data: str, filled: str, capsys: Captured) -> None:
    rows: list[Any] = []
    for _ in range(2):
        assert main(["search", "抹茶", "--json", "--data", data]) == 0
        rows.append(json.loads(capsys.readouterr().out))
    assert rows[0] == rows[1]


def test_the_lines_written_for_words_that_are_no_commands_do_what_they_say(data: str, capsys: Captured) -> None:
    assert main(["call", "store_memory", "text=合言葉は山と川", "--data", data]) == 0
    capsys.readouterr()
    assert main(["search", "", "--json", "--data", data]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["hits"]
    forget = ["call", "forget_memory", f"memoryId={listed['id']}", "--data", data]
    assert main(forget) == 1
    assert "confirm=true" in capsys.readouterr().err
    assert main([*forget, "confirm=true"]) == 0
    assert main(["search", "", "--data", data]) == 0
    assert "Nothing found" in capsys.readouterr().out
