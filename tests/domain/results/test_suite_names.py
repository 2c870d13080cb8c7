"""What a tool adds to a suite's name in each run is taken out of it; all the rest stays."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.results.junit import read_junit
from app.domain.results.suite_names import stable_suite


@pytest.mark.parametrize(
    ("name", "stable"),
    [
        ("TestAcme-20251114214921", "TestAcme"),
        ("smoke 2026-05-11T09:14:02.123Z", "smoke"),
        ("smoke (2026-05-11 09:14:02 +01:00)", "smoke"),
        ("smoke_20260511-091402", "smoke"),
        ("2026-05-11_09-14-02 smoke", "smoke"),
        ("[2026-05-11] smoke", "smoke"),
        ("smoke - 2026/05/11 9", "smoke - 2026/05/11 9"),
        ("smoke.1778490842", "smoke"),
        ("smoke-1778490842123", "smoke"),
        ("smoke (run 3)", "smoke"),
        ("Run #12: smoke", "smoke"),
        ("smoke build-7 2026-05-11", "smoke"),
        ("nextest-filtering::match@stress-0", "nextest-filtering::match"),
        ("HeadlessChrome 120.0.0 (Linux 0.0.0)", "HeadlessChrome (Linux)"),
        ("Chrome 121.0.0.0 (Mac OS 10.15.7)", "Chrome (Mac OS)"),
        ("/home/runner/work/repo/repo/tests/test_a.py", "tests/test_a.py"),
        ("D:\\a\\repo\\repo\\tests\\a.cs", "tests\\a.cs"),
        ("/github/workspace/a.spec.ts", "a.spec.ts"),
    ],
)
def test_what_differs_from_run_to_run_is_taken_out(name: str, stable: str) -> None:
    assert stable_suite(name) == stable


@pytest.mark.parametrize(
    "name",
    [
        "",
        "pytest",
        "2026-05-11",
        "@stress-1",
        "TestSuite_Bank_cxx_b93040ae",
        "alpine-310.tar.gz (alpine 3.10.2)",
        "linux 64 shard 2",
        "python 3.11",
        "iso8601-2026",
        "/home/runner/work/one/other/x",
        "a" * 1001 + "-20251114214921",
        "a" + "-20251114214921" * 20,
    ],
)
def test_all_else_stays(name: str) -> None:
    assert stable_suite(name) == name


PIECES = (
    *(
        "-",
        " ",
        "(",
        ")",
        "20251114214921",
        "2026-05-11",
        "T09:14:02Z",
        "run 3",
        "@stress-0",
        "a",
        "1778490842",
    ),
    *("/github/workspace/", "/home/runner/work/r/r/", "Chrome 1.2 (Linux 3)", "[", "]", "build#4", "9"),
)


@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=60)))
def test_a_stable_name_stays_as_it_is(name: str) -> None:
    assert stable_suite(stable_suite(name)) == stable_suite(name)
    assert bool(stable_suite(name)) == bool(name)


def test_two_runs_name_a_test_without_a_class_alike() -> None:
    text = '<testsuite name="S-{}"><testcase name="a"/></testsuite>'
    one, other = (
        read_junit(io.BytesIO(text.format(stamp).encode())).results[0].test
        for stamp in ("20251114214921", "20251115080000")
    )
    assert one == other
