"""Inputs for readers that are to be damaged: our own of each format, and real ones where they are."""

import os
from functools import cache
from pathlib import Path

CORPUS = Path(os.getenv("FLAKE_TRIAGE_CORPUS") or Path(__file__).parents[2] / "shared") / "corpus"
LARGEST = 40_000
"""Larger real files are left out: the same kinds of damage fit into small ones."""

SUREFIRE = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="com.a.CartTest" time="1,234.5"
 tests="4" errors="1" skipped="1" failures="1"><properties><property name="os" value="Linux"/></properties>
<testcase name="adds" classname="com.a.CartTest" time="0.01"/>
<testcase name="removes(String)[1]" classname="com.a.CartTest"><failure message="expected:&lt;1&gt;"
 type="java.lang.AssertionError"><![CDATA[java.lang.AssertionError
\tat com.a.CartTest.removes(CartTest.java:12)]]></failure><rerunFailure message="again">
<stackTrace>x</stackTrace><system-out>out</system-out></rerunFailure></testcase>
<testcase name="flaky" classname="com.a.CartTest"><flakyFailure message="once">t</flakyFailure></testcase>
<testcase name="skips" classname="com.a.CartTest"><skipped message="later"/></testcase>
<testcase name="breaks" classname="com.a.CartTest"><error type="E">e</error></testcase></testsuite>
"""
PYTEST = """<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest"
 errors="0" failures="1" skipped="0" tests="1" time="0.1"><testcase classname="t.a" name="x[\u00e9-1]"
 time="0.0"/><testcase classname="t.a" name="x[\u00e9-1]" time="0.0"><failure message="assert 0">E assert 0
t/a.py:3: AssertionError</failure></testcase></testsuite></testsuites>"""
NUNIT = """<test-run id="2" testcasecount="2" result="Failed" total="2" passed="1" failed="1">
<test-suite type="TestFixture" name="F" fullname="N.F"><test-case id="1" name="A" fullname="N.F.A"
 classname="N.F" result="Passed" duration="0.1"/><test-case id="2" name="B" fullname="N.F.B" classname="N.F"
 result="Failed"><failure><message><![CDATA[no]]></message><stack-trace>at N.F.B() in F.cs:line 3
</stack-trace></failure></test-case></test-suite></test-run>"""
XUNIT_NET = """<assemblies><assembly name="a.dll" total="2" passed="1" failed="1" skipped="0" errors="0">
<collection name="c"><test name="N.T.A" type="N.T" method="A" time="0.1" result="Pass"/>
<test name="N.T.B(x: 1)" type="N.T" method="B" time="0.1" result="Fail"><failure exception-type="E">
<message>m</message><stack-trace>s</stack-trace></failure></test></collection></assembly></assemblies>"""
TRX = """<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>
<UnitTestResult testId="1" testName="A" outcome="Passed" duration="00:00:00.1"/><UnitTestResult testId="2"
 testName="B" outcome="Failed"><Output><ErrorInfo><Message>m</Message><StackTrace>s</StackTrace></ErrorInfo>
</Output></UnitTestResult></Results><TestDefinitions><UnitTest name="A" id="1"><TestMethod className="N.C"
 name="A"/></UnitTest></TestDefinitions><ResultSummary outcome="Failed"><Counters total="2" failed="1"/>
</ResultSummary></TestRun>"""
BOMB = """<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;">]><testsuite><testcase name="&c;"/>
</testsuite>"""

STAMP = "2026-05-11T09:14:02.0131000Z "
PYTEST_LOG = (
    "Current runner version: '2.325.0'",
    "##[group]Run actions/checkout@v4",
    "\x1b[36;1mgit checkout --detach\x1b[0m",
    "HEAD is now at 1a2b3c4 Merge 5d6e7f8 into 9a0b1c2",
    "##[endgroup]",
    "============================= test session starts ==============================",
    "created: 2/2 workers",
    "[gw0] [ 50%] PASSED t/test_a.py::test_a ",
    "[gw1] node down: Not properly terminated",
    "=================================== FAILURES ===================================",
    "_________________________________ test_b[x-1] __________________________________",
    "    def test_b(x):",
    ">       assert run(x) == 1",
    "E       AssertionError: assert 2 == 1",
    "t/test_a.py:12: AssertionError",
    "----------------------------- Captured stderr call -----------------------------",
    "[rank1]: Traceback (most recent call last):",
    '[rank1]:   File "/w/t/test_a.py", line 3, in worker',
    "[rank1]: RuntimeError: [/gloo/pair.cc:598] Connection closed by peer [127.0.0.1]:35352",
    "=========================== short test summary info ============================",
    "FAILED t/test_a.py::test_b[x-1] - AssertionError: assert 2 == 1",
    "ERROR t/test_c.py - ImportError: no",
    "=============== 1 failed, 3 passed, 1 error, 2 rerun in 3.21s ================",
    "##[error]Process completed with exit code 1.",
)
UNITTEST_LOG = """FAIL: test_x (m.TestA)
Traceback (most recent call last):
  File "m.py", line 3, in test_x
AssertionError: 1 != 2

Ran 3 tests in 0.001s

FAILED (failures=1)
"""
GO_LOG = """=== RUN   TestA/sub
    a_test.go:12: no
--- FAIL: TestA (0.00s)
    --- FAIL: TestA/sub (0.00s)
FAIL
FAIL\texample.com/pkg\t0.004s
ok  \texample.com/other\t0.1s
panic: test timed out after 10m0s
"""
RUST_LOG = """running 2 tests
test tests::a ... ok
test tests::b ... FAILED

failures:

---- tests::b stdout ----
thread 'tests::b' panicked at src/lib.rs:9:9:
assertion failed

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
        FAIL [   0.004s] crate tests::b
"""
SCRIPT_LOG = """FAIL src/a.test.js
  \u25cf sum \u203a adds

    expect(received).toBe(expected)

Tests:       1 failed, 2 passed, 3 total
 \u276f src/b.test.ts (2 tests | 1 failed)
   \u00d7 b > c
"""
C_LOG = """[ RUN      ] A.B
a.cc:3: Failure
[  FAILED  ] A.B (0 ms)
[==========] 1 test ran.
1/2 Test #1: unit ......***Failed    0.01 sec
50% tests passed, 1 tests failed out of 2
"""
OTHER_LOGS = (UNITTEST_LOG, GO_LOG, RUST_LOG, SCRIPT_LOG, C_LOG)


@cache
def results() -> tuple[bytes, ...]:
    own = [one.encode() for one in (SUREFIRE, PYTEST, NUNIT, XUNIT_NET, TRX, BOMB)]
    return (*own, PYTEST.replace("utf-8", "utf-16").encode("utf-16"), *_real("junit"))


@cache
def logs() -> tuple[bytes, ...]:
    stamped = "".join(f"{STAMP}{line}\n" for line in PYTEST_LOG)
    return (stamped.encode(), *(one.encode() for one in OTHER_LOGS), *_real("logs"))


def _real(folder: str) -> list[bytes]:
    """Of the corpus, where it is; its absence costs variety, no property."""
    files = sorted(CORPUS.glob(f"{folder}/*.*")) if CORPUS.is_dir() else []
    wanted = [one for one in files if one.suffix != ".json" and one.stat().st_size <= LARGEST]
    return [one.read_bytes() for one in wanted]
