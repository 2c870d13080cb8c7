"""`go test`'s output in a job log, in each of its forms, names the failures under their packages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog import go_build, go_dump, go_package, go_test_log
from app.domain.joblog.go_test_log import GoTestLog
from app.domain.joblog.run_reader import ToldFailure
from app.domain.outcome import Errored, Failed, Result, TestId

END = "FAIL\texample.com/m/a\t0.002s"


def told(*lines: str) -> list[ToldFailure]:
    return list(fed(GoTestLog(), lines).failures())


def only(*lines: str) -> ToldFailure:
    (failure,) = told(*lines)
    return failure


def names(*lines: str) -> list[str]:
    return [failure.result.test.label for failure in told(*lines)]


def named(name: str) -> TestId:
    return TestId("", "", "example.com/m/a", name)


def test_a_failure_is_named_under_the_package_that_follows() -> None:
    log = fed(GoTestLog(), OUTPUTS["go test"].splitlines())
    outcome = Failed("Failed", "    sum_test.go:8: want 2")
    result = Result(TestId("", "", "example.com/m/sum", "TestSum"), outcome, path="sum_test.go", line=8)
    assert log.failures() == (ToldFailure(result, "TestSum", 3),)
    assert log.counts is None
    assert not log.in_run
    assert not log.cut


def test_without_v_the_text_stands_below_the_result_and_parents_fail_too() -> None:
    failures = told(
        "printed by some test",
        "--- FAIL: TestA (0.00s)",
        "    a_test.go:5: before",
        "    --- FAIL: TestA/sub_one (0.00s)",
        "        a_test.go:6: want 1",
        "            more",
        "printed by the next",
        "    --- FAIL: TestA/two (0.00s)",
        "        a_test.go:8: one place",
        "        a_test.go:9: another place",
        "FAIL",
        END,
    )
    assert [failure.result for failure in failures] == [
        Result(named("TestA"), Failed("Failed", "    a_test.go:5: before")),
        Result(
            named("TestA/sub_one"),
            Failed("Failed", "        a_test.go:6: want 1\n            more"),
            path="a_test.go",
            line=6,
        ),
        Result(
            named("TestA/two"),
            Failed("Failed", "        a_test.go:8: one place\n        a_test.go:9: another place"),
        ),
    ]


def test_with_v_lines_belong_to_the_test_that_runs_or_is_named() -> None:
    first, second = told(
        "=== RUN   TestA",
        "=== PAUSE TestA",
        "of none",
        "=== RUN   TestB",
        "of b",
        "=== CONT  TestA",
        "of a",
        "=== NAME  TestB",
        "    b_test.go:1: b again",
        "=== NAME  ",
        "of none",
        "=== RUN   TestOk",
        "--- PASS: TestOk (0.00s)",
        "    ok_test.go:1: of none",
        "--- FAIL: TestB (0.00s)",
        "glued--- FAIL: TestA (0.00s)",
        END,
    )
    assert (first.printed, first.result.outcome) == (
        "TestB",
        Failed("Failed", "of b\n    b_test.go:1: b again"),
    )
    assert (second.printed, second.result.outcome) == ("TestA", Failed("Failed", "of a"))


def test_a_result_glued_to_what_was_printed_is_one() -> None:
    assert names("no line end--- FAIL: TestA (0.00s)", END) == ["example.com/m/a::TestA"]


def test_what_precedes_the_line_of_a_package_that_passed_was_printed_by_tests() -> None:
    assert told("--- FAIL: TestA (0.00s)", "ok  \texample.com/m/a\t0.002s") == []
    assert told("--- FAIL: TestA (0.00s)", "?   \texample.com/m/a\t[no test files]") == []


def test_a_repetition_that_passed_takes_nothing_away() -> None:
    again = ["=== RUN   TestA", "--- PASS: TestA (0.00s)"]
    assert names("=== RUN   TestA", "--- FAIL: TestA (0.00s)", *again, END) == ["example.com/m/a::TestA"]


def test_with_v_a_test_that_never_began_was_printed_by_one() -> None:
    assert names("=== RUN   TestA", "--- FAIL: TestInner (0.00s)", "--- FAIL: TestA (0.00s)", END) == [
        "example.com/m/a::TestA"
    ]


def test_without_a_package_tests_have_no_class() -> None:
    assert names("--- FAIL: TestA (0.00s)", "FAIL", "##[error]Process completed with exit code 1.") == [
        "TestA"
    ]
    assert names("=== RUN   TestRuns", "=== RUN   TestA", "--- FAIL: TestA (0.00s)") == ["TestA"]


def test_a_script_that_prints_the_failures_again_tells_nothing_new() -> None:
    again = ["##[group]Run grep FAIL log", "--- FAIL: TestA (0.00s)"]
    assert names("--- FAIL: TestA (0.00s)", END, *again[1:]) == ["example.com/m/a::TestA"]
    assert names("--- FAIL: TestA (0.00s)", END, *again) == ["example.com/m/a::TestA"]


def test_a_package_that_was_not_built_is_an_error_with_the_compilers_lines() -> None:
    failure = only(
        "# example.com/m/a [example.com/m/a.test]",
        "a/a_test.go:3:27: undefined: undefined",
        "\tnote",
        "too many errors",
        "# example.com/m/b",
        "vet: b/b.go:3:1: not this one",
        "FAIL\texample.com/m/a [build failed]",
    )
    text = "a/a_test.go:3:27: undefined: undefined\n\tnote\ntoo many errors"
    assert failure.result == Result(named("[build failed]"), Errored("Build error", text))
    assert failure.printed == "example.com/m/a [build failed]"
    failure = only("# heading", "words", "FAIL\texample.com/m/a [setup failed]")
    assert failure.result == Result(named("[setup failed]"), Errored("Build error", ""))


def test_a_package_that_failed_without_a_failed_test_is_an_error() -> None:
    assert only("exit status 3", END).result == Result(named("Failure"), Errored("Runtime error", ""))
    passed = ["=== RUN   TestA", "--- PASS: TestA (0.00s)", "PASS", "exit status 66", END]
    assert only(*passed).result == Result(named("Failure"), Errored("Runtime error", "PASS\nexit status 66"))


PANIC = [
    "panic: assignment to entry in nil map [recovered]",
    "\tpanic: assignment to entry in nil map",
    "",
    "goroutine 8 [running]:",
    "testing.tRunner.func1.2({0x508ec0, 0x551ca0})",
    "example.com/m/testhelp.TestServer(0x1)",
    "example.com/m/a.TestPanic.func1(0x0?)",
    "testing.tRunner(0xc000007d40, 0x52f2e8)",
    "",
    "goroutine 9 [chan receive]:",
    "example.com/m/a.TestOther(0x0?)",
]


def test_a_panic_belongs_to_the_failed_test_that_its_first_stack_names() -> None:
    first, second, third = told(
        "--- FAIL: TestOther (0.00s)",
        "--- FAIL: TestPanic (0.00s)",
        "    --- FAIL: TestPanic/in (0.00s)",
        *PANIC,
        END,
    )
    assert first.result.outcome == Failed("Failed", "")
    assert second.result.outcome == Failed("Failed", "")
    assert third.result.outcome == Failed(PANIC[0], "\n".join(PANIC))


def test_a_panic_belongs_to_the_running_test_and_its_parents() -> None:
    run = ["=== RUN   TestA", "=== PAUSE TestA", "=== RUN   TestB", "=== RUN   TestB/sub", "printed"]
    first, second = told(*run, "panic: boom", "", "goroutine 7 [running]:", "main.worker()", END)
    dump = "panic: boom\n\ngoroutine 7 [running]:\nmain.worker()"
    assert first.result == Result(named("TestB"), Errored("panic: boom", dump))
    assert second.result == Result(named("TestB/sub"), Errored("panic: boom", f"printed\n{dump}"))


def test_of_tests_that_run_at_once_the_stack_names_the_one_that_panicked() -> None:
    run = ["=== RUN   TestOther", "=== RUN   TestPanic"]
    assert names(*run, *PANIC, END) == ["example.com/m/a::TestPanic"]
    created = [
        "panic: boom",
        "goroutine 7 [running]:",
        "a.work()",
        "created by a.TestOther.func1 in goroutine 6",
    ]
    assert names(*run, *created, END) == ["example.com/m/a::TestOther"]
    assert names(*run, "panic: boom", END) == ["example.com/m/a::Failure"]


def test_without_v_the_stack_alone_names_the_test() -> None:
    assert names(*PANIC, END) == ["example.com/m/a::TestPanic"]
    assert names("--- FAIL: TestOther (0.00s)", "panic: boom", END) == [
        "example.com/m/a::TestOther",
        "example.com/m/a::Failure",
    ]


def test_a_time_out_belongs_to_the_running_tests_it_lists() -> None:
    lines = [
        "panic: test timed out after 10m0s",
        "running tests:",
        "\tTestHang (9m58s)",
        "\tTestSlow/x (1s)",
        "",
        *PANIC[3:],
    ]
    assert names(*lines, END) == ["example.com/m/a::TestHang", "example.com/m/a::TestSlow/x"]
    runs = [f"=== RUN   {name}" for name in ("TestHang", "TestOther", "TestSlow/x")]
    assert names(*runs, *lines, END) == ["example.com/m/a::TestHang", "example.com/m/a::TestSlow/x"]


def test_a_time_out_without_the_list_is_of_the_only_test_that_the_stacks_name() -> None:
    lines = [
        "panic: test timed out after 2s",
        "goroutine 17 [running]:",
        "testing.alarm()",
        "goroutine 18 [sleep]:",
    ]
    assert names(*lines, "example.com/m/a.TestMain(0x1)", "example.com/m/a.TestHang(0x1)", END) == [
        "example.com/m/a::TestHang"
    ]
    assert names(*lines, "a.TestHang(0x1)", "a.TestOther(0x1)", END) == ["example.com/m/a::Failure"]


def test_a_test_that_ended_the_process_has_no_result() -> None:
    assert only("=== RUN   TestExit", "about to", "exit status 3", END).result == Result(
        named("TestExit"), Errored("No test result found", "about to\nexit status 3")
    )


def test_a_race_is_in_the_text_of_its_test() -> None:
    race = ["WARNING: DATA RACE", "Read at 0x00c0000b6158 by goroutine 9:", "  a.TestRace.func1()"]
    found = "    testing.go:1312: race detected during execution of test"
    text = "\n".join([*race, found])
    first, second = told(
        "--- FAIL: TestOther (0.00s)",
        "    a_test.go:3: other",
        *race,
        "--- FAIL: TestRace (0.00s)",
        found,
        END,
    )
    assert first.result.outcome == Failed("Failed", "    a_test.go:3: other")
    assert second.result == Result(named("TestRace"), Failed("Failed", text))
    with_v = only("=== RUN   TestRace", *race, found, "--- FAIL: TestRace (0.00s)", END)
    assert with_v.result.outcome == Failed("Failed", text)


def test_a_test_that_failed_in_two_runs_is_told_once() -> None:
    run = ["--- FAIL: TestA (0.00s)", "    a_test.go:1: x", END]
    assert only(*run, *run).result.outcome == Failed("Failed", "    a_test.go:1: x")


def test_a_run_lasts_from_its_first_test_to_its_package() -> None:
    log = fed(GoTestLog(), ["=== RUN   TestA"])
    assert log.in_run
    assert not fed(log, ["ok  \texample.com/m/a\t0.002s"]).in_run
    assert not fed(log, ["panic: of any program"]).in_run


def test_too_much_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_package, "MAX_CASES", 2)
    monkeypatch.setattr(go_build, "MAX_PACKAGES", 1)
    monkeypatch.setattr(go_dump, "MAX_NAMES", 1)
    lines = [f"--- FAIL: TestA{n} (0.00s)" for n in range(3)]
    log = fed(GoTestLog(), [*lines, END])
    assert len(log.failures()) == 2
    assert log.cut
    assert only("# a", "a.go:1: x", "# b", "FAIL\ta [build failed]").result.outcome == Errored(
        "Build error", ""
    )
    runs = ["panic: test timed out after 1s", "running tests:", "\tTestA (1s)", "\tTestB (1s)"]
    assert names(*runs, END) == ["example.com/m/a::TestA"]


def test_too_many_failures_are_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_test_log, "MAX_TOLD", 1)
    log = fed(GoTestLog(), [line for n in range(2) for line in (f"--- FAIL: TestA{n} (0.00s)", END)])
    assert len(log.failures()) == 1
    assert log.cut


def test_other_runners_output_is_left_alone() -> None:
    log = fed(GoTestLog(), foreign("go test"))
    assert log.failures() == ()
    assert log.counts is None
    assert not log.in_run


def test_its_own_output_is_found_among_the_others() -> None:
    assert names(*foreign("go test"), *OUTPUTS["go test"].splitlines(), *foreign("go test")) == [
        "example.com/m/sum::TestSum"
    ]


LINES = st.sampled_from(
    [
        *OUTPUTS["go test"].splitlines(),
        *foreign("go test"),
        *PANIC,
    ]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40))
def test_any_lines_give_failures_that_are_red(lines: list[str]) -> None:
    failures = told(*lines)
    assert all(failure.result.outcome.kind.is_red for failure in failures)
    assert all(1 <= failure.line <= len(lines) for failure in failures)
    assert len({failure.result.test for failure in failures}) == len(failures)
