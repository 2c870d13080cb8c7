"""Parameters are split from a test's name as each runner spells them; a plain name stays whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.outcome import TestId
from app.domain.parameter_id import base_of


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("test_x[cpu-2]", "test_x"),
        ("method(String)[1]", "method(String)"),
        ("method(String[])[12]", "method(String[])"),
        ("Name/0", "Name"),
        ("Name/0/12", "Name"),
        ("N.C.a(x: 1)", "N.C.a"),
        ('Add("a",1)', "Add"),
        ("Add(-1,2)", "Add"),
        ("Is(True)", "Is"),
        ("pays the bill -- @1.2 ", "pays the bill"),
        ("pays the bill -- @1.2 cards", "pays the bill"),
        ("pays the bill #1.1", "pays the bill"),
        ("test_x (i=1)", "test_x"),
        ("test_x [why] (i=1)", "test_x"),
        ('testX with data set "a"', "testX"),
        ("testX with data set #0", "testX"),
    ],
)
def test_parameters_are_taken_off(name: str, base: str) -> None:
    assert base_of(name) == base
    assert TestId("", "", "C", name).base_label == f"C::{base}"


@pytest.mark.parametrize(
    "name",
    [
        *("", "test_x", "[1] value", "[1]", "method()", "method(String)", "method(int, String)"),
        *("GET /users/1", "TestA/sub_case", "closes issue #12", "works (mostly)", "a" * 4001 + " #1.1"),
    ],
)
def test_a_name_without_parameters_stays(name: str) -> None:
    assert base_of(name) == name


@given(st.text('ab[]()/01#@.-: ="', max_size=30))
def test_the_base_is_the_beginning_of_the_name(name: str) -> None:
    assert name.startswith(base_of(name))
    assert bool(base_of(name)) == bool(name)
