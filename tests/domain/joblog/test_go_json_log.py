"""`go test -json` in a job log: packages that run at once are told apart, and other JSON is left alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import fed

from app.domain.joblog import go_json, go_package
from app.domain.joblog.go_test_log import GoTestLog
from app.domain.outcome import Errored, Failed, Result, TestId


def named(name: str) -> TestId:
    return TestId("", "", "example.com/m/a", name)


def event(action: str, test: str = "", output: str = "", package: str = "example.com/m/a") -> str:
    fields = {"Action": action, "Package": package, "Test": test, "Output": output}
    return json.dumps({key: value for key, value in fields.items() if value}, separators=(",", ":"))


def test_json_of_packages_at_once_is_told_apart() -> None:
    log = fed(
        GoTestLog(),
        [
            event("start"),
            event("output", "TestA", "=== RUN   TestA\n"),
            event("output", "TestB", "=== RUN   TestB\n", package="example.com/m/b"),
            event("output", "TestA", "    a_test.go:3: mine\n"),
            event("output", "TestP", "=== RUN   TestP\n"),
            event("pass", "TestP"),
            event("output", "TestB", "    b_test.go:4: other\n", package="example.com/m/b"),
            event("output", "TestA", "--- FAIL: TestA (0.00s)\n"),
            event("fail", "TestA"),
            event("fail", "TestB", package="example.com/m/b"),
            event("output", output="FAIL\texample.com/m/a\t0.004s\n"),
            event("fail"),
            event("output", output="FAIL\n", package="example.com/m/c"),
            event("pass", package="example.com/m/c"),
        ],
    )
    assert log.in_run
    first, second = log.failures()
    assert first.result == Result(
        named("TestA"), Failed("Failed", "    a_test.go:3: mine"), path="a_test.go", line=3
    )
    assert (first.line, second.line) == (8, 10)
    assert second.result.test.label == "example.com/m/b::TestB"


def test_json_tells_of_builds_too() -> None:
    built = '{"ImportPath":"example.com/m/a [example.com/m/a.test]","Action":"build-output","Output":"%s\\n"}'
    lines = (
        built % "# example.com/m/a [example.com/m/a.test]",
        built % "./a_test.go:3:1: undefined: x",
        event("start"),
        event("output", output="FAIL\texample.com/m/a [build failed]\n"),
        event("fail"),
        "FAIL\texample.com/m/a [build failed]",
    )
    (failure,) = fed(GoTestLog(), lines).failures()
    assert failure.result == Result(
        named("[build failed]"), Errored("Build error", "./a_test.go:3:1: undefined: x")
    )


@pytest.mark.parametrize(
    "line",
    [
        '{"Action":"fail","Test":"TestA"',
        '{"Action":"fail","Test":' + "[" * 5000,
        '{"Action":"fail","Package":1}',
        '{"Action":"fail","Package":"a","Test":["TestA"]}',
        '{"action":"fail","Package":"example.com/m/a","Test":"TestA"}',
    ],
)
def test_other_json_is_none(line: str) -> None:
    assert fed(GoTestLog(), [line]).failures() == ()


def test_too_much_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_json, "MAX_OPEN", 1)
    monkeypatch.setattr(go_package, "MAX_CASES", 2)
    assert fed(GoTestLog(), [event("run", "TestA"), event("run", "TestA", package="b")]).cut
    assert not fed(GoTestLog(), [event("run", "TestA"), event("run", "TestB")]).cut
    cases = [event("output", f"TestA{n}", f"=== RUN   TestA{n}\n") for n in range(3)]
    assert fed(GoTestLog(), [*cases, event("fail")]).cut


EVENTS = st.builds(
    event,
    st.sampled_from(["start", "run", "output", "pass", "fail", "skip", "build-output"]),
    st.sampled_from(["", "TestA", "TestB/sub"]),
    st.sampled_from(
        ["=== RUN   TestA\n", "--- FAIL: TestA (0.00s)\n", "FAIL\ta [build failed]\n", "panic: x", ""]
    ),
    st.sampled_from(["", "a", "b"]),
)


@given(st.lists(st.one_of(EVENTS, st.text(max_size=30)), max_size=40))
def test_any_events_give_failures_that_are_red(lines: list[str]) -> None:
    failures = fed(GoTestLog(), lines).failures()
    assert all(failure.result.outcome.kind.is_red for failure in failures)
    assert all(1 <= failure.line <= len(lines) for failure in failures)
    assert len({failure.result.test for failure in failures}) == len(failures)
