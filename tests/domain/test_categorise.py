"""Every category by the words that show it, and what outranks what."""

import pytest

from app.domain.categorise import categorise, categorise_line, categorise_lines
from app.domain.category import Category


@pytest.mark.parametrize(
    ("type_name", "message", "category"),
    [
        ("AssertionError", "3 != 4", Category.ASSERTION),
        ("AssertionError", "reply was 'connection timed out'", Category.ASSERTION),
        ("org.opentest4j.AssertionFailedError", "no", Category.ASSERTION),
        ("Failed", "DID NOT RAISE ValueError", Category.ASSERTION),
        ("Failed", "Timeout (>2.0s) from pytest-timeout.", Category.TIMEOUT_HANG),
        ("ValueError", "bad magic", Category.EXCEPTION),
        ("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2 GiB", Category.OOM),
        ("MemoryError", "", Category.OOM),
        ("ProcessExitedException", "process 0 terminated with signal SIGKILL", Category.OOM),
        ("ProcessExitedException", "process 1 terminated with signal SIGSEGV", Category.CRASH_SIGNAL),
        ("Fatal Python error", "Segmentation fault", Category.CRASH_SIGNAL),
        (
            "ProcessExitedException",
            "process 1 terminated with signal SIGTERM",
            Category.WORKER_TERMINATED_SLOW,
        ),
        ("RuntimeError", "worker 1 terminated because slow", Category.WORKER_TERMINATED_SLOW),
        ("OSError", "[Errno 98] Address already in use", Category.PORT_CONFLICT),
        ("RuntimeError", "Detected mismatch between collectives on ranks.", Category.COLLECTIVE_MISMATCH),
        ("DistStoreError", "wait timeout after 300000ms, keys: /default", Category.INIT_RENDEZVOUS),
        ("RuntimeError", "[pair.cc:598] Connection closed by peer", Category.INIT_RENDEZVOUS),
        ("RuntimeError", "Connection closed by peer [127.0.0.1]:41235", Category.INIT_RENDEZVOUS),
        ("ConnectionRefusedError", "TCPStore at port 29500", Category.INIT_RENDEZVOUS),
        ("", "[rank1]: BrokenPipeError: [Errno 32] Broken pipe", Category.INIT_RENDEZVOUS),
        ("ConnectionRefusedError", "no server on port 5432", Category.EXCEPTION),
        ("BrokenPipeError", "[Errno 32] Broken pipe", Category.EXCEPTION),
        ("requests.ConnectionError", "Connection reset by peer", Category.EXCEPTION),
        ("", "curl: (56) Recv failure: Connection reset by peer", Category.UNKNOWN),
        ("RuntimeError", "Timed out waiting 1800000ms for recv operation", Category.TIMEOUT_HANG),
        ("_queue.Empty", "", Category.TIMEOUT_HANG),
        ("TimeoutError", "", Category.TIMEOUT_HANG),
        ("OSError", "[Errno 28] No space left on device", Category.INFRA),
        ("HTTPError", "503 Service Unavailable", Category.INFRA),
        ("", "[XPASS(strict)] known to fail", Category.XPASS),
        ("", "something else", Category.UNKNOWN),
    ],
)
def test_words_show_the_category(type_name: str, message: str, category: Category) -> None:
    assert categorise(type_name, message) is category


def test_what_cannot_be_imported_while_collecting_is_collection() -> None:
    assert categorise("ModuleNotFoundError", "No module named 'x'", collecting=True) is Category.COLLECTION
    assert categorise("ModuleNotFoundError", "No module named 'x'") is Category.EXCEPTION
    assert categorise("AssertionError", "", collecting=True) is Category.ASSERTION
    assert categorise("ValueError", "", collecting=True) is Category.EXCEPTION


def test_a_line_may_name_no_category() -> None:
    assert categorise_line("collected 148 items") is None


def test_of_many_lines_the_cause_outranks_its_consequence_wherever_it_stands() -> None:
    lines = ["Connection reset by peer", "operation timed out", "line 1:  1950 Killed     pytest -v"]
    assert categorise_lines(lines) == (Category.OOM, lines[2])
    assert categorise_lines(["nothing"]) == (None, "")
