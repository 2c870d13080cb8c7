"""A log is explained by the line that a person would quote, and by nothing where no line tells."""

import io

import pytest
from explained import EXIT_1, FAILURES, START, SUMMARY, explained, key_of, log, pytest_log, title

from app.domain.category import Category
from app.domain.explaining.log_explanation import explain_log
from app.domain.explaining.log_scan import MOST_FIRST, MOST_LAST
from app.domain.explaining.per_failure import MOST_FAILURES
from app.domain.explaining.root_sentence import NOTHING_NAMED

NODE = "t/test_a.py::test_x"
TRACE = ("Traceback (most recent call last):", '  File "t/w.py", line 3, in work', "    step()")

OF_TESTS = [
    (
        (">       assert run() == 2", "E       assert 1 == 2", "", "t/test_a.py:3: AssertionError"),
        "assertion",
        "assert 1 == 2",
    ),
    (("E       AssertionError: loss differs", "E       assert 0.7 == 0.6"), "assertion", "loss differs"),
    (("E       something went wrong",), "exception", "something went wrong"),
    (("E       ValueError: no such shape",), "exception", "no such shape"),
    (("E       ModuleNotFoundError: No module named 'x'",), "exception", "No module named 'x'"),
    (("E       Failed: Timeout (>2.0s) from pytest-timeout.",), "timeout-hang", "Timeout (>2.0s)"),
    (("[XPASS(strict)] known",), "xpass", "[XPASS(strict)] known"),
    (("E       RuntimeError: Address already in use",), "port-conflict", "Address already in use"),
    (
        ("E       OSError: [Errno 98] error while attempting to bind: address already in use",),
        "port-conflict",
        "bind",
    ),
    (
        ("E       torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",),
        "oom",
        "CUDA out of memory",
    ),
    (("E       MemoryError",), "oom", "MemoryError"),
    (("E       OSError: [Errno 28] No space left on device",), "infra", "No space left"),
    (("E       urllib.error.URLError: Temporary failure in name resolution",), "infra", "name resolution"),
    (
        ("E       torch.mp.ProcessExitedException: process 1 terminated with signal SIGSEGV",),
        "crash-signal",
        "SIGSEGV",
    ),
    (
        ("E       torch.mp.ProcessExitedException: process 1 terminated with signal SIGKILL",),
        "oom",
        "SIGKILL",
    ),
    (
        ("E       RuntimeError: [/g/unbound_buffer.cc:81] Timed out waiting 15000ms for recv operation",),
        "timeout-hang",
        "15000ms",
    ),
    (
        ("E       RuntimeError: Process 1 terminated or timed out after 31.2 seconds",),
        "worker-terminated-slow",
        "timed out after 31.2",
    ),
    (
        ("E       torch.distributed.DistStoreError: wait timeout after 300000ms, keys: /worker/1",),
        "init-rendezvous",
        "wait timeout",
    ),
    (
        ("RuntimeError: [/g/pair.cc:598] Connection closed by peer [127.0.0.1]:35352",),
        "init-rendezvous",
        "Connection closed",
    ),
]


@pytest.mark.parametrize(("section", "category", "key"), OF_TESTS)
def test_a_failed_test_is_explained_by_its_own_text(
    section: tuple[str, ...], category: str, key: str
) -> None:
    told = explained(pytest_log("test_x", *section))
    assert (told.category.value, told.test) == (category, NODE)
    assert key in key_of(told)


def test_a_cause_outweighs_the_exception_that_carries_it() -> None:
    told = explained(
        pytest_log(
            "test_x",
            "E       torch.multiprocessing.spawn.ProcessRaisedException: ",
            "E       ",
            "E       -- Process 1 terminated with the following error:",
            "E       Traceback (most recent call last):",
            "-- Process 1 terminated with the following error:",
            *TRACE,
            "KeyError: 'weights'",
        )
    )
    assert (told.category, key_of(told)) == (Category.EXCEPTION, "KeyError: 'weights'")


