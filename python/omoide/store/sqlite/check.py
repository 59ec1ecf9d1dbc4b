"""What a check of rows is: how wrong ones are found, and what is done about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from omoide.store.sqlite.session import Session

#: So many rows are named, of a check that names them.
NAMED = 20


class Check(NamedTuple):
    """`where` picks the rows of `table` that are wrong; `says` what is; `mend` are statements that end it; `names` is the
    column that tells them apart, where it helps to know which they are."""

    says: str
    table: str
    where: str
    mend: tuple[str, ...]
    names: str = ""

    def found(self, session: Session) -> str:
        """What is wrong of how many rows, and of which; "" when none is."""
        count = session.value(f"SELECT count(*) FROM {self.table} WHERE {self.where}")
        return f"{self.says}: {count:,}{self._which(session)}." if count else ""

    def _which(self, session: Session) -> str:
        if not self.names:
            return ""
        rows = session.rows(f"SELECT {self.names} FROM {self.table} WHERE {self.where} LIMIT {NAMED + 1}")
        names = [str(name) for (name,) in rows]
        return f" ({', '.join(names[:NAMED])}{', …' if len(names) > NAMED else ''})"


def note(kind: str, table: str, where: str) -> str:
    """Have the indexes read the rows again."""
    return (
        "INSERT OR REPLACE INTO changes (kind, number, at)"
        f" SELECT '{kind}', number, CAST(strftime('%s', 'now') AS INTEGER) * 1000000 FROM {table} WHERE {where}"
    )


def wrong(session: Session, checks: Sequence[Check]) -> Iterator[str]:
    """What is wrong, a sentence a check."""
    for check in checks:
        if found := check.found(session):
            yield found


def mend(session: Session, checks: Sequence[Check]) -> Iterator[str]:
    """Mend it, in the order of the checks; what was done, a sentence a check."""
    for check in checks:
        if found := check.found(session):
            for statement in check.mend:
                session.rows(statement)
            yield f"Mended: {found}"
