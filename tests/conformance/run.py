"""Does the server conform? Runs the protocol's official suite against `omoide serve --http`, for each requirement set.

    python tests/conformance/run.py [--no-fast-lane]

The suite comes from the npm registry, at the version named here; without the registry nothing is checked, and that is
said. Whatever fails beyond what the files beside this one expect (each with its reason) fails the run, and so does an
expectation that has come to pass.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SUITE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
REQUIREMENTS = ("2026-07-28", "2025-11-25")
HERE = Path(__file__).parent
INSTALLED = HERE.parents[1] / "target" / "conformance"
BIN = Path(sys.executable).parent
RUN_SECONDS = 300


def main(flags: Sequence[str]) -> int:
    """Exit code 0: everything as expected, or nothing could be checked."""
    suite = install()
    if suite is None:
        print(f"conformance: NOT CHECKED, {SUITE}@{VERSION} could not be had from the npm registry")
        return 0
    with serving(flags) as url:
        failed = [revision for revision in REQUIREMENTS if not conforms(suite, url, revision)]
    print(f"conformance: {', '.join(failed)} not met" if failed else f"conformance: {' and '.join(REQUIREMENTS)} met")
    return 1 if failed else 0


def install() -> Path | None:
    """The suite's program; None without the registry."""
    program = INSTALLED / "node_modules" / ".bin" / "conformance"
    wanted = ["install", "--no-fund", "--no-audit", "--silent", "--prefix", str(INSTALLED), f"{SUITE}@{VERSION}"]
    if not program.exists():
        INSTALLED.mkdir(parents=True, exist_ok=True)
        subprocess.run([BIN / "npm", *wanted], timeout=RUN_SECONDS, check=False)
    return program if program.exists() else None


@contextmanager
def serving(flags: Sequence[str]) -> Iterator[str]:
    """A server with the suite's fixture tools on a store and a port of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "omoide.cli", "serve", "--http", "--port", "0", "--fixtures", "--data", folder]
        process = subprocess.Popen([*command, *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert process.stdout is not None
            yield process.stdout.readline().removeprefix("omoide: serving ").strip()
        finally:
            process.terminate()
            process.wait(RUN_SECONDS)


def conforms(suite: Path, url: str, revision: str) -> bool:
    """Whether nothing but the expected fails; prints what the suite sums up, without what passed."""
    expected = HERE / f"{revision}.yaml"
    done = subprocess.run(
        [BIN / "node", suite, "server", "--url", url, "--requirements", revision, "--expected-failures", expected],
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        cwd=INSTALLED,
    )
    summary = done.stdout.partition("=== SUMMARY ===")[2].strip() or done.stderr
    told = [line for line in summary.splitlines() if line.strip() and not line.startswith("✓")]
    print(f"--- {revision}", *told, sep="\n")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
