"""Hostile text: both databases hold the same of it, find it again, and sort it alike."""

from collections.abc import Iterator

import psycopg
import pytest
from desk import NOON, Desk
from fixtures_postgres import Server, driven
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, select

from app.domain.ids import RepoName
from app.store import recording, repos
from app.store.base import BYTES_A_CHARACTER, storable
from app.store.expressions import by_code_points, total
from app.store.repos import RepoRow
from app.store.results import DailyCountRow
from app.store.runs import VariantRow
from app.store.session import open_engine, read_only, unit_of_work
from app.store.upsert import insert_or_add

HOSTILE = ["nul \0 inside", "half \ud800 character", "\U0001f4a3" * 900, "x" * 4000, "ä\u0300%_\\'\""]


@given(st.text(), st.integers(1, 40))
def test_what_is_stored_is_stored_again_the_same(text: str, most: int) -> None:
    once = storable(text, most)
    assert storable(once, most) == once
    assert len(once) <= most
    assert len(once.encode()) <= BYTES_A_CHARACTER * most
    assert "\0" not in once


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_name_is_stored_and_found_again(desk: Desk, name: str) -> None:
    first = recording.variant_ids(desk.session, desk.repo, 1, [name])
    assert recording.variant_ids(desk.session, desk.repo, 1, [name]) == first
    found = desk.session.scalars(select(VariantRow.name).where(VariantRow.name == name)).one()
    assert found == storable(name, 500)


def test_sums_are_whole_numbers(app_store: Engine) -> None:
    columns = ("day", "test_id", "variant_id", "ran", "red", "skipped", "duration_ms")
    day = NOON.date().isoformat() if app_store.dialect.name == "sqlite" else NOON.date()
    rows = [(day, 1, variant, 2**40, 1, 0, 5) for variant in (1, 2)]
    for _ in range(2):
        with unit_of_work(app_store) as session:
            insert_or_add(session, DailyCountRow, columns, rows, unique=columns[:3], add=columns[3:])
    with read_only(app_store) as session:
        ran = session.scalars(select(total(DailyCountRow.ran))).one()
    assert (type(ran), ran) == (int, 4 * 2**40)


@pytest.fixture
def in_english(postgres: Server) -> Iterator[Engine]:
    """A database that sorts as people do: a, B, c."""
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(
            "CREATE DATABASE english TEMPLATE template0 ENCODING 'UTF8' "
            "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        )
    engine = open_engine(driven(postgres.url("english")))
    RepoRow.metadata.create_all(engine)
    yield engine
    engine.dispose()
    postgres.drop(postgres.url("english"))


def test_order_is_that_of_code_points_whatever_the_databases_language(in_english: Engine) -> None:
    names = ["zeta", "Beta", "alpha", "_x"]
    with unit_of_work(in_english) as session:
        for name in names:
            repos.remember(session, RepoName(name))
    with read_only(in_english) as session:
        plain = list(session.scalars(select(RepoRow.shown_name).order_by(RepoRow.shown_name)))
        ours = list(session.scalars(select(RepoRow.shown_name).order_by(by_code_points(RepoRow.shown_name))))
    assert ours == sorted(names)
    assert plain != ours