def test_the_first_of_a_chain_is_the_cause() -> None:
    told = explained(
        pytest_log(
            "test_x", "E   KeyError: 'a'", "", "t/test_a.py:1: KeyError", "E   RuntimeError: could not plan"
        )
    )
    assert key_of(told) == "E   KeyError: 'a'"


def test_a_rank_that_lost_its_peer_is_a_consequence() -> None:
    lost = "[rank0]: RuntimeError: [../gloo/pair.cc:525] Connection closed by peer [127.0.0.1]:19874"
    told = explained(
        pytest_log(
            "test_x",
            "E       assert False",
            before=(lost, "[rank1]: Traceback (most recent call last):", "[rank1]: ValueError: bad plan"),
        )
    )
    assert (told.category, key_of(told), told.test) == (
        Category.EXCEPTION,
        "[rank1]: ValueError: bad plan",
        NODE,
    )
    assert "on rank 1" in told.root_cause
    assert lost in [one.text for one in told.consequences]


def test_what_a_test_printed_never_outweighs_its_own_exception() -> None:
    told = explained(
        pytest_log(
            "test_x", "E       ValueError: x", "--------- Captured stderr call ---------", "KeyError: 'tried'"
        )
    )
    assert key_of(told) == "E       ValueError: x"


def test_what_a_test_printed_tells_where_its_own_text_does_not() -> None:
    told = explained(
        pytest_log(
            "test_x",
            "E       assert False",
            "--------- Captured stderr call ---------",
            *TRACE,
            "KeyError: 'k'",
        )
    )
    assert key_of(told) == "KeyError: 'k'"


def test_an_opaque_failure_is_said_to_hold_no_cause() -> None:
    told = explained(
        pytest_log(
            "test_full_handoff[muon_normuon]",
            "        rank_checks = result_queue.get(timeout=180)",
            '        assert rank_checks is not None, "workers timed out"',
            ">       assert all(process.exitcode == 0 for process in processes)",
            "E       assert False",
        )
    )
    assert (told.category, key_of(told)) == (Category.ASSERTION, "E       assert False")
    assert told.test == "t/test_a.py::test_full_handoff[muon_normuon]"
    assert "holds no cause" in told.root_cause


WAITS = (
    "[rank1]: Traceback (most recent call last):",
    '[rank1]:   File "art/trainer_rank.py", line 90, in _all_ranks_true',
    "[rank1]:     dist.all_reduce(flag, op=dist.ReduceOp.MIN)",
    "[rank1]: RuntimeError: [../gloo/unbound_buffer.cc:81] Timed out waiting 15000ms for recv operation",
)
RAISES = (
    "[rank0]: Traceback (most recent call last):",
    '[rank0]:   File "art/planner.py", line 12, in pack',
    "[rank0]:     raise ValueError('no room')",
    "[rank0]: ValueError: no room for the micro batch",
)
MIXED = tuple(line for pair in zip(RAISES, WAITS, strict=True) for line in pair)


@pytest.mark.parametrize(
    "order", [(*RAISES, *WAITS), (*WAITS, *RAISES), MIXED], ids=["raises", "waits", "mixed"]
)
@pytest.mark.parametrize("launcher", [False, True], ids=["pytest", "torchrun"])
def test_a_rank_that_waited_alone_is_the_consequence_of_the_one_that_raised(
    order: tuple[str, ...], *, launcher: bool
) -> None:
    """The second incident."""
    told = explained(
        log(*order, EXIT_1) if launcher else pytest_log("test_x", "E       assert [1, 0] == [0, 0]", *order)
    )
    assert (told.category, key_of(told)) == (Category.EXCEPTION, RAISES[-1])
    assert told.root_cause.startswith("an error ended it on rank 0: ValueError")
    assert WAITS[-1] in [one.text for one in told.consequences]
    assert told.test == (None if launcher else NODE)


