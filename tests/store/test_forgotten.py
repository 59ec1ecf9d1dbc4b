"""What is forgotten is gone from the files, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.app import open_memories
from omoide.cli import main
from omoide.memory import Memories
from omoide.model.memory import Draft

SECRETS = ("極秘合言葉翡翠梟", "绝密口令紫檀麒麟", "xyzzyplugh")
#: In rows of their own, in pages of their own, and in what is too long for one page.
LENGTHS = (1, 30, 3_000)


def fill(memories: Memories) -> None:
    memories.remember_many(Draft(text=f"普通の思い出 {number} 平常的记忆") for number in range(200))
    for secret in SECRETS:
        for length in LENGTHS:
            draft = Draft(id=f"{secret}{length}", text=f"{secret} " * length, title=secret, tags=(secret,))
            memories.remember(draft, extra={"秘": secret})
        memories.observe(secret, "person", f"{secret} 2")
        memories.recall(secret)


def forget(memories: Memories) -> None:
    for secret in SECRETS:
        for length in LENGTHS:
            memories.forget(f"{secret}{length}")
        [person] = memories.entities_named(secret)
        memories.forget_entity(person.id)


def left(folder: Path) -> set[tuple[str, str]]:
    """(secret, file) of what can still be read in the files."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {(secret, file.name) for secret in SECRETS for file in files if secret.encode() in file.read_bytes()}


def test_nothing_is_left_in_the_data_folder_when_doctor_has_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_memories(tmp_path) as memories:
        fill(memories)
    assert {secret for secret, _ in left(tmp_path)} == set(SECRETS)
    with open_memories(tmp_path) as memories:
        forget(memories)
    assert main(["doctor", "--data", str(tmp_path)]) == 0
    assert left(tmp_path) == set()
    assert SECRETS[0] not in capsys.readouterr().out


def test_every_build_of_sqlite_overwrites_it(tmp_path: Path) -> None:
    with open_memories(tmp_path) as memories, memories.store.read() as reader:
        assert reader.rows("PRAGMA secure_delete") == [(1,)]  # type: ignore[attr-defined]
