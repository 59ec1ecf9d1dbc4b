"""What is given to a workload and cannot be used is told before anything is measured."""

from pathlib import Path

import pytest

from bench.__main__ import main


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tenants --tenants 1", "argument --tenants: '1' is no whole number from 2 on"),
        ("tenants --open 0", "argument --open: '0' is no whole number from 1 on"),
        ("tenants --memories many", "argument --memories: 'many' is no whole number from 1 on"),
        ("serve --memories 0", "argument --memories: '0' is no whole number from 1 on"),
        *(
            (f"serve --seconds={given}", f"'{given}' is no number of seconds above 0")
            for given in ("0", "-1", "nan", "ｘ")
        ),
        ("text --chars 0", "argument --chars: '0' is no whole number from 1 on"),
        ("embed --texts 9", "argument --texts: '9' is no whole number from 10 on"),
        ("embed --indexed 0", "argument --indexed: '0' is no whole number from 10 on"),
        ("embed --depths 10 0", "argument --depths: '0' is no whole number from 1 on"),
        ("retrieval SET --limit 0", "argument --limit: '0' is no whole number from 1 on"),
        ("relevance SET --questions 0", "argument --questions: '0' is no whole number from 1 on"),
        ("locomo FILE --limit=-1", "argument --limit: '-1' is no whole number from 1 on"),
        ("ann FOLDER --candidates 0", "argument --candidates: '0' is no whole number from 1 on"),
        ("dates CASES --json none/out.json", "argument --json: there is no folder for none/out.json"),
    ],
)
def test_a_number_or_a_place_that_cannot_be_used_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_hold_no_store_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--memories", "1", "--store", "file/思い出"]) == 2
    assert "file/思い出/omoide.sqlite3, and none can be made" in capsys.readouterr().err