def test_several_failures_are_all_told_and_the_nearest_to_a_cause_first() -> None:
    told = explained(
        log(
            START,
            FAILURES,
            title("test_a"),
            "E       assert process.exitcode == 0",
            title("test_b"),
            "E       ValueError: b",
            title("test_c"),
            "E       ValueError: c",
            SUMMARY,
            "FAILED t/test_a.py::test_a - assert 1 == 0",
            "FAILED t/test_a.py::test_b - ValueError: b",
            "FAILED t/test_a.py::test_c - ValueError: c",
            "========= 3 failed in 1.00s =========",
            EXIT_1,
        )
    )
    assert told.test == "t/test_a.py::test_b"
    assert [(one.test[-6:], one.key.text if one.key else None) for one in told.failures] == [
        ("test_a", "E       assert process.exitcode == 0"),
        ("test_b", "E       ValueError: b"),
        ("test_c", "E       ValueError: c"),
    ]


def test_of_several_failures_each_may_be_the_consequence_of_what_a_rank_raised_before_it() -> None:
    told = explained(
        log(
            START,
            "[rank1]: ValueError: bad plan",
            FAILURES,
            title("test_a"),
            "E       assert False",
            title("test_b"),
            SUMMARY,
            "FAILED t/test_a.py::test_a - assert False",
            "FAILED t/test_a.py::test_b - oh",
            "========= 2 failed in 1.00s =========",
            "[rank0]: KeyError: 'after it'",
            EXIT_1,
        )
    )
    first, second = told.failures
    assert [one.key and one.key.text for one in (first, second)] == ["[rank1]: ValueError: bad plan"] * 2


def test_equal_lines_of_several_failures_are_each_their_own() -> None:
    told = explained(
        log(
            START,
            FAILURES,
            title("test_a"),
            "E       ValueError: x",
            title("test_b"),
            "E       ValueError: x",
            SUMMARY,
            "FAILED t/test_a.py::test_a - ValueError: x",
            "FAILED t/test_a.py::test_b - ValueError: x",
            "========= 2 failed in 1.00s =========",
        )
    )
    first, second = told.failures
    assert first.key is not None
    assert second.key is not None
    assert second.key.line == (first.key.line or 0) + 2


def test_a_cut_summary_finds_the_line_that_it_quotes() -> None:
    said = "RuntimeError: [../gloo/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation"
    told = explained(pytest_log("test_x", before=("noise", *TRACE, said), message=f"{said[:70]}..."))
    assert (told.category, key_of(told)) == (Category.TIMEOUT_HANG, said)


def test_a_failure_without_any_telling_line_is_told_by_its_message() -> None:
    told = explained(pytest_log("test_x", message="went wrong"))
    assert (told.category, told.key, told.test) == (Category.UNKNOWN, None, NODE)
    assert told.root_cause == f"{NODE} failed: went wrong"
    silent = explained(pytest_log("test_x"))
    assert silent.root_cause == f"{NODE} failed, and the log does not say why"


