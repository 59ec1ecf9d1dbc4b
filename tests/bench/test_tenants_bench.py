"""`python -m bench tenants` with a handful of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.workloads.tenants import main


def test_every_tenant_is_visited_and_answered_from_its_own_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--tenants", "5", "--memories", "6", "--open", "2", "--data", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    (first,) = [line for line in shown.splitlines() if "first hit" in line]
    times = [float(value) for value in re.findall(r"\d+\.\d", first)]
    assert len(times) == 4
    assert times == sorted(times)  # none above the most
    assert "resident MiB" in shown
    assert len(list(tmp_path.glob("tenants/*"))) == 5
