"""The manifests of behaviours: every requirement has a test, every test of a door cites requirements that are there."""

from pathlib import Path

import pytest

from tests.families.manifest import cited, required

FOLDERS = sorted(manifest.parent for manifest in Path(__file__).parent.glob("*/requirements.tsv"))


def test_every_door_has_a_manifest() -> None:
    assert [folder.name for folder in FOLDERS] == ["chronica", "contextplus", "fegis", "recallnest", "textrawl"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_requirements_and_tests_cover_each_other(folder: Path) -> None:
    ids, tests = required(folder), cited(folder)
    assert len(ids) == len(set(ids))
    assert set(ids) == set().union(*tests.values())
    assert [name for name, cites in tests.items() if not cites] == []
