"""What is kept of a download."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Rejected
from app.github.spool import HeadAndTail, WholeFile


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(4, 200))
def test_both_ends_are_kept_and_nothing_is_made_up(chunks: list[bytes], limit: int) -> None:
    whole = b"".join(chunks)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        spool = HeadAndTail(path, limit_bytes=limit)
        for chunk in chunks:
            spool.write(chunk)
        spool.finish()
        spool.close()
        kept = path.read_bytes()
    if len(whole) <= limit:
        assert (kept, spool.cut) == (whole, False)
    else:
        note = f"\n[{len(whole) - limit} bytes of this log were left out here]\n".encode()
        head = limit // 4
        assert kept == whole[:head] + note + whole[len(whole) - (limit - head) :]
        assert spool.cut


def test_whole_file_is_exact_at_its_limit(tmp_path: Path) -> None:
    spool = WholeFile(tmp_path / "a", limit_bytes=4, subject="artifact 1")
    spool.write(b"1234")
    with pytest.raises(Rejected, match="larger than 4 bytes"):
        spool.write(b"5")
    spool.close()