RUNNING = (START, "t/test_a.py::test_a PASSED", "t/test_a.py::test_b ")
OF_STEPS = [
    (("##[error]The runner has received a shutdown signal. This can happen when",), "infra", None),
    (("ValueError: x", "##[error]The hosted runner lost communication with the server."), "infra", None),
    (("ValueError: x", "##[error]The action 'Test' has timed out after 360 minutes."), "timeout-hang", None),
    (("Error response from daemon: manifest for python:3.14t not found: manifest unknown",), "infra", None),
    (("Error response from daemon: toomanyrequests: You have reached your pull rate limit",), "infra", None),
    (("fatal: unable to access 'https://github.com/a/b/': Could not resolve host",), "infra", None),
    (("cp: error writing 'x': No space left on device", EXIT_1), "infra", None),
    (("Error: API rate limit exceeded for installation", EXIT_1), "infra", None),
    (("E: Failed to fetch http://deb.example/x  503 Service Unavailable", EXIT_1), "infra", None),
    (
        (
            *RUNNING,
            "/t/x.sh: line 1:  1950 Killed      pytest -v",
            "##[error]Process completed with exit code 137.",
        ),
        "oom",
        "t/test_a.py::test_b",
    ),
    ((*RUNNING, "##[error]Process completed with exit code 137."), "oom", "t/test_a.py::test_b"),
    (("Out of memory: Killed process 123 (python) total-vm:1kB", EXIT_1), "oom", None),
    (
        (
            *RUNNING,
            "Fatal Python error: Segmentation fault",
            "##[error]Process completed with exit code 139.",
        ),
        "crash-signal",
        "t/test_a.py::test_b",
    ),
    (
        (
            *RUNNING,
            "/t/x.sh: line 1: 77 Segmentation fault      (core dumped) pytest",
            "##[error]Process completed with exit code 139.",
        ),
        "crash-signal",
        "t/test_a.py::test_b",
    ),
    (("==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1", EXIT_1), "crash-signal", None),
    (
        ("terminate called without an active exception", "##[error]Process completed with exit code 134."),
        "crash-signal",
        None,
    ),
    (
        ("[gw1] node down: Not properly terminated", "##[error]The operation was canceled."),
        "crash-signal",
        None,
    ),
    (
        ("Command took >30min, returning 124", "RuntimeError: inductor/test_x 4/10 failed!"),
        "timeout-hang",
        None,
    ),
    ((*RUNNING, "##[error]Process completed with exit code 124."), "timeout-hang", "t/test_a.py::test_b"),
    (("[default0]:  exitcode  : -9 (pid: 12)", EXIT_1), "oom", None),
    (("[default0]:  exitcode  : -11 (pid: 12)", EXIT_1), "crash-signal", None),
    (
        (
            "W0511 09:14:31.002000 4100 torch/x.py:169] Terminating process 41 via signal SIGTERM",
            "##[error]Process completed with exit code 143.",
        ),
        "worker-terminated-slow",
        None,
    ),
    (("##[error]The operation was canceled.",), "infra", None),
    (("src/a.c:3:5: error: expected ';'", "make: *** [all] Error 1", EXIT_1), "exception", None),
    (("error[E0425]: cannot find value `x`", "error: could not compile `a`", EXIT_1), "exception", None),
    (("src/a.ts(3,5): error TS2304: Cannot find name 'x'.", EXIT_1), "exception", None),
    (("panic: runtime error: index out of range [1]", EXIT_1), "exception", None),
    (("panic: test timed out after 10m0s", EXIT_1), "timeout-hang", None),
    (("thread 'main' panicked at src/main.rs:3:5:", EXIT_1), "exception", None),
    (('Exception in thread "main" java.lang.IllegalStateException: no', EXIT_1), "exception", None),
    (("TypeError: x is not a function", "    at run (a.js:1:2)", EXIT_1), "exception", None),
    (
        (
            "Suite - failed. It should extend TestCase but it does not.",
            "Got exit code 1",
            "RuntimeError: a 1/1 failed!",
        ),
        "exception",
        None,
    ),
    (
        (
            "[E socket.cpp:500] [c10d] The server socket has failed to bind to 0.0.0.0:3 (errno: 98)",
            EXIT_1,
        ),
        "port-conflict",
        None,
    ),
    (
        (
            "[rank1]: RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running",
            "[rank0]: ValueError: x",
            EXIT_1,
        ),
        "collective-mismatch",
        None,
    ),
    (
        ("[E123 09:14:02.013 x.cpp:61] [c10d] The client socket has timed out after 60s", EXIT_1),
        "init-rendezvous",
        None,
    ),
    (("nothing telling", EXIT_1), "unknown", None),
]


@pytest.mark.parametrize(("lines", "category", "test"), OF_STEPS)
def test_without_a_failed_test_the_step_that_failed_tells(
    lines: tuple[str, ...], category: str, test: str | None
) -> None:
    told = explained(log(*lines))
    assert (told.category.value, told.test) == (category, test)
    assert told.key is not None


