"""Which conversations do the turns found come from? A session ranks where its first turn does.

Useful for: measures over sessions of a search that finds turns. Not useful for: sets without sessions.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench.dataset import Dataset, read_lines
from bench.metrics import Ranking, Relevant

#: Turns requested, so that enough sessions are among them.
TURNS = 50


def sessions_of(dataset: Dataset) -> Mapping[str, str]:
    """The session of each memory that has one."""
    return {row["id"]: row["session"] for row in read_lines(dataset.corpus) if row.get("session")}


def by_session(turns: Ranking, relevant: Relevant, sessions: Mapping[str, str]) -> tuple[Ranking, Relevant]:
    """The sessions found, and those that answer: the sessions of all relevant turns."""
    found = dict.fromkeys(sessions[id] for id in turns if id in sessions)
    return tuple(found), frozenset(sessions[id] for id in relevant if id in sessions)
