"""Other people's benchmarks in their published formats, on files small enough to check by hand."""

import json
from pathlib import Path
from typing import Any

import numpy
import pytest

from bench.__main__ import main
from bench.harness import locomo, longmemeval
from bench.harness.ann import OmoideVectors
from bench.harness.beir import OmoideSearch
from bench.harness.cases import judge
from bench.harness.scores import published_ndcg

LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "健太",
            "speaker_b": "Mel",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "健太", "dia_id": "D1:1", "text": "京都で抹茶を飲んだ。", "blip_caption": "a bowl of tea"},
                {"speaker": "Mel", "dia_id": "D1:2", "text": "I adopted a black cat."},
            ],
            "session_2_date_time": "12:09 am on 13 September, 2023",
            "session_2": [{"speaker": "Mel", "dia_id": "D2:1", "text": "我们去爬山了。"}],
        },
        "qa": [
            {"question": "抹茶はどこで飲んだ？", "answer": "京都", "evidence": ["D1:01"], "category": 4},
            {"question": "Which cat did Mel adopt?", "answer": "black", "evidence": ["D1:2; D2:1"], "category": 1},
            {"question": "Which dog did Mel adopt?", "adversarial_answer": "black", "evidence": [], "category": 5},
        ],
    }
]
LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "去哪里爬山了？",
        "answer": "泰山",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "What goes with tea?"}, {"role": "assistant", "content": "Cake."}],
            [
                {"role": "user", "content": "上周去泰山爬山了。", "has_answer": True},
                {"role": "assistant", "content": "Wonderful!", "has_answer": False},
                {"role": "user", "content": "Nice.", "has_answer": False},
            ],
        ],
    },
    {**dict.fromkeys(("question", "answer"), "-"), "question_id": "q2_abs"},
]


def write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def test_locomo_is_judged_by_turn_and_by_session() -> None:
    judged = judge(locomo.case_of(LOCOMO[0]))
    assert [(each.level, each.category, set(each.relevant)) for each in judged] == [
        ("turn", "single-hop", {"D1:1"}),
        ("session", "single-hop", {"session_1"}),
        ("turn", "multi-hop", {"D1:2", "D2:1"}),
        ("session", "multi-hop", {"session_1", "session_2"}),
    ]
    assert [each.ranking[0] for each in judged] == ["D1:1", "session_1", "D1:2", "session_1"]


def test_longmemeval_has_the_turns_of_users_as_its_haystack() -> None:
    case = longmemeval.case_of_turns(LONGMEMEVAL[0])
    assert [(row["id"], row["session"]) for row in case.haystack] == [("s1_1", "s1"), ("s2_1", "s2"), ("s2_3", "s2")]
    assert [(each.level, each.ranking[0]) for each in judge(case)] == [("turn", "s2_1"), ("session", "s2")]


def test_longmemeval_may_have_whole_sessions_as_its_haystack() -> None:
    case = longmemeval.case_of_sessions(LONGMEMEVAL[0])
    assert [(row["id"], row["text"]) for row in case.haystack] == [
        ("s1", "What goes with tea?"),
        ("s2", "上周去泰山爬山了。 Nice."),
    ]
    assert [(each.level, each.ranking[0], each.relevant) for each in judge(case)] == [("session", "s2", {"s2"})]


@pytest.mark.parametrize("question", ["昨日どの店に行った？", "昨天去了哪家店？", "Which shop did I visit yesterday?"])
def test_longmemeval_is_asked_at_its_date(question: str) -> None:
    said = {"ja": "店に行った。", "zh": "我去了一家店。", "en": "I visited a shop."}
    asked = {
        **LONGMEMEVAL[0],
        "question": question,
        "haystack_session_ids": [f"{day}" for day in range(20, 30)],
        "haystack_dates": [f"2023/05/{day} (Sat) 12:00" for day in range(20, 30)],
        "haystack_sessions": [
            [{"role": "user", "content": text, "has_answer": True} for text in said.values()] for _ in range(20, 30)
        ],
    }
    assert judge(longmemeval.case_of_turns(asked))[1].ranking[0] == "29"