def test_what_other_steps_print_is_not_the_cause() -> None:
    told = explained(
        log(
            "ValueError: tried and handled",
            "##[group]Run pytest",
            "KeyError: 'x'",
            EXIT_1,
            "##[group]Run tail",
            "OSError: late",
        )
    )
    assert key_of(told) == "KeyError: 'x'"


def test_the_last_complaint_before_the_end_is_quoted() -> None:
    told = explained(
        log("error: first of many", "error: the one that ended it", EXIT_1, "error: of the cleaning up")
    )
    assert key_of(told) == "error: the one that ended it"


@pytest.mark.parametrize(
    "text",
    [
        "",
        log("all is well"),
        log(
            START,
            "Traceback (most recent call last):",
            "ValueError: of a test that provoked it",
            "=== 3 passed in 1.00s ===",
        ),
    ],
)
def test_a_log_without_a_failure_names_none(text: str) -> None:
    told = explained(text)
    assert (told.category, told.root_cause, told.key, told.test) == (
        Category.UNKNOWN,
        NOTHING_NAMED,
        None,
        None,
    )


def test_a_runner_that_was_lost_blames_no_test_that_says_nothing() -> None:
    told = explained(
        pytest_log("test_x") + log("##[error]The hosted runner lost communication with the server.")
    )
    assert told.category is Category.INFRA


def test_a_dump_of_stacks_is_quoted_at_the_test() -> None:
    told = explained(
        log(
            START,
            "t/test_hang.py .++++++++++++++++++++ Timeout ++++++++++++++++++++",
            "~~~~~~~~~~~~~ Stack of MainThread (140245071330176) ~~~~~~~~~~~~~",
            '  File "/w/_pytest/python.py", line 187, in pytest_pyfunc_call',
            "    result = testfunction(**testargs)",
            '  File "/w/t/test_hang.py", line 5, in test_hangs',
            "    helper()",
            '  File "/w/t/test_hang.py", line 3, in helper',
            "    time.sleep(60)",
            "++++++++++++++++++++ Timeout ++++++++++++++++++++",
            EXIT_1,
        )
    )
    assert (told.category, told.test) == (Category.TIMEOUT_HANG, "t/test_hang.py::test_hangs")
    assert key_of(told) == "helper()"


def test_consequences_are_told_once_each_and_not_without_end() -> None:
    noise = [f"[rank{rank}]: RuntimeError: Connection closed by peer [127.0.0.1]:1" for rank in range(30)]
    ends = [f"Process {number} terminated with exit code 1" for number in range(30)]
    told = explained(log("ValueError: x", *noise, *ends, EXIT_1))
    texts = [one.text for one in told.consequences]
    assert len(texts) == 10
    assert sum("Connection closed" in text for text in texts) == 1


def test_a_log_that_was_cut_says_so() -> None:
    text = log("ValueError: x", *["noise"] * 5_000, EXIT_1)
    assert explain_log(io.BytesIO(text.encode()), limit_bytes=20_000).cut


def test_telling_lines_are_kept_from_both_ends_of_a_log() -> None:
    many = [f"error: number {number}" for number in range(MOST_FIRST + MOST_LAST + 10)]
    told = explained(log(*many, "ValueError: at the end", EXIT_1))
    assert key_of(told) == "ValueError: at the end"
    assert key_of(explained(log("ValueError: at the start", *many, EXIT_1))) == "ValueError: at the start"


def test_of_very_many_failures_the_first_are_explained_and_all_are_named() -> None:
    names = [f"test_{number}" for number in range(MOST_FAILURES + 5)]
    told = explained(
        log(
            START,
            SUMMARY,
            *(f"FAILED t/test_a.py::{name} - ValueError: x" for name in names),
            "== 1005 failed in 9s ==",
        )
    )
    assert len(told.failures) == MOST_FAILURES + 5
