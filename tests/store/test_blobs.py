"""Blobs: bytes by their digest, kept once, and read whole or as a stream."""

import io

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from app.store import blobs
from app.store.blobs import BlobRow, PackedBlob
from app.store.session import read_only, unit_of_work


def count(app_store: Engine) -> int:
    with read_only(app_store) as session:
        return session.scalars(select(func.count()).select_from(BlobRow)).one()


@given(content=st.binary(max_size=3000))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_kept_comes_back_whole_and_as_a_stream(app_store: Engine, content: bytes) -> None:
    blob = PackedBlob(io.BytesIO(content))
    with unit_of_work(app_store) as session:
        blobs.keep(session, blob)
    with read_only(app_store) as session:
        assert blobs.read(session, blob.digest) == content
        assert blobs.stream(session, blob.digest).read() == content
    assert blob.size_bytes == len(content)


def test_equal_bytes_are_kept_once(app_store: Engine) -> None:
    with unit_of_work(app_store) as session:
        blobs.keep(session, blobs.pack(b"same"), blobs.pack(b"same"))
    with unit_of_work(app_store) as session:
        blobs.keep(session, blobs.pack("same"), blobs.pack("other"))
    assert count(app_store) == 2


def test_a_blob_of_a_transaction_that_was_undone_is_not_there(app_store: Engine) -> None:
    with Session(app_store) as session:
        blobs.keep(session, blobs.pack("lost"))
        session.rollback()
    assert count(app_store) == 0


def test_a_large_file_is_read_in_pieces(app_store: Engine) -> None:
    content = bytes(range(256)) * 20_000
    blob = blobs.pack(content)
    with unit_of_work(app_store) as session:
        blobs.keep(session, blob)
    with read_only(app_store) as session:
        stream = blobs.stream(session, blob.digest)
    pieces = list(iter(lambda: stream.read(100_000), b""))
    assert b"".join(pieces) == content
    assert max(len(piece) for piece in pieces) <= 100_000


def test_broken_text_is_kept_and_shown_as_far_as_it_can_be(app_store: Engine) -> None:
    blob = blobs.pack("a \ud800 b")
    with unit_of_work(app_store) as session:
        blobs.keep(session, blob)
    with read_only(app_store) as session:
        assert blobs.text(session, blob.digest).startswith("a ")
        assert set(blobs.texts(session, {blob.digest})) == {blob.digest}
