"""`python -m bench retrieval` on a set small enough to check by hand."""

import json
import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from bench.variants import AS_KEYWORDS, AS_REQUESTS, IN_KANA, VARIANTS, Variant
from bench.workloads.retrieval import main
from omoide.model.query import Query

CORPUS = [
    {"id": "ja", "text": "昨日、京都で抹茶を飲んだ。", "timestamp": "2025-03-01T10:00:00", "lang": "ja", "scope": "一"},
    {"id": "zh", "text": "我们决定用数据库保存记忆。", "lang": "zh", "scope": "一"},
    {"id": "en", "title": "Parking", "text": "We parked on level two.", "lang": "en", "scope": "two"},
]
QUERIES = [
    {"id": "q1", "text": "京都の抹茶", "relevant": ["ja"], "scope": "一"},
    {"id": "q2", "text": "保存記憶", "relevant": ["zh"], "scope": "一"},
    {"id": "q3", "text": "where did we park", "relevant": ["en"]},
    {"id": "q4", "text": "京都の抹茶", "relevant": ["ja"], "scope": "two"},
]
TRIPLES = [{"doc": "ja", "entities": ["抹茶", "京都"], "triples": [["抹茶", "飲んだ場所", "京都"]]}]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES), ("triples", TRIPLES)):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.mark.parametrize("flags", [[], ["--graph"], ["--no-triples"]])
def test_every_question_is_asked_within_its_scope(
    dataset: Path, tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main([str(dataset), "--json", str(out), *flags]) == 0
    (found,) = json.loads(out.read_text(encoding="utf-8"))
    best = {each["id"]: each["ranking"][:1] for each in found["questions"]}
    assert best["q1"] == ["ja"]
    assert best["q2"] == ["zh"]
    assert best["q3"] == ["en"]
    assert "ja" not in found["questions"][3]["ranking"]
    assert found["metrics"]["recall@10"] == 0.75
    shown = capsys.readouterr().out
    assert "recall_all@5" in shown
    assert "share of time by stage" in shown


@pytest.mark.parametrize(
    ("flag", "variants"),
    [("--ablate", VARIANTS), ("--kana", IN_KANA), ("--requests", AS_REQUESTS), ("--keywords", AS_KEYWORDS)],
)
def test_every_variant_is_asked_in_turn(
    dataset: Path, tmp_path: Path, flag: str, variants: tuple[Variant, ...]
) -> None:
    out = tmp_path / "out.json"
    assert main([str(dataset), flag, "--by-category", "--json", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [each["set"] for each in found] == ["toy", *(f"toy {variant.name}" for variant in variants[1:])]
    assert {each["questions"][0]["ranking"][0] for each in found} == {"ja"}


@pytest.mark.parametrize(
    ("asked", "keywords"),
    [
        ("北海道の地震はいつ起きましたか？", "北海道 地震"),
        ("上周我们在哪里吃的火锅？", "上周 火锅"),
        ("上週的會議討論了什麼？", "上週 會議 討論"),
        ("Who was Anna's teacher in 1990?", "Anna teacher 1990"),
        ("Which of the four red cars did Anna buy?", "four red cars"),
        ("どこ？", "どこ？"),
        ("where did they do it?", "where did they do it?"),
    ],
)
def test_what_a_question_as_keywords_is(asked: str, keywords: str) -> None:
    query = Query(text=asked, limit=3)
    assert AS_KEYWORDS[1].change_query(query) == replace(query, text=keywords)


@pytest.mark.parametrize(
    ("asked", "in_kana", "nouns"),
    [
        ("京都の抹茶を飲む", "きょうとのまっちゃをのむ", "きょうと まっちゃ"),
        ("どこ？", "どこ？", "どこ？"),
        ("where did we park", "where did we park", "where did we park"),
    ],
)
def test_what_a_question_in_kana_is(asked: str, in_kana: str, nouns: str) -> None:
    query = Query(text=asked, limit=3)
    expected = [query, replace(query, text=in_kana), replace(query, text=nouns)]
    assert [variant.change_query(query) for variant in IN_KANA] == expected


@pytest.mark.parametrize(
    ("asked", "request_"),
    [
        ("京都で何を飲んだ？", "京都で何を飲んだ？教えてください。"),
        ("會議在哪裡", "请告诉我，會議在哪裡"),
        ("where did we park", "Please tell me: where did we park"),
    ],
)
def test_what_a_question_as_a_request_is(asked: str, request_: str) -> None:
    query = Query(text=asked, limit=3)
    assert [variant.change_query(query) for variant in AS_REQUESTS] == [query, replace(query, text=request_)]


def test_a_run_is_held_against_an_earlier_one(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    main([str(dataset), "--json", str(out)])
    assert main([str(dataset), "--gate", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    found[0]["questions"][3]["ranking"] = ["ja"]
    out.write_text(json.dumps(found), encoding="utf-8")
    assert main([str(dataset), "--gate", str(out)]) == 1


def test_a_report_is_a_page_with_plots(dataset: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `bench`")
    (dataset / "queries_adversarial.jsonl").write_text('{"id": "x", "text": "火星", "relevant": []}', encoding="utf-8")
    assert main([str(dataset), "--report", str(tmp_path / "run"), "--ablate"]) == 0
    page = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    shown = {path.stem for path in (tmp_path / "run").glob("*.png")}
    assert shown == {"recall", "reliability", "no_answer", "ablation"}
    assert all(f"({name}.png)" in page for name in shown)
    assert "median_relevant" in page


def test_a_session_counts_as_found_where_its_first_turn_does(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{**row, "scope": "一", "session": "S2" if row["id"] == "en" else "S1"} for row in CORPUS]
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    (dataset / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out.json"
    assert main([str(dataset), "--by-session", "--json", str(out)]) == 0
    (found,) = json.loads(out.read_text(encoding="utf-8"))
    assert (found["by_session"]["recall@1"], found["metrics"]["recall@1"]) == (0.75, 0.75)
    assert "by session" in capsys.readouterr().out


def test_a_missing_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("queries", "", "queries.jsonl: no question in it"),
        ("queries", "京都", "queries.jsonl:1: no JSON"),
        ("queries", "[1]", "queries.jsonl:1: list instead of an object"),
        ("queries", '{"id": "q", "relevant": []}', "queries.jsonl:1: text is None; it has to be a text"),
        ("queries", '\n{"id": 5, "text": "茶", "relevant": []}', "queries.jsonl:2: id is 5; it has to be a text"),
        ("queries", '{"id": "q", "text": "茶", "relevant": "ja"}', "relevant is 'ja'; it has to be a list of ids"),
        ("queries", '{"id": "q", "text": "茶", "relevant": ["日"]}', "names '日', which no line of corpus.jsonl has"),
        ("queries", '{"id": "q", "text": "茶", "relevant": ["ja", 1]}', "relevant names 1, which no line of"),
        ("corpus", '{"id": 7, "text": "茶"}', "corpus.jsonl:1: id is 7; it has to be a text"),
    ],
)
def test_a_set_whose_labels_would_be_misread_is_refused_by_file_and_line(
    dataset: Path, capsys: pytest.CaptureFixture[str], file: str, line: str, said: str
) -> None:
    (dataset / f"{file}.jsonl").write_text(line, encoding="utf-8")
    assert main([str(dataset)]) == 2
    assert said in capsys.readouterr().err


def test_a_set_may_begin_with_a_byte_order_mark_and_end_its_lines_as_windows_does(
    dataset: Path, tmp_path: Path
) -> None:
    for name in ("corpus", "queries", "triples"):
        path = dataset / f"{name}.jsonl"
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    out = tmp_path / "out.json"
    assert main([str(dataset), "--json", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))[0]["metrics"]["recall@10"] == 0.75


@pytest.mark.parametrize(
    ("flag", "said"), [("--gate", "no earlier run to compare with"), ("--json", "the rankings cannot be kept")]
)
def test_files_that_are_not_there_are_told_before_anything_is_measured(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str, said: str
) -> None:
    assert main([str(dataset), flag, str(tmp_path / "nowhere" / "run.json")]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""


def test_a_report_that_cannot_be_written_is_told_before_anything_is_measured(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = dataset / "corpus.jsonl"
    monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib", "another one"))
    sys.modules["matplotlib"].__spec__ = ModuleSpec("matplotlib", None)
    assert main([str(dataset), "--report", str(taken)]) == 2
    assert str(taken) in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    assert main([str(dataset), "--report", str(tmp_path / "報告")]) == 2
    told = capsys.readouterr()
    assert "matplotlib is not installed" in told.err
    assert told.out == ""


def test_an_earlier_run_that_is_none_is_told_before_anything_is_measured(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "run.json"
    kept.write_text("以前的结果", encoding="utf-8")
    assert main([str(dataset), "--gate", str(kept)]) == 2
    told = capsys.readouterr()
    assert str(kept) in told.err
    assert told.out == ""


def test_sets_with_the_same_ids_share_one_store(dataset: Path, tmp_path: Path) -> None:
    twin = dataset.rename(tmp_path / "one")
    (tmp_path / "two").mkdir()
    for file in twin.iterdir():
        (tmp_path / "two" / file.name).write_bytes(file.read_bytes())
    # The same text under another title is another memory; under the same it would take no place of its own.
    rows = (json.dumps({**row, "title": "Zwei"}, ensure_ascii=False) for row in CORPUS)
    (tmp_path / "two" / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    out = tmp_path / "out.json"
    assert main([str(twin), str(tmp_path / "two"), "--together", "--json", str(out)]) == 0
    first, second = json.loads(out.read_text(encoding="utf-8"))
    assert set(first["questions"][0]["ranking"]) >= {"one/ja", "two/ja"}
    assert first["questions"][0]["relevant"] == ["one/ja"]
    assert second["metrics"]["recall@10"] == 0.75
