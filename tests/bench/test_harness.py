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


def test_a_beir_folder_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.dumps({"_id": id, **doc}, ensure_ascii=False) for id, doc in CORPUS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    queries = [
        {"_id": "q1", "text": "泰山"},
        {"_id": "q2", "text": "unlabelled"},
        {"_id": "en", "text": "black cat 抹茶"},
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tzh\t2\nq1\tja\t0\nen\tja\t1\n", encoding="utf-8"
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
