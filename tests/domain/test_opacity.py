"""Which texts hold no cause, and which say nothing at all."""

import pytest
from failure_texts import HANDOFF, handoff_text, long_text, native_text, signed

from app.domain.generic import NO_EVIDENCE, NO_TEST_NAMED
from app.domain.signature import sign


@pytest.mark.parametrize(
    ("statement", "errors"),
    [
        ("assert all(process.exitcode == 0 for process in processes)", ["assert False"]),
        ("assert process.exitcode == 0", ["assert -11 == 0", " +  where -11 = <Process>.exitcode"]),
        ("assert result.returncode == 0", ["assert 1 == 0"]),
        ("assert False", ["assert False"]),
        ("assert ok", ["assert None"]),
        ("assert not process.is_alive()", ["assert not True"]),
        ("assert rank_checks is not None", ["assert None is not None"]),
        (
            'assert rank_checks is not None, "distributed checkpoint workers timed out"',
            ["AssertionError: distributed checkpoint workers timed out", "assert None is not None"],
        ),
        ("self.assertTrue(done)", ["AssertionError: False is not true"]),
        ("self.assertEqual(child.returncode, 0)", ["AssertionError: 1 != 0"]),
        ("self.assertIsNotNone(x)", ["AssertionError: unexpectedly None"]),
        ('pytest.fail("rank 1 exited with code 3")', ["Failed: rank 1 exited with code 3"]),
        ("raise AssertionError", ["AssertionError"]),
    ],
)
def test_flags_statuses_and_late_workers_are_opaque(statement: str, errors: list[str]) -> None:
    assert signed(long_text(statement, *errors)).opaque


@pytest.mark.parametrize(
    ("statement", "errors"),
    [
        ("assert a == 4", ["assert 3 == 4"]),
        ("assert ok, why", ["AssertionError: loss differs on rank 1: 0.71 vs 0.69", "assert False"]),
        ("assert x is not None, 'no config'", ["AssertionError: no config", "assert None is not None"]),
        ("self.assertTrue(done, 'queue full')", ["AssertionError: False is not true : queue full"]),
        ("self.assertEqual(a, b)", ["AssertionError: 3 != 4"]),
        ("load()", ["ValueError: bad magic"]),
        (
            "assert run.returncode == 0",
            [
                "assert 1 == 0",
                " +  where 1 = Run(stderr='Traceback (most recent call last): ...').returncode",
            ],
        ),
    ],
)
def test_values_messages_and_exceptions_are_not_opaque(statement: str, errors: list[str]) -> None:
    assert not signed(long_text(statement, *errors)).opaque


@pytest.mark.parametrize(
    ("statement", "opaque"),
    [("assert loss < 3", False), ("assert process.exitcode == 0", True), ("assert False", True)],
)
def test_a_worker_s_bare_assert_speaks_by_its_statement(*, statement: str, opaque: bool) -> None:
    text = native_text(error="AssertionError").replace("return json.loads(text)", statement)
    text = "\n".join(line for line in text.split("\n") if "json" not in line and "_decoder" not in line)
    assert signed(text).opaque is opaque


def test_an_exit_code_is_opaque_in_the_native_style_too() -> None:
    text = native_text(error="AssertionError: assert 1 == 0\n +  where 1 = <Process>.exitcode")
    assert signed(text.replace("return json.loads(text)", "assert process.exitcode == 0")).opaque


def test_an_exit_code_is_opaque_by_what_it_was_read_from() -> None:
    assert signed("E   assert 1 == 0\nE    +  where 1 = <SpawnProcess exitcode=1>.exitcode").opaque


