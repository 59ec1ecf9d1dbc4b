"""What is installed is told as the standard library tells it."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import omoide
from omoide import errors
from omoide.errors import OmoideError
from omoide.installed import version_of


def test_every_distribution_of_this_environment_has_the_version_that_the_library_tells() -> None:
    names = {each.metadata["Name"] for each in metadata.distributions()}
    assert len(names) > 10
    assert {name: version_of(name) for name in names} == {name: metadata.version(name) for name in names}


@pytest.mark.parametrize("name", ["no-such-thing", "存在しない", "json"])
def test_what_is_not_installed_has_no_version(name: str) -> None:
    assert version_of(name) is None


EGG = "Metadata-Version: 2.1\nName: tea-house\nVersion: 1.2\n"


def test_what_was_installed_in_another_way_is_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tea_house").mkdir()
    (tmp_path / "tea_house.egg-info").mkdir()
    (tmp_path / "tea_house.egg-info" / "PKG-INFO").write_text(EGG)
    monkeypatch.syspath_prepend(tmp_path)
    assert version_of("tea-house") == "1.2"


def test_a_handshake_loads_neither_mail_nor_archives() -> None:
    program = "import sys, omoide.server.stdio.serving, omoide.cli.serve; omoide.__version__; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {"email", "zipfile", "yaml", "sqlite3"}.isdisjoint(loaded)


def test_the_public_names_are_listed_and_there() -> None:
    assert dir(omoide) == omoide.__all__
    assert all(hasattr(omoide, name) for name in dir(omoide))


def test_every_error_that_the_python_api_raises_is_a_public_name() -> None:
    raised = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, OmoideError)}
    of_served_calls = {"IndexBehind", "ResultTooLarge", "TimedOut"}
    assert raised - of_served_calls == {name for name in raised if hasattr(omoide, name)}
    assert issubclass(omoide.NotFound, omoide.OmoideError)
