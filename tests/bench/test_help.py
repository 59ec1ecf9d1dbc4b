"""What `python -m bench WORKLOAD --help` says, for people."""

import pytest

from bench.__main__ import WORKLOADS, main


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_help_shows_words_and_no_values_of_python(workload: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([workload, "--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert [each for each in ("[]", "{,", "('", "{'") if each in shown] == []


def test_an_unknown_work_of_the_engine_is_refused_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["engine", "vektor"])
    assert "'vektor' is none of vectors, filters, words" in capsys.readouterr().err


def test_the_example_for_the_evaluator_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["beir", "--help"])
    assert "\n  from beir.retrieval.evaluation import EvaluateRetrieval\n" in capsys.readouterr().out
