"""What the database knows, told so that two runs of the service can be compared.

Row ids become what they stand for; times at which we did something, tries and superseded verdicts are left
out. What the stand-in holds is told beside it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Engine, Table, UniqueConstraint, select

from app.domain.run_vector import unpack
from app.standin.server import StandIn
from app.store.base import Base
from app.store.session import read_only

OUR_TIMES = frozenset({"recorded_at", "judged_at", "published_at", "noted_at", "found_at", "counted_at"})
OF_THE_QUEUE = frozenset({"tasks", "outbox", "workers", "measures", "watched"})
TOLD_OTHERWISE = frozenset({"evidence"})
"""Evidence is told with the verdict that rests on it."""

NAMED = {
    ("daily_counts", "test_id"): "tests",
    ("daily_counts", "variant_id"): "variants",
    ("gaps", "job_id"): "jobs",
    ("failures", "test_key"): "tests",
}
"""Columns that hold a row's id without saying so to the database; 0 stands for none."""

_OUR_KEYS = re.compile(r"(?<=/failures/)\d+(?=#weaknesses)")
"""A page's address holds a row id, which is not given out again by every database once it was rolled back."""

_HISTORY = re.compile(r"\n\| \d{4}-\d\d-\d\d [^\n]*(?=\n)|, history=\[.*\](?=, is_posted=\w+$)")
"""Lines of the table in an alert's text, and the column behind them."""

Row = Mapping[str, Any]
Facts = dict[str, list[str]]


def stored_facts(store: Engine) -> Facts:
    """Every table's rows in words, sorted, by the table's name."""
    with read_only(store) as session:
        rows = {
            table.name: [dict(row) for row in session.execute(select(table)).mappings()]
            for table in Base.metadata.sorted_tables
        }
    teller = _Teller(rows)
    shown = [
        table for table in Base.metadata.sorted_tables if table.name not in OF_THE_QUEUE | TOLD_OTHERWISE
    ]
    return {table.name: sorted(teller.tell(table, row) for row in _current(table, rows)) for table in shown}


def github_facts(standin: StandIn) -> Facts:
    """The comments and issues as people see them; numbers that GitHub gives out are left out."""
    talk = standin.state.talk
    return {
        "comments": sorted(f"{one.number} {one.author}: {one.body}" for one in talk.comments.values()),
        "issues": sorted(
            f"{one.state} {one.author} {one.labels} {one.title}: {one.body}" for one in talk.issues.values()
        ),
    }


def whatever_came_first(facts: Facts) -> Facts:
    """The facts that no order of arrival may change.

    Left out: what an alert said on its way to what it says now, and which comparisons GitHub was asked for.
    """
    kept = {name: told for name, told in facts.items() if name != "commit_relations"}
    return {
        name: [_OUR_KEYS.sub("<failure>", _HISTORY.sub("", fact)) for fact in told]
        for name, told in kept.items()
    }


def differences(found: Facts, expected: Facts) -> list[str]:
    """What only one of both says, marked + where it is the first."""
    return [
        f"{sign} {name}: {fact}"
        for name in sorted(found.keys() | expected.keys())
        for sign, here, there in (("+", found, expected), ("-", expected, found))
        for fact in here.get(name, [])
        if here.get(name, []).count(fact) != there.get(name, []).count(fact)
    ]


def _current(table: Table, rows: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Of verdicts the newest on each failure: how often a mind was changed depends on what came first."""
    if table.name != "verdicts":
        return rows[table.name]
    newest: dict[int, dict[str, Any]] = {}
    for row in sorted(rows["verdicts"], key=lambda row: row["number"]):
        newest[row["failure_id"]] = row
    return list(newest.values())


class _Teller:
    def __init__(self, rows: Mapping[str, list[dict[str, Any]]]) -> None:
        self._by_id = {
            name: {row["id"]: row for row in found}
            for name, found in rows.items()
            if found and "id" in found[0]
        }
        self._special: dict[tuple[str, str], Callable[[Any], str]] = {
            ("run_vectors", "packed"): self._vector,
            ("verdicts", "evidence"): self._evidence,
            ("jobs", "github_id"): _number,
        }

    def tell(self, table: Table, row: Row) -> str:
        left_out = OUR_TIMES | {"id"} | ({"number"} if table.name == "verdicts" else set())
        return ", ".join(
            f"{name}={self._value(table, name, row[name])}" for name in row if name not in left_out
        )

    def _value(self, table: Table, name: str, value: object) -> str:
        special = self._special.get((table.name, name))
        if special is not None:
            return special(value)
        target = NAMED.get((table.name, name)) or _target(table, name)
        return str(value) if target is None or not value else self._name(target, value)

    def _name(self, of: str, key: object) -> str:
        """What a row is called by people: the columns of its unique key."""
        table, row = Base.metadata.tables[of], self._by_id[of][key]
        (unique,) = [one for one in table.constraints if isinstance(one, UniqueConstraint)]
        return f"<{' '.join(self._value(table, column.name, row[column.name]) for column in unique.columns)}>"

    def _vector(self, packed: bytes) -> str:
        cells = [
            f"{self._name('tests', cell.test)} {cell.outcome} {cell.duration_ms}"
            for cell in unpack(packed).cells()
        ]
        return "; ".join(sorted(cells))

    def _evidence(self, keys: list[int]) -> str:
        found = [self._by_id["evidence"][key] for key in keys]
        return "; ".join(f"{row['kind']} {row['strength']} {row['text']} {row['runs']}" for row in found)


def _number(github_id: int) -> str:
    """Of a job that GitHub does not know: ours, made from a row id."""
    return str(github_id) if github_id > 0 else "ours"


def _target(table: Table, name: str) -> str | None:
    """The table whose id this column holds."""
    targets = [key.column.table.name for key in table.columns[name].foreign_keys]
    return targets[0] if targets else None
