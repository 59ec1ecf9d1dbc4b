"""What a check of rows is: how wrong ones are found, and what is done about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from omoide.store.sqlite.session import Session


@dataclass(frozen=True, slots=True)
class Check:
    """`where` picks the rows of `table` that are wrong; `says` what is; `mend` are statements that end it."""

    says: str
    table: str
    where: str
    mend: tuple[str, ...]

    def count(self, session: Session) -> int:
        """How many rows are wrong."""
        return int(session.value(f"SELECT count(*) FROM {self.table} WHERE {self.where}"))


def note(kind: str, table: str, where: str) -> str:
    """Have the indexes read the rows again."""
    return (
        "INSERT OR REPLACE INTO changes (kind, number, at)"
        f" SELECT '{kind}', number, CAST(strftime('%s', 'now') AS INTEGER) * 1000000 FROM {table} WHERE {where}"
    )


def wrong(session: Session, checks: Sequence[Check]) -> Iterator[str]:
    """What is wrong, a sentence a check."""
    for check in checks:
        if count := check.count(session):
            yield f"{count:,} {check.says}."


def mend(session: Session, checks: Sequence[Check]) -> Iterator[str]:
    """Mend it, in the order of the checks; what was done, a sentence a check."""
    for check in checks:
        if count := check.count(session):
            for statement in check.mend:
                session.rows(statement)
            yield f"Mended: {count:,} {check.says}."