@pytest.mark.parametrize(("workload", "content"), [("locomo", LOCOMO), ("longmemeval", LONGMEMEVAL)])
def test_one_command_judges_a_published_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], workload: str, content: object
) -> None:
    out = tmp_path / "out.json"
    assert main([workload, str(write(tmp_path / "published.json", content)), "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "recall_all@10" in shown
    assert "session" in shown
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert {each["level"]: each["recall_any@5"] for each in kept["scores"] if each["category"] == "all"} == {
        "turn": 1.0,
        "session": 1.0,
    }
    assert all(set(each["relevant"]) & set(each["ranking"]) for each in kept["questions"])


@pytest.mark.parametrize(
    ("ranking", "relevant", "expected"),
    [
        (["a", "b"], {"a"}, 1.0),
        (["b", "a"], {"a"}, 1.0),
        (["b", "c", "d", "a"], {"a"}, 0.5),
        (["c"], {"a"}, 0.0),
        (["a"], set(), 0.0),
    ],
)
def test_the_published_ndcg_discounts_from_the_third_rank_on(
    ranking: list[str], relevant: set[str], expected: float
) -> None:
    assert published_ndcg(10, ranking, frozenset(relevant)) == pytest.approx(expected)


CORPUS = {
    "ja": {"title": "", "text": "京都で抹茶"},
    "zh": {"title": "泰山", "text": ""},
    "en": {"title": "Cat", "text": "black"},
}


def test_beir_gets_scores_by_id() -> None:
    found = OmoideSearch().search(CORPUS, {"q1": "抹茶", "q2": "black cat"}, 2, "cos_sim")
    assert {id: max(scores, key=scores.__getitem__) for id, scores in found.items()} == {"q1": "ja", "q2": "en"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])  # as spreadsheets write it
def test_a_beir_folder_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str) -> None:
    rows = [json.dumps({"_id": id, **doc}, ensure_ascii=False) for id, doc in CORPUS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows), encoding=encoding)
    queries = [
        {"_id": "q1", "text": "泰山"},
        {"_id": "q2", "text": "unlabelled"},
        {"_id": "en", "text": "black cat 抹茶"},
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding=encoding)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tzh\t2\nq1\tja\t0\nen\tja\t1\n", encoding=encoding
    )
    assert main(["beir", str(tmp_path)]) == 0
    # The document with the query's own id is not an answer to it.
    assert json.loads(capsys.readouterr().out) == {"queries": 2, "nDCG@10": 1.0, "recall@100": 1.0}


def test_ann_benchmarks_gets_the_numbers_of_the_nearest_rows() -> None:
    system = OmoideVectors("angular")
    system.fit([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    system.set_query_arguments(50)
    assert (system.query([0.1, 1.0], 2), str(system)) == ([1, 2], "omoide(candidates=50)")
    system.batch_query([[0.1, 1.0], [1.0, 0.0]], 1)
    assert (system.get_batch_results(), system.get_additional()) == ([[1], [0]], {"candidates": 50})
    system.done()
    assert system.get_memory_usage() > 0
    with pytest.raises(ValueError, match="euclidean"):
        OmoideVectors("euclidean")


def test_arrays_on_disk_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = numpy.eye(12, dtype="f4") + 0.01 * numpy.arange(12, dtype="f4")
    near = numpy.argsort(-(rows @ rows.T) / numpy.linalg.norm(rows, axis=1), axis=1)
    for name, values in {"base": rows, "queries": rows, "neighbours_cos": near}.items():
        numpy.save(tmp_path / f"{name}.npy", values)
    assert main(["ann", str(tmp_path), "--json", "--candidates", "12"]) == 0
    assert json.loads(capsys.readouterr().out)["recall@10"] > 0.9


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


TURN = {"role": "user", "content": 5}
REFUSED: list[tuple[str, object, str]] = [
    ("locomo", "[{", ": not as published (Expecting property name"),
    ("locomo", [], ": a JSON list of entries is expected"),
    ("locomo", LOCOMO[0], ": a JSON list of entries is expected"),
    ("locomo", [*LOCOMO, "茶"], ": entry 2: not as published ("),
    ("locomo", [*LOCOMO, without(LOCOMO[0], "qa")], ": entry 2: 'qa' is missing"),
    (
        "locomo",
        [{**LOCOMO[0], "conversation": {"session_1": [], "session_1_date_time": "昨日"}}],
        ": entry 1: not as published (time data '昨日' does not match",
    ),
    (
        "locomo",
        [{**LOCOMO[0], "qa": [{"question": 5, "evidence": [], "category": 4}]}],
        ": entry 1: not as published (question is 5; it has to be a text)",
    ),
    ("locomo", [{**LOCOMO[0], "qa": LOCOMO[0]["qa"][2:]}], "LoCoMo: no question with evidence in its haystack"),
    ("longmemeval", [*LONGMEMEVAL, {}], ": entry 3: 'question_id' is missing"),
    ("longmemeval", [{**LONGMEMEVAL[0], "haystack_dates": []}], ": entry 1: not as published (zip() argument"),
    (
        "longmemeval",
        [{**LONGMEMEVAL[0], "haystack_sessions": [[TURN], []]}],
        ": entry 1: not as published (content is 5; it has to be a text)",
    ),
]


@pytest.mark.parametrize(("workload", "content", "said"), REFUSED)
def test_a_file_that_is_not_as_published_is_refused_by_entry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], workload: str, content: object, said: str
) -> None:
    path = tmp_path / "mine.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    assert main([workload, str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.lstrip().startswith(f"{path}{said}" if said.startswith(":") else said)


