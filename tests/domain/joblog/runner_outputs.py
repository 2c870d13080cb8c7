"""A short output of each test runner, with a failure in it, as job logs show it; and how to feed one."""

from collections.abc import Iterable
from typing import Final, TypeVar

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.run_reader import RunReader

Reader = TypeVar("Reader", bound=RunReader)


def fed(reader: Reader, lines: Iterable[str]) -> Reader:
    """Hand over the lines, numbered from 1."""
    for number, text in enumerate(lines, start=1):
        reader.feed(LogLine(number, text))
    return reader


def foreign(own: str) -> list[str]:
    """The lines of all other runners, one after another."""
    return [line for runner, text in OUTPUTS.items() if runner != own for line in text.splitlines()]


RULE: Final = "=" * 70
DASHES: Final = "-" * 70

OUTPUTS: Final = {
    "pytest": f"""\
{" test session starts ":=^80}
tests/test_a.py F                                                        [100%]
{" FAILURES ":=^80}
{" TestB.test_x ":_^80}

    def test_x(self):
>       self.assertEqual(1, 2)
E       AssertionError: 1 != 2

tests/test_a.py:4: AssertionError
{" short test summary info ":=^80}
FAILED tests/test_a.py::TestB::test_x - AssertionError: 1 != 2
ERROR tests/test_b.py::test_y - OSError: broke
{" 1 failed, 1 error in 0.02s ":=^80}
""",
    "unittest": f"""\
test_ok (tests.test_a.TestB.test_ok) ... ok
test_x (tests.test_a.TestB.test_x) ... FAIL

{RULE}
FAIL: test_x (tests.test_a.TestB.test_x)
{DASHES}
Traceback (most recent call last):
  File "/work/tests/test_a.py", line 4, in test_x
    self.assertEqual(1, 2)
AssertionError: 1 != 2

{DASHES}
Ran 2 tests in 0.001s

FAILED (failures=1)
""",
    "googletest": """\
Running main() from gmock_main.cc
[==========] Running 2 tests from 1 test suite.
[----------] Global test environment set-up.
[----------] 2 tests from Sum
[ RUN      ] Sum.Adds
[       OK ] Sum.Adds (0 ms)
[ RUN      ] Sum.Carries
sum_test.cc:12: Failure
Expected equality of these values:
  1
  2
[  FAILED  ] Sum.Carries (0 ms)
[----------] 2 tests from Sum (0 ms total)

[----------] Global test environment tear-down
[==========] 2 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Sum.Carries

 1 FAILED TEST
""",
    "ctest": """\
Test project /work/build
    Start 1: sum_test
1/2 Test #1: sum_test .........................***Failed    0.02 sec
sum is wrong
    Start 2: io_test
2/2 Test #2: io_test ..........................   Passed    0.00 sec

50% tests passed, 1 tests failed out of 2

Total Test time (real) =   0.03 sec

The following tests FAILED:
\t  1 - sum_test (Failed)
Errors while running CTest
""",
    "go test": """\
=== RUN   TestSum
    sum_test.go:8: want 2
--- FAIL: TestSum (0.00s)
FAIL
FAIL\texample.com/m/sum\t0.002s
ok  \texample.com/m/io\t0.001s
FAIL
""",
    "cargo test": """\
     Running unittests src/lib.rs (target/debug/deps/calc-0123456789abcdef)

running 3 tests
test sum::adds ... ok
test sum::carries ... FAILED
test sum::slow ... ignored

failures:

---- sum::carries stdout ----
thread 'sum::carries' panicked at src/sum.rs:12:5:
assertion `left == right` failed


failures:
    sum::carries

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
""",
    "nextest": """\
    Starting 3 tests across 1 binary (1 test skipped)
        PASS [   0.004s] calc sum::adds
        FAIL [   0.005s] calc sum::carries
  stdout \u2500\u2500\u2500
    thread 'sum::carries' panicked at src/sum.rs:12:5:
    assertion `left == right` failed

        PASS [   0.004s] calc sum::borrows
------------
     Summary [   0.012s] 3 tests run: 2 passed, 1 failed, 1 skipped
        FAIL [   0.005s] calc sum::carries
error: test run failed
""",
    "jest": """\
PASS src/other.test.js
FAIL src/sum.test.js (5.123 s)
  sum
    \u2715 carries (3 ms)

  \u25cf sum \u203a carries

    expect(received).toBe(expected)

    Expected: 2

      at Object.toBe (src/sum.test.js:5:21)

FAIL src/broken.test.js
  \u25cf Test suite failed to run

    Cannot find module './gone' from 'src/broken.test.js'

Summary of all failing tests
FAIL src/sum.test.js (5.123 s)
  \u25cf sum \u203a carries

    expect(received).toBe(expected)

    Expected: 2

      at Object.toBe (src/sum.test.js:5:21)


Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 1 skipped, 2 passed, 4 total
Snapshots:   0 total
Time:        1.234 s
Ran all test suites.
""",
    "vitest": """\
 RUN  v3.2.4 /home/runner/work/a/a

 \u276f src/a.test.ts (6 tests | 1 failed) 12ms

\u23af\u23af\u23af\u23af\u23af\u23af Failed Suites 1 \u23af\u23af\u23af\u23af\u23af\u23af

 FAIL  src/b.test.ts [ src/b.test.ts ]
Error: Failed to load url ./gone

\u23af\u23af\u23af\u23af\u23af\u23af Failed Tests 1 \u23af\u23af\u23af\u23af\u23af\u23af

 FAIL  src/a.test.ts > sum > carries
AssertionError: expected 1 to be 2

 \u276f src/a.test.ts:12:5
\u23af\u23af\u23af\u23af\u23af\u23af[1/1]\u23af

 Test Files  2 failed (2)
      Tests  1 failed | 5 passed | 1 skipped (7)
   Duration  1.23s
""",
}
