"""A test's source is looked for where its results say, and nowhere that is no place in a repository."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.outcome import TestId
from app.domain.source_places import LONGEST_PATH, MOST_PLACES, source_places


def named(classname: str = "", file: str = "") -> TestId:
    return TestId(file=file, suite="", classname=classname, name="test_x[a]")


@pytest.mark.parametrize(
    ("test", "path", "places"),
    [
        (named("tests.test_dcp"), None, ("tests/test_dcp.py", "tests.py")),
        (
            named("tests.test_dcp.TestHandoff"),
            None,
            ("tests/test_dcp.py", "tests/test_dcp/TestHandoff.py", "tests.py"),
        ),
        (named("pkg.handoff_test.Case"), None, ("pkg/handoff_test.py", "pkg/handoff_test/Case.py", "pkg.py")),
        (named("a.b.c.d.e"), "x/test_y.py", ("x/test_y.py", "a/b/c/d/e.py", "a/b/c/d.py")),
        (named(file="tests/test_dcp.py"), None, ("tests/test_dcp.py",)),
        (named("tests.test_a"), "./tests/test_a.py", ("tests/test_a.py", "tests.py")),
        (named("test_a"), "/__w/r/r/sub/test_a.py", ("sub/test_a.py", "test_a.py")),
        (named("test_a"), "D:\\a\\r\\r\\sub\\test_a.py", ("sub/test_a.py", "test_a.py")),
        (named("test_a"), "/usr/lib/python3.12/unittest/case.py", ("test_a.py",)),
        (named(), None, ()),
        (named(file="src/lib.rs"), "src/lib.rs", ()),
        (named(file="../../etc/passwd.py"), None, ()),
        (named(file="a//b.py"), None, ()),
        (named(file="a\nb.py"), "\x1b[31m.py", ()),
        (named(file="x" * LONGEST_PATH + ".py"), None, ()),
    ],
)
def test_the_likeliest_place_comes_first(test: TestId, path: str | None, places: tuple[str, ...]) -> None:
    assert source_places(test, path) == places


@given(st.text(max_size=80), st.text(max_size=80), st.none() | st.text(max_size=80))
def test_no_place_leads_out_of_the_repository(classname: str, file: str, path: str | None) -> None:
    places = source_places(named(classname, file), path)
    assert len(places) <= MOST_PLACES
    for place in places:
        assert place.endswith(".py")
        assert not {"", ".", ".."} & set(place.split("/"))