@pytest.mark.parametrize("workload", ["locomo", "longmemeval", "beir", "ann"])
def test_what_is_not_there_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], workload: str) -> None:
    assert main([workload, str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(str(tmp_path / "none"))
    assert said.endswith(": No such file or directory\n")


def test_scores_that_could_not_be_kept_are_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "published.json", LOCOMO)
    with pytest.raises(SystemExit, match="2"):
        main(["locomo", str(path), "--json", str(tmp_path / "none" / "out.json")])
    assert "there is no folder for" in capsys.readouterr().err


BEIR = {
    "corpus.jsonl": '{"_id": "zh", "title": "泰山", "text": ""}\n',
    "queries.jsonl": '{"_id": "q1", "text": "泰山"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\tzh\t2\n",
}


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("corpus.jsonl", '{"id": "zh", "text": "茶"}', "corpus.jsonl:1: '_id' is missing"),
        ("corpus.jsonl", BEIR["corpus.jsonl"] + "茶", "corpus.jsonl:2: no JSON"),
        (
            "corpus.jsonl",
            '{"_id": "zh", "text": 5}',
            "corpus.jsonl:1: not as published (text is 5; it has to be a text)",
        ),
        ("queries.jsonl", '{"_id": "q1"}', "queries.jsonl:1: 'text' is missing"),
        ("queries.jsonl", '{"_id": "q9", "text": "茶"}', "no query of queries.jsonl has a label in qrels/test.tsv"),
        ("qrels/test.tsv", "q1 0 zh 1\n", "no query of queries.jsonl has a label in qrels/test.tsv"),
        ("qrels/test.tsv", "q1\tzh\t1\nq1\ten\t1\n", "qrels/test.tsv:2: 'query-id' is missing"),
        (
            "qrels/test.tsv",
            BEIR["qrels/test.tsv"] + "q1\tzh\tよい\n",
            "qrels/test.tsv:3: not as published (invalid literal",
        ),
        ("qrels/test.tsv", BEIR["qrels/test.tsv"] + "q1\tzh\n", "qrels/test.tsv:3: not as published ("),
    ],
)
def test_a_beir_folder_that_is_none_is_refused_by_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, content: str, said: str
) -> None:
    (tmp_path / "qrels").mkdir()
    for name, kept in {**BEIR, file: content}.items():
        (tmp_path / name).write_text(kept, encoding="utf-8")
    assert main(["beir", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("base", numpy.zeros((0, 2)), "base.npy: not as published (float64 (0, 2); rows of numbers are expected)"),
        ("base", numpy.array([["茶"]]), "base.npy: not as published (<U1 (1, 1); rows of numbers are expected)"),
        ("base", numpy.array([[None]]), "base.npy: not as published (Object arrays cannot be loaded"),
        ("queries", numpy.ones(3), "queries.npy: not as published (float64 (3,); rows of numbers are expected)"),
        ("queries", numpy.ones((2, 3)), "queries have 3 dimensions, base has 2"),
        ("neighbours_cos", numpy.ones((2, 3), int), "rows of at least 10 row numbers are expected"),
        ("neighbours_cos", numpy.ones((3, 10), int), "3 rows of neighbours for 2 queries"),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, values: Any, said: str
) -> None:
    fitting = {"base": numpy.eye(2), "queries": numpy.eye(2), "neighbours_cos": numpy.zeros((2, 10), int)}
    for each, kept in {**fitting, name: values}.items():
        numpy.save(tmp_path / f"{each}.npy", kept)
    assert main(["ann", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("茶", "no JSON"),
        ('{"text": "昨日"}', "'ref' is missing"),
        ('{"ref": "昨日", "results": []}', "not as published (Invalid isoformat string: '昨日')"),
    ],
)
def test_a_case_of_dates_that_is_none_is_refused_by_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    assert main(["dates", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}:2: {said}")
