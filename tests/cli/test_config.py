"""Where settings come from, and what is said of those that cannot be used."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

import pytest

from omoide.cli import parser
from omoide.config import Secret, load
from omoide.errors import InvalidArgument


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "omoide.yaml").write_text("zone: Asia/Tokyo\nport: 1\ndefault_scope: ファイル\n", encoding="utf-8")
    return tmp_path


def test_the_file_yields_to_the_environment_and_that_to_flags(folder: Path) -> None:
    environ = {"OMOIDE_DATA": str(folder), "OMOIDE_PORT": "2", "RECALLNEST_SCOPE": "环境"}
    settings = load({"port": "3"}, environ)
    assert (settings.port, settings.default_scope, settings.zone) == (3, "环境", ZoneInfo("Asia/Tokyo"))
    assert load({}, environ).port == 2
    assert load({"data": str(folder)}, {}).default_scope == "ファイル"


@pytest.mark.parametrize(
    ("environ", "name", "value"),
    [
        ({"RECALLNEST_DEFAULT_SCOPE": "a", "RECALLNEST_SCOPE": "b"}, "default_scope", "a"),
        (
            {"RECALLNEST_DEFAULT_SCOPE": " ", "RECALLNEST_PROJECT_SCOPE": "プロジェクト"},
            "default_scope",
            "プロジェクト",
        ),
        ({"OMOIDE_DEFAULT_SCOPE": "ours", "RECALLNEST_DEFAULT_SCOPE": "a"}, "default_scope", "ours"),
        ({"RECALLNEST_SESSION_ID": "会话1"}, "session", "会话1"),
        ({"ENABLE_MEMORY": "false"}, "enable_memory", False),
        ({"COMPACT_RESPONSES": "0"}, "compact_responses", False),
        ({"ARCHETYPE_PATH": "/a/道具.yaml"}, "archetype", Path("/a/道具.yaml")),
        ({"AGENT_ID": "秘書"}, "agent_id", "秘書"),
        ({"OMOIDE_TOOLS": "fegis, search_memory"}, "tools", ("fegis", "search_memory")),
        ({"OMOIDE_TOKEN": "合言葉"}, "token", "合言葉"),
        ({"OMOIDE_TOKEN": "\n開け　ごま open\tsesame\r\n"}, "token", "開け　ごま open\tsesame"),
        ({"OMOIDE_BENCH_DATA": "/data"}, "tools", ()),
        ({"OMOIDE_HOST": "[::1]"}, "host", "::1"),
        ({"RECALLNEST_CONSTRUCTIVE_RETRIEVAL": "true"}, "constructive_retrieval", True),
        ({"OMOIDE_LLM_URL": "http://[::1]:11434/v1"}, "llm_url", "http://[::1]:11434/v1"),
        ({"OMOIDE_LLM_KEY": "合言葉"}, "llm_key", "合言葉"),
        ({"OMOIDE_RELATED_SCOPES": '{"案件": ["cc", "项目:a"]}'}, "related_scopes", {"案件": ("cc", "项目:a")}),
        ({"OMOIDE_EMBEDDER_QUERY_PREFIX": "検索: "}, "embedder_query_prefix", "検索: "),
        ({"OMOIDE_TENANTS_OPEN": "1000000"}, "tenants_open", 1_000_000),
        ({"OMOIDE_TENANTS_OPEN": "１"}, "tenants_open", 1),
        ({}, "enable_memory", True),
        ({}, "require_scope", False),
        ({"OMOIDE_LANGUAGE": "zh\n"}, "language", "zh"),  # as of a file with a line end
        ({"OMOIDE_JAPANESE": " fugashi"}, "japanese", "fugashi"),
    ],
)
def test_variables(tmp_path: Path, environ: dict[str, str], name: str, value: object) -> None:
    assert getattr(load({"data": str(tmp_path)}, environ), name) == value


def test_no_variable_is_suggested_for_what_all_begin_with(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="Known: OMOIDE_AGENT_ID, OMOIDE_ARCHETYPE, "):
        load({"data": str(tmp_path)}, {"OMOIDE_AFTER": "1"})


@pytest.mark.parametrize(
    ("variable", "given", "said"),
    [
        ("OMOIDE_PROT", "1", "The variable OMOIDE_PROT is not a setting. Did you mean OMOIDE_PORT?"),
        (
            "OMOIDE_ZONE",
            "東京",
            "OMOIDE_ZONE is '東京': an IANA zone is expected, such as Asia/Tokyo, Asia/Shanghai or UTC.",
        ),
        ("OMOIDE_PORT", "70000", "OMOIDE_PORT is '70000': a port lies between 0 and 65535 (0: any free one)."),
        ("ENABLE_MEMORY", "はい", "ENABLE_MEMORY is 'はい': true or false is expected."),
        ("OMOIDE_JAPANESE", "mecab", "OMOIDE_JAPANESE is 'mecab': sudachi or fugashi is expected."),
        ("OMOIDE_WEEK_STARTS", "月曜", "OMOIDE_WEEK_STARTS is '月曜': monday, sunday or saturday is expected."),
        *(
            (
                "OMOIDE_TENANTS_OPEN",
                given,
                f"OMOIDE_TENANTS_OPEN is {given!r}: a number between 1 and 1000000 is expected.",
            )
            for given in ("0", "-1", "多い", "1.5", "9" * 30)
        ),
        *(
            (
                "OMOIDE_PUBLIC_URL",
                url,
                f"OMOIDE_PUBLIC_URL is {url!r}: a URL is expected, such as https://memory.example.org/mcp.",
            )
            for url in (
                "memory.example.org",
                "ftp://memory.example.org/mcp",
                "https:///mcp",
                "https://a/mcp?tenant=b",
                "https://a:99999/mcp",
                "https://a:0/mcp",
            )
        ),
        (
            "OMOIDE_SESSION_IDLE_MINUTES",
            "0",
            "OMOIDE_SESSION_IDLE_MINUTES is '0': more than 0 and at most 100000 minutes are expected.",
        ),
        *(
            (
                "OMOIDE_LLM_URL",
                url,
                f"OMOIDE_LLM_URL is {url!r}: an address is expected, such as http://127.0.0.1:11434/v1.",
            )
            for url in ("localhost:11434", "ftp://a/v1", "http://", "http://[a", "http://a:99999", "http://a:0")
        ),
        *(
            (
                variable,
                given,
                f"{variable} is ***: no request can bring a line break or another control character; "
                "one line of text is expected.",
            )
            for variable in ("OMOIDE_TOKEN", "OMOIDE_LLM_KEY", "OMOIDE_EMBEDDER_KEY")
            for given in ("開け\nごま", "芝麻\r\n开门", "open\x1bsesame", "open\x7fsesame")
        ),
        (
            "OMOIDE_LLM_TIMEOUT_SECONDS",
            "長い",
            "OMOIDE_LLM_TIMEOUT_SECONDS is '長い': a number of seconds is expected.",
        ),
        *(
            (
                "OMOIDE_RELATED_SCOPES",
                given,
                f"OMOIDE_RELATED_SCOPES is {given!r}: "
                'scopes by scope are expected, such as {"project:a": ["project:b"]}.',
            )
            for given in ("cc", "{", "[1]")
        ),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, variable: str, given: str, said: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(tmp_path)}, {variable: given})
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("prot: 1", "the key 'prot' is not a setting. Did you mean port?"),
        ("data: /tmp", "data is the folder that this file lies in. Use the variable OMOIDE_DATA or --data."),
        ("- 一\n- 二", "does not hold settings."),
        ("時: 朝\nport: [", "cannot be read: line 2, column 8: while parsing a flow node, expected the node content"),
        ("zone: !!timestamp 東京", "cannot be read"),
        ("port: !!float", "cannot be read"),
        ("port: true", "port is true: a port number is expected."),
        ("zone:", "zone is null: an IANA zone is expected"),
        ("default_scope: ~", "default_scope is null: a name is expected."),
        ("port: 'None'", "port is 'None': a port number is expected."),
        ("~: 茶", "the key 'null' is not a setting."),
        *(
            (f"embedder_query_prefix: {value}".rstrip(), "a text is expected, in UTF-8.")
            for value in ("", "yes", "[query]", "1")
        ),
        ('archetype: "茶\\0.yaml"', "no path can hold all of its characters."),
        ("tools: []", "tools is []: names are expected, separated by commas."),
        ("host: 127.0.0.1\n# 日本\nhost: 0.0.0.0", "cannot be read: line 3 says 'host' once more."),
        ("related_scopes:\n  案件: [甲]\n  项目: [a]\n  案件: [乙]", "cannot be read: line 4 says '案件' once more."),
        (
            "related_scopes: {案件: [甲]}\nrelated_scopes: {项目: [乙]}",
            "cannot be read: line 2 says 'related_scopes' once",
        ),
        *(
            (f"token: {token}", "token is ***: a text is expected; put it in quotes")
            for token in ("0042", "1_0", "[鍵]")
        ),
        ("llm_key: 12:30", "llm_key is ***: a text is expected; put it in quotes"),
        ("token: |\n  芝麻\n  开门", "token is ***: no request can bring a line break"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "omoide.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(tmp_path)}, {})
    assert said in str(raised.value)
    assert str(tmp_path) in str(raised.value)


@pytest.mark.parametrize("name", ["0042", "2024-01-01", "12:30", "0x1f", "1_000", "+1", "42", "2024-01-01 09:30:00"])
def test_a_name_in_the_file_is_what_is_written_there(tmp_path: Path, name: str) -> None:
    content = f"default_scope: {name}\nmodels: {name}\ntools: [茶, {name}]\nrelated_scopes: {{案件: [{name}]}}\n"
    (tmp_path / "omoide.yaml").write_text(content, encoding="utf-8")
    found = load({"data": str(tmp_path)}, {})
    assert (found.default_scope, found.models, found.tools) == (name, Path(name), ("茶", name))
    assert found.related_scopes == {"案件": (name,)}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("workers: 0x10", "workers is 0x10: a number between 1 and 64 is expected."),
        ("port: 0o20", "port is '0o20': a port number is expected."),
        ("call_timeout_seconds: 1:30", "call_timeout_seconds is 1:30: a number of seconds is expected."),
    ],
)
def test_a_number_in_other_digits_than_decimal_ones_is_not_read_as_another(
    tmp_path: Path, content: str, said: str
) -> None:
    (tmp_path / "omoide.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(tmp_path)}, {})
    assert said in str(raised.value)


@pytest.mark.parametrize("given", ['{"案件": ["甲"], "案件": ["乙"]}', '{"案件": ["甲"], " 案件": ["乙"]}'])
@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "'案件' is there twice"), ("ja", "'案件' が二度あります"), ("zh", "'案件' 出现了两次")],
)
def test_no_related_scope_is_lost_to_another_of_its_name(tmp_path: Path, given: str, language: str, said: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(tmp_path)}, {"OMOIDE_RELATED_SCOPES": given})
    assert said in {"en": str(raised.value), **raised.value.also}[language]


@pytest.mark.parametrize("value", ["no", "on", "1.10"])
@pytest.mark.parametrize(
    ("language", "quotes"), [("en", "in quotes"), ("ja", "引用符で囲まないと"), ("zh", "请加上引号")]
)
def test_a_name_that_needs_quotes_is_said_to(tmp_path: Path, value: str, language: str, quotes: str) -> None:
    (tmp_path / "omoide.yaml").write_text(f"default_scope: {value}\n", encoding="utf-8")
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(tmp_path)}, {})
    assert quotes in {"en": str(raised.value), **raised.value.also}[language]


def test_what_is_no_file_where_settings_are_read_from_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "omoide.yaml"
    path.mkdir()
    with pytest.raises(
        InvalidArgument, match=r"omoide\.yaml is not a regular file\. It is where settings are read from"
    ) as raised:
        load({"data": str(tmp_path)}, {})
    assert raised.value.also["ja"].startswith(f"{path} は通常のファイルではありません。")
    assert raised.value.also["zh"].startswith(f"“{path}”不是普通文件。")
    path.rmdir()
    path.symlink_to(tmp_path / "設定" / "设置.yaml")
    with pytest.raises(
        InvalidArgument, match=r"omoide\.yaml is a link to a file that is not there\. Put the file there"
    ):
        load({"data": str(tmp_path)}, {})
    (tmp_path / "設定").mkdir()
    (tmp_path / "設定" / "设置.yaml").write_text("default_scope: 思い出", encoding="utf-8")
    assert load({"data": str(tmp_path)}, {}).default_scope == "思い出"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("omoide.sqlite3", "it is no folder; the one that holds the store is expected."),
        ("茶" * 5000, "no path can be so long."),
    ],
)
def test_a_data_folder_that_can_be_none_is_told_from_one_without_a_store(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "omoide.sqlite3").touch()
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(tmp_path / name)}, {})
    assert raised.value.message.startswith("--data is '")
    assert raised.value.message.endswith(f": {said}")


@pytest.fixture
def closed_folder(tmp_path: Path) -> Iterator[Path]:
    """One that this process may not enter, even where it is root's."""
    closed, user = tmp_path / "閉", os.geteuid()
    closed.mkdir(mode=0)
    if user == 0:
        os.seteuid(65534)
    yield closed
    os.seteuid(user)
    closed.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights are other ones")