@pytest.mark.parametrize(
    "text",
    [
        "exit code 1",
        "##[error]Process completed with exit code 1.",
        "The operation was canceled.",
        "Error: The operation was canceled.",
        "Traceback (most recent call last):",
        "assert False",
        "AssertionError",
        "Failed",
        "FAILED",
        "tests failed",
        "An unexpected error occurred",
        "make: *** [Makefile:12: test] Error 1",
        "npm ERR! code ELIFECYCLE",
        "Timeout",
        "",
        "  \n ",
        "SystemExit: 1",
        "ValueError",
        "worker 'gw1' crashed while running 'test_crash.py::test_segv'",
        "subprocess.CalledProcessError: Command '['x']' returned non-zero exit status 1.",
        "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with exit code 1",
    ],
)
def test_generic_texts_form_no_group_without_a_test(text: str) -> None:
    alone = signed(text, test=None)
    assert alone.generic
    assert alone.opaque
    assert (alone.group, alone.frame, alone.cluster) == (None, None, None)
    within = signed(text)
    assert within.generic
    assert within.group is not None
    assert within.cluster is None


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'a'",
        "RuntimeError: store is closed",
        "##[error]src/lib/parse.ts(12,5): error TS2322: Type 'A' is not assignable to type 'B'.",
        "##[error]src/parse.c:12:5: error: 'token' undeclared",
        "##[error]pkg/a.py:12: error: Incompatible return value type  [return-value]",
        "##[error]/src/A.java:[12,5] cannot find symbol",
        "error[E0308]: mismatched types\n  --> src/parse.rs:12:5",
    ],
)
def test_an_exception_or_a_placed_cause_speaks_for_a_job(text: str) -> None:
    alone = signed(text, test=None)
    assert (alone.generic, alone.opaque) == (False, False)
    assert alone.group is not None


@pytest.mark.parametrize(
    "text",
    [
        "##[error]The job running on runner A 4 has exceeded the maximum execution time of 5 minutes.",
        "##[error]The action 'Run the tests' has timed out after 30 minutes.",
        "##[error]Gradle build failed: see console output for details",
        "##[error]Some checks were not successful",
        "##[error]The pre-commit hooks modified files",
        "##[error]Error: The pre-commit hooks modified files",
        "##[error]No space left on device",
        "##[error]registry.example.com:443: connection refused",
        "FAIL: parser lost a token",
        "Segmentation fault",
    ],
)
def test_the_last_words_of_a_job_are_no_cause(text: str) -> None:
    alone = sign(test=None, message=text, text=text, job="build (3.12)", workflow="ci")
    assert (alone.generic, alone.opaque) == (True, True)
    assert (alone.group, alone.frame, alone.cluster) == (None, None, None)


@pytest.mark.parametrize("message", [NO_EVIDENCE, NO_TEST_NAMED, "", f"{NO_EVIDENCE}\n"])
def test_a_placeholder_for_missing_evidence_has_no_keys(message: str) -> None:
    signature = sign(test=None, message=message, text="", job="build (3.12)", workflow="ci")
    keys = (signature.exact, signature.group, signature.frame, signature.cluster, signature.job)
    assert keys == (None, None, None, None, None)
    assert (signature.generic, signature.opaque) == (True, True)


@pytest.mark.parametrize("text", ["FAIL: parser lost a token", "test_a failed: 3 rows too many"])
def test_the_same_words_about_a_test_are_not_generic(text: str) -> None:
    assert not signed(text).generic


def test_a_comparison_without_its_place_is_generic_and_opaque_only_as_a_job_s_last_words() -> None:
    bare = signed("assert 3 == 4", test=None)
    assert (bare.generic, bare.opaque, bare.group) == (True, True, None)
    assert (signed("assert 3 == 4").generic, signed("assert 3 == 4").opaque) == (True, False)


def test_an_exception_without_words_speaks_by_its_place() -> None:
    assert not signed(native_text(error="NotImplementedError"), test=None).generic
    assert not signed(native_text(error="KeyError: 3"), test=None).generic
    assert signed(native_text(error="AssertionError"), test=None).generic


def test_a_named_signal_is_not_opaque_and_an_exit_code_is() -> None:
    named = signed("E   ProcessExitedException: process 1 terminated with signal SIGSEGV")
    coded = signed("E   ProcessExitedException: process 1 terminated with exit code 1")
    assert (named.opaque, coded.opaque) == (False, True)
    assert named.record.crash == "SIGSEGV"


def test_a_result_that_never_came_is_opaque() -> None:
    assert signed(native_text(error="_queue.Empty")).opaque


def test_the_first_incident_is_opaque_and_a_rank_s_traceback_ends_that() -> None:
    assert signed(handoff_text(), test=HANDOFF).opaque
    told = "\n".join(f"[rank1]: {line}" for line in native_text().split("\n"))
    assert not signed(f"{handoff_text()}\n{told}", test=HANDOFF).opaque
