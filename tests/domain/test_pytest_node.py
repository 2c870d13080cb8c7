"""A node id becomes the test id that pytest's JUnit file has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.outcome import TestId
from app.domain.pytest_node import (
    domain_of,
    guess_node,
    split_description,
    split_summary,
    to_node,
    to_test_id,
)


@pytest.mark.parametrize(
    ("node", "suite", "classname", "name"),
    [
        ("tests/test_a.py::test_x", "", "tests.test_a", "test_x"),
        ("tests/test_a.py::TestB::test_x", "", "tests.test_a.TestB", "test_x"),
        ("test_a.py::TestB::TestC::test_x", "", "test_a.TestB.TestC", "test_x"),
        ("tests/test_a.py::test_x[a::b/c-1]", "", "tests.test_a", "test_x[a::b/c-1]"),
        ("tests/test_a.py", "pytest", "", "tests.test_a"),
        ("::test_x", "", "", "test_x"),
    ],
)
def test_path_and_classes_become_the_class_name(node: str, suite: str, classname: str, name: str) -> None:
    assert to_test_id(node) == TestId("", suite, classname, name)


@pytest.mark.parametrize(
    ("text", "node", "message"),
    [
        ("t.py::test_x - assert 1 == 2", "t.py::test_x", "assert 1 == 2"),
        ("t.py::test_x - a - b", "t.py::test_x", "a - b"),
        ("t.py::test_x[a - b] - msg [x]", "t.py::test_x[a - b]", "msg [x]"),
        ("t.py::test_x[a - b]", "t.py::test_x[a - b]", ""),
        ("t.py::test_x", "t.py::test_x", ""),
        ("t.py::test_x[" + " - " * 60, "t.py::test_x[" + " - " * 60, ""),
    ],
)
def test_a_summary_line_is_split_outside_of_parameters(text: str, node: str, message: str) -> None:
    assert split_summary(text) == (node, message)


@pytest.mark.parametrize(
    ("text", "description", "rest"),
    [
        ("[i] (i=1) t.py::test_x", "[i] (i=1)", "t.py::test_x"),
        ("(i=1) t.py::test_x", "(i=1)", "t.py::test_x"),
        ("[300.05s] t.py::test_x", "[300.05s]", "t.py::test_x"),
        ("t.py::test_x", "", "t.py::test_x"),
    ],
)
def test_a_subtests_description_is_no_part_of_the_node(text: str, description: str, rest: str) -> None:
    assert split_description(text) == (description, rest)


NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)


@given(
    NAMES,
    st.lists(NAMES, max_size=2),
    NAMES,
    st.one_of(st.just(""), st.text("a.:/ -", max_size=8).map("[{}]".format)),
)
def test_a_header_and_a_file_make_the_node_again(
    path: str, classes: list[str], function: str, parameters: str
) -> None:
    node = "::".join([f"{path}.py", *classes, function]) + parameters
    assert guess_node(f"{path}.py", domain_of(node)) == node


@pytest.mark.parametrize(
    ("node", "path"),
    [
        ("test/test_rpc.py::test_pair", "test/test_rpc.py"),
        ("test/test_rpc.py::TestA::TestB::test_pair[a::b-1]", "test/test_rpc.py"),
        ("test/test_rpc.py", "test/test_rpc.py"),
    ],
)
def test_a_test_whose_file_is_known_has_its_node_id_again(node: str, path: str) -> None:
    assert to_node(to_test_id(node), path) == node


@pytest.mark.parametrize("path", [None, "src/lib.rs", "other/test_rpc.py", "test/test_rp.py"])
def test_a_test_of_another_file_keeps_its_label(path: str | None) -> None:
    test = to_test_id("test/test_rpc.py::test_pair")
    assert to_node(test, path) == "test.test_rpc::test_pair"


def test_a_test_without_a_class_is_its_file_only_where_it_is_named_like_it() -> None:
    assert to_node(TestId("", "pytest", "", "other"), "test/test_rpc.py") == "pytest::other"