def test_a_folder_that_may_not_be_entered_is_not_told_as_a_file_of_settings_that_is_wrong(closed_folder: Path) -> None:
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(closed_folder), "zone": "UTC"}, {})
    assert raised.value.message == f"{closed_folder / 'omoide.yaml'} cannot be looked at: Permission denied."
    assert raised.value.hint.startswith("Let this user enter the folder")


@pytest.mark.parametrize("name", ["一周", "ループ", "loop"])
def test_a_folder_that_is_a_loop_of_links_is_told_with_what_to_do(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to(name)
    with pytest.raises(InvalidArgument) as raised:
        load({"data": str(tmp_path / name), "zone": "UTC"}, {})
    assert raised.value.hint == "A link leads back to itself: mend it, or name another folder with --data."
    assert raised.value.also["ja"].endswith("--data で別のフォルダーを指定してください。")
    assert raised.value.also["zh"].endswith("请更改链接，或用 --data 指定其他文件夹。")


def test_secrets_are_masked(tmp_path: Path) -> None:
    settings = load({"data": str(tmp_path)}, {"OMOIDE_TOKEN": "合言葉"})
    assert "合言葉" not in repr(settings)
    assert isinstance(settings.token, Secret)


@pytest.mark.parametrize("key", ["dat", "数据", "データ"])
def test_no_key_is_suggested_for_the_file_that_would_be_refused_in_it(key: str, tmp_path: Path) -> None:
    (tmp_path / "omoide.yaml").write_text(f"{key}: 記憶\n", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="is not a setting") as raised:
        load({"data": str(tmp_path)}, {})
    assert "data" not in re.split("[ ,.?]+", raised.value.hint)


@pytest.mark.parametrize("name", ["token", "embedder_key", "llm_key"])
def test_a_secret_is_read_from_the_environment_or_the_file_and_is_no_flag(name: str, tmp_path: Path) -> None:
    (tmp_path / "omoide.yaml").write_text(f"{name}: 合言葉 芝麻开门 sesame\n", encoding="utf-8")
    in_file = load({"data": str(tmp_path)}, {})
    assert getattr(in_file, name) == "合言葉 芝麻开门 sesame"
    assert "sesame" not in repr(in_file)
    in_environment = load({"data": str(tmp_path)}, {f"OMOIDE_{name.upper()}": "山と川"})
    assert getattr(in_environment, name) == "山と川"
    with pytest.raises(SystemExit):
        parser().parse_args(["serve", f"--{name.replace('_', '-')}=sesame"])


# --- what is taken from the machine

RULES = next((path for each in TZPATH if (path := Path(each, "America/New_York")).is_file()), None)


def offsets(zone: tzinfo) -> tuple[object, ...]:
    return tuple(datetime(2026, month, 1, tzinfo=zone).utcoffset() for month in (7, 1))


@pytest.mark.skipif(RULES is None, reason="this machine keeps no files of zones")
@pytest.mark.parametrize(
    "named", ["America/New_York", ":America/New_York", "{rules}", ":{rules}", "{folder}/link", ":{folder}/copy"]
)
def test_the_machines_zone_knows_summer_time_however_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    assert RULES is not None
    (tmp_path / "link").symlink_to(RULES)
    shutil.copyfile(RULES, tmp_path / "copy")
    monkeypatch.setenv("TZ", named.format(rules=RULES, folder=tmp_path))
    assert offsets(load({}, {}).zone) == (timedelta(hours=-4), timedelta(hours=-5))


@pytest.mark.parametrize("name", ["Asia/Tokyo", "Asia/Shanghai", "Asia/Taipei", "America/New_York"])
def test_zones_have_names_where_the_system_knows_none(name: str) -> None:
    program = (
        f"from omoide.config import load; print(load({{}}, {{'OMOIDE_ZONE': '{name}'}}).zone, load({{}}, {{}}).zone)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONTZPATH": "", "TZ": name},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == (f"{name} {name}\n", "")


@pytest.mark.parametrize(
    ("odd", "hours"), [("JST-9", 9), ("CST-8", 8), *((odd, 0) for odd in ("UTC+25", "UTC-99", "東京", "/nowhere", "/"))]
)
def test_a_zone_without_a_name_is_an_offset_and_one_that_is_none_keeps_nobody_from_starting(
    odd: str, hours: int
) -> None:
    program = "from omoide.config import load; print(load({}, {}).zone.utcoffset(None).total_seconds() / 3600)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "TZ": odd}, stdout=subprocess.PIPE, check=True
    )
    assert float(done.stdout) == hours


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="homes are told by number")
def test_a_user_without_a_home_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 9)  # as in a container
    assert load({"data": str(tmp_path)}, {}).data == tmp_path
    with pytest.raises(InvalidArgument, match=r"no home .* Name a folder with --data"):
        load({}, {})
    with pytest.raises(InvalidArgument, match="OMOIDE_MODELS is '~/models': it is not known where that home is"):
        load({"data": str(tmp_path)}, {"OMOIDE_MODELS": "~/models"})
