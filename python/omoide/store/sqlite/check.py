"""Checks of rows: how faulty rows are found, and how they are mended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from omoide.store.sqlite.session import Session

#: How many rows a check names at most.
NAMED = 20
#: Asks SQLite to check a whole file. Its first findings stand under a heading.
CHECK_FILE, _HEADING = "PRAGMA integrity_check", "*** in database main ***\n"


class Check(NamedTuple):
    """`where` selects the faulty rows of `table`; `says` describes the fault; `mend` are the statements that mend it; `names`
    is the column that identifies the rows in the message, if that helps."""

    says: str
    table: str
    where: str
    mend: tuple[str, ...]
    names: str = ""

    def found(self, session: Session) -> str:
        """A sentence: the fault, how many rows have it, and which; "" if none has."""
        count = session.value(f"SELECT count(*) FROM {self.table} WHERE {self.where}")
        return f"{self.says}: {count:,}{self._which(session)}." if count else ""

    def _which(self, session: Session) -> str:
        if not self.names:
            return ""
        rows = session.rows(f"SELECT {self.names} FROM {self.table} WHERE {self.where} LIMIT {NAMED + 1}")
        names = [str(name) for (name,) in rows]
        return f" ({', '.join(names[:NAMED])}{', …' if len(names) > NAMED else ''})"


def damage_in(rows: Iterable[Sequence[Any]]) -> list[str]:
    """What CHECK_FILE has found, a sentence each; none if the file is sound."""
    return [f"{str(found).removeprefix(_HEADING)}." for (found,) in rows if found != "ok"]


def note(kind: str, table: str, where: str) -> str:
    """SQL that notes the rows as changed, so that indexes read them again."""
    return (
        "INSERT OR REPLACE INTO changes (kind, number, at)"
        f" SELECT '{kind}', number, CAST(strftime('%s', 'now') AS INTEGER) * 1000000 FROM {table} WHERE {where}"
    )


def problems_in(session: Session, checks: Sequence[Check]) -> Iterator[str]:
    """What is wrong, a sentence for each check that finds something."""
    for check in checks:
        if found := check.found(session):
            yield found


def mend(session: Session, checks: Sequence[Check]) -> Iterator[str]:
    """Mend what the checks find, in their order; yields what was done, a sentence each."""
    for check in checks:
        if found := check.found(session):
            for statement in check.mend:
                session.rows(statement)
            yield f"Mended: {found}"
