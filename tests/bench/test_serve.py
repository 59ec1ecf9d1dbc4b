"""The bench of served calls runs, and its figures mean what they say."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import omoide
from bench.workloads.serve import ERAS, PEER, Pipe, Row, fill, main, measure, process_of, servers, table


def test_rates_and_quantiles_are_those_of_the_answers() -> None:
    row = Row("omoide", "http", "session", seconds=2.0, cpu=0.5, taken=[0.001] * 98 + [0.2, 0.4])
    assert row.rate == 50
    assert row.cost == 0.005
    assert row.quantile(0.5) == 0.001
    assert row.quantile(0.99) == 0.4


def test_a_call_for_several_memories_counts_as_often() -> None:
    row = Row("omoide", "http", "session", seconds=2.0, cpu=0.5, taken=[0.001] * 10, memories=20)
    assert (row.rate, row.cost) == (100, 0.0025)


def test_a_row_is_held_against_the_sdks_empty_tool_of_the_same_era() -> None:
    rows = [Row("sdk, empty tool", "http", era, 1.0, cost, [0.001]) for era, cost in zip(ERAS, (0.4, 0.8), strict=True)]
    rows += [Row("sdk, empty tool, as events", "http", era, 1.0, 0.8, [0.001]) for era in ERAS]
    rows += [Row("omoide", "http", era, 2.0, 0.6, [0.001] * 3) for era in ERAS]
    rate, cost = [list(column.cells) for column in table([rows]).columns[-2:]]
    assert rate == ["1.00", "1.00", "1.00", "1.00", "1.50", "1.50"]
    assert cost == ["1.00", "1.00", "0.50", "1.00", "2.00", "4.00"]


def test_of_several_rounds_medians_are_shown_and_a_row_is_held_against_the_empty_tool_of_its_round() -> None:
    def measured(empty: float, ours: float) -> list[Row]:
        found = (("sdk, empty tool", empty), ("omoide", ours), ("omoide, 4 searches", ours))
        return [
            Row(name, "http", "session", seconds, 0.0 if "4" in name else seconds, [0.001] * 8)
            for name, seconds in found
        ]

    rounds = [measured(1.0, 2.0), measured(4.0, 4.0), measured(2.0, 1.0)]
    name, *_, rate, _, _, _, ratio, cost = [list(column.cells) for column in table(rounds).columns]
    assert name == ["sdk, empty tool", "omoide", "omoide, 4 searches"]
    assert rate == ["4", "4", "4"]
    assert ratio == cost == ["1.00 (1.00-1.00)", "1.00 (0.50-2.00)", ""]


@pytest.mark.parametrize("words", ["検索", "搜索", "serach"])
def test_words_in_the_name_of_no_server_are_refused_with_all_names_before_anything_is_measured(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--only", "search", "--only", words, "--server-memory", "index.js"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert f"no server has {words!r} in its name; there are\n  sdk, empty tool\n" in told
    assert "\n  omoide, search, 10 hits\n" in told
    assert told.endswith(f"\n  {PEER}\n")


def test_every_kind_of_call_is_answered(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with omoide.open(store) as opened:
        opened.remember("昨日の会議で予算を決めた")
    asked = [{"query": query, "limit": 10} for query in ("昨日の会議", "会议", "meeting")]
    ours = [each for each in servers(store, store, asked) if each.tool != "noop"]
    assert {each.tool for each in ours} == {"search_memory", "store_memory", "batch_store"}
    for each in (each for each in ours if each.beside is None):
        assert all(row.taken for row in measure(replace(each, http=[], eras=("session",)), seconds=0.05)), each.name


@pytest.mark.parametrize("writers", ["one writer", "8 writers, 2 workers", "8 writers of another process"])
def test_searches_and_the_writers_beside_them_each_have_a_row(tmp_path: Path, writers: str) -> None:
    asked = [{"query": query, "limit": 10} for query in ("昨日の会議", "会议", "meeting")]
    searches, batches = (
        f"omoide, 4 searches beside batches, {writers}",
        f"omoide, batches of 20 beside 4 searches, {writers}",
    )
    server = next(each for each in servers(tmp_path, tmp_path, asked) if each.name == searches)
    rows = list(measure(replace(server, eras=("session",)), seconds=0.3))
    assert [row.server for row in rows] == [searches, batches]
    assert all(row.taken for row in rows)
    assert list(table([rows]).columns[4].cells) == ["", ""], "the CPU time of neither is known"


def test_every_write_that_is_counted_is_a_memory_that_was_not_there(tmp_path: Path) -> None:
    asked = [{"query": query, "limit": 10} for query in ("昨日の会議", "会议", "meeting")]
    for each in (each for each in servers(tmp_path, tmp_path, asked) if "write" in each.name and each.stdio):
        with omoide.open(tmp_path) as opened:
            before = opened.counts().memories
        told = replace(each, memories=len(each.asked[0].get("memories", [1])))
        with process_of(told.stdio, subprocess.PIPE) as process:
            taken, _ = Pipe(process, "session", told).load(0.05)
        with omoide.open(tmp_path) as opened:
            assert opened.counts().memories - before == len(taken) * told.memories > 0, each.name


def test_a_store_that_has_more_is_not_taken_for_one_of_so_many(tmp_path: Path) -> None:
    with omoide.open(tmp_path) as opened:
        opened.remember_many([omoide.Draft(text=text) for text in ("昨日の会議", "昨天的会议", "the meeting")])
    with pytest.raises(ValueError, match=r"has 3 memories, 2 are to be searched"):
        fill(tmp_path, 2)


def test_writers_leave_the_store_of_the_searches_as_it_is(tmp_path: Path) -> None:
    asked = [{"query": "会議"}]
    for each in servers(tmp_path / "store", tmp_path / "written", asked):
        writes = each.written_to is not None
        assert (str(tmp_path / "store") in each.stdio) is (each.tool == "search_memory" and bool(each.stdio))
        assert (str(tmp_path / "written") in each.http) is writes
        assert (str(tmp_path / "written") in each.stdio) is (writes and bool(each.stdio))


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("sdk, empty tool", ["http", "stdio"]),
        ("sdk, empty tool, as events", ["http"]),
        ("sdk, empty tool, as documented", ["http", "stdio"]),
        ("omoide, empty tool", ["http", "stdio"]),
    ],
)
def test_empty_tools_answer_in_both_eras_over_both_transports(name: str, ways: list[str], tmp_path: Path) -> None:
    asked = [{"query": query, "limit": 10} for query in ("昨日の会議", "会议", "meeting")]
    server = next(server for server in servers(tmp_path, tmp_path, asked) if server.name == name)
    rows = list(measure(server, seconds=0.05))
    assert [(row.transport, row.era) for row in rows] == [(way, era) for way in ways for era in ERAS]
    assert all(row.taken for row in rows)
