"""Whatever a job log holds, it is read the same way and never raises."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from reading_checks import check_log
from reading_damage import ShortReads, damaged, sizes
from reading_inputs import logs

from app.domain.joblog.job_log import JobLog, read_job_log


def log_of(content: bytes) -> JobLog:
    return read_job_log(io.BytesIO(content))


@settings(max_examples=150)
@given(st.binary(max_size=2000))
def test_any_bytes_are_read(content: bytes) -> None:
    check_log(log_of(content), content)


@settings(max_examples=200)
@given(damaged(logs()))
def test_a_damaged_log_is_read(content: bytes) -> None:
    check_log(log_of(content), content)


@settings(max_examples=80)
@given(st.one_of(st.sampled_from(logs()), damaged(logs())), sizes)
def test_a_log_in_pieces_is_the_log_whole(content: bytes, pieces: list[int]) -> None:
    assert read_job_log(io.BufferedReader(ShortReads(content, pieces), 64)) == log_of(content)


@settings(max_examples=80)
@given(st.one_of(st.sampled_from(logs()), damaged(logs())))
def test_line_ends_of_windows_and_unix_are_one_log(content: bytes) -> None:
    unix = content.replace(b"\r", b"")
    assert log_of(unix.replace(b"\n", b"\r\n")) == log_of(unix)
